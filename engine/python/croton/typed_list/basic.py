"""Lists whose elements are all of one type, as values in graphs: their variables, and ops on them."""
import copy

import numpy

from croton.configparser import config
from croton.gof.graph import Apply, Constant, Variable
from croton.gof.op import Op
from croton.gof.type import SliceType
from croton.tensor import basic
from croton.tensor.type import TensorType
from croton.typed_list.type import TypedListType


class _typed_list_py_operators:
    def __getitem__(self, index):
        return getitem(self, index)

    def __len__(self):
        raise TypeError("the length of a list is known only when a function runs: theano.typed_list.length(x) is a variable with it")

    def __iter__(self):
        raise TypeError("a symbolic list has no elements to go through yet: take them by x[0], x[1], …")

    def append(self, element):
        return append(self, element)

    def extend(self, others):
        return extend(self, others)

    def insert(self, index, element):
        return insert(self, index, element)

    def remove(self, element):
        return remove(self, element)

    def reverse(self):
        return reverse(self)

    def count(self, element):
        return count(self, element)

    # Variables have an index already.
    def ind(self, element):
        return index_(self, element)

    ttype = property(lambda self: self.type.ttype)
    dtype = property(lambda self: self.type.ttype.dtype)
    ndim = property(lambda self: self.type.ttype.ndim + 1)


class TypedListVariable(_typed_list_py_operators, Variable):
    """A list that a graph computes or is given."""


class TypedListConstant(_typed_list_py_operators, Constant):
    """A list that never changes."""


TypedListType.Variable, TypedListType.Constant = TypedListVariable, TypedListConstant


def _copied(value):
    return value.copy() if isinstance(value, numpy.ndarray) else copy.deepcopy(value)


def _equal(kind, a, b):
    return bool(numpy.array_equal(a, b)) if isinstance(kind, TensorType) else kind.values_eq(a, b)


class _ListOp(Op):
    """Works on lists: gives new ones, whose elements belong to nobody else."""
    __props__ = ()

    def __str__(self):
        return self.__class__.__name__

    def _list(self, x):
        if not isinstance(x, Variable) or not isinstance(x.type, TypedListType):
            raise TypeError("%s works on typed lists, got %s" % (self, getattr(x, "type", type(x).__name__)))
        return x

    def _element(self, x, element):
        if not isinstance(element, Variable):
            element = basic.as_tensor_variable(element)
        if element.type != x.type.ttype:
            raise TypeError("%s: the list has elements of %s, got a %s" % (self, x.type.ttype, element.type))
        return element

    def _index(self, index):
        if isinstance(index, (int, numpy.integer)) and not isinstance(index, bool):
            index = basic.constant(index, dtype="int64")
        if not isinstance(index, Variable) or not isinstance(index.type, TensorType) or index.ndim or index.dtype != "int64":
            raise TypeError("%s: Expected scalar or slice as index, an int64, got %s" % (self, getattr(index, "type", index)))
        return index

    def do_constant_folding(self, node):
        return False

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.compute(node, *inputs)


class GetItem(_ListOp):
    def make_node(self, x, index):
        self._list(x)
        if isinstance(index, slice):
            index = Constant(SliceType(), index)
        if isinstance(index, Variable) and isinstance(index.type, SliceType):
            return Apply(self, [x, index], [x.type()])
        return Apply(self, [x, self._index(index)], [x.type.ttype()])

    def compute(self, node, x, index):
        return _copied(x[index if isinstance(index, slice) else int(index)])


class _WithElement(_ListOp):
    def make_node(self, x, element):
        return Apply(self, [self._list(x), self._element(x, element)], [x.type()])


class Append(_WithElement):
    def compute(self, node, x, element):
        return _copied(x) + [_copied(element)]


class Remove(_WithElement):
    def compute(self, node, x, element):
        kind = node.inputs[0].type.ttype
        for place, one in enumerate(x):
            if _equal(kind, one, element):
                return _copied(x[:place] + x[place + 1:])
        return _copied(x)


class Extend(_ListOp):
    def make_node(self, x, others):
        if self._list(x).type != self._list(others).type:
            raise TypeError("Extend: the lists are of different types: %s and %s" % (x.type, others.type))
        return Apply(self, [x, others], [x.type()])

    def compute(self, node, x, others):
        return _copied(x) + _copied(others)


class Insert(_ListOp):
    def make_node(self, x, index, element):
        return Apply(self, [self._list(x), self._index(index), self._element(x, element)], [x.type()])

    def compute(self, node, x, index, element):
        made = _copied(x)
        made.insert(int(index), _copied(element))
        return made


class Reverse(_ListOp):
    def make_node(self, x):
        return Apply(self, [self._list(x)], [x.type()])

    def compute(self, node, x):
        return _copied(x)[::-1]


class _Number(_ListOp):
    def make_node(self, x, element):
        return Apply(self, [self._list(x), self._element(x, element)], [basic.scalar()])


class Index(_Number):
    def compute(self, node, x, element):
        kind = node.inputs[0].type.ttype
        for place, one in enumerate(x):
            if _equal(kind, one, element):
                return numpy.asarray(place, dtype=config.floatX)
        raise ValueError("%s is not in the list" % (element,))


class Count(_Number):
    def compute(self, node, x, element):
        kind = node.inputs[0].type.ttype
        return numpy.asarray(sum(_equal(kind, one, element) for one in x), dtype=config.floatX)


class Length(_ListOp):
    def make_node(self, x):
        return Apply(self, [self._list(x)], [basic.lscalar()])

    def compute(self, node, x):
        return numpy.asarray(len(x), "int64")


class MakeList(_ListOp):
    def make_node(self, elements):
        elements = [one if isinstance(one, Variable) else basic.as_tensor_variable(one) for one in elements]
        if not elements:
            raise ValueError("MakeList needs an element to tell the type of the list from")
        if any(one.type != elements[0].type for one in elements):
            raise TypeError("MakeList need all inputs variable to be of the same type: %s" % ", ".join(str(one.type) for one in elements))
        return Apply(self, elements, [TypedListType(elements[0].type)()])

    def compute(self, node, *elements):
        return [_copied(one) for one in elements]


getitem, append, extend, insert, remove, reverse = GetItem(), Append(), Extend(), Insert(), Remove(), Reverse()
index_, count, length, make_list = Index(), Count(), Length(), MakeList()
