"""Every public function that builds an expression gives test values and misses those of its inputs; a function that is new wants a line here."""
import types

import numpy
import pytest
import theano
import theano.tensor as T
from theano.configparser import change_flags
from theano.gof import Variable
from theano.tensor.type import CONSTRUCTORS

R = numpy.random.RandomState(3)
VALUES = {
    "s": numpy.float64(0.3), "v": R.rand(4), "w": R.rand(4), "m": R.rand(3, 4), "q": R.rand(4, 4) + 4 * numpy.eye(4),
    "p": numpy.diag([1.0, 2.0, 3.0, 4.0]) + 0.1, "t": R.rand(2, 3, 4), "x": R.rand(2, 2, 6, 6), "k": R.rand(3, 2, 3, 3), "x5": R.rand(1, 1, 4, 4, 4),
    "k5": R.rand(1, 1, 2, 2, 2), "g4": R.rand(2, 3, 4, 4), "g5": R.rand(1, 1, 3, 3, 3), "i": numpy.int64(2), "iv": numpy.array([2, 0, 1]),
    "perm": numpy.array([2, 0, 3, 1]), "b": R.rand(4) > 0.5, "n": numpy.arange(4), "c": R.rand(3) + 1j, "f": R.rand(2, 3, 4, 2), "dk": R.rand(2, 1, 3, 3),
    "pk": R.rand(3, 2, 1, 1), "dk5": R.rand(1, 1, 2, 2, 2), "pk5": R.rand(2, 1, 1, 1, 1), "rows": R.rand(2, 3, 5),
    "b4": R.rand(1, 2, 1, 1), "W": R.rand(1, 2, 3, 2), "h": R.rand(1, 1, 3), "out": R.rand(1, 2, 2), "iidx": numpy.zeros((1, 1), "int64"),
    "oidx": numpy.zeros((1, 2), "int64"), "W1": R.rand(4, 2), "b1": R.rand(2), "W2": R.rand(2, 4, 2), "b2": R.rand(2, 2), "target": numpy.array([1, 2, 0]),
}

# What each builds, of variables with those values.
EXAMPLES = """
abs(v) add(v, w) addbroadcast(T.shape_padleft(v), 0) all(b) allclose(v, w) alloc(s, i, 3) angle(c) any(b) arange(i) argmax(m, 0) argmin(m, 1) argsort(v)
argtopk(v, 2) as_tensor([s, s]) as_tensor_variable([s, 1.0]) bartlett(i) batched_dot(t, T.constant(numpy.ones((2, 4, 2)))) batched_tensordot(t, t, [[2], [2]])
bincount(n) cast(v, 'float32') cast_to_floatX(i) ceil_intdiv(i, 2) choose(iv, [v[:3], w[:3], w[1:]]) clip(v, 0.1, 0.5) complex_from_polar(v, w)
compress(b, v) concatenate([v, w]) conj(c) consider_constant(s * v) cov(m) cumprod(m, 0) cumsum(v) default(v, w) diag(v) diagonal(q) diff(v)
dimshuffle(v, (0, 'x')) divmod(v, w) dot(m, v) expand_dims(v, 0) eye(i) fill(v, s) fill_diagonal(q, s) fill_diagonal_offset(q, s, 1) flatnonzero(v) flatten(m)
full_like(v, s) horizontal_stack(q, q) identity_like(q) inc_subtensor(v[1:], s) inverse_permutation(perm) iround(v) isclose(v, w) join(0, v, w) largest(v, w)
makeKeepDims(m, v, 0) max(m, 1) max_and_argmax(m, 0) mean(m) min(m) mod_check(v, w) moveaxis(t, 0, 2) nonzero(m) nonzero_values(m)
ones((i, 2)) ones_like(v) outer(v, w) patternbroadcast(v, [False]) permute_row_elements(m, perm) power(v, w) prod(m) ptp(m, 0) ravel_multi_index((iv, iv), (3, 3))
repeat(v, 2) reshape(m, (4, 3)) roll(v, 1) round(v) searchsorted(n, v) set_subtensor(v[1:], s) shape(m) shape_i(m, 0) shape_padaxis(v, 0) shape_padleft(v)
shape_padright(v) smallest(v, w) sort(v) specify_shape(v, (4,)) split(v, [1, 3], 2) squeeze(v[:1].reshape((1, 1))) stack([v, w]) stacklists([[s, s], [s, s]]) std(m)
sum(m, 0) swapaxes(m, 0, 1) take(v, iv) tensordot(m, q, 1) tile(v, (2,)) to_one_hot(iv, 3) topk(v, 2) topk_and_argtopk(v, 2) trace(q)
transpose(m) tri(i, 3) tril(q) triu(q) true_div(v, w) unbroadcast(T.addbroadcast(v[:1], 0), 0) unique(v) unravel_index(iv, (2, 2)) var(m) vertical_stack(q, q)
zeros((i,)) zeros_like(v) hessian((v ** 2).sum(), v) jacobian(v ** 2, v) grad((v ** 2).sum(), v) Lop(v ** 2, v, w) Rop(v ** 2, v, w) getitem(v, 1)
scalar_from_tensor(s) tensor_from_scalar(theano.scalar.as_scalar(s)) identity(v) div_proxy(v, w) extract_constant(s) sgn(v)

nnet.batch_normalization(m, v, w, v, w) nnet.bn.batch_normalization_train(m, v, w) nnet.bn.batch_normalization_test(m, v, w, v, w)
nnet.bilinear_upsampling(x, 2, num_input_channels=2) nnet.binary_crossentropy(v, b) nnet.categorical_crossentropy(nnet.softmax(m), target)
nnet.causal_conv1d(rows, t, filter_shape=(2, 3, 4)) nnet.confusion_matrix(iv, target) nnet.conv2d(x, k) nnet.conv2d_grad_wrt_inputs(g4, k, (2, 2, 6, 6))
nnet.conv2d_grad_wrt_weights(x, g4, (3, 2, 3, 3)) nnet.conv2d_transpose(g4, k, (2, 2, 6, 6)) nnet.conv3d(x5, k5)
nnet.conv3d_grad_wrt_inputs(g5, k5, (1, 1, 4, 4, 4)) nnet.conv3d_grad_wrt_weights(x5, g5, (1, 1, 2, 2, 2)) nnet.conv3D(x5, x5[:, :3, :3, :3], T.constant(numpy.ones(1)), (1, 1, 1))
nnet.crossentropy_categorical_1hot(nnet.softmax(m), target) nnet.crossentropy_softmax_1hot(m, target) nnet.crossentropy_softmax_1hot_with_bias(m, v, target)
nnet.crossentropy_categorical_1hot_grad(v[:3], nnet.softmax(m), target) nnet.crossentropy_softmax_1hot_with_bias_dx(v[:3], nnet.softmax(m), target)
nnet.crossentropy_softmax_argmax_1hot_with_bias(m, v, target) nnet.crossentropy_softmax_max_and_argmax_1hot(m, target)
nnet.crossentropy_softmax_max_and_argmax_1hot_with_bias(m, v, target) nnet.elu(v) nnet.h_softmax(m, 3, 4, 2, 2, W1, b1, W2, b2) nnet.hard_sigmoid(v)
nnet.images2neibs(x, (2, 2)) nnet.neibs2images(nnet.images2neibs(x, (2, 2)), (2, 2), (2, 2, 6, 6)) nnet.logsoftmax(m) nnet.logsoftmax_op(m)
nnet.prepend_0_to_each_row(m) nnet.prepend_1_to_each_row(m) nnet.prepend_scalar_to_each_row(s, m) nnet.Prepend_scalar_constant_to_each_row(1.0)(m)
nnet.Prepend_scalar_to_each_row()(s, m) nnet.relu(v) nnet.relu(v, 0.1) nnet.selu(v) nnet.separable_conv2d(x, dk, pk, 2)
nnet.separable_conv3d(x5, dk5, pk5, 1) nnet.sigmoid_binary_crossentropy(v, w) nnet.softmax(m) nnet.softmax_grad(m, nnet.softmax(m)) nnet.softmax_graph(m)
nnet.softmax_op(m) nnet.softmax_with_bias(m, v) nnet.softsign(v) nnet.sparse_block_dot(W, h, iidx, b2.reshape((2, 2)), oidx) nnet.ultra_fast_sigmoid(v)
nnet.abstract_conv2d(x, k) nnet.sigmoid(v) nnet.softplus(v) nnet.scalar_sigmoid(s)
nnet.abstract_conv.assert_shape(v, (4,)) nnet.abstract_conv.bilinear_kernel_1D(2) nnet.abstract_conv.bilinear_kernel_2D(2)

extra_ops.cpu_contiguous(m) extra_ops.CumsumOp(0)(v) extra_ops.CumprodOp(0)(v)
nlinalg.alloc_diag(v) nlinalg.det(q) nlinalg.diag(v) nlinalg.eig(q) nlinalg.eigh(p) nlinalg.extract_diag(q) nlinalg.matrix_dot(m, q) nlinalg.matrix_inverse(q)
nlinalg.matrix_power(q, 2) nlinalg.norm(m, 2) nlinalg.pinv(m) nlinalg.qr(q) nlinalg.slogdet(q) nlinalg.svd(m) nlinalg.tensorinv(q.reshape((4, 2, 2)), 1)
nlinalg.tensorsolve(q.reshape((4, 2, 2)), v) nlinalg.lstsq()(q, v, s) nlinalg.trace(q)
slinalg.cholesky(p) slinalg.eigvalsh(p, q) slinalg.expm(q) slinalg.kron(m, q) slinalg.solve(q, v) slinalg.solve_lower_triangular(q, v)
slinalg.solve_symmetric(p, v) slinalg.solve_triangular(q, v) slinalg.solve_upper_triangular(q, v)
signal.pool.max_pool_2d_same_size(x, (2, 2)) signal.pool.pool_2d(x, (2, 2), ignore_border=True) signal.pool.pool_3d(x5, (2, 2, 2), ignore_border=True)
signal.conv.conv2d(q, p) nnet.conv.conv2d(x, k) fft.rfft(m) fft.irfft(f[0]) fft.rfft_op(m, [4]) fft.irfft_op(f[0], [4])
subtensor.advanced_subtensor1(v, iv) subtensor.advanced_subtensor(m, iv, iv) subtensor.advanced_inc_subtensor1(v, w[:3], iv)
subtensor.advanced_inc_subtensor(m, v[:3], iv, iv) subtensor.advanced_set_subtensor1(v, w[:3], iv) subtensor.advanced_set_subtensor(m, v[:3], iv, iv)
xlogx.xlogx(v) xlogx.xlogy0(v, w) blas.gemm_no_inplace(q, s, q, q, s) blas.gemm_inplace(q, s, q, q, s) blas.gemv_no_inplace(v, s, q, w, s)
blas.gemv_inplace(v, s, q, w, s) blas.ger(q, s, v, w) blas.ger_destructive(q, s, v, w) inplace.exp_inplace(v)
"""
GRADIENT = "disconnected_grad(v * 1) grad_clip(v, 0, 1) grad_scale(v, 2) zero_grad(v) undefined_grad(v) disconnected_grad_(v) undefined_grad_(v)"
OTHERS = """
theano.ifelse.ifelse(b[0], v, w) theano.scan(lambda row, before: before + row, m, v)[0] theano.map(lambda row: row * 2, m)[0] theano.clone(v * 2, {v: 1 * v})
theano.OpFromGraph([w], [w * 2])(v) theano.printing.Print('', ['ndim'])(v) T.opt.Assert()(v, s > 0) theano.compile.deep_copy_op(v) theano.scan(lambda row: (row ** 2).sum(), m)[0]
T.grad(theano.scan(lambda row, before: T.tanh(before + row), m, v)[0][-1].sum(), v)
"""
# What builds nothing of what it is given: constructors of variables, and helpers.
NO_BUILDERS = """
allreduce as_index_constant assert_conv_shape border_mode_to_pad bounds_of built check_and_normalize_axes check_conv_gradinputs_shape constant engine_rewrite
float_dtype get_conv_gradinputs_shape get_conv_gradinputs_shape_1axis get_conv_gradweights_shape get_conv_gradweights_shape_1axis get_conv_output_shape
get_conv_shape_1axis get_scalar_constant_value get_vector_length grad_not_implemented grad_undefined into_triangle irecv is_flat isend known_or_variable listed
load normal_axes normal_axis numpy_scalar out_shape parameter pool pprint pyabs pyall pyany pydivmod pymax pymin pyround pysum python_all python_any recv send
shared sqrt_ stacked tensor transfer values_eq_approx_always_true verify_grad zeros_like_
""".split()
# Calls that give their input, or a constant.
AS_IT_IS = ("T.default(v, w)", "T.patternbroadcast(v, [False])", "T.extract_constant(s)", "T.nnet.abstract_conv.bilinear_kernel_1D(2)",
            "T.nnet.abstract_conv.bilinear_kernel_2D(2)", "T.extra_ops.cpu_contiguous(m)")
MODULES = ("", "nnet", "nnet.bn", "nnet.neighbours", "nnet.abstract_conv", "nnet.conv", "extra_ops", "nlinalg", "slinalg", "signal.pool", "signal.conv",
           "fft", "sort", "subtensor", "xlogx", "blas", "inplace")


def _calls(text):
    """The calls of a text, which are apart by a space outside of brackets."""
    depth, begun, found = 0, 0, []
    for place, letter in enumerate(text + " "):
        depth += (letter in "([{") - (letter in ")]}")
        if letter.isspace() and depth == 0:
            if text[begun:place].strip():
                found.append(text[begun:place].strip())
            begun = place + 1
    return found


CALLS = _calls(EXAMPLES)
EVERY = (["T." + call for call in CALLS] + ["theano.gradient." + call for call in _calls(GRADIENT)] + _calls(OTHERS))


def _inputs(known):
    made = {}
    for name, value in VALUES.items():
        value = numpy.asarray(value)
        made[name] = T.TensorType(str(value.dtype), (False,) * value.ndim)(name)
        if known:
            made[name].tag.test_value = value
    return made


class _Names(dict):
    """What examples may name: their inputs, and what theano.tensor has."""

    def __missing__(self, name):
        return getattr(T, name)


def examples(text, known):
    return _variables(eval(text, _Names(T=T, theano=theano, numpy=numpy, **_inputs(known))))


def _variables(result):
    if isinstance(result, Variable):
        return [result]
    return [one for part in result for one in _variables(part)] if isinstance(result, (list, tuple)) else []


def _simple(name, op):
    """An example of an elementwise function: of positive numbers below 1, or of integers."""
    numbers = ["iv", "target", "iv"] if name.startswith(("bitwise", "invert")) or name in ("and_", "or_", "xor") else ["v", "w", "v"]
    return "%s(%s)" % (name, ", ".join(numbers[:op.nin if op.nin > 0 else 2]))


def _public(module):
    """{name: function} that scripts take from a module by its star."""
    namespace, full = {}, "theano.tensor." + module if module else "theano.tensor"
    exec("from %s import *" % full, namespace)
    return {name: value for name, value in namespace.items() if callable(value) and not name.startswith("_")
            and not isinstance(value, (type, types.ModuleType, theano.Type)) and name not in CONSTRUCTORS}


ELEMENTWISE = {_simple(name, value): value for name, value in _public("").items() if isinstance(value, T.Elemwise)}


@pytest.mark.parametrize("call", EVERY + ["T." + call for call in ELEMENTWISE])
def test_every_function_gives_test_values(call):
    with change_flags(compute_test_value="raise"):
        outputs = examples(call, True)
        assert outputs
        for apply in theano.gof.graph.io_toposort([], outputs):
            for output in apply.outputs:
                assert output.tag.test_value is not None
        leaves = [leaf for leaf in theano.gof.graph.inputs(outputs) if hasattr(leaf.tag, "test_value")]
        if call not in AS_IT_IS:
            with pytest.raises(ValueError, match="Cannot compute test value: input . .* missing default value"):
                examples(call, False)
    values = theano.function(leaves, outputs, mode="FAST_COMPILE", on_unused_input="ignore")(*[leaf.tag.test_value for leaf in leaves])
    for output, value in zip(outputs, values):
        found = theano.gof.op.get_test_value(output)
        assert found.dtype == output.dtype and found.ndim == output.ndim
        numpy.testing.assert_allclose(found, value, rtol=1e-6)


def test_no_function_is_left_out():
    """A function that is new: give it a line in EXAMPLES, or say in NO_BUILDERS that it builds nothing."""
    called = {id(eval(call.split("(")[0])) for call in EVERY}
    left = sorted({"%s.%s" % (module, name) for module in MODULES for name, value in _public(module).items()
                   if id(value) not in called and not isinstance(value, T.Elemwise) and name not in NO_BUILDERS})
    assert not left
