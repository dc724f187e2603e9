"""What a person feels first: import, building a graph, a call, a training step. Prints times and ratios."""
import os
import statistics
import subprocess
import sys
import time

if os.environ.pop("OPENBLAS_CORETYPE", None) is not None or os.environ.get("OPENBLAS_NUM_THREADS") != "1":
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # both sides alike
    os.execv(sys.executable, [sys.executable] + sys.argv)

import croton
import numpy
import theano
import theano.tensor as T

PYTHON_AS_USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # imports are compiled once


def timed(action, batch, repeats=15):
    """Seconds per call: minimum and median over batches."""
    action()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(batch):
            action()
        times.append((time.perf_counter() - start) / batch)
    return min(times), statistics.median(times)


def row(name, least, median, bound=None, unit=1e6, suffix="us"):
    line = "%-52s min %9.3f  median %9.3f %s" % (name, least * unit, median * unit, suffix)
    if bound:
        line += "   bound %g (%.2f of it)" % (bound * unit, least / bound)
    print(line)


def import_time(module):
    def run():
        subprocess.run([sys.executable, "-c", "import numpy" + (", " + module if module else "")], env=PYTHON_AS_USUAL, check=True)
    return timed(run, 1, 7)[0]


print("BLAS core:", croton._core.blas_core())
base = import_time("")
row("import croton, over import numpy", import_time("croton") - base, import_time("croton") - base, 0.150, 1e3, "ms")


def logistic_regression():
    x, y = T.matrix("x"), T.vector("y")
    w = theano.shared(numpy.zeros(784), name="w")
    b = theano.shared(0.0, name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = xent.mean() + 0.01 * (w ** 2).sum()
    return x, y, w, b, p > 0.5, xent, T.grad(cost, [w, b])


row("build logistic regression with its gradient", *timed(logistic_regression, 5), 0.005, 1e3, "ms")

x = T.dscalar("x")
tiny = theano.function([x], x + 1)
value = numpy.asarray(2.0)
row("call of one tiny op, checked", *timed(lambda: tiny(value), 20000), 0.8e-6)
tiny.trust_input = True
row("call of one tiny op, trust_input", *timed(lambda: tiny(value), 20000), 0.5e-6)
row("  (an empty Python lambda)", *timed(lambda: None, 20000))

a = T.dmatrix("a")
chain = a
factor = theano.shared(numpy.eye(2), name="factor")
for _ in range(20):
    chain = T.dot(chain, factor)
twenty = theano.function([a], chain)
twenty.trust_input = True
pair = numpy.eye(2)
row("chain of 20 products of 2x2", *timed(lambda: twenty(pair), 5000), 2.0e-6)


def training_step(dtype="float32"):
    theano.config.floatX = dtype
    rng = numpy.random.RandomState(0)
    data = rng.randn(400, 784).astype(dtype)
    labels = rng.randint(0, 2, 400).astype(dtype)
    x, y = theano.shared(data, name="x"), theano.shared(labels, name="y")
    w = theano.shared(rng.randn(784).astype(dtype), name="w")
    b = theano.shared(numpy.asarray(0, dtype=dtype), name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = T.cast(xent.mean(), dtype) + 0.01 * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    step = theano.function([], [p > 0.5, xent], updates=[(w, w - 0.01 * gw), (b, b - 0.01 * gb)])

    state = {"w": w.get_value(), "b": numpy.float32(0)}

    def by_hand():
        z = data @ state["w"] + state["b"]
        p = 1 / (1 + numpy.exp(-z))
        prediction = p > 0.5
        with numpy.errstate(all="ignore"):
            xent = -labels * numpy.log(p) - (1 - labels) * numpy.log(1 - p)
        g = (p - labels) * numpy.float32(1 / 400)
        state["w"] = state["w"] - numpy.float32(0.01) * (data.T @ g + numpy.float32(0.02) * state["w"])
        state["b"] = state["b"] - numpy.float32(0.01) * g.sum()
        return prediction, xent

    ours, theirs = [], []
    step(), by_hand()
    for _ in range(15):  # alternating, so that a busy neighbour hits both
        ours.append(timed(step, 200, 1)[0])
        theirs.append(timed(by_hand, 200, 1)[0])
    row("logistic-regression step 400x784 float32, croton", min(ours), statistics.median(ours))
    row("  the same by hand in NumPy", min(theirs), statistics.median(theirs))
    print("  ratio croton / NumPy: %.2f (of minima)" % (min(ours) / min(theirs)))


training_step()
