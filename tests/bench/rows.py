"""Reductions of rows or columns and what is done to these, against JAX: both compiled, one thread, the same core, in turns.

PYTHONPATH=build/python /usr/bin/python3 tests/bench/rows.py --jax PYTHON [ROWS COLUMNS]
    where PYTHON is that of an environment with jax[cpu], which is asked in a process of its own: it brings a NumPy of its own. Expected: JAX
    takes 1.5 times as long, or more. What loops by hand in C++ take is in `table_bench rows`.
"""
import os
import subprocess
import sys
import tempfile
import time

ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CROTON_COMPILE_WAIT": "1",
       "JAX_PLATFORMS": "cpu", "THEANO_FLAGS": "floatX=float32",
       "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
os.environ.update(ONE)
core = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {core})  # before any pool of threads is made

import numpy

IS_PEER = "--peer" in sys.argv
if IS_PEER:
    import jax
    import jax.numpy as jnp
else:
    import croton
    import theano
    import theano.tensor as T

EPSILON = 1e-5


class Ours:
    exp = staticmethod(lambda a: T.exp(a))
    log = staticmethod(lambda a: T.log(a))
    sqrt = staticmethod(lambda a: T.sqrt(a))
    softmax = staticmethod(lambda a: T.nnet.softmax(a))
    logsoftmax = staticmethod(lambda a: T.nnet.logsoftmax(a))

    @staticmethod
    def mean(a, axis=1):
        return T.mean(a, axis=axis, keepdims=True)

    @staticmethod
    def total(a, axis=1):
        return T.sum(a, axis=axis, keepdims=True)

    @staticmethod
    def largest(a, axis=1):
        return T.max(a, axis=axis, keepdims=True)

    @staticmethod
    def gradient(of, x, *others):
        return T.grad(T.sum(of(x, *others)), x)


class Theirs:
    exp = staticmethod(lambda a: jnp.exp(a))
    log = staticmethod(lambda a: jnp.log(a))
    sqrt = staticmethod(lambda a: jnp.sqrt(a))
    softmax = staticmethod(lambda a: jax.nn.softmax(a, axis=1))
    logsoftmax = staticmethod(lambda a: jax.nn.log_softmax(a, axis=1))

    @staticmethod
    def mean(a, axis=1):
        return jnp.mean(a, axis=axis, keepdims=True)

    @staticmethod
    def total(a, axis=1):
        return jnp.sum(a, axis=axis, keepdims=True)

    @staticmethod
    def largest(a, axis=1):
        return jnp.max(a, axis=axis, keepdims=True)

    @staticmethod
    def gradient(of, x, *others):
        return jax.grad(lambda a: jnp.sum(of(a, *others)))(x)


def normal(m, x, axis=1):
    centred = x - m.mean(x, axis)
    return centred / m.sqrt(m.mean(centred * centred, axis) + EPSILON)


def powers(m, x, axis=1):
    return m.exp(x - m.largest(x, axis))


def by_root_mean_square(m, x):
    return x / m.sqrt(m.mean(x * x) + EPSILON)


def four_axes(a):
    return a.reshape((4, 5, -1, a.shape[1]))


def attention(m, scores):
    return powers(m, scores, 3) / m.total(powers(m, scores, 3), 3)


CASES = {
    "softmax": lambda m, x, g, v: m.softmax(x),
    "gradient of a softmax": lambda m, x, g, v: m.gradient(lambda a: m.softmax(a) * g, x),
    "log-softmax": lambda m, x, g, v: m.logsoftmax(x),
    "log of sums of exponentials": lambda m, x, g, v: m.log(m.total(powers(m, x))) + m.largest(x),
    "layer normalisation": lambda m, x, g, v: normal(m, x) * v + v,
    "its gradient": lambda m, x, g, v: m.gradient(lambda a: normal(m, a) * g, x),
    "root mean square normalisation": lambda m, x, g, v: by_root_mean_square(m, x) * v,
    "its gradient ": lambda m, x, g, v: m.gradient(lambda a: by_root_mean_square(m, a) * g, x),
    "standardisation": lambda m, x, g, v: normal(m, x),
    "cross-entropy with soft targets": lambda m, x, g, v: m.total(g * m.logsoftmax(x)),
    "its gradient  ": lambda m, x, g, v: m.gradient(lambda a: g * m.logsoftmax(a), x),
    "batch normalisation (columns)": lambda m, x, g, v: normal(m, x, 0) * v + v,
    "its gradient   ": lambda m, x, g, v: m.gradient(lambda a: normal(m, a, 0) * g, x),
    "standardisation (columns)": lambda m, x, g, v: normal(m, x, 0),
    "softmax (columns)": lambda m, x, g, v: powers(m, x, 0) / m.total(powers(m, x, 0), 0),
    "masked attention (four axes)": lambda m, x, g, v: attention(m, four_axes(x) * 0.125 + four_axes(g)),
    "layer normalisation (four axes)": lambda m, x, g, v: normal(m, four_axes(x), 3) * v + v,
    "log-softmax (columns)": lambda m, x, g, v: x - m.largest(x, 0) - m.log(m.total(powers(m, x, 0), 0)),
}


def spent(action, count):
    start = time.perf_counter()
    for _ in range(count):
        action()
    return (time.perf_counter() - start) / count


def count_of(action):
    action()
    return max(1, int(2e-3 / spent(action, 3)))


def data(rows, columns):
    rng = numpy.random.RandomState(0)
    return [rng.randn(rows, columns).astype("float32"), rng.rand(rows, columns).astype("float32"), rng.randn(columns).astype("float32")]


def peer(rows, columns):
    """JAX, asked line by line: a case by its name, where to write its result, then how long a call takes."""
    there = [jax.device_put(array) for array in data(rows, columns)]
    print("jax", jax.__version__, flush=True)
    for name in sys.stdin:
        run = jax.jit(lambda a, b, c, case=CASES[name.rstrip("\n")]: case(Theirs, a, b, c))
        numpy.save(sys.stdin.readline().rstrip("\n"), numpy.asarray(run(*there)))
        action = lambda: run(*there).block_until_ready()
        count = count_of(action)
        print("ready", flush=True)
        while sys.stdin.readline() == "time\n":
            print(spent(action, count), flush=True)


def main():
    arguments = [word for word in sys.argv[1:] if word.isdigit()]
    rows, columns = (int(word) for word in arguments) if len(arguments) == 2 else (1000, 1000)
    if IS_PEER:
        return peer(rows, columns)
    if "--jax" not in sys.argv:
        sys.exit(__doc__)
    python = sys.argv[sys.argv.index("--jax") + 1]
    jax_process = subprocess.Popen([python, __file__, "--peer", str(rows), str(columns)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(line):
        jax_process.stdin.write(line + "\n")
        jax_process.stdin.flush()

    print("%dx%d float32, croton, %s, core %d" % (rows, columns, jax_process.stdout.readline().strip(), core))
    print("%-34s %12s %12s %12s" % ("us", "croton", "jax", "jax/croton"))
    arrays = data(rows, columns)
    x, g, v = T.fmatrix("x"), T.fmatrix("g"), T.fvector("v")
    for name, case in CASES.items():
        ours = theano.function([x, g, v], theano.Out(case(Ours, x, g, v), borrow=True), on_unused_input="ignore")
        ours.trust_input = True
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "result.npy")
            ask(name)
            ask(place)
            assert jax_process.stdout.readline() == "ready\n", "the JAX process ended"
            numpy.testing.assert_allclose(ours(*arrays), numpy.load(place), rtol=1e-3, atol=1e-4)
        action = lambda: ours(*arrays)
        count = count_of(action)
        best = [float("inf"), float("inf")]
        for _ in range(25):  # in turns: a busy neighbour hits both
            best[0] = min(best[0], spent(action, count))
            ask("time")
            best[1] = min(best[1], float(jax_process.stdout.readline()))
        ask("next")
        print("%-34s %12.1f %12.1f %12.2f" % (name.strip(), best[0] * 1e6, best[1] * 1e6, best[1] / best[0]), flush=True)
    jax_process.stdin.close()


if __name__ == "__main__":
    main()
