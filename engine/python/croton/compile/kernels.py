"""What the compile thread has to tell: kernels that could not be compiled, products that are not kept."""
import os
import sys
import warnings

from croton import _core

_PACKAGES = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), name) + os.sep
                  for name in ("croton", "theano"))
_LINES = 40
_told = [0, 0]  # failures and notices so far


def tell():
    """Called on the main thread when there is something new."""
    failures, notices = _core.kernel_failures(), _core.kernel_notices()
    new, _told[0] = failures[_told[0]:], len(failures)
    for number, (source, command, messages) in enumerate(new, len(failures) - len(new) + 1):
        if number > 1:  # the reason is mostly the same
            if not number & (number - 1):
                _warn("%d compiles failed by now; theano.compile.kernels.failures() has their kernels and what the compiler said" % number)
            continue
        _warn("a kernel could not be compiled; the interpreter does its work with the same values, only slower.\n"
              "the command:\n%s\nthe compiler said:\n%s\nthe kernel:\n%s"
              % (_indented(command), _indented(messages), _indented(source[max(source.find("void croton_kernel"), 0):])))
    for notice in notices[_told[1]:]:
        _warn(notice)
    _told[1] = len(notices)


def _indented(text):
    lines = [line if len(line) <= 400 else line[:400] + " ..." for line in text.rstrip("\n").split("\n")]
    if len(lines) > _LINES:
        lines[_LINES - 5:-4] = ["... (%d lines more; theano.compile.kernels.failures() has them all)" % (len(lines) - _LINES + 1)]
    return "\n".join("  " + line for line in lines)


def failures():
    """(source, command, what the compiler said) of every compile that failed so far."""
    return _core.kernel_failures()


def _warn(text):
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGES):
        frame = frame.f_back
    if frame is None:
        print("croton: " + text, file=sys.stderr)
    else:
        warnings.warn_explicit(text, UserWarning, frame.f_code.co_filename, frame.f_lineno)
    record = sys.modules.get("croton._record")
    if record is not None and record.active():
        record.message("warning", text.split("\n")[0], text)


_core.tell_of_kernels(tell)
