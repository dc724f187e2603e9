"""theano.tests"""
import importlib

from croton.compat.late_path import LatePath

__path__ = LatePath(__name__, __path__)


def __getattr__(name):
    if name in ("breakpoint", "test_rop", "unittest_tools"):
        return importlib.import_module("croton.tests." + name)
    raise AttributeError(name)
