"""Small things that scripts take from here."""
import collections
import copyreg
import functools
import hashlib
import os
import sys
import traceback
import warnings
from collections.abc import MappingView

import numpy

from croton import _core
from croton.gof.errors import MethodNotDefined

spent = {"gradient": 0.0}  # seconds in all


class scratchpad:
    """A free bag of attributes."""

    def clear(self):
        self.__dict__.clear()

    def __update__(self, other):
        self.__dict__.update(other.__dict__)
        return self

    def __str__(self):
        return "scratchpad" + str(self.__dict__)

    __repr__ = __str__

    def info(self):
        print("<theano.gof.utils.scratchpad instance at %i>" % id(self))
        for key, value in self.__dict__.items():
            print("  %s: %s" % (key, value))


Scratchpad = scratchpad


def reduced(made):
    """What pickle wants of an instance of a class that has __reduce__: object.__reduce_ex__ would call that method again."""
    own = getattr(type(made), "__getstate__", None)
    state = dict(made.__dict__) if own is None or own is getattr(object, "__getstate__", None) else made.__getstate__()
    return copyreg.__newobj__, (type(made),), state or None


def also_in(module, namespace):
    """`module`, where Theano has them, gets the public classes and functions that the module with this namespace defines."""
    for name, thing in list(namespace.items()):
        if not name.startswith("_") and getattr(thing, "__module__", None) == namespace["__name__"]:
            vars(module).setdefault(name, thing)


def trace_of(number):
    """A creation trace as Theano keeps it: a list of stacks of (file, line, function, text), outermost line first."""
    lines = _core.trace_lines(number)
    return [[tuple(line) for line in reversed(lines)]] if lines else []


_FOLDERS = tuple(folder + os.sep for folder in {os.path.dirname(os.path.dirname(path)) for path in (__file__, os.path.realpath(__file__))})


def is_own_file(path):
    """Is it a file of this package?"""
    return path.startswith(_FOLDERS)


class object2:
    pass


def depth_of_caller():
    """The stacklevel, in whoever asks, of the first line outside of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("croton", "theano"):
        depth, frame = depth + 1, frame.f_back
    return depth


def flatten(items):
    if isinstance(items, (list, tuple)):
        return [leaf for item in items for leaf in flatten(item)]
    return [items]


def uniq(items):
    seen = []
    for item in items:
        if all(item is not other for other in seen):
            seen.append(item)
    return seen


def hash_from_code(code):
    return hashlib.sha256(code.encode() if isinstance(code, str) else code).hexdigest()


def hash_from_file(path):
    with open(path, "rb") as stream:
        return hash_from_code(stream.read())


def hash_from_dict(values):
    return hash_from_code("\n".join("%r: %r" % pair for pair in sorted(values.items())))


def hashtype(self):
    """A hash of the class, for ops and types without parameters."""
    return hash(type(self).__name__) ^ hash(type(self).__module__)


def listed(values):
    """A list of what a list, tuple, iterator or view of a dictionary gives; None for anything else, a single variable among them."""
    if isinstance(values, (list, tuple)):
        return list(values)
    return list(values) if hasattr(values, "__next__") or isinstance(values, (range, collections.deque, MappingView)) else None


def unrolled(values):
    """The values with lists for the iterators in them, however deep: each can be walked once only."""
    several = None if isinstance(values, (int, float)) else listed(values)
    return values if several is None else [unrolled(value) for value in several]


def array_of(values, dtype=None):
    """numpy.asarray, which makes objects of iterators; here they are lists."""
    values = values if isinstance(values, (list, tuple)) else unrolled(values)
    array = numpy.asarray(values)
    if array.dtype.kind == "O":
        array = numpy.asarray(values := unrolled(values))
    return array if dtype is None else numpy.asarray(values, dtype=dtype)


def give_variables_names(variables):
    """Names those without one, and makes names that occur twice different."""
    names = collections.Counter(variable.name for variable in variables)
    for number, variable in enumerate(variables):
        if not variable.name or names[variable.name] > 1:
            variable.name = "%s_%d" % (variable.name or "V", number)
    return [str(variable) for variable in variables]


def remove(predicate, items):
    return [item for item in items if not predicate(item)]


def difference(first, second):
    return [item for item in first if item not in second]


def to_return_values(values):
    return values[0] if len(values) == 1 else values


def from_return_values(values):
    return values if isinstance(values, (list, tuple)) else [values]


class MetaObject(object2):
    pass


class AbstractFunctionError(Exception):
    """A method that has to be written."""


def memoize(function):
    """The function with a memory of what it has given."""
    cache = {}

    @functools.wraps(function)
    def remembering(*args, **kwargs):
        key = args + tuple(sorted(kwargs.items()))
        if key not in cache:
            cache[key] = function(*args, **kwargs)
        return cache[key]
    return remembering


def deprecated(filename, msg=""):
    """A decorator: the first call warns, with `msg`."""
    def decorate(function):
        told = []

        @functools.wraps(function)
        def telling(*args, **kwargs):
            if not told:
                told.append(True)
                warnings.warn("%s.%s is deprecated. %s" % (filename, function.__name__, msg), stacklevel=2)
            return function(*args, **kwargs)
        return telling
    return decorate


def get_variable_trace_string(variable):
    """Where a variable was made, as text."""
    stacks = getattr(getattr(variable, "tag", None), "trace", None) or []
    lines = []
    for stack in stacks:
        lines += traceback.format_list([tuple(frame) for frame in stack])
    return "Backtrace when that variable is created:\n\n" + "".join(lines) if lines else ""


unique = uniq
undef = object()


class TestValueError(AttributeError):
    pass


__all__ = ["MethodNotDefined", "TestValueError", "difference", "flatten", "from_return_values", "give_variables_names",
           "remove", "to_return_values", "unique", "hash_from_code", "object2", "scratchpad", "undef", "uniq"]
