"""The card that a program works on, and what goes wrong there."""
import builtins
import contextlib

from croton import _core


class Error(Exception):
    pass


class LogicError(Error):
    pass


class RuntimeError(Error, builtins.RuntimeError):  # noqa: A001
    pass


class LaunchError(Error):
    pass


class MemoryError(Error, builtins.MemoryError):  # noqa: A001
    pass


class CompileError(Error):
    def __init__(self, msg, command_line=(), stdout=None, stderr=None):
        super().__init__(msg)
        self.msg, self.command_line, self.stdout, self.stderr = msg, command_line, stdout, stderr


@contextlib.contextmanager
def told(kind):
    """What the engine says of a device, as PyCUDA's exception."""
    try:
        yield
    except builtins.MemoryError as error:
        raise MemoryError(str(error)) from None
    except (builtins.RuntimeError, builtins.ValueError) as error:
        raise kind(str(error)) from None


_current = None


def _offers():
    return [offer for offer in _core.offered_devices() if offer[0].startswith("cuda")]


def numbers():
    """Of the cards that can be had."""
    return [int(name[4:]) for name, hardware, why in _offers() if not why and name[4:].isdigit()]


def reason():
    """Why there is none; empty: there is."""
    if numbers():
        return ""
    return ("PyCUDA programs run on a card of CUDA, and there is none: %s. `croton devices` says what there is"
            % "; ".join(why for name, hardware, why in _offers() if why))


def hardware(number):
    return next(text for name, text, why in _offers() if name == "cuda%d" % number)


def is_simulated():
    return opened(current())[3]


def default_number():
    """Of the card that functions run on, else of the first."""
    chosen = _core.chosen_device()
    return int(chosen[4:]) if chosen.startswith("cuda") else numbers()[0]


def opened(number):
    with told(RuntimeError):
        return _core.open_device("cuda%d" % number)


def choose(number):
    global _current
    opened(number)
    _current = number


def current():
    if _current is None:
        raise LogicError("no context is open: import pycuda.autoinit, or call pycuda.driver.Device(0).make_context()")
    return _current


def name():
    return "cuda%d" % current()
