"""Gradients of every differentiable function against finite differences; second derivatives and forward ones too."""
import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core
from theano import function
from theano.gradient import verify_grad


def points(low, high, shape=(3, 4), seed=0):
    return numpy.random.RandomState(seed).uniform(low, high, shape)


SCALARS = {
    "neg": (-2, 2), "abs_": (0.3, 2), "inv": (0.5, 2), "sqr": (-2, 2), "sqrt": (0.3, 3), "tensor_copy": (-2, 2), "exp": (-2, 2), "exp2": (-2, 2),
    "expm1": (-2, 2), "log": (0.3, 3), "log2": (0.3, 3), "log10": (0.3, 3), "log1p": (-0.5, 3), "sigmoid": (-3, 3), "softplus": (-3, 3),
    "xlogx": (0.3, 3), "sin": (-3, 3), "cos": (-3, 3), "tan": (-1, 1), "sinh": (-2, 2), "cosh": (-2, 2), "tanh": (-2, 2), "arcsin": (-0.8, 0.8),
    "arccos": (-0.8, 0.8), "arctan": (-3, 3), "arcsinh": (-3, 3), "arccosh": (1.5, 4), "arctanh": (-0.8, 0.8), "deg2rad": (-90, 90), "rad2deg": (-2, 2),
    "erf": (-2, 2), "erfc": (-2, 2), "erfcx": (-1, 2), "erfinv": (-0.8, 0.8), "erfcinv": (0.3, 1.7), "gamma": (1.2, 3), "gammaln": (0.5, 4), "psi": (0.6, 4),
    "j0": (0.5, 5), "j1": (0.5, 5), "i0": (-2, 2), "i1": (-2, 2),
    "add": (-2, 2), "mul": (-2, 2), "sub": (-2, 2), "true_div": (0.5, 2), "pow": (0.5, 2), "maximum": (-2, 2), "minimum": (-2, 2), "second": (-2, 2),
    "arctan2": (0.5, 2), "xlogy0": (0.5, 3),
}
FLAT = {"sgn", "ceil", "floor", "trunc", "round_half_to_even", "round_half_away_from_zero"}  # the derivative is 0
DISCRETE = {"lt", "gt", "le", "ge", "eq", "neq", "isnan", "isinf", "inclosedrange", "and_", "or_", "xor", "invert"}  # nothing to derive
APART = {"switch", "clip", "int_div", "mod", "real", "imag", "angle", "conj", "complex", "complex_from_polar",  # below
         "ultra_fast_sigmoid", "tri_gamma", "chi2sf", "gammainc", "gammaincc", "gammau", "gammal", "jv", "iv"}  # C++ tests; most have no derivative in Theano


def test_no_function_is_forgotten():
    assert set(_core.scalar_names()) == set(SCALARS) | FLAT | DISCRETE | APART


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
    op = _core.elemwise(name)
    low, high = SCALARS[name]
    arity = _core.scalar_of(op)["arity"]
    arity = 2 if arity < 0 else arity
    for shape in ((3, 4), (), (1,), (0, 2)):
        verify_grad(lambda *x: _core.call_elemwise(op, *x), [points(low, high, shape, i) for i in range(arity)], rng=numpy.random.RandomState(1))
    if arity == 2:
        verify_grad(lambda x, y: _core.call_elemwise(op, x, T.addbroadcast(y, 0)), [points(low, high), points(low, high, (1, 4), 1)], rng=numpy.random.RandomState(1))


@pytest.mark.parametrize("name", sorted(FLAT))
def test_steps_have_no_slope(name):
    x = T.dvector()
    assert function([x], T.grad(_core.call_elemwise(_core.elemwise(name), x).sum(), x))([0.3, 1.7, -2.2]).tolist() == [0, 0, 0]


ONE = {
    "sum": lambda x: x.sum(), "sum 0": lambda x: x.sum(0), "sum kept": lambda x: x.sum(1, keepdims=True), "mean": lambda x: x.mean(), "mean 1": lambda x: x.mean(axis=1),
    "prod": lambda x: x.prod(), "prod 1": lambda x: x.prod(axis=1), "max": lambda x: x.max(), "max 0": lambda x: x.max(axis=0), "min 1": lambda x: x.min(axis=1),
    "var": lambda x: x.var(axis=0), "std": lambda x: x.std(axis=1), "norm": lambda x: x.norm(2), "ptp": lambda x: x.ptp(0), "T": lambda x: x.T,
    "reshape": lambda x: x.reshape((2, 6)), "flatten": lambda x: x.flatten(), "new axis": lambda x: x.dimshuffle(0, "x", 1), "slice": lambda x: x[1:, ::2],
    "backwards": lambda x: x[::-1, ::-1], "number": lambda x: x[1, 2], "row": lambda x: x[-1], "take": lambda x: x[[0, 2, 0]], "columns": lambda x: x[:, [1, 1]],
    "pairs": lambda x: x[[0, 2, 2], [1, 3, 3]], "mask": lambda x: x[numpy.array([True, False, True])], "mixed": lambda x: x[[0, 1], 1:3], "set": lambda x: T.set_subtensor(x[1], 2) ** 2,
    "set rows": lambda x: T.set_subtensor(x[[0, 1]], 2) ** 2, "inc": lambda x: T.inc_subtensor(x[:, 1], 2) ** 2, "inc rows": lambda x: T.inc_subtensor(x[[0, 0]], x[1:] * 3),
    "set by itself": lambda x: T.set_subtensor(x[1:], x[:-1] ** 2), "stack": lambda x: T.stack([x, x ** 2]), "concatenate": lambda x: T.concatenate([x, x ** 2], axis=1),
    "split": lambda x: T.split(x, [1, 3], 2, axis=1)[1], "repeat": lambda x: T.repeat(x, 2, axis=0), "repeat each": lambda x: T.repeat(x, [1, 0, 2], axis=0), "tile": lambda x: T.tile(x, (2, 1)),
    "roll": lambda x: T.roll(x, 1, axis=1), "cumsum": lambda x: T.cumsum(x, axis=1), "cumprod": lambda x: T.cumprod(x, axis=0), "diff": lambda x: T.diff(x), "sort": lambda x: T.sort(x, axis=1),
    "diag": lambda x: T.diag(x), "diagonal": lambda x: x.diagonal(1), "trace": lambda x: T.nlinalg.trace(x), "tril": lambda x: T.tril(x), "triu": lambda x: T.triu(x), "alloc": lambda x: T.alloc(x, 2, 3, 4) ** 2,
    "fill": lambda x: T.fill(x, x[0, 0]), "switch": lambda x: T.switch(x > 1, x ** 2, -x), "clip": lambda x: T.clip(x, 0.9, 1.4), "softmax": T.nnet.softmax, "logsoftmax": T.nnet.logsoftmax,
    "log softmax": lambda x: T.log(T.nnet.softmax(x)), "nll": lambda x: T.nnet.categorical_crossentropy(T.nnet.softmax(x), numpy.array([1, 0, 3])), "relu": T.nnet.relu, "leaky": lambda x: T.nnet.relu(x - 1, 0.1),
    "elu": lambda x: T.nnet.elu(x - 1), "selu": lambda x: T.nnet.selu(x - 1), "softsign": T.nnet.nnet.softsign, "sigmoid crossentropy": lambda x: T.nnet.sigmoid_binary_crossentropy(x, 0.3),
    "crossentropy": lambda x: T.nnet.binary_crossentropy(T.nnet.sigmoid(x), 0.3), "rebroadcast": lambda x: T.addbroadcast(x[:1], 0), "specify": lambda x: T.specify_shape(x, (3, 4)), "print": lambda x: T.opt.Assert("no")(x, T.all(x > 0)),
    "outer": lambda x: T.outer(x[0], x[1]), "gram": lambda x: T.dot(x, x.T), "kron": lambda x: T.slinalg.kron(x[:2, :2], x[1:, 1:3]), "power": lambda x: T.nlinalg.matrix_power(x[:, :3], 2), "mod": lambda x: T.mod(x, 0.7),
    "cov": lambda x: T.cov(x), "fill_diagonal": lambda x: T.fill_diagonal(x, 2.0), "compress": lambda x: T.compress([1, 0, 1], x, axis=0), "largest": lambda x: T.largest(x, x[::-1] * 1.1), "squeeze": lambda x: T.addbroadcast(x[:1], 0).squeeze(),
    "centred": lambda x: x - x.mean(axis=1, keepdims=True), "normalized": lambda x: x / T.sqrt((x ** 2).sum(axis=1, keepdims=True)), "logsumexp": lambda x: T.log(T.exp(x).sum(axis=1)),
    "batch_normalization": lambda x: T.nnet.bn.batch_normalization_train(x, T.ones((1, 4)), T.zeros((1, 4)), "per-activation")[0], "moveaxis": lambda x: T.basic.moveaxis(x, 0, 1), "choose": lambda x: T.choose([1, 0, 1, 0], [x[0], x[1]]),
    "topk": lambda x: T.topk(x, 2), "cast": lambda x: T.cast(T.cast(x, "float64"), "float64") * 2, "complex": lambda x: T.real(T.complex(x, x ** 2)) + T.imag(T.complex(x, x ** 2)), "abs of complex": lambda x: abs(T.complex(x, x ** 2)),
}
# Their second derivatives are known to be missing or zero almost everywhere by Theano's rules.
FIRST_ONLY = {"complex", "abs of complex", "sort", "topk"}


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(name):
    verify_grad(ONE[name], [points(0.5, 2)], rng=numpy.random.RandomState(1))


@pytest.mark.parametrize("name", sorted(set(ONE) - FIRST_ONLY))
def test_second_derivatives(name):
    def slope(x):
        y = ONE[name](x)
        return T.grad((y * y).sum() if y.ndim else y * y, x)
    verify_grad(slope, [points(0.5, 2)], rng=numpy.random.RandomState(1), abs_tol=1e-3, rel_tol=1e-3)


# Neither has Theano.
NOT_FORWARD = {"complex", "abs of complex"}


@pytest.mark.parametrize("name", sorted(set(ONE) - NOT_FORWARD))
def test_forward_equals_backward(name):
    x, v = T.dmatrix("x"), T.dmatrix("v")
    y = ONE[name](x)
    forward = theano.Rop(y, x, v)
    weights = T.TensorType("float64", (False,) * y.ndim)("weights")
    left = (forward * weights).sum()
    right = (theano.Lop(y, x, weights + 0 * y) * v).sum()
    a, b = points(0.5, 2), points(-1, 1, seed=1)
    shape = function([x], y)(a).shape
    w = points(-1, 1, shape, 2)
    numpy.testing.assert_allclose(*function([x, v, weights], [left, right])(a, b, w), rtol=1e-9)


TWO = {
    "dot": (lambda a, b: T.dot(a, b), (3, 4), (4, 2)), "dot vector": (lambda a, b: T.dot(a, b), (3, 4), (4,)), "vector dot": (lambda a, b: T.dot(a, b), (3,), (3, 4)), "inner": (lambda a, b: T.dot(a, b), (4,), (4,)),
    "dot 3d": (lambda a, b: T.dot(a, b), (2, 3, 4), (4, 2)), "dot 3d vector": (lambda a, b: T.dot(a, b), (2, 3, 4), (4,)), "dot 3d 3d": (lambda a, b: T.dot(a, b), (2, 3, 4), (5, 4, 2)), "number dot": (lambda a, b: T.dot(a, b), (), (3, 4)),
    "tensordot": (lambda a, b: T.tensordot(a, b, [[1, 2], [1, 0]]), (2, 3, 4), (4, 3, 5)), "batched_dot": (lambda a, b: T.batched_dot(a, b), (3, 2, 4), (3, 4, 5)), "batched 2": (lambda a, b: T.batched_dot(a, b), (3, 4), (3, 4, 5)),
    "batched_tensordot": (lambda a, b: T.batched_tensordot(a, b, [[1], [2]]), (3, 4, 2), (3, 5, 4)), "join": (lambda a, b: T.join(0, a, b), (2, 3), (4, 3)), "set": (lambda a, b: T.set_subtensor(a[1:], b), (3, 4), (2, 4)), "inc": (lambda a, b: T.inc_subtensor(a[:, 1], b), (3, 4), (3,)),
    "set rows": (lambda a, b: T.set_subtensor(a[[2, 0]], b), (3, 4), (2, 4)), "inc rows": (lambda a, b: T.inc_subtensor(a[[1, 1]], b), (3, 4), (2, 4)), "inc spread": (lambda a, b: T.inc_subtensor(a[1:], b), (3, 4), (4,)), "affine": (lambda a, b: T.tanh(a + b), (3, 4), (4,)),
    "crossentropy": (lambda a, b: T.nnet.categorical_crossentropy(T.nnet.softmax(a), T.nnet.softmax(b)), (3, 4), (3, 4)), "switch": (lambda a, b: T.switch(a > b, a, b), (3, 4), (3, 4)), "outer": (lambda a, b: T.outer(a, b), (3,), (4,)),
    "sorted dot": (lambda a, b: T.dot(T.sort(a), b), (3, 4), (4, 2)), "affine softmax": (lambda a, b: T.nnet.softmax(a + b), (3, 4), (4,)), "elementwise chain": (lambda a, b: T.exp(-a * b) * T.sqrt(abs(a) + 1) / (1 + b ** 2), (3, 4), (3, 4)),
}


@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_arrays(name):
    run, left, right = TWO[name]
    verify_grad(run, [points(0.5, 2, left), points(0.5, 2, right, 1)], rng=numpy.random.RandomState(1))


def test_a_wrong_gradient_is_noticed():
    class Wrong(theano.Op):
        itypes, otypes = [T.dvector], [T.dvector]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] ** 2

        def grad(self, inputs, grads):
            return [grads[0] * inputs[0] * 3]
    with pytest.raises(theano.gradient.verify_grad.E_grad):
        verify_grad(Wrong(), [points(0.5, 2, (3,))], rng=numpy.random.RandomState(1))


def test_single_precision():
    for name in ("dot", "affine", "crossentropy"):
        run, left, right = TWO[name]
        verify_grad(run, [points(0.5, 2, left).astype("float32"), points(0.5, 2, right, 1).astype("float32")], rng=numpy.random.RandomState(1))


def test_a_size_of_one_stretches():
    rng = numpy.random.RandomState(1)
    verify_grad(lambda a, b: a * b, [rng.rand(3, 1), rng.rand(1, 4)], rng=rng)
    verify_grad(lambda a: a + numpy.ones((2, 3)), [rng.rand(1, 3)], rng=rng)
    verify_grad(lambda a: a * 2, [rng.rand(1, 1)], rng=rng)


def test_a_projection_of_single_precision_is_not_rounded():
    seen = []

    class Rng:
        def rand(self, *shape):
            seen.append(numpy.full(shape, 1 / 3))
            return seen[-1]

    class Kept(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0].copy()

        def grad(self, inputs, output_grads):
            graphs.append(output_grads[0])
            return [output_grads[0]]

    graphs = []
    point = points(0.5, 2).astype("float32")
    verify_grad(Kept(), [point], rng=Rng())
    shared = [v for v in theano.gof.graph.inputs(graphs) if isinstance(v, theano.compile.SharedVariable)]
    assert shared and all(v.dtype == "float64" for v in shared)
    verify_grad(Kept(), [point], rng=Rng(), cast_to_output_type=True)
    assert any(v.dtype == "float32" for v in theano.gof.graph.inputs(graphs[-1:]) if isinstance(v, theano.compile.SharedVariable))
