"""What Python 2's built-in functions meant: converted sources read this module's NAMES where others read those of today."""
import builtins
import decimal
import functools
import io
import itertools
import math
import numbers
import sys
import types
from importlib import reload

import numpy

from croton.compat.python2 import sources

MODULE = types.ModuleType("__builtin__", "What converted sources import as __builtin__.")
NAMES = vars(MODULE)


class _AnyFile(type):
    def __instancecheck__(cls, one):
        return isinstance(one, io.IOBase)


class _File(metaclass=_AnyFile):
    """Files were made by calling their class."""

    def __new__(cls, *args, **kwargs):
        return _open(*args, **kwargs)


def _open(name, mode="r", *args, **kwargs):
    """Text was bytes: what is no UTF-8 is read and written as it is. A mode could begin with U."""
    mode = mode.replace("U", "")
    if "b" not in mode and len(args) < 3:
        kwargs.setdefault("errors", "surrogateescape")
    return open(name, mode if set("rwax") & set(mode) else "r" + mode, *args, **kwargs)


def _cmp(left, right):
    return (left > right) - (left < right)


def _apply(function, args=(), kwargs={}):
    return function(*args, **kwargs)


def _round(number, digits=0):
    """Halves went away from zero, and a number with a point came out."""
    if not isinstance(number, (numbers.Real, numpy.number)):
        return round(number, digits)
    number = float(number)
    if not math.isfinite(number):
        return number
    with decimal.localcontext() as context:
        context.prec = 800  # enough for all digits of any float
        return float(decimal.Decimal(number).quantize(decimal.Decimal(1).scaleb(-int(digits)), decimal.ROUND_HALF_UP))


def _map(function, *sequences):
    """The shorter of several sequences went on with None, and so did the function."""
    if len(sequences) < 2:
        return map(function or (lambda one: one), *sequences)
    rows = itertools.zip_longest(*sequences)
    return list(rows if function is None else itertools.starmap(function, rows))


def _sort_options(cmp=None, key=None, reverse=False):
    if cmp is None:
        return {"key": key, "reverse": reverse}
    ordered = functools.cmp_to_key(cmp)
    return {"key": ordered if key is None else lambda one: ordered(key(one)), "reverse": reverse}


def _sorted(iterable, *args, **kwargs):
    return sorted(iterable, **_sort_options(*args, **kwargs))


def _sort(one, *args, **kwargs):
    """x.sort(...) with arguments: lists took a function that compares."""
    return one.sort(**_sort_options(*args, **kwargs)) if isinstance(one, list) else one.sort(*args, **kwargs)


def _hasattr(one, name):
    """Texts had no __iter__, by which scripts told them from lists."""
    return not (name == "__iter__" and isinstance(one, (str, bytes))) and hasattr(one, name)


def _names(frame, globals, locals):
    """What a text runs in; its built-in functions are those of Python 2 there, too."""
    if globals is None:
        return frame.f_globals, frame.f_locals if locals is None else locals
    globals.setdefault("__builtins__", NAMES)
    return globals, globals if locals is None else locals


def _execfile(path, globals=None, locals=None):
    """Runs a file, as old as the one that asks, in the names of its caller."""
    names = _names(sys._getframe(1), globals, locals)
    exec(sources.compile_script(sources.read_source(path), path, is_old=True), *names)


def _exec(source, globals=None, locals=None):
    names = _names(sys._getframe(1), globals, locals)
    text = source.read() if hasattr(source, "read") else source
    exec(sources.compile_text(text, "<string>", "exec") if isinstance(text, (str, bytes)) else text, *names)


def _eval(source, globals=None, locals=None):
    names = _names(sys._getframe(1), globals, locals)
    return eval(sources.compile_text(source, "<string>", "eval") if isinstance(source, (str, bytes)) else source, *names)


def _compile(source, filename, mode, *args, **kwargs):
    if isinstance(source, (str, bytes)) and mode in ("exec", "eval"):
        return sources.compile_text(source, filename, mode)
    return compile(source, filename, mode, *args, **kwargs)


def _is_whole(one):
    return isinstance(one, (int, numpy.integer)) or isinstance(one, numpy.ndarray) and one.dtype.kind in "iub"


def divide(left, right):
    """What / meant: whole numbers divide to a whole number."""
    if _is_whole(left) and _is_whole(right):
        return left // right
    result = NotImplemented
    if hasattr(type(left), "__div__"):  # variables ask a flag
        result = left.__div__(right)
    elif hasattr(type(right), "__rdiv__"):
        result = right.__rdiv__(left)
    return left / right if result is NotImplemented else result


def _divide_in_place(left, right):
    """What x /= y left in x: an array was divided where it is."""
    if hasattr(type(left), "__idiv__"):
        return left.__idiv__(right)
    if not isinstance(left, numpy.ndarray) or not isinstance(right, (numbers.Number, numpy.ndarray, numpy.generic, list, tuple)):
        return divide(left, right)
    if left.dtype.kind in "iub":  # the quotient went back into whole numbers
        left[...] = divide(left, numpy.asarray(right))
    else:
        left /= right
    return left


def _divide_attribute(one, name, right):
    setattr(one, name, _divide_in_place(getattr(one, name), right))


def _divide_element(one, key, right):
    one[key] = _divide_in_place(one[key], right)


def _equals(left, right):
    """x == None and x == "text": an array gave one answer."""
    return left == right if _has_elements_like(left, right) else False


def _differs(left, right):
    return left != right if _has_elements_like(left, right) else True


def _has_elements_like(left, right):
    return not isinstance(left, numpy.ndarray) or right is not None and left.dtype.kind in "USO"


NAMES.update({name: value for name, value in vars(builtins).items() if name not in ("__name__", "__doc__")})
NAMES.update(apply=_apply, cmp=_cmp, compile=_compile, eval=_eval, exec=_exec, execfile=_execfile, file=_File, hasattr=_hasattr, map=_map, open=_open,
             round=_round, sorted=_sorted)
NAMES.update(basestring=str, buffer=memoryview, intern=sys.intern, long=int, raw_input=input, reduce=functools.reduce, reload=reload, unichr=chr,
             unicode=str, xrange=range)
# What operators become; no source has such names of its own.
NAMES.update(__croton_divide__=divide, __croton_divide_in_place__=_divide_in_place, __croton_divide_attribute__=_divide_attribute,
             __croton_divide_element__=_divide_element, __croton_equals__=_equals, __croton_differs__=_differs, __croton_slice__=slice, __croton_sort__=_sort)


def of_file(path):
    """The built-in functions that a source reads, once it was compiled."""
    if not sources.is_converted(path):
        return builtins
    sys.modules["__builtin__"] = MODULE
    return MODULE
