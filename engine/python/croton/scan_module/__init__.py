"""Loops."""
from croton.clone import clone  # noqa: F401
from croton.scan_module import scan_utils  # noqa: F401
from croton.updates import OrderedUpdates  # noqa: F401


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
