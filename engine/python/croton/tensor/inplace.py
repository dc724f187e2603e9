"""Elementwise ops that overwrite their first input. A function does so where it was compiled with accept_inplace=True."""
from croton.tensor import basic
from croton.tensor.opclasses import Elemwise


class _InPlace:
    """An op under its name of this module: the op itself is the one that rewrites make, too, and has their name."""

    def __init__(self, op, name):
        self._op, self.name = op, name

    def __call__(self, *inputs, **kwargs):
        return self._op(*inputs, **kwargs)

    def __str__(self):
        return self.name

    __repr__ = __str__

    def __eq__(self, other):
        return self._op == (other._op if type(other) is _InPlace else other)

    def __hash__(self):
        return hash(self._op)

    def __reduce__(self):
        return _InPlace, (self._op, self.name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._op, name)


def __getattr__(name):
    if name.endswith("_inplace"):
        plain = name[:-len("_inplace")]
        if plain == "transpose":
            return basic.transpose
        op = getattr(basic, {"fill": "second"}.get(plain, plain), None)
        if isinstance(op, Elemwise):
            made = globals()[name] = _InPlace(Elemwise(op.scalar_op, {0: 0}), ("second" if plain == "fill" else plain) + "_inplace")
            return made
    raise AttributeError("module 'theano.tensor.inplace' has no attribute %r" % name)
