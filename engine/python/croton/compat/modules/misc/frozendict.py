"""A dict that nobody changes, and that can be a key."""
from collections.abc import Mapping


class frozendict(Mapping):
    __slots__ = ("_items", "_hash")

    def __init__(self, *args, **kwargs):
        self._items, self._hash = dict(*args, **kwargs), None

    def __getitem__(self, key):
        return self._items[key]

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __hash__(self):
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def copy(self, **changed):
        return type(self)(self, **changed)

    def __repr__(self):
        return "<%s %r>" % (type(self).__name__, self._items)


class FrozenOrderedDict(frozendict):
    """The same: all dicts keep their order."""
