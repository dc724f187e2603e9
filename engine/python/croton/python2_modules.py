"""Modules that a script imports may be as old as it is: one of Python 2 is converted in memory when it is imported."""
import functools
import os
import re
import sys
import sysconfig
from importlib.machinery import PathFinder, SourceFileLoader

from croton import python2


_IMPORTED = re.compile(r"^(?:from|import)[ \t]+(\w+)", re.MULTILINE)
_MOST_FILES = 150  # more have the packages that somebody keeps up


@functools.lru_cache(maxsize=None)
def _is_old_package(folder):
    """Do its modules import each other by their names alone? Asked of their texts, which is little beside importing them."""
    name, files = os.path.basename(folder), []
    for place, _, names in os.walk(folder):
        files += [os.path.join(place, one) for one in names if one.endswith(".py")]
        if len(files) > _MOST_FILES:
            return False
    for file in files:
        with open(file, encoding="latin-1") as text:
            if any(python2.is_beside(one, file, name) for one in set(_IMPORTED.findall(text.read()))):
                return True
    return False


class _Loader(SourceFileLoader):
    """Today's Python reads the module as ever, and keeps its bytecode; nothing converted is kept."""

    def __init__(self, fullname, path, package, may_be_old):
        super().__init__(fullname, path)
        self._package, self._may_be_old = package, may_be_old

    def get_code(self, fullname):
        if self._may_be_old and python2.is_compiled_here(python2.read_source(self.path), self.path, self._package):
            return self._converted()
        try:
            return super().get_code(fullname)
        except SyntaxError:
            return self._converted()

    def _converted(self):
        return python2.compile_script(python2.read_source(self.path), self.path, self._package)


class _Finder:
    """Before Python's own: what that finds in a source file is read by the loader above."""

    def __init__(self, folder):
        self._folder = folder + os.sep
        self._standard = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib"))

    def find_spec(self, fullname, path=None, target=None):
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or self._is_standard(spec.origin):
            return spec
        is_package = spec.submodule_search_locations is not None
        package = fullname if is_package else fullname.rpartition(".")[0]
        file = os.path.abspath(spec.origin)
        may_be_old = file.startswith(self._folder) and "-packages" + os.sep not in file[len(self._folder):]  # not of an environment beside the script
        if not may_be_old and package:
            up = fullname.count(".") + (1 if is_package else 0)
            may_be_old = _is_old_package(os.path.abspath(os.path.join(spec.origin, *[".."] * up)))
        spec.loader = _Loader(fullname, spec.loader.path, package, may_be_old)
        return spec

    def _is_standard(self, file):
        return file.startswith(self._standard) and "-packages" + os.sep not in file


def convert_imports(folder):
    """From now on. Of modules in the script's own folder and in old packages more is asked than whether today's Python can read them."""
    at = sys.meta_path.index(PathFinder)
    sys.meta_path.insert(at, _Finder(folder))
