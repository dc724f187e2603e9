"""The command croton of a wheel: the program inside of the package, with the interpreter that the wheel is installed for. Beside the
package, which it does not import: that would take longer than most commands."""
import importlib.util
import os
import sys


def main():
    package = importlib.util.find_spec("croton")
    if package is None or not package.origin:
        sys.exit("croton: %s has no package croton (pip install croton puts it there)" % sys.executable)
    program = os.path.join(os.path.dirname(package.origin), "_home", "bin", "croton")
    os.environ.setdefault("CROTON_PYTHON", sys.executable)
    try:
        os.execv(program, sys.argv)  # it names the commands to run next as it was called
    except OSError as error:
        sys.exit("croton: %s cannot be run: %s (pip install --force-reinstall croton)" % (program, error.strerror))
