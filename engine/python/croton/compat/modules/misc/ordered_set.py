"""Sets that keep the order in which things came in."""
from collections.abc import MutableSet


class OrderedSet(MutableSet):
    def __init__(self, iterable=None):
        self._places = dict.fromkeys(iterable or ())

    def __contains__(self, key):
        return key in self._places

    def __iter__(self):
        return iter(self._places)

    def __reversed__(self):
        return reversed(self._places)

    def __len__(self):
        return len(self._places)

    def add(self, key):
        self._places[key] = None

    def discard(self, key):
        self._places.pop(key, None)

    def pop(self, last=True):
        """The one that came last, or first; it is in the set no more."""
        if not self._places:
            raise KeyError("the set is empty")
        key = next(reversed(self._places) if last else iter(self._places))
        del self._places[key]
        return key

    def update(self, iterable):
        for key in iterable:
            self.add(key)

    def union(self, other):
        made = self.copy()
        made.update(other)
        return made

    def intersection_update(self, other):
        self &= set(other)

    def difference_update(self, other):
        self -= set(other)

    def copy(self):
        return type(self)(self)

    def __eq__(self, other):
        if isinstance(other, OrderedSet):  # in the same order; of other sets any
            return list(self) == list(other)
        if isinstance(other, (set, frozenset)):
            return set(self) == other
        return NotImplemented

    __hash__ = None

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, list(self) if self._places else "")
