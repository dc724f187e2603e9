"""theano.tests"""
import importlib



def __getattr__(name):
    if name == "unittest_tools":
        return importlib.import_module("croton.tests.unittest_tools")
    raise AttributeError(name)
