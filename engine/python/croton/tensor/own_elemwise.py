"""Elementwise ops of scalar functions that scripts write."""
import numpy

from croton import _core
from croton.gof.graph import Apply, Variable, io_toposort
from croton.gof.op import Op
from croton.gof.type import DisconnectedType, NullType
from croton.tensor.basic import as_tensor_variable, cast, zeros_like
from croton.tensor.number import Scalar
from croton.tensor.type import TensorType

_LOOP = """
npy_intp count = 1, sizes[NPY_MAXDIMS];
const int rank = %(rank)i;
for (int axis = 0; axis < rank; ++axis) {
    sizes[axis] = 1;
%(sizes)s
    count *= sizes[axis];
}
%(alloc)s
{
npy_intp place[NPY_MAXDIMS] = {0};
for (npy_intp element = 0; element < count; ++element) {
%(load)s
    {
%(body)s
    }
%(store)s
    for (int axis = rank - 1; axis >= 0; --axis) {
        if (++place[axis] < sizes[axis]) break;
        place[axis] = 0;
    }
}
}
"""


class OwnElemwise(Op):
    """A scalar function of a script's, by impl() or c_code(), applied to every element with broadcasting."""

    def __init__(self, scalar_op, inplace_pattern=None, name=None):
        self.scalar_op, self.inplace_pattern = scalar_op, dict(inplace_pattern or {})
        self.name = name
        self.nin, self.nout = scalar_op.nin, scalar_op.nout

    def __eq__(self, other):
        return type(self) is type(other) and self.scalar_op == other.scalar_op and self.name == other.name

    def __hash__(self):
        return hash((type(self), self.scalar_op, self.name))

    def __str__(self):
        return self.name or "Elemwise{%s,no_inplace}" % self.scalar_op

    def make_node(self, *inputs):
        inputs = [as_tensor_variable(one) for one in inputs]
        if self.nin >= 0 and len(inputs) != self.nin:
            raise TypeError("%s takes %d inputs, got %d" % (self, self.nin, len(inputs)))
        rank = max([one.ndim for one in inputs] or [0])
        inputs = [_core.pad_left(one, rank - one.ndim) for one in inputs]
        pattern = [all(one.broadcastable[axis] for one in inputs) for axis in range(rank)]
        types = self.scalar_op.output_types([Scalar(one.dtype) for one in inputs])
        return Apply(self, inputs, [TensorType(one.dtype, pattern)() for one in types])

    def perform(self, node, inputs, outputs):
        function = numpy.frompyfunc(self.scalar_op.impl, len(inputs), len(outputs))
        found = function(*inputs)
        for cell, value, variable in zip(outputs, found if len(outputs) > 1 else [found], node.outputs):
            cell[0] = numpy.asarray(value, dtype=variable.dtype)

    def infer_shape(self, node, shapes):
        def size(axis):
            several = [shape[axis] for one, shape in zip(node.inputs, shapes) if not one.broadcastable[axis]]
            return several[0] if several else 1
        return [tuple(size(axis) for axis in range(one.ndim)) for one in node.outputs]

    def L_op(self, inputs, outputs, output_grads):
        terms = self.scalar_op.L_op(inputs, outputs, output_grads)
        result = []
        for one, term in zip(inputs, terms):
            if isinstance(getattr(term, "type", None), (DisconnectedType, NullType)):
                result.append(term)
                continue
            term = as_tensor_variable(term)
            if term.ndim < one.ndim:
                term = term + zeros_like(outputs[0], dtype=term.dtype)
            axes = [axis for axis, alone in enumerate(one.broadcastable) if alone and not term.broadcastable[axis]]
            term = term.sum(axis=axes, keepdims=True) if axes else term
            result.append(cast(term, one.dtype) if one.dtype.startswith(("float", "complex")) else term)
        return result

    # --- C code ------------------------------------------------------------------------------------
    def c_code(self, node, name, inputs, outputs, sub):
        numbers_in, numbers_out = ["i%d" % place for place in range(len(inputs))], ["o%d" % place for place in range(len(outputs))]
        scalars = Apply.__new__(Apply, self, *[[Scalar(one.dtype)() for one in several] for several in (node.inputs, node.outputs)])
        body = self.scalar_op.c_code(scalars, name, numbers_in, numbers_out, sub)
        rank = node.outputs[0].ndim
        sizes, load, alloc, store = [], [], [], []
        for place, one in enumerate(inputs):
            sizes.append("    if (PyArray_DIMS(%s)[axis] != 1) sizes[axis] = PyArray_DIMS(%s)[axis];" % (one, one))
        for place, one in enumerate(inputs):
            alone = node.inputs[place].broadcastable
            load.append("    char* p%d = PyArray_BYTES(%s);" % (place, one))
            load += ["    p%d += place[%d] * PyArray_STRIDES(%s)[%d];" % (place, axis, one, axis) for axis in range(rank) if not alone[axis]]
            load.append("    const dtype_%s i%d = *(dtype_%s*) p%d;" % (one, place, one, place))
            for axis in range(rank):
                if not alone[axis]:
                    alloc.append("""if (PyArray_DIMS(%(v)s)[%(axis)i] != sizes[%(axis)i]) {
                        PyErr_Format(PyExc_ValueError, "Input dimension mis-match. (input[%(place)i].shape[%(axis)i] = %%lld, others have %%lld)",
                                     (long long) PyArray_DIMS(%(v)s)[%(axis)i], (long long) sizes[%(axis)i]);
                        %(fail)s
                    }""" % dict(v=one, axis=axis, place=place, fail=sub["fail"]))
        for place, one in enumerate(outputs):
            alloc.append("""Py_XDECREF(%(v)s);
                %(v)s = (PyArrayObject*) PyArray_EMPTY(rank, sizes, %(number)s, 0);
                if (!%(v)s) { %(fail)s }""" % dict(v=one, number=node.outputs[place].type.dtype_specs()[2], fail=sub["fail"]))
            load.append("    dtype_%s o%d;" % (one, place))
            store.append("    ((dtype_%s*) PyArray_DATA(%s))[element] = o%d;" % (one, one, place))
        return _LOOP % dict(rank=rank, sizes="\n".join(sizes), alloc="\n".join(alloc), load="\n".join(load), body=body, store="\n".join(store))

    def c_support_code(self):
        return self.scalar_op.c_support_code()

    def c_headers(self):
        return self.scalar_op.c_headers()

    def c_code_cache_version(self):
        version = self.scalar_op.c_code_cache_version()
        return version and (1,) + tuple(version)


def rebuilt(outputs, inputs, values):
    """The outputs with other values for the inputs, which may have more axes."""
    known = dict(zip(inputs, [value if isinstance(value, Variable) else as_tensor_variable(value) for value in values]))
    for apply in io_toposort(inputs, outputs):
        made = apply.op(*[known.get(one, one) for one in apply.inputs], return_list=True)
        known.update(zip(apply.outputs, made))
    return [known.get(one, one) for one in outputs]


class OfComposite:
    """Calls give what the Composite says, in ops of the engine."""

    def __init__(self, scalar_op, name=None):
        self.scalar_op, self.name = scalar_op, name

    def __str__(self):
        return self.name or "Elemwise{%s,no_inplace}" % self.scalar_op

    __repr__ = __str__

    def __call__(self, *inputs):
        found = self.scalar_op.of(*inputs)
        return found[0] if len(found) == 1 else found
