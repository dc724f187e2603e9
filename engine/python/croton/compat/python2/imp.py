"""imp as scripts of Python 2 use it: what they load by its path is as old as they are."""
import importlib.util
import sys
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    try:
        from imp import *  # noqa: F401,F403
    except ImportError:  # gone from Python 3.12 on
        pass
from importlib import reload  # noqa: F401

from croton.compat.python2.modules import Loader


def load_source(name, pathname, file=None):
    """The module of that name, made of a source file."""
    spec = importlib.util.spec_from_file_location(name, pathname, loader=Loader(name, pathname, "", True, True))
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
