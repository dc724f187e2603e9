"""The type of lists whose elements are all of one type."""
from croton.gof.type import Type


class TypedListType(Type):
    """The type of lists of `ttype`; depth: of lists of so many lists of them."""

    def __init__(self, ttype, depth=0):
        if depth < 0:
            raise ValueError("Please specify a depth superior or equal to 0, got %d" % depth)
        if not isinstance(ttype, Type):
            raise TypeError("Expected a Theano Type, got %r" % (ttype,))
        self.ttype = ttype if depth == 0 else TypedListType(ttype, depth - 1)

    dtype = property(lambda self: self.ttype)
    ndim = property(lambda self: self.ttype.ndim + 1)

    def filter(self, value, strict=False, allow_downcast=None):
        if strict:
            if not isinstance(value, list):
                raise TypeError("Expected a python list, got %s" % type(value).__name__)
            return value
        if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
            raise TypeError("Expected a list of %s, got %r" % (self.ttype, value))
        return [self.ttype.filter(one, allow_downcast=allow_downcast) for one in value]

    def get_depth(self):
        return self.ttype.get_depth() + 1 if isinstance(self.ttype, TypedListType) else 0

    def values_eq(self, a, b):
        return len(a) == len(b) and all(self.ttype.values_eq(one, other) for one, other in zip(a, b))

    def make_variable(self, name=None):
        return self.Variable(self, name=name)

    def make_constant(self, value, name=None):
        return self.Constant(self, value, name)

    def __eq__(self, other):
        return type(self) is type(other) and self.ttype == other.ttype

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.ttype))

    def __str__(self):
        return "TypedList <%s>" % (self.ttype,)

    __repr__ = __str__
