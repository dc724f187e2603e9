"""Croton under the name that existing scripts import: theano.x is croton.x."""
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

import croton as _croton
import croton.compat.theano_names as _theano_names
from croton.compat import missing as _missing
from theano._moved import MODULES, PACKAGES, module_of


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("theano."):
            return None
        if name in PACKAGES:
            return importlib.machinery.ModuleSpec(name, self, origin=PACKAGES[name], is_package=True)
        real, above = module_of(name), name.rpartition(".")[0]
        if real not in sys.modules:
            if above != "theano" and above not in PACKAGES and getattr(sys.modules[above], "__file__", None) and sys.modules[above].__spec__.name == above:
                return None  # a package from a folder that was added to a __path__: Croton knows nothing of it
            try:
                found = importlib.util.find_spec(real)
            except ModuleNotFoundError:
                found = None
            if found is None and real not in _missing.NAMES:
                return None
            if found is not None and found.origin and real == "croton" + name[len("theano"):] and not found.origin.startswith(_croton.__path__[0]):
                return importlib.util.spec_from_file_location(name, found.origin, submodule_search_locations=found.submodule_search_locations)
        return importlib.machinery.ModuleSpec(name, self, origin=real)

    def create_module(self, spec):
        if spec.name in PACKAGES:
            return None
        try:
            module = importlib.import_module(spec.origin)
        except ModuleNotFoundError:
            if spec.origin not in _missing.NAMES:
                raise
            module = _missing.module(spec.origin)
        else:
            _missing.speak(module, spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        if module.__name__ in PACKAGES:
            module.__getattr__ = functools.partial(getattr, importlib.import_module(module.__spec__.origin))
            return
        # The module keeps the spec under which it was made.
        real = module.__spec__.origin
        module.__spec__ = module.__spec__.loader_state
        _theano_names.rename({real: module} if real.startswith("croton.") else {})


sys.meta_path.insert(0, _Alias())
_croton._core.add_own_folder(__file__.rsplit("/", 1)[0] + "/")

for _name in dir(_croton):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_croton, _name)
__version__ = importlib.import_module("croton.version").version  # scripts compare it
theano = sys.modules[__name__]
for _name, _module in list(sys.modules.items()):
    if _name.startswith("croton.") and _name != "croton._core" and "theano" + _name[len("croton"):] not in MODULES:
        sys.modules.setdefault("theano" + _name[len("croton"):], _module)
importlib.import_module("theano.scan")  # before the function, whose name the package has
globals()["scan"] = _croton.scan
# `from theano.tensor import *` has always given the package, too.
_croton.tensor.theano = _croton.tensor.basic.theano = theano
_theano_names.rename({_name: _module for _name, _module in sys.modules.items() if _name.startswith("croton.") and _module is not None})
del _name, _module


def __getattr__(name):
    return getattr(_croton, name)
