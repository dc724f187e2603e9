"""`import croton` in a Python that cannot load its binary modules says which Python can, and what to do."""
import re
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import croton
import pytest

OWN = Path(croton.__path__[0])
HERE = r"Python %d\.%d \(%s\)" % (sys.version_info[0], sys.version_info[1], re.escape(sys.executable))


class Package:
    """A package croton as another build has it, beside a NumPy that says its version."""

    def __init__(self, folder):
        self.path = folder / "croton"
        self.path.mkdir()
        for name in ("__init__.py", "_interpreter.py"):
            (self.path / name).write_text((OWN / name).read_text())

    def built_for(self, python="/built/python3", version="3.11", numpy="2.1.0", suffix=EXTENSION_SUFFIXES[0]):
        (self.path / "_built.py").write_text("PYTHON = %r\nPYTHON_VERSION = %r\nNUMPY_VERSION = %r\n" % (python, version, numpy))
        (self.path / ("_core" + suffix)).write_text("")

    def numpy(self, text):
        folder = self.path.parent / "numpy"
        folder.mkdir()
        (folder / "__init__.py").write_text(text)

    def error(self, before=""):
        """The last line that a fresh Python prints on import."""
        program = "import sys\nsys.path.insert(0, %r)\n%s\nimport croton" % (str(self.path.parent), before)
        done = subprocess.run([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1
        return done.stderr.splitlines()[-1]


@pytest.fixture
def package(tmp_path):
    return Package(tmp_path)


def test_a_module_of_another_python_is_named(package):
    package.built_for(version="3.99", suffix=".cpython-399-x86_64-linux-gnu.so")
    assert re.fullmatch("ImportError: Croton was built for Python 3.99, and this is " + HERE + r"\. Use /built/python3, .*`pip install \.`.*", package.error())


def test_a_wheel_of_another_python_names_no_interpreter_that_is_gone(package):
    package.built_for(python="", version="3.99", suffix=".cpython-399-x86_64-linux-gnu.so")
    assert "Use a Python 3.99, for which Croton was built" in package.error()


def test_a_python_that_is_too_old_is_not_asked_to_build(package):
    package.built_for()
    error = package.error("sys.version_info = (3, 8, 1)")
    assert error.startswith("ImportError: Croton needs Python 3.11 or later, and this is Python 3.8 (") and "pip install" not in error


@pytest.mark.parametrize("built, wanted", [("1.24.2", "'numpy<2'"), ("2.1.0", "'numpy'")])
def test_a_python_without_numpy_is_told_how_to_get_it(package, built, wanted):
    package.built_for(numpy=built)
    error = package.error("sys.modules['numpy'] = None")
    assert re.fullmatch("ImportError: Croton needs NumPy, which " + HERE + r" does not have\. Use /built/python3, .*", error)
    assert "pip install " + wanted in error


def test_numpy_2_is_refused_by_a_module_built_with_numpy_1(package):
    package.built_for(numpy="1.24.2")
    package.numpy("__version__ = '2.4.0'")
    error = package.error()
    assert "built with NumPy 1.24.2" in error and "has NumPy 2.4.0" in error and "pip install 'numpy<2'" in error and "/built/python3" in error


def test_numpy_1_is_welcome_in_a_module_built_with_numpy_2(package):
    package.built_for(numpy="2.1.0")
    package.numpy("__version__ = '1.26.0'")
    assert "built" not in package.error()  # the empty _core is what fails


def test_a_numpy_that_is_broken_says_so_itself(package):
    package.built_for()
    package.numpy("import some_part_of_numpy")
    assert package.error() == "ModuleNotFoundError: No module named 'some_part_of_numpy'"
