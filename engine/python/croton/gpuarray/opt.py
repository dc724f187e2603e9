"""Rewrites for Theano's own ops on a GPU, which there are none of: the engine gives ops their form for a device. What scripts
register here is kept in these databases, and not run."""
import warnings

from croton import _core
from croton.gof.opt import LocalOptimizer, Optimizer, local_optimizer
from croton.gof.optdb import DB, EquilibriumDB, LocalGroupDB

gpu_optimizer, gpu_optimizer2 = EquilibriumDB(), LocalGroupDB()


def _keep(database, rewrite, tags, name=None, tracks=None):
    name = name or rewrite.__name__
    kept = rewrite if isinstance(rewrite, (DB, LocalOptimizer, Optimizer)) else local_optimizer(tracks)(rewrite)
    database.register(name, kept, "fast_run", "gpuarray", *tags)
    if _core.chosen_device() != "cpu":
        warnings.warn("the rewrite %s is for Theano's own ops on a GPU, which there are none of: it is not run; what runs on the device is "
                      "chosen without it" % name, stacklevel=3)
    return rewrite


def register_opt(*tags, **kwargs):
    """A decorator that keeps the rewrite and gives it back. Where functions run on a device it says that it is not run."""
    return lambda rewrite: _keep(gpu_optimizer, rewrite, tags, kwargs.get("name"))


def register_opt2(tracks, *tags, **kwargs):
    """The same of the rewrites that move a graph as a whole."""
    return lambda rewrite: _keep(gpu_optimizer2, rewrite, tags, kwargs.get("name"), tracks)


def register_inplace(*tags, **kwargs):
    return register_opt("inplace", *tags, **kwargs)


def op_lifter(OP, cuda_only=False):
    """A decorator for what makes an op on the GPU of one of the classes OP: a rewrite, which changes nothing."""
    def lifted(maker):
        def rewrite(node):
            return False
        rewrite.__name__, rewrite.__doc__ = maker.__name__, maker.__doc__
        return local_optimizer(OP)(rewrite)
    return lifted
