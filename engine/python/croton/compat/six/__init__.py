"""The names of the package six that scripts take from theano.compat.six."""
import io
from builtins import callable, next  # noqa: F401

from croton.compat.six import moves  # noqa: F401

PY2, PY3 = False, True
string_types, integer_types, class_types, text_type, binary_type = (str,), (int,), (type,), str, bytes
StringIO, BytesIO, Iterator = io.StringIO, io.BytesIO, object


def b(text):
    return text.encode("latin-1")


def u(text):
    return text


def iteritems(mapping, **kwargs):
    return iter(mapping.items(**kwargs))


def iterkeys(mapping, **kwargs):
    return iter(mapping.keys(**kwargs))


def itervalues(mapping, **kwargs):
    return iter(mapping.values(**kwargs))


def get_unbound_function(unbound):
    return getattr(unbound, "__func__", unbound)


def reraise(kind, value, trace=None):
    raise (kind() if value is None else value).with_traceback(trace)


def with_metaclass(meta, *bases):
    """A base class whose subclasses have the metaclass `meta` and the bases `bases`."""
    class _Once(type):
        def __new__(cls, name, _, namespace):
            return meta(name, bases, namespace)
    return type.__new__(_Once, "temporary_class", (), {})


def add_metaclass(metaclass):
    def wrapper(cls):
        namespace = {name: value for name, value in cls.__dict__.items() if name not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, namespace)
    return wrapper
