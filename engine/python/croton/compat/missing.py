"""Names of Theano that Croton has not got: they can be imported, and say what to use instead when they are used."""
import dis
import functools
import importlib.machinery
import pkgutil
import sys
import types

from croton.compat.missing_names import IMPORTED, NAMES, STARRED

# Functions that a module's __getattr__ goes through.
_ASKED_FOR_OTHERS = ("__getattr__", "find", "engine_rewrite")


class NotSupported(AttributeError, NotImplementedError):
    """What looking such a name up raises: for hasattr() it is not there."""


class Missing:
    """Stands for a name that is not there, where a script imports it; using it says so."""

    def __init__(self, name, way_out):
        self.__name__ = name.rsplit(".", 1)[-1]
        self._name, self._way_out = name, way_out

    def _sentence(self):
        return "not supported: %s is not in this version of Croton: %s" % (_theano_name(self._name), self._way_out)

    def __call__(self, *args, **kwargs):
        raise NotSupported(self._sentence())

    def __getattr__(self, attribute):
        raise AttributeError(attribute) if attribute.startswith("__") else NotSupported(self._sentence())

    def __instancecheck__(self, instance):
        return False

    def __mro_entries__(self, bases):
        """A class may be derived from it, as scripts do whose classes are not used on every machine; an instance says that it is not there."""
        def __new__(cls, *args, **kwargs):
            raise NotSupported(self._sentence())
        return (type(self.__name__, (), {"__new__": __new__}),)

    def __repr__(self):
        return "<%s>" % self._sentence()


def _theano_name(name):
    return "theano" + name[len("croton"):]


def module(name):
    """A module that has nothing but such names."""
    made = types.ModuleType(_theano_name(name), "Names of Theano that are not in this version of Croton.")
    made.__spec__ = importlib.machinery.ModuleSpec(made.__name__, None, is_package=any(other.startswith(name + ".") for other in NAMES))
    if made.__spec__.submodule_search_locations is not None:
        made.__path__ = made.__spec__.submodule_search_locations
    speak(made, name)
    return made


def speak(module, name):
    """The module says of each of its NAMES that it is not there."""
    own = vars(module).get("__getattr__")
    if (name not in NAMES and name.rsplit(".", 1)[-1].startswith("_")) or getattr(own, "__name__", "") == "find":
        return

    def find(wanted):
        if own is not None:
            try:
                return own(wanted)
            except NotSupported:
                raise
            except AttributeError:
                pass
        # Theano imports all modules of a package with it.
        if "__path__" in vars(module) and not wanted.startswith("_") and _has_module(module, name, wanted):
            return importlib.import_module(_theano_name(name + "." + wanted))
        if wanted in IMPORTED and wanted not in NAMES.get(name, {}) and IMPORTED[wanted][0] != name[len("croton."):]:
            return _imported(wanted)
        for other in STARRED.get(name, ()):
            if not wanted.startswith("_") and wanted not in NAMES.get(name, {}):
                try:
                    return getattr(importlib.import_module(_theano_name(name + "." + other)), wanted)
                except NotSupported:
                    raise
                except AttributeError:
                    pass
        return stand_in(name + "." + wanted, _way_out(name, wanted))

    module.__getattr__ = find


def _imported(name):
    """What most of Theano's modules import from another: it can be taken from each of them."""
    home, own = IMPORTED[name]
    found = importlib.import_module(("theano." + home).rstrip("."))
    return getattr(found, own) if own else found


@functools.lru_cache(maxsize=None)
def _modules_of(path):
    return {found.name for found in pkgutil.iter_modules([path])}


def _has_module(package, name, wanted):
    return name + "." + wanted in NAMES or any(wanted in _modules_of(path) for path in package.__path__)


def speak_all():
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "croton":
            speak(module, name)


def _way_out(module, name):
    names = NAMES.get(module, {})
    return None if name.startswith("__") else names.get(name, names.get("*"))


def stand_in(name, way_out):
    """What a module gives that is asked for it: scripts import more than they use, so `from … import` gets a stand-in; else it is not there."""
    module, _, last = name.rpartition(".")
    if way_out is None:
        raise AttributeError("module %r has no attribute %r" % (_theano_name(module), last))
    made, frame = Missing(name, way_out), sys._getframe(1)
    while frame is not None and frame.f_code.co_name in _ASKED_FOR_OTHERS:
        frame = frame.f_back
    if frame is not None and frame.f_lasti >= 0 and dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM":
        return made
    raise NotSupported(made._sentence())
