"""theano.tests"""
import importlib


def __getattr__(name):
    if name in ("breakpoint", "test_rop", "unittest_tools"):
        return importlib.import_module("croton.tests." + name)
    raise AttributeError(name)
