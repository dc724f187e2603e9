"""Croton under the name that existing scripts import: theano.x is croton.x."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

import croton as _croton
from croton import _missing, _theano_names

# Module paths of other releases of Theano.
_OLD = {
    "theano.config": "croton.configparser", "theano.configdefaults": "croton.configparser",
    "theano.compile.pfunc": "croton.compile.function_types",
    "theano.sandbox.scan": "croton.scan_module", "theano.scalar.basic": "croton.scalar",
    "theano.scalar.sharedvar": "croton.scalar", "theano.scalar.basic_scipy": "croton.scalar",
    "theano.sandbox.neighbours": "croton.tensor.nnet.neighbours", "theano.sandbox.softsign": "croton.tensor.nnet.nnet",
    "theano.sandbox.conv": "croton.tensor.nnet.conv", "theano.d3viz.d3viz": "croton.d3viz", "theano.gof.env": "croton.gof.fg",
    "theano.sandbox.solve": "croton.tensor.slinalg", "theano.sandbox.scan_module": "croton.scan_module",
    "theano.sparse.sharedvar": "croton.sparse.type",
    "theano.compile.profiling": "croton.compile.profiling",
    "theano.compat.six.moves.cPickle": "pickle", "theano.compat.six.moves.configparser": "configparser",
    "theano.compat.six.moves.queue": "queue", "theano.compat.six.moves.builtins": "builtins",
    "theano.compat.six.moves.urllib": "urllib", "theano.compat.six.moves.urllib.request": "urllib.request",
    "theano.compat.six.moves.urllib.parse": "urllib.parse", "theano.compat.six.moves.urllib.error": "urllib.error",
}


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if not name.startswith("theano."):
            return None
        real, above = _OLD.get(name, "croton" + name[len("theano"):]), name.rpartition(".")[0]
        if real not in sys.modules:
            if above != "theano" and getattr(sys.modules[above], "__file__", None) and sys.modules[above].__spec__.name == above:
                return None  # a package from a folder that was added to a __path__: Croton knows nothing of it
            try:
                found = importlib.util.find_spec(real)
            except ModuleNotFoundError:
                found = None
            if found is None and real not in _missing.NAMES:
                return None
            if found is not None and name not in _OLD and not found.origin.startswith(_croton.__path__[0]):
                return importlib.util.spec_from_file_location(name, found.origin, submodule_search_locations=found.submodule_search_locations)
        return importlib.machinery.ModuleSpec(name, self, origin=real)

    def create_module(self, spec):
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
        # The module keeps the spec under which it was made.
        module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, _Alias())
_croton._core.add_own_folder(__file__.rsplit("/", 1)[0] + "/")

for _name in dir(_croton):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_croton, _name)
__version__ = _croton.__version__
theano = sys.modules[__name__]
for _name, _module in list(sys.modules.items()):
    if _name.startswith("croton.") and _name != "croton._core" and "theano" + _name[len("croton"):] not in _OLD:
        sys.modules.setdefault("theano" + _name[len("croton"):], _module)
del _name, _module
# `from theano.tensor import *` has always given the package, too.
_croton.tensor.theano = _croton.tensor.basic.theano = theano
_theano_names.rename()


def __getattr__(name):
    return getattr(_croton, name)
