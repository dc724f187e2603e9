"""Rewrites for ops of the old GPU back end: there is nothing for them to do."""
import warnings

from croton import _core


def register_opt(*tags, **kwargs):
    """A decorator that gives the rewrite back as it is. On a GPU it says that it is not run."""
    def left_out(rewrite):
        if _core.chosen_device() != "cpu":
            warnings.warn("the rewrite %s is for ops of the old GPU back end, which there are none of: it is not run; what runs on the device "
                          "is chosen without it" % (kwargs.get("name") or getattr(rewrite, "__name__", rewrite)), stacklevel=2)
        return rewrite
    return left_out
