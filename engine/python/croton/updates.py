"""Dictionaries of updates."""
from collections import OrderedDict

from croton.gof.graph import SharedVariableBase


class OrderedUpdates(OrderedDict):
    """{shared variable: new value} that can be added to others."""

    def __setitem__(self, key, value):
        if not isinstance(key, SharedVariableBase):
            raise TypeError("OrderedUpdates keys must inherit from SharedVariable", key)
        super().__setitem__(key, value)

    def update(self, other=None):
        for key, value in (other.items() if hasattr(other, "items") else other or []):
            if key in self and self[key] != value:
                raise KeyError("Collision", key)
            self[key] = value

    def __add__(self, other):
        result = OrderedUpdates()
        result.update(self)
        result.update(other)
        return result

    def __radd__(self, other):
        result = OrderedUpdates()
        result.update(other)
        result.update(self)
        return result


Updates = OrderedUpdates
