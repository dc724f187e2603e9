"""Pickles of models."""
import pickle
from pickle import Pickler, Unpickler  # noqa: F401


def dump(obj, file_handler, protocol=pickle.HIGHEST_PROTOCOL, persistent_id=None):
    pickle.dump(obj, file_handler, protocol)


def load(f, persistent_load=None):
    return pickle.load(f)


class StripPickler(Pickler):
    """Leaves out what only helps debugging."""

    def __init__(self, file, protocol=0, extra_tag_to_remove=None):
        super().__init__(file, protocol)


CompatUnpickler = Unpickler
