"""Ops of PyTensor, one after the other: the mode CROTON against their method perform."""
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.ifelse import ifelse
from pytensor.raise_op import CheckAndRaise
from pytensor.scan.utils import until

import croton.pytensor

x, y, z = pt.dmatrix("x"), pt.dmatrix("y"), pt.dtensor3("z")
v, n, m = pt.dvector("v"), pt.lscalar("n"), pt.lvector("m")
row = pt.tensor("row", dtype="float64", shape=(1, None))
VALUES = {x: np.random.default_rng(1).normal(size=(4, 5)), y: np.random.default_rng(2).uniform(0.1, 0.9, (4, 5)),
          z: np.random.default_rng(3).normal(size=(3, 4, 5)), v: np.random.default_rng(4).normal(size=5), n: np.int64(2),
          m: np.array([0, 2, 2, 1]), row: np.random.default_rng(5).normal(size=(1, 5))}
square = pt.matmul(z, z.mT) + 5 * pt.eye(4)

CASES = {
    "arithmetic": x + y * 2 - x / y, "broadcast": x * row, "powers": y ** 3 + y ** x, "integers": m // 2 + m % 2,
    "comparisons": pt.switch(pt.lt(x, 0) & (y > 0.5), x, y), "exp and log": pt.log1p(pt.exp(x)) + pt.expm1(y),
    "gamma": pt.gammaln(y) + pt.psi(y) + pt.gamma(y), "errors": pt.erf(x) + pt.erfc(x) + pt.erfcx(y) + pt.erfinv(y),
    "incomplete gamma": pt.gammainc(y, y + 1) + pt.gammaincc(y, y + 1), "softplus": pt.softplus(x) + pt.sigmoid(x),
    "log1mexp": pt.log1mexp(-y), "angles": pt.arctan2(x, y) + pt.cos(x) + pt.arcsin(y), "clip": pt.clip(x, -0.5, 0.5),
    "rounding": pt.round(x) + pt.floor(x) + pt.sign(x), "complex": pt.real(pt.exp(1j * x)), "casts": pt.cast(x, "float32") + m[0],
    "isnan": pt.isnan(x / (x - x)), "bits": (m & 1) | (m ^ 3), "reciprocal": 1 / y, "float32": pt.cast(x, "float32") * np.float32(2),
    "sum": x.sum(), "sum of rows": x.sum(axis=1), "sum of two axes": z.sum(axis=(0, 2)), "product": y.prod(axis=0), "mean": z.mean(axis=-1),
    "max": x.max(axis=1), "min": x.min(), "any": (x > 1).any(axis=0), "all": (x < 9).all(), "argmax": pt.argmax(x, axis=1),
    "argmax of all": pt.argmax(x), "variance": x.var(axis=0), "keepdims": x.sum(axis=1, keepdims=True), "sum of booleans": (x > 0).sum(),
    "softmax": pt.special.softmax(x, axis=-1), "softmax of columns": pt.special.softmax(x, axis=0), "softmax of all": pt.special.softmax(x),
    "log softmax": pt.special.log_softmax(z, axis=1), "logsumexp": pt.logsumexp(x, axis=1),
    "row": x[1], "slice": x[1:3, ::-1], "last": x[-1, n], "new axis": x[None, :, 1], "step": v[::2], "computed slice": v[n:],
    "rows by integers": x[m], "integers in both": x[m, m], "integers and a slice": z[:, m, 1:3], "mask": x[x > 0], "mask of rows": x[x[:, 0] > 0],
    "set": pt.set_subtensor(x[1], 0.0), "increment": pt.inc_subtensor(x[1:3, 0], 5.0), "increment rows": pt.inc_subtensor(x[m], 1.0),
    "set elements": pt.set_subtensor(x[m, m], 7.0), "set a mask": pt.set_subtensor(x[x > 0], 0.0), "take": pt.take(x, m, axis=0),
    "join": pt.join(1, x, y), "stack": pt.stack([v, v * 2], axis=1), "split": pt.split(v, splits_size=[2, 3], n_splits=2)[1], "reshape": x.reshape((2, -1)), "reshape to a scalar": row[:, 0].reshape(()),
    "transpose": x.T, "flatten": z.flatten(2), "tile": pt.tile(v, (2, 3)), "repeat": pt.repeat(v, 3), "repeat by integers": pt.repeat(x, m, axis=0),
    "alloc": pt.alloc(v, 3, 5), "zeros": pt.zeros_like(x) + 1, "eye": pt.eye(4, 5, 1), "arange": pt.arange(n, 10, 2), "diag": pt.diag(v),
    "diagonal": pt.diagonal(z, axis1=0, axis2=2), "tril": pt.tril(x), "cumsum": pt.cumsum(x, axis=1), "cumprod": pt.cumprod(y),
    "diff": pt.diff(v), "sort": pt.sort(x, axis=0), "argsort": pt.argsort(v), "nonzero": pt.nonzero(x > 0)[0], "shape": pt.as_tensor(x.shape) * 2,
    "specify shape": pt.specify_shape(x, (4, None)) * 2, "squeeze": pt.squeeze(row), "roll": pt.roll(v, 2), "outer": pt.outer(v, v),
    "pad": pt.pad(x, 1), "searchsorted": pt.searchsorted(pt.sort(v), y), "unique": pt.unique(m), "median": pt.quantile(v, 0.5) if hasattr(pt, "quantile") else v.mean(),
    "dot": pt.dot(x, y.T), "matrix by vector": pt.dot(x, v), "matmul of batches": pt.matmul(z, z.mT), "matmul by one matrix": pt.matmul(z, x.T),
    "one matrix by batches": pt.matmul(x, z.mT), "einsum": pt.einsum("bij,bkj->bik", z, z), "tensordot": pt.tensordot(z, x, axes=[[1, 2], [0, 1]]),
    "cholesky of batches": pt.linalg.cholesky(square), "solve": pt.linalg.solve(square[0], v[:4]), "inverse": pt.linalg.inv(square[0]),
    "determinant": pt.linalg.det(square), "log determinant": pt.linalg.slogdet(square[0])[1], "eigenvalues": pt.linalg.eigh(square[0])[0],
    "triangular": pt.linalg.solve_triangular(pt.linalg.cholesky(square[0]), v[:4], lower=True), "svd": pt.linalg.svd(x, compute_uv=False),
    "solve of batches": pt.linalg.solve(square, z[:, :, 0], b_ndim=1), "cholesky solve": pt.linalg.cho_solve((pt.linalg.cholesky(square[0]), True), v[:4]),
    "kron": pt.linalg.kron(x, y), "gradient": pytensor.grad((pt.tanh(x) * y).sum(), x), "gradient of indexing": pytensor.grad((x[m] ** 2).sum(), x),
    "gradient of a choice": pytensor.grad(pt.switch(x > 0, x, y).sum(), y), "choice": ifelse(n > 1, x, y),
    "graph as an op": OpFromGraph([x, y], [x * y + 1])(x, y), "check": CheckAndRaise(ValueError, "wrong")(x, n > 0),
    "loop": pytensor.scan(lambda a, s: s * 0.5 + a, sequences=[v], outputs_info=[pt.zeros(())])[0],
    "last of a loop": pytensor.scan(lambda s: s * 2, outputs_info=[v], n_steps=4)[0][-1],
    "loop with taps": pytensor.scan(lambda a, b: a + b, outputs_info=[dict(initial=v, taps=[-2, -1])], n_steps=4)[0],
    "map": pytensor.map(lambda r: r.sum(), sequences=[x])[0],
    "while": pytensor.scan(lambda s: (s * 2, until(s > 8)), outputs_info=[pt.ones(())], n_steps=20)[0],
    "gradient of a loop": pytensor.grad(pytensor.scan(lambda a, s: pt.tanh(s * a), sequences=[v], outputs_info=[pt.ones(())])[0].sum(), v),
    "derivatives of gammainc": pytensor.grad(pt.gammainc(y, y + 1).sum(), y), "derivatives of gammaincc": pytensor.grad(pt.gammaincc(y + 1, y + 9).sum(), y),
    "derivatives of betainc": pytensor.grad(pt.betainc(y + 1, y[::-1], y[:, ::-1]).sum(), y), "betainc": pt.betainc(y, y + 1, y),
    "derivatives of hyp2f1": pytensor.grad(pt.hyp2f1(y, y + 1, y + 2, y / 2).sum(), y),
    "a derivative of one number": pytensor.grad(pt.gammainc(y[0, 0], y[1, 1]), y),
}
# May run by perform for now.
IN_PYTHON = {"searchsorted", "unique", "kron", "pad", "betainc", "derivatives of betainc", "derivatives of hyp2f1"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_conversion(name):
    output = CASES[name]
    inputs = [variable for variable in VALUES if variable in set(pytensor.graph.traversal.ancestors([output]))]
    values = [VALUES[variable] for variable in inputs]
    wanted = pytensor.function(inputs, output, mode="FAST_COMPILE")(*values)
    for mode in ("CROTON", "CROTON_AFTER"):
        function = pytensor.function(inputs, output, mode=mode)
        made = function(*values)
        assert made.dtype == wanted.dtype and made.shape == wanted.shape, mode
        np.testing.assert_allclose(made, wanted, rtol=1e-6 if wanted.dtype == "float32" else 1e-10, atol=1e-12, err_msg=mode)
        if name not in IN_PYTHON:
            assert croton.pytensor.python_applies(function) == [], mode


class Doubled(Op):
    """An op of somebody else's, without a conversion."""
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


def test_what_has_no_conversion_runs_by_perform_and_is_counted():
    function = pytensor.function([v], Doubled()(v) + 1, mode="CROTON")
    np.testing.assert_array_equal(function(VALUES[v]), VALUES[v] * 2 + 1)
    assert [type(node.op) for node in croton.pytensor.python_applies(function)] == [Doubled]


def test_others_register_conversions():
    class Tripled(Doubled):
        pass

    @croton.pytensor.conversion(Tripled)
    def tripled(op, node, x):
        return x * 3
    function = pytensor.function([v], Tripled()(v), mode="CROTON")
    np.testing.assert_array_equal(function(VALUES[v]), VALUES[v] * 3)
    assert croton.pytensor.python_applies(function) == []


def test_a_conversion_that_fails_is_said_and_its_apply_runs_in_python():
    class Quadrupled(Doubled):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 4

    @croton.pytensor.conversion(Quadrupled)
    def quadrupled(op, node, x):
        raise ValueError("no matrices")
    with pytest.warns(UserWarning, match="Quadrupled.* is not converted and runs in Python: no matrices"):
        function = pytensor.function([x], Quadrupled()(x), mode="CROTON")
    np.testing.assert_array_equal(function(VALUES[x]), VALUES[x] * 4)


def test_shared_values_and_updates():
    counted = pytensor.shared(np.zeros(3), name="counted")
    function = pytensor.function([n], counted.sum(), updates={counted: counted + n}, mode="CROTON")
    assert [float(function(2)) for _ in range(3)] == [0, 6, 12]
    counted.set_value(np.ones(3))
    assert float(function(1)) == 3


def test_results_are_arrays_as_in_c():
    function = pytensor.function([v, n], [v.sum(), v[n], (v > 0).any(), n + 1, pt.zeros(()), n], mode="CROTON")
    results = function(VALUES[v], VALUES[n])
    assert [(type(one), one.shape, one.dtype.name) for one in results] == [
        (np.ndarray, (), name) for name in ("float64", "float64", "bool", "int64", "float64", "int64")]


def test_loops_of_elements_stop_for_each_element():
    from pytensor.scalar import float64
    from pytensor.scalar.loop import ScalarLoop
    from pytensor.tensor.elemwise import Elemwise
    state, least = float64("state"), float64("least")
    for until in (state * 2 > 100, None):
        double = Elemwise(ScalarLoop(init=[state], update=[state * 2 + least], constant=[least], until=until))
        outputs = double(m, v[:4], pt.zeros(4))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        wanted, made = (pytensor.function([m, v], outputs, mode=mode) for mode in ("FAST_COMPILE", "CROTON"))
        assert croton.pytensor.python_applies(made) == []
        for times, start in (([0, 3, 9, 1], [1, 2, 3, 4]), ([0, 0, 0, 0], [1, 1, 1, 1]), ([1, 0, 40, 2], [99, 1, 1, np.nan])):
            values = np.array(times), np.array(start, dtype="float64")
            numbers, *stopped = zip(*(one if isinstance(one, list) else [one] for one in (made(*values), wanted(*values))), strict=True)
            np.testing.assert_array_equal(*numbers)
            for one, two in stopped:  # of no step, PyTensor's C code and its perform say something else
                np.testing.assert_array_equal(one, two | (values[0] == 0))


def test_draws_are_those_of_other_modes():
    from pytensor.tensor.random.utils import RandomStream
    drawn = {}
    for mode in ("FAST_COMPILE", "CROTON"):
        stream = RandomStream(42)
        function = pytensor.function([], stream.normal(0, 1, size=(4,)), mode=mode)
        drawn[mode] = [function() for _ in range(2)]
    np.testing.assert_array_equal(drawn["CROTON"], drawn["FAST_COMPILE"])
    assert not np.array_equal(*drawn["CROTON"])


def test_a_check_that_fails_raises_what_it_says():
    function = pytensor.function([x, n], CheckAndRaise(ValueError, "n is too small")(x, n > 5) + 1, mode="CROTON")
    with pytest.raises(ValueError, match="n is too small"):
        function(VALUES[x], 1)


def test_errors_are_those_of_the_apply_that_failed():
    other = pt.dvector("other")
    function = pytensor.function([v, other], pt.exp((v + other) * 2).sum() + 1, mode="CROTON")
    with pytest.raises(ValueError, match=r"Input dimension mis-match") as caught:
        function(np.ones(3), np.ones(4))
    assert "Inputs shapes: [(3,), (4,)]" in str(caught.value) and "pfunc.py" not in str(caught.value)
    assert "test_conversion.py" in str(caught.value)


@pytest.mark.parametrize("size", [0, 1, 7, 1_000_000])
def test_sizes(size):
    function = pytensor.function([v], [pt.exp(-v ** 2).sum(), v[::-1] + 1, pt.cumsum(v)], mode="CROTON")
    value = np.random.default_rng(0).normal(size=size)
    for made, wanted in zip(function(value), [np.exp(-value ** 2).sum(), value[::-1] + 1, np.cumsum(value)], strict=True):
        np.testing.assert_allclose(made, wanted, rtol=1e-9, atol=1e-9)


def test_results_do_not_share_memory():
    function = pytensor.function([x], [x, x * 1, x[0]], mode="CROTON")
    given = VALUES[x].copy()
    first, second, third = function(given)
    kept = second.copy()
    function(given + 1)
    np.testing.assert_array_equal(second, kept)  # nor with those of the next call
    first[:], second[:], third[:] = 0, 0, 0
    np.testing.assert_array_equal(given, VALUES[x])
    np.testing.assert_array_equal(function(given)[0], VALUES[x])


def test_another_mode_says_that_it_is_not_ours():
    with pytest.raises(ValueError, match="was not compiled by Croton"):
        croton.pytensor.python_applies(pytensor.function([x], x + 1, mode="FAST_COMPILE"))
