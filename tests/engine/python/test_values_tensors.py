"""Every function on whole arrays over dtypes, odd shapes and layouts, against NumPy in float64."""
import numpy
import pytest
import theano
import theano.tensor as T
from layouts import agree, broadcasts, layouts
from theano import function

FLOATS = ["float32", "float64"]
REAL = ["int8", "int32", "int64", "uint8", "float32", "float64"]
WIDE = REAL + ["bool", "complex64", "complex128"]
VECTORS, MATRICES, CUBES = [(0,), (1,), (7,)], [(0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (4, 6)], [(2, 1, 3), (2, 3, 4), (0, 2, 3)]
FULL_MATRICES = [(1, 1), (1, 5), (5, 1), (4, 6)]
ANY = [()] + VECTORS + MATRICES + CUBES


def softmax(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def filled(x, value):
    result = x.copy()
    numpy.fill_diagonal(result, value)
    return result


def put(x, index, value, add=False):
    result = x.copy()
    if add:
        numpy.add.at(result, index, value)
    else:
        result[index] = value
    return result


# name → (symbolic, reference, shapes, dtypes)
ONE = {
    "T": (lambda x: x.T * 1, lambda a: a.T, ANY, WIDE), "dimshuffle": (lambda x: x.dimshuffle(1, "x", 0) * 1, lambda a: a.T[:, None], MATRICES, WIDE),
    "swapaxes": (lambda x: x.swapaxes(0, 2), lambda a: a.swapaxes(0, 2), CUBES, WIDE), "moveaxis": (lambda x: T.basic.moveaxis(x, 0, 2), lambda a: numpy.moveaxis(a, 0, 2), CUBES, FLOATS),
    "flatten": (lambda x: x.flatten(), numpy.ravel, ANY, WIDE), "flatten 2": (lambda x: x.flatten(2), lambda a: a.reshape(a.shape[0], int(numpy.prod(a.shape[1:]))), CUBES, WIDE),
    "reshape": (lambda x: x.reshape((x.shape[1], x.shape[0])), lambda a: a.reshape(a.shape[1], a.shape[0]), MATRICES, WIDE),
    "reshape -1": (lambda x: x.reshape((-1, 1)), lambda a: a.reshape(-1, 1), VECTORS[1:] + FULL_MATRICES, WIDE),
    "shape": (lambda x: x.shape, lambda a: numpy.array(a.shape, "int64"), ANY, WIDE), "size": (lambda x: T.cast(x.size, "int64"), lambda a: numpy.int64(a.size), ANY, FLOATS),
    "cumsum": (lambda x: T.cumsum(x), lambda a: numpy.cumsum(a), ANY[1:], FLOATS + ["int64"]), "cumsum 0": (lambda x: T.cumsum(x, 0), lambda a: a.cumsum(0), MATRICES + CUBES, FLOATS + ["int64"]),
    "cumprod 1": (lambda x: T.cumprod(x, 1), lambda a: a.cumprod(1), MATRICES, FLOATS + ["int64"]), "diff": (lambda x: T.diff(x), numpy.diff, VECTORS[1:] + FULL_MATRICES, FLOATS),
    "sort": (lambda x: T.sort(x), lambda a: numpy.sort(a), VECTORS + MATRICES + CUBES, REAL), "sort 0": (lambda x: T.sort(x, 0), lambda a: numpy.sort(a, 0), MATRICES, REAL),
    "sort all": (lambda x: T.sort(x, None), lambda a: numpy.sort(a, None), MATRICES, REAL), "argsort": (lambda x: T.argsort(x, kind="mergesort"), lambda a: numpy.argsort(a, kind="stable"), VECTORS + MATRICES, REAL),
    "tril": (lambda x: T.tril(x), numpy.tril, MATRICES, FLOATS + ["int32"]), "triu": (lambda x: T.triu(x, 1), lambda a: numpy.triu(a, 1), MATRICES, FLOATS + ["int32"]),
    "diag of": (lambda x: T.diag(x), numpy.diag, MATRICES, WIDE), "diag to": (lambda x: T.diag(x), numpy.diag, VECTORS, WIDE),
    "diagonal": (lambda x: x.diagonal(-1), lambda a: numpy.diagonal(a, -1), FULL_MATRICES, WIDE), "trace": (lambda x: T.nlinalg.trace(x), numpy.trace, MATRICES, FLOATS),
    "repeat": (lambda x: T.repeat(x, 3), lambda a: numpy.repeat(a, 3), VECTORS + MATRICES, WIDE), "repeat 0": (lambda x: T.repeat(x, 2, 0), lambda a: numpy.repeat(a, 2, 0), MATRICES, WIDE),
    "tile": (lambda x: T.tile(x, (2, 3)), lambda a: numpy.tile(a, (2, 3)), VECTORS + MATRICES, WIDE), "roll": (lambda x: T.roll(x, 2, 0), lambda a: numpy.roll(a, 2, 0), VECTORS[1:] + FULL_MATRICES, WIDE),
    "zeros_like": (T.zeros_like, numpy.zeros_like, ANY, WIDE), "ones_like": (T.ones_like, numpy.ones_like, ANY, WIDE), "fill": (lambda x: T.fill(x, 3), lambda a: numpy.full_like(a, 3), ANY, REAL),
    "softmax": (T.nnet.softmax, softmax, [(1, 1), (1, 5), (5, 1), (4, 6), (0, 3)], FLOATS), "logsoftmax": (T.nnet.logsoftmax, lambda a: numpy.log(softmax(a)), FULL_MATRICES, FLOATS),
    "relu": (T.nnet.relu, lambda a: numpy.maximum(a, 0), ANY, FLOATS), "elu": (T.nnet.elu, lambda a: numpy.where(a > 0, a, numpy.expm1(a)), ANY, FLOATS),
    "hard_sigmoid": (T.nnet.hard_sigmoid, lambda a: numpy.clip(0.2 * a + 0.5, 0, 1), ANY, FLOATS), "softsign": (T.nnet.nnet.softsign, lambda a: a / (1 + abs(a)), ANY, FLOATS),
    "norm": (lambda x: x.norm(2, axis=0), lambda a: numpy.sqrt((a * a).sum(0)), FULL_MATRICES, FLOATS), "ptp": (lambda x: x.ptp(0), lambda a: numpy.ptp(a, 0), FULL_MATRICES, REAL),
    "backwards": (lambda x: x[::-1] * 1, lambda a: a[::-1], VECTORS + MATRICES + CUBES, FLOATS + ["int32"]), "slices": (lambda x: x[1::2, -1:], lambda a: a[1::2, -1:], MATRICES, WIDE),
    "new axes": (lambda x: x[None, :, None], lambda a: a[None, :, None], VECTORS + MATRICES, WIDE), "take": (lambda x: x[[0, -1, 0]], lambda a: a[[0, -1, 0]], VECTORS[1:] + FULL_MATRICES + CUBES[:2], WIDE),
    "pairs": (lambda x: x[[0, -1], [-1, 0]], lambda a: a[[0, -1], [-1, 0]], FULL_MATRICES + CUBES[:2], WIDE), "mask": (lambda x: x[x > 1], lambda a: a[a > 1], VECTORS + MATRICES + CUBES, REAL),
    "set": (lambda x: T.set_subtensor(x[::2], 5), lambda a: put(a, slice(None, None, 2), 5), VECTORS + MATRICES + CUBES, REAL),
    "inc": (lambda x: T.inc_subtensor(x[:, -1:], 5), lambda a: put(a, (slice(None), slice(-1, None)), 5, True), MATRICES, REAL),
    "inc rows": (lambda x: T.inc_subtensor(x[[0, -1, 0]], 2), lambda a: put(a, ([0, -1, 0],), 2, True), VECTORS[1:] + FULL_MATRICES, REAL),
    "set mask": (lambda x: T.set_subtensor(x[x > 1], 0), lambda a: put(a, a > 1, 0), VECTORS + MATRICES, REAL),
    "nonzero": (lambda x: T.stack(x.nonzero()), lambda a: numpy.stack(a.nonzero()), VECTORS + MATRICES, REAL), "unique": (lambda x: T.extra_ops.unique(x), numpy.unique, VECTORS, REAL),
    "fill_diagonal": (lambda x: T.fill_diagonal(x, 7), lambda a: filled(a, 7), [(1, 1), (4, 4), (5, 5)], FLOATS), "bincount": (lambda x: T.bincount(abs(x)), lambda a: numpy.bincount(abs(a)), VECTORS[1:], ["int32", "int64"]),
    "squeeze": (lambda x: T.addbroadcast(x, 0).squeeze(), lambda a: a[0], [(1, 5), (1, 1)], WIDE), "expand": (lambda x: T.shape_padaxis(x, 1), lambda a: a[:, None], VECTORS + MATRICES, WIDE),
    "stack": (lambda x: T.stack([x, x], axis=1), lambda a: numpy.stack([a, a], 1), VECTORS + MATRICES, WIDE), "concatenate": (lambda x: T.concatenate([x, x[:1], x], 0), lambda a: numpy.concatenate([a, a[:1], a], 0), VECTORS + MATRICES, WIDE),
    "split": (lambda x: T.split(x, [1, 2], 2, 0)[1], lambda a: a[1:], [(3,), (3, 0), (3, 4)], WIDE), "alloc": (lambda x: T.alloc(x, 2, x.shape[0], x.shape[1]), lambda a: numpy.stack([a, a]), MATRICES, WIDE),
    "to_one_hot": (lambda x: T.extra_ops.to_one_hot(abs(x), 12), lambda a: numpy.eye(12)[abs(a)], VECTORS, ["int32", "int64"]), "isclose": (lambda x: T.isclose(x, x + 1e-9), lambda a: numpy.isclose(a, a + 1e-9), VECTORS, FLOATS),
    "largest": (lambda x: T.largest(x, -x, 0 * x), lambda a: numpy.maximum(abs(a), 0), VECTORS, FLOATS), "iround": (lambda x: T.iround(x), lambda a: numpy.rint(a).astype("int64"), ANY, FLOATS),
    "searchsorted": (lambda x: T.searchsorted(T.sort(x), x), lambda a: numpy.searchsorted(numpy.sort(a), a), VECTORS, FLOATS), "choose": (lambda x: T.choose([1, 0], [x[0], x[-1]]), lambda a: numpy.choose([1, 0], [a[0], a[-1]]), [(4, 2)], FLOATS),
    "compress": (lambda x: T.compress([1, 0, 1], x, axis=0), lambda a: a[[0, 2]], [(3, 4), (3, 0)], FLOATS),
    "compress of a variable": (lambda x: x.compress([1, 0, 1], axis=0), lambda a: a[[0, 2]], [(3, 4), (3, 0)], FLOATS), "flatnonzero": (lambda x: T.basic.flatnonzero(x), numpy.flatnonzero, MATRICES, REAL),
    "cov": (lambda x: T.cov(x), numpy.cov, [(4, 6), (2, 3)], FLOATS), "outer": (lambda x: T.outer(x, x), lambda a: numpy.outer(a, a), VECTORS, FLOATS + ["int64", "complex128"]),
    "topk": (lambda x: T.sort(T.topk(x, 3)), lambda a: numpy.sort(a)[..., -3:], [(7,), (4, 6)], FLOATS), "kron": (lambda x: T.slinalg.kron(x, x), lambda a: numpy.kron(a, a), FULL_MATRICES, FLOATS),
    "matrix_power": (lambda x: T.nlinalg.matrix_power(x, 3), lambda a: numpy.linalg.matrix_power(a, 3), [(1, 1), (3, 3)], FLOATS), "copy": (lambda x: x.copy(), lambda a: a, ANY, WIDE),
    "casts": (lambda x: x.astype("int16").astype("float32"), lambda a: a.astype("int16").astype("float32"), ANY, REAL), "specify_shape": (lambda x: T.specify_shape(x, x.shape), lambda a: a, ANY, WIDE),
    "batch_normalization": (lambda x: T.nnet.bn.batch_normalization_train(x, T.ones((1, 6)), T.zeros((1, 6)), "per-activation")[0], lambda a: (a - a.mean(0)) / numpy.sqrt(a.var(0) + 1e-4), [(4, 6)], FLOATS),
    "bartlett": (lambda x: T.bartlett(x.shape[0]) + 0 * x, lambda a: numpy.bartlett(len(a)), VECTORS[1:], ["float64"]),
}
REDUCTIONS = {"sum": REAL + ["bool", "complex128"], "prod": FLOATS + ["int64"], "mean": REAL + ["bool", "complex128"], "max": REAL, "min": REAL, "any": REAL + ["bool"], "all": REAL + ["bool"],
              "var": FLOATS + ["int32"], "std": FLOATS + ["int32"], "argmax": REAL, "argmin": REAL}
PRODUCTS = [((7,), (7,)), ((0,), (0,)), ((4, 6), (6,)), ((4,), (4, 6)), ((4, 6), (6, 5)), ((1, 6), (6, 1)), ((0, 3), (3, 2)), ((3, 0), (0, 2)), ((2, 3, 4), (4,)),
            ((2, 3, 4), (4, 5)), ((2, 3, 4), (6, 4, 5)), ((4, 1), (1, 5)), ((), (4, 6)), ((40, 50), (50, 30))]


def values(shape, dtype, seed=0):
    rng = numpy.random.RandomState(seed)
    if dtype == "bool":
        return rng.randint(0, 2, shape).astype(bool)
    if dtype[0] in "iu":
        return numpy.asarray(rng.randint(0 if dtype[0] == "u" else -5, 9, shape)).astype(dtype)
    drawn = numpy.asarray(rng.uniform(-4, 4, shape))
    if dtype.startswith("complex"):
        drawn = drawn + 1j * rng.uniform(-4, 4, shape)
    return drawn.astype(dtype)


def exact(a):
    return a if a.dtype.kind in "biu" else a.astype("complex128" if a.dtype.kind == "c" else "float64")


def check(symbolic, reference, shapes, dtype, what):
    by_rank = {}
    for shape in shapes:
        a = values(shape, dtype)
        if len(shape) not in by_rank:
            x = T.TensorType(dtype, (False,) * len(shape))("x")
            expression = symbolic(x)
            by_rank[len(shape)] = function([x], expression), expression
        run, expression = by_rank[len(shape)]
        forms = list(layouts(a)) + list(broadcasts(a))
        for name, laid in forms:
            with numpy.errstate(all="ignore"):
                wanted = numpy.asarray(reference(exact(laid)))
            result = run(laid)
            assert str(result.dtype) == expression.dtype
            if wanted.dtype.kind in "iu" and result.dtype.kind in "iu":
                wanted = wanted.astype(result.dtype)
            agree(result, wanted, "complex64" if dtype == "complex64" else "float32" if "float32" in (expression.dtype, dtype) else "float64", (what, dtype, shape, name))


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name):
    symbolic, reference, shapes, dtypes = ONE[name]
    for dtype in dtypes:
        check(symbolic, reference, shapes, dtype, name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    empty = name in ("max", "min", "argmax", "argmin")
    for dtype in REDUCTIONS[name]:
        for axis, shapes in ((None, ANY), (0, VECTORS + MATRICES + CUBES), (1, MATRICES + CUBES), (-1, CUBES), ((0, 1), CUBES), ((0, 2), CUBES)):
            if name.startswith("arg") and isinstance(axis, tuple):
                continue
            fit = [shape for shape in shapes if not empty or 0 not in shape]
            def reference(a):
                if name in ("sum", "prod") and a.dtype.kind in "bu":
                    return getattr(numpy, name)(a, axis=axis, dtype="uint64" if a.dtype.kind == "u" else "int64")
                return getattr(numpy, name)(a, axis=axis)
            check(lambda x: getattr(T, name)(x, axis=axis), reference, fit, dtype, (name, axis))


@pytest.mark.parametrize("dtype", FLOATS + ["int32", "int64", "complex64", "complex128"])
def test_dot(dtype):
    for left, right in PRODUCTS:
        a, b = values(left, dtype, 1), values(right, dtype, 2)
        x, y = (T.TensorType(dtype, (False,) * v.ndim)() for v in (a, b))
        run = function([x, y], T.dot(x, y))
        wanted = numpy.dot(exact(a), exact(b))
        for (name, one), (_, other) in zip(layouts(a), layouts(b)):
            agree(run(one, other), wanted, {"float32": "float32", "complex64": "complex64"}.get(dtype, "float64"), (left, right, name))
        for (name, one), (other_name, other) in list(zip(layouts(a), list(layouts(b))[1:])):
            agree(run(one, other), wanted, {"float32": "float32", "complex64": "complex64"}.get(dtype, "float64"), (left, right, name, other_name))


@pytest.mark.parametrize("dtype", FLOATS)
def test_batched_dot_and_tensordot(dtype):
    for left, right in (((3, 2, 4), (3, 4, 5)), ((0, 2, 4), (0, 4, 5)), ((3, 1, 1), (3, 1, 1)), ((3, 2, 0), (3, 0, 5))):
        a, b = values(left, dtype, 1), values(right, dtype, 2)
        x, y = T.tensor3(dtype=dtype), T.tensor3(dtype=dtype)
        run = function([x, y], T.batched_dot(x, y))
        for (name, one), (_, other) in zip(layouts(a), layouts(b)):
            agree(run(one, other), exact(a) @ exact(b), dtype, (left, name))
    for left, right, axes in (((2, 3, 4), (4, 3, 5), ([1, 2], [1, 0])), ((2, 3, 4), (4, 5), 1), ((2, 3), (2, 3), 2), ((2, 3), (4,), 0), ((0, 3, 4), (3, 4), ([1, 2], [0, 1]))):
        a, b = values(left, dtype, 1), values(right, dtype, 2)
        x, y = (T.TensorType(dtype, (False,) * v.ndim)() for v in (a, b))
        run = function([x, y], T.tensordot(x, y, axes))
        for (name, one), (_, other) in zip(layouts(a), layouts(b)):
            agree(run(one, other), numpy.tensordot(exact(a), exact(b), axes), dtype, (left, right, axes, name))


def test_creation():
    n, m, k = T.lscalars("n", "m", "k")
    for rows, cols, off in ((3, 4, 0), (0, 3, 0), (4, 4, -2), (1, 5, 3), (5, 1, -9)):
        for dtype in ("float64", "float32", "int8", "complex64"):
            assert (function([n, m, k], T.eye(n, m, k, dtype=dtype))(rows, cols, off) == numpy.eye(rows, cols, off, dtype)).all()
            assert (function([n, m, k], T.tri(n, m, k, dtype=dtype))(rows, cols, off) == numpy.tri(rows, cols, off, dtype)).all()
            assert function([n, m], T.zeros((n, m), dtype=dtype))(rows, cols).shape == (rows, cols)
    for start, stop, step in ((0, 7, 1), (7, 0, -2), (0, 0, 1), (5, 2, 1), (-3, 3, 4)):
        assert function([n, m, k], T.arange(n, m, k))(start, stop, step).tolist() == numpy.arange(start, stop, step).tolist()
        assert function([], T.arange(start / 2, stop / 2, step / 4))().tolist() == numpy.arange(start / 2, stop / 2, step / 4).tolist()
    assert [g.eval().tolist() for g in T.mgrid[0:3, 1:5:2]] == numpy.mgrid[0:3, 1:5:2].tolist()
    assert [g.eval().tolist() for g in T.ogrid[0:3, 1:5:2]] == [g.tolist() for g in numpy.ogrid[0:3, 1:5:2]]


def test_classifier_losses():
    for dtype in FLOATS:
        p = softmax(values((4, 6), dtype))
        labels = numpy.array([5, 0, 3, 3])
        x, y, t = T.matrix(dtype=dtype), T.lvector(), T.matrix(dtype=dtype)
        one_hot = numpy.eye(6)[labels].astype(dtype)
        for name, laid in layouts(p):
            agree(function([x, y], T.nnet.categorical_crossentropy(x, y))(laid, labels), -numpy.log(exact(p)[range(4), labels]), dtype, name)
            agree(function([x, t], T.nnet.categorical_crossentropy(x, t))(laid, one_hot), -numpy.log(exact(p)[range(4), labels]), dtype, name)
            agree(function([x, t], T.nnet.binary_crossentropy(x, t))(laid, one_hot), -(one_hot * numpy.log(exact(p)) + (1 - one_hot) * numpy.log(1 - exact(p))), dtype, name)
