"""Packages for devices that are not installed: their names lead to Croton's, which work on Croton's devices."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys

FACES = {"pycuda": "croton.pycuda", "pyopencl": "croton.pyopencl"}


class _Loader(importlib.abc.Loader):
    def create_module(self, spec):
        module = importlib.import_module(spec.origin)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = module.__spec__.loader_state  # it keeps the one under which it was made


class _Packages(importlib.abc.MetaPathFinder):
    """Asked last: what is installed, or lies beside the script, comes first."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, _Loader(), origin=FACES[name]) if name in FACES else None


class _Modules(importlib.abc.MetaPathFinder):
    """Asked first, for modules of those packages: each is there once, under both its names."""

    def find_spec(self, name, path=None, target=None):
        package, dot, rest = name.partition(".")
        if not dot or package not in FACES or sys.modules.get(package) is not sys.modules.get(FACES[package]):
            return None
        real = FACES[package] + dot + rest
        if importlib.util.find_spec(real) is None:
            raise ModuleNotFoundError("%s is not in Croton's %s, which has the basics: install %s for the rest" % (name, package, package), name=name)
        return importlib.machinery.ModuleSpec(name, _Loader(), origin=real)


def install():
    sys.meta_path.insert(0, _Modules())
    sys.meta_path.append(_Packages())
