"""Every bound of the engine on the CPU in one run: table_bench from C++, then what only Python can tell, against NumPy and numexpr.

Expected: calls at 0.8 of their bounds; a training step in 0.4 of NumPy's time, a perceptron's in 0.8; elementwise work under NumPy
from 1e3 elements on and under numexpr everywhere (elementwise.py has more sizes).
"""
import os
import subprocess
import sys
import time

ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMEXPR_NUM_THREADS": "1"}
if os.environ.pop("OPENBLAS_CORETYPE", None) is not None or any(os.environ.get(name) != value for name, value in ONE.items()):
    os.environ.update(ONE)  # all sides on one thread
    os.execv(sys.executable, [sys.executable] + sys.argv)

import croton
import numpy
import theano
import theano.tensor as T

try:
    import numexpr
except ImportError:
    numexpr = None


def batch_of(action):
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            action()
        if time.perf_counter() - start > 2e-3:
            return count
        count *= 2


def compare(name, ours, others, bound=None):
    """A row: microseconds of ours, and ours over each of the others (functions, or seconds that are a bound)."""
    for _ in range(5):
        ours()
    actions = [ours] + [other for other in others if callable(other)]
    counts, best = [batch_of(action) for action in actions], [float("inf")] * len(actions)
    for _ in range(15):  # in turns: a busy neighbour hits all
        for i, action in enumerate(actions):
            start = time.perf_counter()
            for _ in range(counts[i]):
                action()
            best[i] = min(best[i], (time.perf_counter() - start) / counts[i])
    measured = iter(best[1:])
    references = [next(measured) if callable(other) else other for other in others]
    ratios = "  ".join("%7.2f" % (best[0] / reference) for reference in references)
    print("%-46s %11.2f  %s%s" % (name, best[0] * 1e6, ratios, "   MISSED" if best[0] > (bound or 1) * references[0] else ""), flush=True)


def compiled(*arguments, **options):
    f = theano.function(*arguments, **options)
    f.trust_input = True
    return f


def warm(f, *arguments):
    for _ in range(4):
        f(*arguments)
    croton._core.function_compile_kernels(f)


print("BLAS core:", croton._core.blas_core())
program = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(croton._core.__file__))), "bin", "table_bench")
if os.path.exists(program):
    sys.stdout.flush()
    subprocess.run([program] + sys.argv[1:], check=True)
else:
    print("(no %s: build the target table_bench for the rows from C++)" % program)

print("\nCalls from Python                                       croton us   / bound")
x = T.dscalar("x")
tiny = theano.function([x], x + 1)
value = numpy.asarray(2.0)
compare("one tiny op, checked", lambda: tiny(value), [0.8e-6])
trusting = compiled([x], x + 1)
compare("one tiny op, trust_input", lambda: trusting(value), [0.5e-6])
a = T.dmatrix("a")
factor = theano.shared(numpy.eye(2), name="factor")
chain = a
for _ in range(20):
    chain = T.dot(chain, factor)
twenty, pair = compiled([a], chain), numpy.eye(2)
compare("20 products of 2x2", lambda: twenty(pair), [2.0e-6])

print("\nTraining steps, float32                                 croton us   / NumPy")
theano.config.floatX = "float32"
random = numpy.random.RandomState(0)
data, labels = random.randn(400, 784).astype("f4"), random.randint(0, 2, 400).astype("f4")
X, Y = theano.shared(data), theano.shared(labels)
w, b = theano.shared(numpy.zeros(784, "f4")), theano.shared(numpy.float32(0))
p = 1 / (1 + T.exp(-T.dot(X, w) - b))
entropy = -Y * T.log(p) - (1 - Y) * T.log(1 - p)
cost = T.cast(entropy.mean(), "float32") + 0.01 * (w ** 2).sum()
gw, gb = T.grad(cost, [w, b])
train = compiled([], [p > 0.5, entropy], updates=[(w, w - 0.1 * gw), (b, b - 0.1 * gb)])
state = {"w": numpy.zeros(784, "f4"), "b": numpy.float32(0)}


def logistic_by_hand():
    q = 1 / (1 + numpy.exp(-(data @ state["w"]) - state["b"]))
    with numpy.errstate(all="ignore"):
        -labels * numpy.log(q) - (1 - labels) * numpy.log(1 - q)
    g = (q - labels) * numpy.float32(1 / 400)
    state["w"] = state["w"] - numpy.float32(0.1) * (data.T @ g + numpy.float32(0.02) * state["w"])
    state["b"] = state["b"] - numpy.float32(0.1) * g.sum()
    return q > 0.5


warm(train)
compare("logistic regression 400x784", train, [logistic_by_hand], 0.5)

images, digits = random.rand(60, 784).astype("f4"), random.randint(0, 10, 60).astype("int32")
W1, B1 = theano.shared((random.randn(784, 500) * 0.05).astype("f4")), theano.shared(numpy.zeros(500, "f4"))
W2, B2 = theano.shared((random.randn(500, 10) * 0.05).astype("f4")), theano.shared(numpy.zeros(10, "f4"))
x, y = T.fmatrix("x"), T.ivector("y")
hidden = T.tanh(T.dot(x, W1) + B1)
loss = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(hidden, W2) + B2), y).mean()
parameters = [W1, B1, W2, B2]
step = compiled([x, y], loss, updates=[(q, q - numpy.float32(0.01) * g) for q, g in zip(parameters, T.grad(loss, parameters))])
own = [q.get_value() for q in parameters]


def perceptron_by_hand():
    w1, b1, w2, b2 = own
    h = numpy.tanh(images @ w1 + b1)
    z = h @ w2 + b2
    e = numpy.exp(z - z.max(1, keepdims=True))
    q = e / e.sum(1, keepdims=True)
    result = -numpy.log(q[numpy.arange(60), digits]).mean()
    q[numpy.arange(60), digits] -= 1
    q *= numpy.float32(1 / 60)
    gh = q @ w2.T * (1 - h * h)
    w2 -= numpy.float32(0.01) * (h.T @ q)
    b2 -= numpy.float32(0.01) * q.sum(0)
    w1 -= numpy.float32(0.01) * (images.T @ gh)
    b1 -= numpy.float32(0.01) * gh.sum(0)
    return result


warm(step, images, digits)
compare("perceptron 60x784-500-10", lambda: step(images, digits), [perceptron_by_hand])

print("\nElementwise, float32                                    croton us   / NumPy%s" % ("  / numexpr" if numexpr else "  (numexpr is missing)"))
u, v = T.fvectors("u", "v")
EXPRESSIONS = {
    "exp(u)": lambda u, v, m: m.exp(u),
    "u**2 + v**2 + 2*u*v": lambda u, v, m: u ** 2 + v ** 2 + 2 * u * v,
    "2*u + 3*v": lambda u, v, m: 2 * u + 3 * v,
    "(u*v + u)*(u - v) + (v*v - u)/2 + v*u + u": lambda u, v, m: (u * v + u) * (u - v) + (v * v - u) / 2 + v * u + u,
}
for text, build in EXPRESSIONS.items():
    f = compiled([theano.In(u, borrow=True), theano.In(v, borrow=True)], build(u, v, T), on_unused_input="ignore")
    for size in (1000, 10000, 100000, 1000000, 10000000):
        s, t = random.randn(size).astype("f4"), random.randn(size).astype("f4")
        warm(f, s, t)
        others = [lambda: build(s, t, numpy)]
        if numexpr:
            others.append(lambda: numexpr.evaluate(text, {"u": s, "v": t}))
        compare("%s, %g" % (text, size), lambda: f(s, t), others)
