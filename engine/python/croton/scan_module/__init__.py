"""Loops."""
from croton import _missing
from croton.clone import clone  # noqa: F401
from croton.scan_module import scan_utils  # noqa: F401
from croton.updates import OrderedUpdates  # noqa: F401


def __getattr__(name):
    return _missing.attribute(__name__, name)
