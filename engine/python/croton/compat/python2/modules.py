"""Modules that a script imports may be as old as it is: one of Python 2 is converted in memory when it is imported."""
import functools
import os
import sys
import sysconfig
from importlib.machinery import PathFinder, SourceFileLoader

from croton.compat.python2 import builtins, signs, sources

_is_old_package = functools.lru_cache(maxsize=None)(signs.is_old_package)
_holds_old_modules = functools.lru_cache(maxsize=None)(signs.holds_old_modules)


class Loader(SourceFileLoader):
    """Today's Python reads the module as ever, and keeps its bytecode; nothing converted is kept."""

    def __init__(self, fullname, path, package, is_old, may_be_old):
        super().__init__(fullname, path)
        self._package, self._is_old, self._may_be_old = package, is_old, may_be_old

    def get_code(self, fullname):
        if self._is_old or self._may_be_old and sources.is_compiled_here(sources.read_source(self.path), self.path, self._package):
            return self._compiled()
        try:
            return super().get_code(fullname)
        except SyntaxError:
            return self._compiled()

    def _compiled(self):
        return sources.compile_script(sources.read_source(self.path), self.path, self._package, self._is_old)

    def exec_module(self, module):
        code = self.get_code(module.__name__)
        vars(module)["__builtins__"] = vars(builtins.of_file(self.path))
        exec(code, vars(module))


class _Finder:
    """Before Python's own: what that finds in a source file is read by the loader above."""

    def __init__(self, folder, is_old):
        self._folder, self._is_old, self._found_before = folder, is_old, {os.path.abspath(one) for one in sys.path}
        self._standard = tuple(sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib"))

    def find_spec(self, fullname, path=None, target=None):
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or self._is_standard(spec.origin):
            return spec
        is_package = spec.submodule_search_locations is not None
        package = fullname if is_package else fullname.rpartition(".")[0]
        top = os.path.abspath(os.path.join(spec.origin, *[".."] * (fullname.count(".") + (1 if is_package else 0))))  # file or package
        in_package = (lambda asked: asked(top)) if package else lambda asked: False
        file = os.path.abspath(spec.origin)
        is_beside = file.startswith(self._folder + os.sep) and not self._is_installed(file[len(self._folder):])  # of an environment beside the script
        is_old = self._is_old and (self._is_of_program(top) or not self._is_installed(file) and in_package(_holds_old_modules))
        spec.loader = Loader(fullname, spec.loader.path, package, is_old, is_beside or in_package(_is_old_package))
        return spec

    def _is_of_program(self, top):
        """Does it lie beside the script, or where the script looks for it?"""
        place = os.path.dirname(top)
        return not self._is_installed(top) and (place == self._folder or place not in self._found_before)

    def _is_installed(self, file):
        return "-packages" + os.sep in file

    def _is_standard(self, file):
        return file.startswith(self._standard) and not self._is_installed(file)


def convert_imports(folder, is_old):
    """From now on, for the script of a folder that is old, or is not. More is asked of modules in it and in old packages than
    whether today's Python can read them."""
    at = sys.meta_path.index(PathFinder)
    sys.meta_path.insert(at, _Finder(folder, is_old))
