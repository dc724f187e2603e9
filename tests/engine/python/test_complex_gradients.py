"""Gradients through complex numbers: of real costs, against differences of their values."""
import numpy
import pytest
import theano
import theano.tensor as T

RNG = numpy.random.RandomState(0)
A, B, X, Y = RNG.randn(4, 3)

FUNCTIONS = {
    "product": lambda z: z * (2 + 3j), "square": lambda z: z * z, "sqr": T.sqr, "cube": lambda z: z ** 3, "inverse": lambda z: 1 / z,
    "quotient": lambda z: (z + 1) / (z * z + 2), "exp": T.exp, "log": T.log, "log1p": T.log1p, "expm1": T.expm1, "sqrt": T.sqrt, "sin": T.sin,
    "cos": T.cos, "tan": T.tan, "sinh": T.sinh, "cosh": T.cosh, "tanh": T.tanh, "conj": T.conj, "negative": lambda z: -z,
    "abs": lambda z: abs(z) + 0j * z, "abs beside": lambda z: z * abs(z), "real": lambda z: T.real(z) * z, "imag": lambda z: z * T.imag(z),
    "difference": lambda z: abs(z) - z, "dot": lambda z: T.dot(z, T.outer(z, z)), "dot of real": lambda z: T.dot(T.real(z), T.outer(z, z)),
    "batched": lambda z: T.batched_dot(T.outer(z, z)[:, None], T.stack([T.outer(z, T.real(z))] * 3)).flatten()[::3],
    "sum": lambda z: z.sum() * z, "prod": lambda z: z.prod() * z, "cumsum": T.cumsum, "mean": lambda z: z.mean() * z,
    "polar": lambda z: T.complex_from_polar(abs(z), T.imag(z)) * z, "index": lambda z: z[::-1] * z, "switch": lambda z: T.switch(T.real(z) > 0, z, z * z),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    def cost(x, y):
        z = FUNCTIONS[name](T.complex(x, y))
        return (T.real(z) * A + T.imag(z) * B).sum()
    T.verify_grad(cost, [X, Y], rng=numpy.random.RandomState(1))


def test_by_a_complex_variable():
    z = T.zvector()
    term = T.grad((abs(z * (1 + 2j)) ** 2).sum(), z)
    given = X + 1j * Y
    assert term.dtype == "complex128"
    numpy.testing.assert_allclose(theano.function([z], term)(given), 10 * given)


def test_in_a_loop():
    def cost(x, y):
        z = T.complex(x, y)
        values, _ = theano.scan(lambda h, z: T.tanh(h * z), outputs_info=z * 0 + 0.5, non_sequences=z, n_steps=3)
        return (T.real(values[-1]) * A + T.imag(values[-1]) * B).sum()
    T.verify_grad(cost, [X, Y], rng=numpy.random.RandomState(2))
