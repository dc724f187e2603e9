"""What scripts for Python 2 and 3 take from theano.compat; here it is Python 3."""
import configparser  # noqa: F401
import os
from builtins import filter as ifilter, map as imap, next, zip as izip  # noqa: F401
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, MutableMapping as DictMixin, ValuesView  # noqa: F401
from importlib import reload  # noqa: F401
from io import BytesIO  # noqa: F401
from operator import truediv as operator_div  # noqa: F401

from croton.compat import six  # noqa: F401
from croton.compat.six import b, get_unbound_function  # noqa: F401

PY3 = True


def cmp(x, y):
    """-1, 0 or 1 for x below, equal to or above y."""
    return (x > y) - (x < y)


def exc_message(e):
    message = e.args[0]
    return exc_message(message) if isinstance(message, Exception) else message


def decode(x):
    return x.decode()


def decode_iter(itr):
    return (x.decode() for x in itr)


def decode_with(x, encoding):
    return x.decode(encoding)


class DefaultOrderedDict(OrderedDict):
    """An OrderedDict that makes what is missing."""

    def __init__(self, default_factory=None, *args, **kwargs):
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable")
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key):
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = value = self.default_factory()
        return value

    def __reduce__(self):
        return type(self), (self.default_factory,), None, None, iter(self.items())

    def copy(self):
        return type(self)(self.default_factory, self)

    __copy__ = copy


def maybe_add_to_os_environ_pathlist(var, newpath):
    """Puts an absolute folder in front of a list of folders in the environment."""
    folders = os.environ.get(var, "").split(os.pathsep)
    if os.path.isabs(newpath) and newpath not in folders:
        os.environ[var] = os.pathsep.join([newpath] + folders)
