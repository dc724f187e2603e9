"""What scripts take from theano.scan_module.scan_utils."""
from croton import _missing
from croton.clone import clone  # noqa: F401
from croton.gof.compare import equal_computations  # noqa: F401
from croton.updates import OrderedUpdates, Updates  # noqa: F401


def __getattr__(name):
    return _missing.attribute("croton.scan_module", name)
