"""Checks that this Python can load Croton's binary modules. Every Python can read this file: a wrong one gets a reason, not a syntax error."""
import os
import sys

from croton import _built

try:
    from importlib.machinery import EXTENSION_SUFFIXES as _SUFFIXES
except ImportError:
    _SUFFIXES = ()  # Python 2: nothing is built for it
_MINIMUM = (3, 11)


def _refuse(reason, remedy):
    built = _built.PYTHON or "a Python %s" % _built.PYTHON_VERSION
    raise ImportError("%s. Use %s, for which Croton was built, or %s." % (reason, built, remedy))


def check():
    """Raises an ImportError that names this Python, the Python that Croton was built for, and what to do."""
    here = "Python %d.%d (%s)" % (sys.version_info[0], sys.version_info[1], sys.executable)
    wheel = "install Croton here: `pip install .` in its source folder, in a virtual environment of this Python"
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.version_info < _MINIMUM:
        _refuse("Croton needs Python %d.%d or later, and this is %s" % (_MINIMUM + (here,)), "install a later Python")
    if not any(os.path.exists(os.path.join(folder, "_core" + suffix)) for suffix in _SUFFIXES):
        _refuse("Croton was built for Python %s, and this is %s" % (_built.PYTHON_VERSION, here), wheel)
    old_numpy = _built.NUMPY_VERSION.startswith("1.")
    try:
        import numpy
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        _refuse("Croton needs NumPy, which %s does not have" % here, "install NumPy here: pip install '%s'" % ("numpy<2" if old_numpy else "numpy"))
    if old_numpy and not numpy.__version__.startswith("1."):
        _refuse("Croton was built with NumPy %s, and %s has NumPy %s" % (_built.NUMPY_VERSION, here, numpy.__version__),
                "install an older NumPy here (pip install 'numpy<2'), or " + wheel)
