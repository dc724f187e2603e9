"""Ops that overwrite an input: with accept_inplace=True a function overwrites what it is given, in every mode."""
import pickle

import numpy
import pytest
import theano
import theano.tensor as T

MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]
A, B = numpy.array([[0.1, 0.2], [0.3, 0.4]]), numpy.array([[1.0, 2.0], [3.0, 5.0]])
ONE = ("abs_ ceil cos cosh deg2rad erf erfc exp exp2 expm1 floor gamma gammaln inv log log10 log1p log2 neg psi rad2deg round_half_away_from_zero "
       "round_half_to_even sgn sin sinh sqr sqrt tan tanh trunc arccos arcsin arctan arcsinh arctanh j0 j1 conj").split()
TWO = "add sub mul true_div int_div mod pow maximum minimum second arctan2 lt gt le ge eq neq".split()


@pytest.mark.parametrize("name", ONE + TWO)
def test_elementwise(name):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    op = getattr(T.inplace, name + "_inplace")
    assert str(op) == name + "_inplace" and op.inplace_pattern == {0: 0}
    inputs = [x] if name in ONE else [x, y]
    wanted = theano.function(inputs, getattr(T.basic, name)(*inputs))(*[A, B][:len(inputs)])
    made = op(*inputs)
    made_by = T.inplace.second_inplace if name in "lt gt le ge eq neq" else op  # what has another dtype is computed, and then put there
    assert made.type == x.type and made.owner.op == made_by and hash(made.owner.op) == hash(made_by) and op != T.inplace.tri_gamma_inplace
    assert str(made.owner.op).endswith("[(0, 0)]") and pickle.loads(pickle.dumps(op)) == op
    for mode in MODES:
        given, other = A.copy(), B.copy()
        found = theano.function(inputs, made, mode=mode, accept_inplace=True)(*[given, other][:len(inputs)])
        numpy.testing.assert_allclose(given, wanted)
        numpy.testing.assert_array_equal(found, given)
        numpy.testing.assert_array_equal(other, B)
        given = A.copy()
        numpy.testing.assert_allclose(theano.function(inputs, made, mode=mode)(*[given, other][:len(inputs)]), wanted)
        numpy.testing.assert_array_equal(given, A)


@pytest.mark.parametrize("mode", MODES)
def test_products(mode):
    z, x, y, s, t = T.dmatrix("z"), T.dmatrix("x"), T.dmatrix("y"), T.dscalar("s"), T.dscalar("t")
    v, w, u = T.dvector("v"), T.dvector("w"), T.dvector("u")
    given = B.copy()
    found = theano.function([z, s, x, y, t], T.blas.gemm_inplace(z, s, x, y, t), mode=mode, accept_inplace=True)(given, 2.0, A, B, 0.5)
    numpy.testing.assert_allclose(given, 2 * A.dot(B) + 0.5 * B)
    numpy.testing.assert_array_equal(found, given)
    given = B[0].copy()
    theano.function([v, s, x, w, t], T.blas.gemv_inplace(v, s, x, w, t), mode=mode, accept_inplace=True)(given, 2.0, A, B[1], 0.5)
    numpy.testing.assert_allclose(given, 2 * A.dot(B[1]) + 0.5 * B[0])
    given = B.copy()
    theano.function([z, s, v, w], T.blas.ger_destructive(z, s, v, w), mode=mode, accept_inplace=True)(given, 2.0, A[0], A[1])
    numpy.testing.assert_allclose(given, B + 2 * numpy.outer(A[0], A[1]))
    given = B[:, 0].copy()
    theano.function([u], T.inc_subtensor(u[1:], 10.0, inplace=True), mode=mode, accept_inplace=True)(given)
    numpy.testing.assert_allclose(given, [1, 13])
    strided = numpy.zeros((4, 4))
    strided[::2, ::2] = B
    theano.function([z], T.inplace.neg_inplace(z), mode=mode, accept_inplace=True)(strided[::2, ::2])
    assert strided.sum() == -B.sum()


@pytest.mark.parametrize("mode", MODES)
def test_shared_variables(mode):
    z, x = theano.shared(B), T.dmatrix("x")
    f = theano.function([x], T.blas.gemm_inplace(z, 1.0, x, x, 2.0), mode=mode, accept_inplace=True)
    first = f(A)
    numpy.testing.assert_allclose(first, A.dot(A) + 2 * B)
    numpy.testing.assert_array_equal(z.get_value(), first)
    numpy.testing.assert_allclose(f(A), A.dot(A) + 2 * first)
    z.set_value(B)
    theano.function([x], T.blas.gemm_inplace(z, 1.0, x, x, 2.0), mode=mode)(A)
    numpy.testing.assert_array_equal(z.get_value(), B)
    theano.function([x], T.inplace.exp_inplace(z), mode=mode, accept_inplace=True, updates=[(z, x)])(A)
    numpy.testing.assert_array_equal(z.get_value(), A)


@pytest.mark.parametrize("mode", MODES)
def test_one_after_the_other_and_beside_readers(mode):
    x, y = T.dmatrix("x"), T.dmatrix("y")
    given = A.copy()
    result = T.inplace.sqr_inplace(T.inplace.add_inplace(x, y))
    theano.function([x, y], result, mode=mode, accept_inplace=True)(given, B)
    numpy.testing.assert_allclose(given, (A + B)**2)
    given = A.copy()
    exponential, more = theano.function([x], [T.inplace.exp_inplace(x), x + 1], mode=mode, accept_inplace=True)(given)
    numpy.testing.assert_allclose(exponential, numpy.exp(A))
    numpy.testing.assert_allclose(given, numpy.exp(A))
    numpy.testing.assert_allclose(more, A + 1)


def test_dtypes_and_dimensions_stay():
    i, f, v, row = T.imatrix("i"), T.dmatrix("f"), T.dvector("v"), T.drow("row")
    given = numpy.array([[1, 2], [3, 4]], "int32")
    found = theano.function([i, f], T.inplace.add_inplace(i, f), accept_inplace=True)(given, B + 0.5)
    assert found.dtype == "int32" and given.tolist() == found.tolist() == [[2, 4], [6, 9]]
    given = B.copy()
    theano.function([f, v], T.inplace.mul_inplace(f, v), accept_inplace=True)(given, [2.0, 3.0])
    assert given.tolist() == [[2, 6], [6, 15]]
    for target in (v, row):
        with pytest.raises(ValueError, match="inplace on an input with broadcasted dimensions"):
            T.inplace.add_inplace(target, f)


def test_what_cannot_be_overwritten_is_not():
    x = T.dvector("x")
    f = theano.function([x], T.inplace.exp_inplace(x), accept_inplace=True)
    frozen = numpy.zeros(2)
    frozen.flags.writeable = False
    assert f(frozen).tolist() == f([0.0, 0.0]).tolist() == f(numpy.zeros(2, "float32")).tolist() == [1, 1] and frozen.tolist() == [0, 0]
    with pytest.raises(TypeError):
        f([[0.0]])
    with_default = theano.function([theano.In(x, value=numpy.zeros(2))], T.inplace.exp_inplace(x), accept_inplace=True)
    assert with_default().tolist() == with_default().tolist() == [1, 1]


def test_ops_of_ones_own():
    class Fills(theano.Op):
        __props__ = ()
        destroy_map = {0: [1]}

        def make_node(self, value, x):
            return theano.Apply(self, [value, x], [x.type()])

        def perform(self, node, inputs, outputs):
            inputs[1][...] = inputs[0]
            outputs[0][0] = inputs[1]

    s, x = T.dscalar("s"), T.dvector("x")
    given = numpy.zeros(2)
    for mode in MODES:
        assert theano.function([s, x], Fills()(s, x), mode=mode, accept_inplace=True)(3.0, given).tolist() == given.tolist() == [3, 3]
        given[:] = 0
        assert theano.function([s, x], Fills()(s, x), mode=mode)(3.0, given).tolist() == [3, 3] and given.tolist() == [0, 0]


def test_names_of_ops_can_be_set():
    x = T.dvector("x")
    looped = theano.scan(lambda row: row * 2, x)[0].owner.op
    chosen = theano.ifelse.ifelse(x[0] > 0, x, x * 2, name="choice").owner.op
    built = theano.OpFromGraph([x], [x + 1])
    assert chosen.name == "choice"
    for op in (looped, chosen, built, T.Elemwise(theano.scalar.add), x.sum().owner.op, T.dot(x, x).owner.op, T.tanh, x.dimshuffle(0, "x").owner.op):
        before = getattr(op, "name", None)
        op.name = "mine"
        assert op.name == "mine"
        op.name = before
    renamed = T.Elemwise(theano.scalar.cosh)
    renamed.name = "hyperbolic"
    assert str(renamed) == repr(renamed) == "hyperbolic" and str(T.cos) == "Elemwise{cos,no_inplace}"
    renamed.name = None
    assert str(renamed) == "Elemwise{cosh,no_inplace}"
