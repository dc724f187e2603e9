"""Reductions of rows and what is done to the rows, against JAX: both compiled, one thread, the same core, in turns.

PYTHONPATH=build/python PYTHON tests/bench/rows.py [ROWS COLUMNS]
    where PYTHON is that of an environment with jax[cpu]. Expected: JAX takes 1.5 times as long, or more. What C++ loops by hand take is in
    `table_bench rows`.
"""
import os
import sys
import time

ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CROTON_COMPILE_WAIT": "1",
       "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1", "JAX_PLATFORMS": "cpu"}
if any(os.environ.get(name) != value for name, value in ONE.items()):
    os.environ.update(ONE)
    os.execv(sys.executable, [sys.executable] + sys.argv)
core = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {core})

import jax
import jax.numpy as jnp
import numpy

import croton
import theano
import theano.tensor as T

EPSILON = 1e-5


class Ours:
    exp, log, sqrt = staticmethod(T.exp), staticmethod(T.log), staticmethod(T.sqrt)
    softmax = staticmethod(T.nnet.softmax)
    logsoftmax = staticmethod(T.nnet.logsoftmax)

    @staticmethod
    def mean(a, axis=1):
        return T.mean(a, axis=axis, keepdims=True)

    @staticmethod
    def total(a):
        return T.sum(a, axis=1, keepdims=True)

    @staticmethod
    def largest(a):
        return T.max(a, axis=1, keepdims=True)

    @staticmethod
    def gradient(of, x, *others):
        return T.grad(T.sum(of(x, *others)), x)


class Theirs:
    exp, log, sqrt = jnp.exp, jnp.log, jnp.sqrt
    softmax = staticmethod(lambda a: jax.nn.softmax(a, axis=1))
    logsoftmax = staticmethod(lambda a: jax.nn.log_softmax(a, axis=1))

    @staticmethod
    def mean(a, axis=1):
        return jnp.mean(a, axis=axis, keepdims=True)

    @staticmethod
    def total(a):
        return jnp.sum(a, axis=1, keepdims=True)

    @staticmethod
    def largest(a):
        return jnp.max(a, axis=1, keepdims=True)

    @staticmethod
    def gradient(of, x, *others):
        return jax.grad(lambda a: jnp.sum(of(a, *others)))(x)


def normal(m, x, axis=1):
    centred = x - m.mean(x, axis)
    return centred / m.sqrt(m.mean(centred * centred, axis) + EPSILON)


def by_root_mean_square(m, x):
    return x / m.sqrt(m.mean(x * x) + EPSILON)


CASES = {
    "softmax": lambda m, x, g, v: m.softmax(x),
    "gradient of a softmax": lambda m, x, g, v: m.gradient(lambda a: m.softmax(a) * g, x),
    "log-softmax": lambda m, x, g, v: m.logsoftmax(x),
    "log of sums of exponentials": lambda m, x, g, v: m.log(m.total(m.exp(x - m.largest(x)))) + m.largest(x),
    "layer normalisation": lambda m, x, g, v: normal(m, x) * v + v,
    "its gradient": lambda m, x, g, v: m.gradient(lambda a: normal(m, a) * g, x),
    "root mean square normalisation": lambda m, x, g, v: by_root_mean_square(m, x) * v,
    "its gradient ": lambda m, x, g, v: m.gradient(lambda a: by_root_mean_square(m, a) * g, x),
    "standardisation": lambda m, x, g, v: normal(m, x),
    "cross-entropy with soft targets": lambda m, x, g, v: m.total(g * m.logsoftmax(x)),
    "its gradient  ": lambda m, x, g, v: m.gradient(lambda a: g * m.logsoftmax(a), x),
    "batch normalisation (columns)": lambda m, x, g, v: normal(m, x, 0) * v + v,
}


def best_of(actions, rounds=25):
    counts = []
    for action in actions:
        start = time.perf_counter()
        action()
        counts.append(max(1, int(2e-3 / (time.perf_counter() - start))))
    best = [float("inf")] * len(actions)
    for _ in range(rounds):
        for i, action in enumerate(actions):
            start = time.perf_counter()
            for _ in range(counts[i]):
                action()
            best[i] = min(best[i], (time.perf_counter() - start) / counts[i])
    return best


def main():
    rows, columns = (int(number) for number in sys.argv[1:3]) if len(sys.argv) > 2 else (1000, 1000)
    rng = numpy.random.RandomState(0)
    arrays = [rng.randn(rows, columns).astype("float32"), rng.rand(rows, columns).astype("float32"), rng.randn(columns).astype("float32")]
    there = [jax.device_put(array) for array in arrays]
    x, g, v = T.fmatrix("x"), T.fmatrix("g"), T.fvector("v")
    print("%dx%d float32, croton %s, jax %s, core %d" % (rows, columns, croton.__version__, jax.__version__, core))
    print("%-34s %12s %12s %12s" % ("us", "croton", "jax", "jax/croton"))
    for name, case in CASES.items():
        ours = theano.function([x, g, v], theano.Out(case(Ours, x, g, v), borrow=True), on_unused_input="ignore")
        ours.trust_input = True
        theirs = jax.jit(lambda a, b, c, case=case: case(Theirs, a, b, c))
        expected = numpy.asarray(theirs(*there))
        numpy.testing.assert_allclose(ours(*arrays), expected, rtol=2e-4, atol=2e-5)
        for _ in range(10):
            ours(*arrays)
        spent = best_of([lambda: ours(*arrays), lambda: theirs(*there).block_until_ready()])
        print("%-34s %12.1f %12.1f %12.2f" % (name.strip(), spent[0] * 1e6, spent[1] * 1e6, spent[1] / spent[0]), flush=True)


if __name__ == "__main__":
    main()
