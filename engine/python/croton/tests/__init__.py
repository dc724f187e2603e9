"""theano.tests"""


def __getattr__(name):
    if name == "unittest_tools":
        import importlib
        return importlib.import_module("croton.tests.unittest_tools")
    raise AttributeError(name)
