"""Special functions at the ends of their domains: infinities, nan, huge and tiny arguments. Values by 30 digits."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

INF, NAN, TINY, HUGE = numpy.inf, numpy.nan, 5e-324, 1e300

# function → {arguments: value}
ENDS = {
    "i0": {(INF,): INF, (-INF,): INF, (NAN,): NAN, (HUGE,): INF, (-1e10,): INF, (0,): 1, (TINY,): 1, (1e-160,): 1, (30,): 781672297823.9775},
    "i1": {(INF,): INF, (-INF,): -INF, (NAN,): NAN, (HUGE,): INF, (-HUGE,): -INF, (0,): 0, (1e-300,): 5e-301, (-1,): -0.565159103992485},
    "iv": {(2, INF): INF, (1, -INF): -INF, (2, -INF): INF, (2.5, INF): INF, (-2.5, INF): INF, (2.5, -1): NAN, (INF, 3): 0, (INF, INF): NAN, (NAN, 1): NAN,
           (0, TINY): 1, (0.5, 1e-300): 7.978845608028654e-151, (1000, 1000): 2.7234536469108428e229, (1000, 101): 0, (1e5, 1e5): INF, (100, 99): 1.127225756880664e21,
           (0.5, 1e10): INF, (-0.5, 2): 2.122591620177636, (450, 30): 0, (300, 700): 4.4962780853427054e274},
    "j0": {(INF,): 0, (-INF,): 0, (NAN,): NAN, (0,): 1}, "j1": {(INF,): 0, (NAN,): NAN, (TINY,): 0},
    "jv": {(2, INF): 0, (2.5, INF): 0, (2, -INF): 0, (2.5, -1): NAN, (INF, 3): 0, (-INF, 3): NAN, (INF, INF): NAN, (NAN, 1): NAN, (0, 0): 1, (0.5, 1): 0.6713967071418031},
    "gammainc": {(0, 1): 1, (0, 0): NAN, (1, 0): 0, (1, INF): 1, (INF, 1): 0, (INF, INF): NAN, (-1, 1): NAN, (1, -1): NAN, (NAN, 1): NAN, (1e10, 1e10): 0.5000013298076014,
                 (1e-300, 1e-10): 1, (1e8, 1.0002e8): 0.9772444692251448},
    "gammaincc": {(0, 1): 0, (0, 0): NAN, (1, 0): 1, (1, INF): 0, (INF, 1): 1, (1e-10, 1): 2.193839344179697e-11, (1e-300, 1e-300): 6.901983122333121e-298,
                  (1e-10, 0.5): 5.597735948055005e-11, (1e10, 1e10): 0.4999986701923987, (0.5, 0.25): 0.4795001221869535},
    "chi2sf": {(1, 0): 0, (0, 2): 1, (INF, 2): 0, (1, 1e-10): 2.798867973954149e-11, (2, INF): 1, (-1, 2): NAN, (3, 2): 0.22313016014842982},
    "gammau": {(1e-10, 0.5): 0.5597735947731896, (1, INF): 0, (2, 0): 1}, "gammal": {(1, INF): 1, (0, 1): INF, (2, 0): 0},
    "erfinv": {(1,): INF, (-1,): -INF, (1.5,): NAN, (NAN,): NAN, (0,): 0, (1e-300,): 8.862269254527581e-301}, "erfcinv": {(0,): INF, (2,): -INF, (-1,): NAN, (NAN,): NAN, (1e-300,): 26.209469960516186},
    "erfcx": {(INF,): 0, (-INF,): INF, (NAN,): NAN, (-27,): INF, (HUGE,): 5.641895835477563e-301}, "psi": {(INF,): INF, (NAN,): NAN, (-1,): NAN, (HUGE,): 690.7755278982137},
    "tri_gamma": {(INF,): 0, (NAN,): NAN, (0,): INF, (1,): 1.6449340668482264}, "gamma": {(INF,): INF, (171,): 7.257415615307994e306, (172,): INF, (-1,): NAN},
    "gammaln": {(INF,): INF, (0,): INF, (HUGE,): 6.897755278982137e302}, "angle": {(NAN,): NAN, (0,): 0, (-INF,): numpy.pi, (INF,): 0, (-3,): numpy.pi},
}


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("name", sorted(ENDS))
def test_ends(name, mode):
    cases = ENDS[name]
    columns = [numpy.array(column, "float64") for column in zip(*cases)]
    inputs = [T.dvector() for _ in columns]
    got = function(inputs, getattr(T, name)(*inputs), mode=mode)(*columns)
    for arguments, value, wanted in zip(cases, got, cases.values()):
        numpy.testing.assert_allclose(value, wanted, rtol=1e-12, err_msg="%s%s" % (name, arguments))


@pytest.mark.parametrize("name", sorted(ENDS))
def test_the_same_of_constants(name):
    for arguments, wanted in ENDS[name].items():
        numpy.testing.assert_allclose(getattr(T, name)(*[numpy.float64(a) for a in arguments]).eval(), wanted, rtol=1e-12, err_msg="%s%s" % (name, arguments))


def test_the_angle_of_a_negative_zero_is_half_a_turn():
    x = T.dvector()
    assert function([x], T.angle(x))([-0.0, 0.0]).tolist() == [numpy.pi, 0] and T.angle(numpy.float64(-0.0)).eval() == numpy.pi


def test_single_precision_does_not_raise_either():
    x = T.fvector()
    assert function([x], T.i0(x))(numpy.array([INF, -INF, 1e30, 0], "float32")).tolist() == [INF, INF, INF, 1]
    assert numpy.isnan(function([x], T.angle(x))(numpy.array([NAN], "float32"))).all()


def test_orders_of_bessel_functions_meet():
    """Where one way to compute ends and the next begins, the recurrence I(v-1) - I(v+1) = 2 v / x I(v) holds."""
    v, x = T.dvectors("v", "x")
    orders = numpy.array([49.5, 50, 50.5, 499.5, 500, 500.5, 20, 20, 2, 2, 0.7])
    places = numpy.array([40, 40, 40, 300, 300, 300, 29.99, 30.01, 29.99, 30.01, 600])
    below, here, above = function([v, x], [T.iv(v - 1, x), T.iv(v, x), T.iv(v + 1, x)])(orders, places)
    numpy.testing.assert_allclose(below - above, 2 * orders / places * here, rtol=1e-11)


def test_the_chance_of_a_square_sum_is_double():
    for dtype in ("int8", "float16", "float32"):
        assert T.chi2sf(T.scalar(dtype=dtype), T.scalar(dtype=dtype)).dtype == "float64"
    assert T.chi2sf(numpy.float32(3), numpy.float32(2)).eval() == pytest.approx(0.22313016014842982, rel=1e-14)


def test_complex_numbers_of_small_ones_are_small():
    for dtype, wanted in (("int8", "complex64"), ("float16", "complex64"), ("float32", "complex64"), ("int32", "complex128"), ("float64", "complex128")):
        x = T.vector(dtype=dtype)
        for function_ in (T.complex, T.complex_from_polar):
            result = function_(x, x)
            assert result.dtype == wanted
        numpy.testing.assert_array_equal(T.complex(x, x).eval({x: numpy.array([1, 2], dtype)}), [1 + 1j, 2 + 2j])
