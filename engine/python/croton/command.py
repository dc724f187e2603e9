"""The command `croton` of a wheel: the program inside of this package, with the interpreter that the wheel is installed for."""
import os
import sys


def main():
    home = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_home")
    os.environ.setdefault("CROTON_PYTHON", sys.executable)
    program = os.path.join(home, "bin", "croton")
    os.execv(program, [program] + sys.argv[1:])
