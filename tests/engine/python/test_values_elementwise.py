"""Every scalar function over dtypes, odd shapes and layouts, against NumPy in float64."""
import math

import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core
from layouts import SHAPES, agree, broadcasts, layouts
from theano import function

FLOATS = ["float32", "float64"]
ALL_FLOATS = FLOATS + ["float16"]
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
EVERY = ["bool"] + INTS + ALL_FLOATS + COMPLEX


def each(function_, *more):
    return lambda a: numpy.array([function_(float(v), *more) for v in numpy.ravel(a)], "float64").reshape(numpy.shape(a))


def sigmoid(x):
    return 0.5 * (1 + numpy.tanh(0.5 * x))


def half_away(x):
    return numpy.trunc(x + numpy.copysign(0.5, x))


# name → (reference, lowest, highest, dtypes)
UNARY = {
    "neg": (numpy.negative, -9, 9, INTS + ALL_FLOATS + COMPLEX), "abs_": (numpy.abs, -9, 9, INTS + ALL_FLOATS + COMPLEX),
    "sgn": (numpy.sign, -3, 3, INTS + ALL_FLOATS), "sqr": (numpy.square, -9, 9, INTS + ALL_FLOATS + COMPLEX),
    "inv": (lambda a: 1 / a, 1, 9, FLOATS), "sqrt": (numpy.sqrt, 0, 9, INTS + ALL_FLOATS), "tensor_copy": (lambda a: a, -9, 9, EVERY),
    "isnan": (numpy.isnan, -9, 9, FLOATS + INTS), "isinf": (numpy.isinf, -9, 9, FLOATS + INTS),
    "invert": (numpy.invert, 0, 9, ["bool"] + INTS), "ceil": (numpy.ceil, -9, 9, INTS + ALL_FLOATS), "floor": (numpy.floor, -9, 9, INTS + ALL_FLOATS),
    "trunc": (numpy.trunc, -9, 9, INTS + ALL_FLOATS), "round_half_to_even": (numpy.rint, -9, 9, ALL_FLOATS),
    "round_half_away_from_zero": (half_away, -9, 9, ALL_FLOATS), "exp": (numpy.exp, -9, 9, INTS + ALL_FLOATS + COMPLEX),
    "exp2": (numpy.exp2, -9, 9, INTS + ALL_FLOATS), "expm1": (numpy.expm1, -9, 4, INTS + FLOATS), "log": (numpy.log, 1, 9, INTS + ALL_FLOATS + COMPLEX),
    "log2": (numpy.log2, 1, 9, INTS + ALL_FLOATS), "log10": (numpy.log10, 1, 9, INTS + ALL_FLOATS), "log1p": (numpy.log1p, 0, 9, INTS + ALL_FLOATS),
    "sigmoid": (sigmoid, -9, 9, INTS + ALL_FLOATS), "softplus": (lambda a: numpy.logaddexp(0, a), -9, 9, INTS + FLOATS),
    "sin": (numpy.sin, -9, 9, INTS + ALL_FLOATS + COMPLEX), "cos": (numpy.cos, -9, 9, INTS + ALL_FLOATS + COMPLEX), "tan": (numpy.tan, -1, 1, FLOATS),
    "sinh": (numpy.sinh, -4, 4, FLOATS), "cosh": (numpy.cosh, -4, 4, FLOATS), "tanh": (numpy.tanh, -9, 9, INTS + ALL_FLOATS),
    "arcsin": (numpy.arcsin, -1, 1, FLOATS), "arccos": (numpy.arccos, -1, 1, FLOATS), "arctan": (numpy.arctan, -9, 9, INTS + ALL_FLOATS),
    "arcsinh": (numpy.arcsinh, -9, 9, FLOATS), "arccosh": (numpy.arccosh, 1, 9, FLOATS), "arctanh": (numpy.arctanh, -0.9, 0.9, FLOATS),
    "deg2rad": (numpy.deg2rad, -360, 360, FLOATS), "rad2deg": (numpy.rad2deg, -6, 6, FLOATS), "erf": (each(math.erf), -3, 3, FLOATS),
    "erfc": (each(math.erfc), -3, 3, FLOATS), "gamma": (each(math.gamma), 0.5, 9, FLOATS), "gammaln": (each(math.lgamma), 0.5, 9, FLOATS),
    "erfcx": (each(lambda v: math.exp(v * v) * math.erfc(v)), -3, 3, FLOATS), "i0": (numpy.i0, -5, 5, FLOATS),
    "xlogx": (lambda a: a * numpy.log(numpy.where(a == 0, 1, a)), 0, 9, FLOATS),
    "real": (numpy.real, -9, 9, COMPLEX), "imag": (numpy.imag, -9, 9, COMPLEX), "angle": (numpy.angle, -9, 9, COMPLEX), "conj": (numpy.conj, -9, 9, COMPLEX),
}
BINARY = {
    "add": (numpy.add, -9, 9, EVERY), "mul": (numpy.multiply, -9, 9, EVERY), "sub": (numpy.subtract, -9, 9, INTS + ALL_FLOATS + COMPLEX),
    "true_div": (numpy.true_divide, 1, 9, INTS + FLOATS + COMPLEX), "int_div": (numpy.floor_divide, 1, 9, INTS + FLOATS),
    "mod": (numpy.mod, 1, 9, INTS + FLOATS), "pow": (numpy.power, 1, 4, INTS + FLOATS), "maximum": (numpy.maximum, -9, 9, INTS + ALL_FLOATS),
    "minimum": (numpy.minimum, -9, 9, INTS + ALL_FLOATS), "second": (lambda a, b: numpy.broadcast_arrays(a, b)[1], -9, 9, EVERY),
    "lt": (numpy.less, -3, 3, INTS + ALL_FLOATS), "gt": (numpy.greater, -3, 3, INTS + ALL_FLOATS), "le": (numpy.less_equal, -3, 3, INTS + ALL_FLOATS),
    "ge": (numpy.greater_equal, -3, 3, INTS + ALL_FLOATS), "eq": (numpy.equal, -3, 3, EVERY), "neq": (numpy.not_equal, -3, 3, EVERY),
    "and_": (numpy.bitwise_and, 0, 9, ["bool"] + INTS), "or_": (numpy.bitwise_or, 0, 9, ["bool"] + INTS), "xor": (numpy.bitwise_xor, 0, 9, ["bool"] + INTS),
    "arctan2": (numpy.arctan2, -9, 9, FLOATS), "complex": (lambda a, b: a + 1j * b, -9, 9, FLOATS),
    "complex_from_polar": (lambda a, b: a * numpy.exp(1j * b), 0, 9, FLOATS),
    "xlogy0": (lambda a, b: a * numpy.log(b), 1, 9, FLOATS),
}
TERNARY = {"switch": (lambda c, a, b: numpy.where(c, a, b), -9, 9, INTS + FLOATS), "clip": (lambda x, a, b: numpy.clip(x, a, b), -9, 9, INTS + ALL_FLOATS),
           "inclosedrange": (lambda x, a, b: (x >= a) & (x <= b), -9, 9, FLOATS)}
# Without a counterpart in NumPy or Python's math: their values are tested against tables in the C++ tests.
ELSEWHERE = {"ultra_fast_sigmoid", "erfinv", "erfcinv", "psi", "tri_gamma", "chi2sf", "gammainc", "gammaincc", "gammau", "gammal", "j0", "j1", "jv",
             "i1", "iv"}


def test_no_function_is_forgotten():
    assert set(_core.scalar_names()) == set(UNARY) | set(BINARY) | set(TERNARY) | ELSEWHERE


def values(shape, dtype, low, high, seed):
    rng = numpy.random.RandomState(seed)
    if dtype == "bool":
        return rng.randint(0, 2, shape).astype(bool)
    if dtype[0] in "iu":
        return rng.randint(max(math.ceil(low), 0) if dtype[0] == "u" else math.ceil(low), math.floor(high) + 1, shape).astype(dtype)
    drawn = numpy.asarray(rng.uniform(low, high, shape))
    if dtype.startswith("complex"):
        drawn = drawn + 1j * rng.uniform(low, high, shape)
    return drawn.astype(dtype)


def exact(array, result):
    """Wide enough that the reference adds no error of its own; integers stay where the result is made of them."""
    if array.dtype.kind == "c":
        return array.astype("complex128")
    return array if array.dtype.kind in "biu" and result[0] in "biu" else array.astype("float64")


def check(name, arity, reference, low, high, dtype, shapes):
    for ndim in sorted({len(shape) for shape in shapes}):
        inputs = [T.TensorType(dtype, (False,) * ndim)() for _ in range(arity)]
        expression = _core.call_elemwise(_core.elemwise(name), *inputs)
        run = function(inputs, expression)
        for shape in [s for s in shapes if len(s) == ndim]:
            arrays = [values(shape, dtype, low, high, seed) for seed in range(arity)]
            if name == "clip":
                arrays[1:] = numpy.sort(arrays[1:], axis=0)
            with numpy.errstate(all="ignore"):
                wanted = numpy.asarray(reference(*[exact(a, expression.dtype) for a in arrays]))
                if wanted.dtype.kind in "iu" and expression.dtype[0] in "iu":
                    wanted = wanted.astype(expression.dtype)
            least = dtype if dtype in ("float16", "complex64") else expression.dtype if "32" in expression.dtype else dtype
            for laid in zip(*[layouts(a) for a in arrays]):
                result = run(*[array for _, array in laid])
                assert str(result.dtype) == expression.dtype
                agree(result, wanted, least, (name, dtype, shape, laid[0][0]))
            if arrays[0].ndim and arity < 3:
                for laid in zip(*[broadcasts(a) for a in arrays]):
                    with numpy.errstate(all="ignore"):
                        wanted = numpy.asarray(reference(*[exact(array, expression.dtype) for _, array in laid]))
                    if wanted.dtype.kind in "iu" and expression.dtype[0] in "iu":
                        wanted = wanted.astype(expression.dtype)
                    agree(run(*[array for _, array in laid]), wanted, least, (name, dtype, shape, laid[0][0]))


@pytest.mark.parametrize("name", UNARY)
def test_of_one(name):
    reference, low, high, dtypes = UNARY[name]
    for dtype in dtypes:
        check(name, 1, reference, low, high, dtype, SHAPES if dtype in FLOATS else SHAPES[:5] + [(4, 6)])


@pytest.mark.parametrize("name", BINARY)
def test_of_two(name):
    reference, low, high, dtypes = BINARY[name]
    for dtype in dtypes:
        check(name, 2, reference, low, high, dtype, SHAPES if dtype in FLOATS else [(), (0,), (7,), (3, 0), (4, 6)])


@pytest.mark.parametrize("name", TERNARY)
def test_of_three(name):
    reference, low, high, dtypes = TERNARY[name]
    for dtype in dtypes:
        check(name, 3, reference, low, high, dtype, SHAPES if dtype in FLOATS else [(), (0,), (7,), (4, 6)])


@pytest.mark.parametrize("name", ["add", "mul", "sub", "true_div", "maximum", "pow", "lt", "arctan2"])
def test_broadcasting_and_mixed_dtypes(name):
    reference = BINARY[name][0]
    patterns = [((4, 6), (6,)), ((4, 6), ()), ((), (4, 6)), ((1, 6), (4, 1)), ((4, 1), (1, 6)), ((2, 3, 4), (3, 1)), ((1, 1), (1, 1)), ((0, 6), (1, 6)),
                ((3, 1, 4), (5, 1))]
    for (a_shape, b_shape) in patterns:
        for a_dtype, b_dtype in (("float64", "float64"), ("float32", "float64"), ("int32", "float32"), ("int8", "int64"), ("uint8", "int16")):
            a, b = values(a_shape, a_dtype, 1, 4, 0), values(b_shape, b_dtype, 1, 4, 1)
            x, y = (T.TensorType(v.dtype, [size == 1 for size in v.shape])() for v in (a, b))
            expression = getattr(T, name)(x, y)
            run = function([x, y], expression)
            common = expression.dtype if expression.dtype[0] in "iu" else "float64"
            wanted = reference(a.astype(common), b.astype(common))
            for (_, left), (_, right) in zip(layouts(a), layouts(b)):
                agree(run(left, right), wanted, "float32" if "32" in expression.dtype else "float64", (name, a_shape, b_shape, a_dtype, b_dtype))


def test_numbers_at_the_edges():
    x = T.dvector("x")
    edge = numpy.array([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1e308, -1e308, 1e-308, 5e-324, 1.0, -1.0])
    with numpy.errstate(all="ignore"):
        for name, (reference, _, _, dtypes) in UNARY.items():
            if name in ("erf", "erfc", "gamma", "gammaln", "erfcx", "i0", "xlogx", "inv", "real", "imag", "angle", "conj", "invert", "softplus", "sigmoid", "round_half_away_from_zero") \
                    or "float64" not in dtypes:
                continue
            result = function([x], _core.call_elemwise(_core.elemwise(name), x))(edge)
            numpy.testing.assert_allclose(result, reference(edge), rtol=1e-12, atol=0, err_msg=name)
        y = T.dvector("y")
        a, b = (grid.ravel() for grid in numpy.meshgrid(edge, edge))
        for name in ("add", "sub", "mul", "maximum", "minimum", "lt", "ge", "eq", "neq", "arctan2"):
            result = function([x, y], getattr(T, name)(x, y))(a, b)
            numpy.testing.assert_array_equal(result, BINARY[name][0](a, b), err_msg=name)


def test_integers_wrap_around():
    for dtype in INTS:
        info = numpy.iinfo(dtype)
        x, y = T.vectors("x", "y", dtype=dtype)
        a, b = numpy.array([info.max, info.min, info.max], dtype), numpy.array([1, 1, info.max], dtype)
        with numpy.errstate(all="ignore"):
            for op, reference in ((T.add, numpy.add), (T.sub, numpy.subtract), (T.mul, numpy.multiply)):
                assert (function([x, y], op(x, y))(a, b) == reference(a, b)).all(), (dtype, op)
        assert function([x], x.astype("int64"))(a).tolist() == a.astype("int64").tolist()
