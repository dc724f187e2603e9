"""Pickles of models; dump() writes a zip whose arrays numpy.load() can read, too."""
import io
import pickle
import zipfile
from pickle import Pickler, Unpickler  # noqa: F401

import numpy

from croton.gof.graph import Apply, SharedVariableBase, Variable

_PICKLE = "pkl"  # the entry that holds all but the arrays


class PersistentNdarrayID:
    """Writes arrays to a zip of their own entries, each once; what it returns stands for one in the pickle."""

    def __init__(self, zip_file):
        self.zip_file, self.count, self.seen = zip_file, 0, {}

    def _entry(self, array):
        return "array_%d" % self._next()

    def _next(self):
        self.count += 1
        return self.count - 1

    def __call__(self, obj):
        if type(obj) is not numpy.ndarray or obj.dtype.hasobject:
            return None
        if id(obj) not in self.seen:
            stream = io.BytesIO()
            numpy.lib.format.write_array(stream, obj, allow_pickle=False)
            name = self._entry(obj)
            self.zip_file.writestr(name, stream.getvalue())
            self.seen[id(obj)] = "ndarray." + name, obj  # it must live: another one would get its id
        return self.seen[id(obj)][0]


class PersistentSharedVariableID(PersistentNdarrayID):
    """The arrays of shared variables are called as those are; with allow_duplicates=True a name that is there already gets a number."""

    def __init__(self, zip_file, allow_unnamed=True, allow_duplicates=True):
        super().__init__(zip_file)
        self.allow_unnamed, self.allow_duplicates = allow_unnamed, allow_duplicates
        self.names, self.taken = {}, {}

    def _entry(self, array):
        return self.names.pop(_memory(array), None) or super()._entry(array)

    def __call__(self, obj):
        if isinstance(obj, SharedVariableBase):
            value = obj.get_value(borrow=True)
            if isinstance(value, numpy.ndarray) and value.nbytes:
                self._name(obj, value)
        return super().__call__(obj)

    def _name(self, variable, value):
        name = variable.name
        if not name:
            if not self.allow_unnamed:
                raise ValueError("a shared variable has no name: %s" % variable)
            return
        if name == _PICKLE:
            raise ValueError("a shared variable cannot be called %r: the zip keeps that name" % name)
        if name in self.taken and not self.allow_duplicates:
            raise ValueError("two shared variables are called %r" % name)
        self.taken[name] = self.taken.get(name, 0) + 1
        self.names[_memory(value)] = name if self.taken[name] == 1 else "%s_%d" % (name, self.taken[name])


def _memory(array):
    return array.__array_interface__["data"][0], array.shape, array.dtype.str


class PersistentNdarrayLoad:
    """The arrays of a zip, by what stands for them in its pickle."""

    def __init__(self, zip_file):
        self.zip_file, self.cache = zip_file, {}

    def __call__(self, persid):
        kind, name = persid.split(".", 1)
        if kind != "ndarray":
            raise pickle.UnpicklingError("%r stands for no array" % (persid,))
        if name not in self.cache:
            self.cache[name] = numpy.lib.format.read_array(io.BytesIO(self.zip_file.read(name)), allow_pickle=False)
        return self.cache[name]


def dump(obj, file_handler, protocol=pickle.DEFAULT_PROTOCOL, persistent_id=PersistentSharedVariableID):
    """Writes a zip: 'pkl', and each array by itself, called as the shared variable that holds it."""
    with zipfile.ZipFile(file_handler, "w", zipfile.ZIP_DEFLATED, allowZip64=True) as zip_file:
        stream = io.BytesIO()
        pickler = pickle.Pickler(stream, protocol)
        pickler.persistent_id = persistent_id(zip_file)
        pickler.dump(obj)
        zip_file.writestr(_PICKLE, stream.getvalue())


def load(f, persistent_load=PersistentNdarrayLoad):
    """What dump() has written; a plain pickle, too."""
    if not zipfile.is_zipfile(f):
        f.seek(0)
        return pickle.load(f)
    with zipfile.ZipFile(f, "r") as zip_file:
        unpickler = pickle.Unpickler(io.BytesIO(zip_file.read(_PICKLE)))
        unpickler.persistent_load = persistent_load(zip_file)
        return unpickler.load()


class StripPickler(Pickler):
    """Leaves out what only helps debugging, and the tags of these names."""

    def __init__(self, file, protocol=0, extra_tag_to_remove=None):
        super().__init__(file, protocol)
        self._left_out = tuple(extra_tag_to_remove or ())

    def reducer_override(self, obj):
        if not self._left_out or not isinstance(obj, (Variable, Apply)):
            return NotImplemented
        make, arguments, state = obj.__reduce_ex__(2)
        tag = {name: content for name, content in (state or {}).get("_tag", {}).items() if name not in self._left_out}
        return make, arguments, {**(state or {}), "_tag": tag}


CompatUnpickler = Unpickler
