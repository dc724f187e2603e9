"""perform, infer_shape, grad and R_op of the engine's ops, called by hand as if they were written in Python."""
import copy

import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core
from test_test_values_everywhere import ELEMENTWISE, EVERY, examples
from theano.configparser import change_flags
from theano.gof.op import get_test_value
from theano.gradient import DisconnectedType

X, K, G = (numpy.random.RandomState(7).rand(*shape) for shape in ((2, 2, 5, 5), (3, 2, 3, 3), (2, 3, 3, 3)))


@pytest.mark.parametrize("call", EVERY + ["T." + call for call in ELEMENTWISE])
def test_every_op_of_every_function(call):
    with change_flags(compute_test_value="raise"):
        outputs = examples(call, True)
    for node in theano.gof.graph.io_toposort([], outputs):
        op, values = node.op, [get_test_value(variable) for variable in node.inputs]
        if not _core.is_engine_op(op):
            continue
        cells = [[None] for _ in node.outputs]
        op.perform(node, copy.deepcopy(values), cells)
        for (found,), output in zip(cells, node.outputs):
            if isinstance(found, numpy.ndarray):
                numpy.testing.assert_allclose(found, get_test_value(output), rtol=1e-6)
        given = [None if not hasattr(one, "ndim") else tuple(map(T.constant, numpy.shape(value))) for one, value in zip(node.inputs, values)]
        for sizes, output in zip(op.infer_shape(node, given), node.outputs):
            if sizes is not None:
                leaves = [leaf for leaf in theano.gof.graph.inputs(list(sizes)) if hasattr(leaf.tag, "test_value")]
                found = theano.function(leaves, list(sizes), mode="FAST_COMPILE", on_unused_input="ignore")(*[leaf.tag.test_value for leaf in leaves])
                assert tuple(map(int, found)) == get_test_value(output).shape
        terms = op.grad(node.inputs, [T.ones_like(one) if getattr(one, "dtype", "").startswith("float") else DisconnectedType()() for one in node.outputs])
        assert len(terms) == len(node.inputs) and all(isinstance(term, theano.Variable) for term in terms)


def test_a_convolution_by_hand():
    x, k, g = T.dtensor4("x"), T.dtensor4("k"), T.dtensor4("g")
    wanted = theano.function([x, k, g], T.Lop(T.nnet.conv2d(x, k), [x, k], g))(X, K, G)
    sizes = [[T.lscalar(name + str(axis)) for axis in range(4)] for name in "xk"]
    for op in (T.nnet.abstract_conv.AbstractConv2d(border_mode="valid"), T.nnet.conv2d(x, k).owner.op):
        for found, right in zip(theano.function([x, k, g], op.grad([x, k], [g]))(X, K, G), wanted):
            numpy.testing.assert_allclose(found, right)
        node = op.make_node(x, k)
        shape, = op.infer_shape(node, sizes)
        assert theano.function(sizes[0] + sizes[1], list(shape), on_unused_input="ignore")(2, 2, 9, 7, 3, 2, 3, 3) == [2, 3, 7, 5]
        cell = [None]
        op.perform(node, [X, K], [cell])
        numpy.testing.assert_allclose(cell[0], T.nnet.conv2d(X, K).eval())


def test_terms_are_of_each_input_by_itself():
    v, w = T.dvectors("v", "w")
    y = T.exp(v)
    for op in (T.mul, y.owner.op.__class__(theano.scalar.mul)):
        first, second = theano.function([v, w], op.grad([v, y], [w]))([1.0, 2.0], [1.0, 1.0])
        numpy.testing.assert_allclose(first, numpy.exp([1, 2]))
        numpy.testing.assert_allclose(second, [1, 2])
    forward, = T.exp.R_op([v], [w])
    numpy.testing.assert_allclose(theano.function([v, w], forward)([1.0], [2.0]), [2 * numpy.e])
    summed = T.Sum(axis=0)
    m, g = T.dmatrix("m"), T.dvector("g")
    numpy.testing.assert_array_equal(theano.function([m, g], summed.grad([m], [g]), on_unused_input="ignore")(numpy.ones((2, 3)), [1.0, 2.0, 3.0])[0],
                                     [[1, 2, 3]] * 2)
    assert isinstance(T.exp.grad([v], [DisconnectedType()()])[0].type, DisconnectedType)


def test_what_overwrites_its_input_overwrites_what_it_is_given():
    v = T.dvector("v")
    node, given, cell = T.inplace.exp_inplace(v).owner, numpy.zeros(2), [None]
    node.op.perform(node, [given], [cell])
    assert given.tolist() == [1, 1] and cell[0] is given


def test_ops_of_scripts_have_what_they_define():
    class Bare(theano.Op):
        __props__ = ()

    assert not hasattr(Bare(), "infer_shape") and not hasattr(Bare, "infer_shape") and not hasattr(theano.Op, "infer_shape")
    with pytest.raises(theano.gof.MethodNotDefined):
        Bare().perform(None, [], [])
    with pytest.raises(NotImplementedError):
        Bare().grad([], [])
