"""The k largest: one node, NumPy's values, Theano's names."""
import io

import numpy
import pytest

import theano
import theano.tensor as T
from theano.tensor.sort import TopKOp

NAN = float("nan")
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


def wanted(value, k, axis):
    """Values and places as a stable sort has them."""
    order = numpy.argsort(value, axis, kind="stable")
    part = [slice(None)] * value.ndim
    part[axis] = slice(-k, None) if k > 0 else slice(None, -k)
    places = order[tuple(part)]
    return numpy.take_along_axis(value, places, axis), places


def nodes(function):
    return [node.op for node in function.maker.fgraph.toposort() if isinstance(node.op, TopKOp)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_all_dtypes(dtype, mode):
    rng = numpy.random.RandomState(3)
    x = T.tensor3(dtype=dtype)
    value = (rng.randn(4, 9, 5) * 3).astype(dtype)
    if dtype.startswith("float") and mode != "DebugMode":  # which refuses nan
        value[rng.rand(4, 9, 5) < 0.1] = NAN
        value[rng.rand(4, 9, 5) < 0.1] = -0.0
        value[rng.rand(4, 9, 5) < 0.1] = numpy.inf
    for axis in (0, 1, -1):
        for k in (1, 3, 4, -1, -2, -4):
            run = theano.function([x], T.topk_and_argtopk(x, k, axis), mode=mode)
            for got, right in zip(run(value), wanted(value, k, axis)):
                numpy.testing.assert_array_equal(got, right)
                assert got.shape == right.shape
            assert run(value)[0].dtype == dtype


def test_many_candidates():
    """More than are kept at once, in every order in which they can come."""
    rng = numpy.random.RandomState(4)
    x, k = T.dvector(), T.lscalar()
    run = theano.function([x, k], T.topk_and_argtopk(x, k))
    size = 70000
    for value in (numpy.arange(size) * 1.0, -numpy.arange(size) * 1.0, rng.randn(size), rng.randint(0, 3, size) * 1.0, numpy.full(size, NAN)):
        for count in (1, 5, 20000, size, -1, -7, -30000, -size):
            for got, right in zip(run(value, count), wanted(value, count, 0)):
                numpy.testing.assert_array_equal(got, right)


def test_one_node():
    x = T.dmatrix()
    both = theano.function([x], T.topk_and_argtopk(x, 2))
    assert len(nodes(both)) == 1 and len(both.maker.fgraph.toposort()) == 1
    for build, returns in ((T.topk, (True, False)), (T.argtopk, (False, True))):
        one = theano.function([x], build(x, 2))
        assert len(nodes(one)) == 1 and len(one.maker.fgraph.toposort()) == 1
    shared = theano.function([x], [T.topk(x, 2), T.argtopk(x, 2)])
    assert len(nodes(shared)) == 1


def test_printed_as_theano_prints_it():
    x = T.dmatrix("x")
    text = io.StringIO()
    theano.printing.debugprint(T.topk(x, 2, axis=0, sorted=False), file=text)
    assert text.getvalue() == "TopKOp{axis=0, sorted=False}.0 [id A] ''   \n |x [id B]\n |TensorConstant{2} [id C]\n"


@pytest.mark.parametrize("dtype", "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split())
def test_the_dtype_of_places(dtype):
    x = T.dvector()
    places = T.argtopk(x, 2, idx_dtype=dtype)
    assert places.dtype == dtype
    got = theano.function([x], places)([3.0, 1, 2])
    assert got.dtype == dtype and list(got) == [2, 0]


def test_what_is_refused():
    x = T.dmatrix()
    with pytest.raises(TypeError, match="idx_dtype"):
        T.argtopk(x, 2, idx_dtype="float32")
    with pytest.raises(ValueError, match="scalar"):
        T.topk(T.dscalar(), 1)
    with pytest.raises(ValueError, match="out of range"):
        T.topk(x, 1, axis=2)
    with pytest.raises(TypeError, match="kth must be an integer scalar"):
        T.topk(x, T.dscalar())


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("k", [2, -2])
def test_gradients(axis, k):
    rng = numpy.random.RandomState(5)
    value = rng.permutation(20).reshape(4, 5) * 1.0
    theano.gradient.verify_grad(lambda x: (T.topk(x, k, axis) ** 2), [value], rng=rng)
    theano.gradient.verify_grad(lambda x: (T.topk_and_argtopk(x, k, axis)[0] ** 2), [value], rng=rng)
    theano.gradient.verify_grad(lambda x: TopKOp(axis=-1, return_indices=False)(x, k) ** 2, [value], rng=rng)


def test_it_is_pickled_and_compared():
    import pickle
    assert TopKOp(axis=1) == TopKOp(axis=1)
    assert TopKOp(axis=1) != TopKOp(axis=0)
    x = T.dmatrix("x")
    again = pickle.loads(pickle.dumps(T.topk(x, 2, axis=0, idx_dtype="int32").owner))
    assert str(again.op) == "TopKOp{axis=0, sorted=True}" and again.outputs[1].dtype == "int32"
