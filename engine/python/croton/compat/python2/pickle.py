"""pickle as scripts of Python 2 use it: their files hold bytes where today's hold text, and were opened as either."""
import io
import pickle
from pickle import *  # noqa: F401,F403

__all__ = pickle.__all__


def _binary(file):
    return file.buffer if isinstance(file, io.TextIOWrapper) else file


class Unpickler(pickle.Unpickler):
    def __init__(self, file, *, fix_imports=True, encoding="latin1", errors="strict", buffers=None):
        super().__init__(_binary(file), fix_imports=fix_imports, encoding=encoding, errors=errors, buffers=buffers)


def load(file, **options):
    return Unpickler(file, **options).load()


def loads(data, **options):
    return load(io.BytesIO(data.encode("latin1") if isinstance(data, str) else data), **options)


class Pickler(pickle.Pickler):
    def __init__(self, file, *args, **options):
        super().__init__(_binary(file), *args, **options)


def dump(value, file, *args, **options):
    Pickler(file, *args, **options).dump(value)
