"""Names that Python's library and NumPy gave up since Theano's scripts were written: scripts that are run find them."""
import base64
import collections.abc
import fractions
import inspect
import itertools
import math
import operator
import string
import sys
import threading
import time

import numpy

from croton.compat.python2 import builtins

try:
    from numpy.core._machar import MachAr  # where it went to
except ImportError:
    MachAr = None

_TEXT = "atoi atof capitalize count find index join ljust lower lstrip replace rfind rindex rjust rstrip split strip swapcase upper zfill"


def _getargspec(function):
    """(args, varargs, keywords, defaults) of a function without keyword-only arguments."""
    found = inspect.getfullargspec(function)
    if found.kwonlyargs or found.annotations:
        raise ValueError("Function has keyword-only parameters or annotations, use inspect.signature() API which can support them")
    return _ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


_ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def _of_text(name):
    """What a function of Python 2's module string is today."""
    if name in ("atoi", "atof"):
        return int if name == "atoi" else float
    if name == "join":
        return lambda words, sep=" ": sep.join(words)
    return getattr(str, name)


def _numpy_names():
    given = {"float": float, "int": int, "bool": bool, "complex": complex, "object": object, "str": str, "long": int, "unicode": str}
    given.update(asscalar=lambda a: numpy.asarray(a).item(), alen=lambda a: len(numpy.atleast_1d(a)), rank=numpy.ndim)
    given.update(product=numpy.prod, cumproduct=numpy.cumprod, sometrue=numpy.any, alltrue=numpy.all)
    given.update(float_=numpy.float64, complex_=numpy.complex128, Inf=numpy.inf, Infinity=numpy.inf, infty=numpy.inf, PINF=numpy.inf, NINF=-numpy.inf,
                 NaN=numpy.nan, NAN=numpy.nan)
    given.update({} if MachAr is None else {"MachAr": MachAr})
    return given


def give_back():
    """To the modules that had them; what is there stays as it is."""
    letters = {"letters": string.ascii_letters, "lowercase": string.ascii_lowercase, "uppercase": string.ascii_uppercase, "maketrans": str.maketrans}
    for module, names in (
            (collections, {name: getattr(collections.abc, name) for name in collections.abc.__all__}),
            (inspect, {"getargspec": _getargspec, "ArgSpec": _ArgSpec}),
            (time, {"clock": time.process_time}),
            (threading.Thread, {"isAlive": threading.Thread.is_alive}),
            (base64, {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}),
            (sys, {"maxint": sys.maxsize, "setdefaultencoding": lambda encoding: None}),  # text needs none
            (fractions, {"gcd": math.gcd}),
            (itertools, {"izip": zip, "imap": map, "ifilter": filter, "ifilterfalse": itertools.filterfalse, "izip_longest": itertools.zip_longest}),
            (operator, {"div": builtins.divide, "isCallable": callable, "sequenceIncludes": operator.contains}),
            (string, {**letters, **{name: _of_text(name) for name in _TEXT.split()}}),
            (numpy, _numpy_names())):
        for name, value in names.items():
            if name not in vars(module):
                setattr(module, name, value)
