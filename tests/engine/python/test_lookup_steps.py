"""Steps along the gradient of what was looked up touch only the parts that were looked up, and give the same numbers."""
import numpy as np
import pytest

import croton as theano
import croton.tensor as T

ROWS, COLUMNS, COUNT = 40, 5, 12
RNG = np.random.RandomState(7)
WHOLE = RNG.randn(ROWS, COLUMNS)
AT = RNG.randint(0, ROWS, COUNT)
AT[3] = AT[5]  # a row that is looked up twice gets both increments
ALSO = RNG.randint(0, ROWS, COUNT)

LOOKUPS = {
    "rows": lambda w, i, j: w[i],
    "rows twice": lambda w, i, j: w[i] * w[j],
    "pairs": lambda w, i, j: w[i, j % COLUMNS],
    "one row": lambda w, i, j: w[i[0]],
    "range": lambda w, i, j: w[3:9:2],
    "range and rows": lambda w, i, j: w[2:14] * w[i],
    "columns": lambda w, i, j: w[:, j % COLUMNS],
}
STEPS = {
    "minus": lambda w, g, c: w - c * g,
    "plus": lambda w, g, c: w + (-c) * g,
    "constant": lambda w, g, c: w - T.cast(0.25, w.dtype) * g,
    "quotient": lambda w, g, c: w - g / c,
    "decay": lambda w, g, c: w - c * (g + T.cast(0.01, w.dtype) * w),
    "bare": lambda w, g, c: w - g,
}
PARTS = ("IncSubtensor", "AdvancedIncSubtensor1", "AdvancedIncSubtensor")


def compiled(lookup, step, dtype, mode=None):
    w = theano.shared(WHOLE.astype(dtype), "w")
    i, j, c = T.lvector("i"), T.lvector("j"), T.scalar("c", dtype=dtype)
    gradient = T.grad(T.cast(0.7, dtype) * T.sqr(LOOKUPS[lookup](w, i, j)).sum(), w)
    return w, theano.function([i, j, c], [], updates=[(w, STEPS[step](w, gradient, c))], mode=mode, on_unused_input="ignore")


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("lookup", LOOKUPS)
def test_same_numbers(lookup, step, dtype):
    plain = theano.compile.mode.get_mode("FAST_RUN").excluding("croton_increment_of_zeros")
    (w, f), (other, g) = compiled(lookup, step, dtype), compiled(lookup, step, dtype, plain)
    for rate in (0.5, -2.0):
        f(AT, ALSO, rate)
        g(AT, ALSO, rate)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(w.get_value(), other.get_value(), rtol=tolerance, atol=tolerance)
    assert not np.array_equal(w.get_value(), WHOLE.astype(dtype))


@pytest.mark.parametrize("step", ["minus", "plus", "constant", "quotient", "bare"])
@pytest.mark.parametrize("lookup", ["rows", "rows twice", "pairs", "one row", "range", "range and rows"])
def test_the_shared_value_itself_is_written(lookup, step):
    w, f = compiled(lookup, step, "float64")
    writes = [node for node in f.maker.fgraph.toposort() if type(node.op).__name__ in PARTS]
    assert writes, [str(node.op) for node in f.maker.fgraph.toposort()]
    assert all("inplace" in str(node.op).lower() for node in writes)
    assert any(node.inputs[0].owner is None for node in writes)
    assert not any(type(node.op).__name__ == "Alloc" and node.outputs[0].ndim == 2 for node in f.maker.fgraph.toposort())


def test_other_rows_keep_their_bits():
    w, f = compiled("rows", "minus", "float64")
    value = WHOLE.copy()
    value[::2] = -0.0
    value[1] = np.nan
    w.set_value(value)
    f(np.array([5, 7]), AT, 0.5)
    untouched = np.setdiff1d(np.arange(ROWS), [5, 7])
    assert w.get_value()[untouched].tobytes() == value[untouched].tobytes()


def test_a_gradient_that_is_asked_for_stays_whole():
    w, i = theano.shared(WHOLE, "w"), T.lvector("i")
    gradient = T.grad(T.sqr(w[i]).sum(), w)
    f = theano.function([i], gradient, updates=[(w, w - 0.5 * gradient)])
    wanted = np.zeros_like(WHOLE)
    np.add.at(wanted, AT, 2 * WHOLE[AT])
    np.testing.assert_allclose(f(AT), wanted)
    np.testing.assert_allclose(w.get_value(), WHOLE - 0.5 * wanted)
