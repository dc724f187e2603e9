"""How the time of theano.function grows with the graph: families of graphs, each from 12 to 48 to 480 steps.

Expected: exponents of at most 1.3. The time is that of the compiling thread (FAST_RUN, no kernels awaited); each size has a process
of its own, so that a family that never ends is told and left. `growth.py NAME…` runs families whose name has one of the words, `--sizes
12,48,480,4800` other sizes, `--call` adds the first call (plans and texts of kernels, not gcc) and the seconds of a call after it.
"""
import argparse
import math
import multiprocessing
import os
import sys
import time

import numpy
import theano
import theano.tensor as T

BOUND, LIMIT = 1.3, 30.0
FAMILIES = {}


def family(build):
    """`build(n)` answers inputs, outputs and, where there are any, updates."""
    FAMILIES[build.__name__.replace("_", " ")] = build
    return build


def with_gradient(build):
    """The family and its gradient by everything that it starts from."""
    family(build)

    def gradient(n):
        inputs, outputs = build(n)[:2]
        outputs = outputs if isinstance(outputs, list) else [outputs]
        cost = sum((T.sqr(o).sum() for o in outputs[1:]), T.sqr(outputs[0]).sum())
        wrt = [v for v in theano.gof.graph.inputs(outputs) if not isinstance(v, theano.Constant) and v.dtype in ("float64", "float32")]
        return inputs, T.grad(cost, wrt)

    FAMILIES[build.__name__.replace("_", " ") + ", gradient"] = gradient
    return build


def repeated(step, start, n):
    for k in range(n):
        start = step(start, k)
    return start


def vector():
    return T.dvector("x")


def matrix():
    return T.dmatrix("x")


def weights(n, *shape):
    return [theano.shared(numpy.full(shape, 0.1 + 0.001 * k), name="w%d" % k) for k in range(n)]


# --- elementwise ---------------------------------------------------------------------------------------------

@with_gradient
def sines(n):
    x = vector()
    return [x], repeated(lambda e, k: T.sin(e), x, n)


@with_gradient
def polynomial(n):
    x = vector()
    return [x], repeated(lambda e, k: e * x + (k + 0.5), x, n)


@with_gradient
def sum_of_inputs(n):
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    return xs, repeated(lambda e, k: e + xs[k] if k else xs[0], None, n)


@family
def one_sum_of_many(n):
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    return xs, T.add(*xs)


@with_gradient
def product_of_inputs(n):
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    return xs, repeated(lambda e, k: e * xs[k] if k else xs[0], None, n)


@with_gradient
def product_of_functions(n):
    x = vector()
    return [x], repeated(lambda e, k: e * T.sin(x + k), x, n)


@with_gradient
def quotients(n):
    x = vector()
    return [x], repeated(lambda e, k: x / (1.5 + e), x, n)


@with_gradient
def fibonacci_sums(n):
    x, y = T.dvectors("x", "y")
    for k in range(n):
        x, y = y, x + y
    return list(theano.gof.graph.inputs([x, y]))[:2], y


@with_gradient
def fibonacci_products(n):
    a, b = x, y = T.dvectors("x", "y")
    for k in range(n):
        a, b = b, a * b
    return [x, y], b


@with_gradient
def fibonacci_functions(n):
    a, b = x, y = T.dvectors("x", "y")
    for k in range(n):
        a, b = b, T.tanh(a) * b + a
    return [x, y], b


@with_gradient
def powers(n):
    x = vector()
    return [x], repeated(lambda e, k: T.sqrt(e ** 2 + 1.5) ** 3.0, x, n)


@with_gradient
def logarithms_of_sums(n):
    x = vector()
    return [x], repeated(lambda e, k: T.log(1 + T.exp(e)), x, n)


@with_gradient
def entropies(n):
    x = vector()
    return [x], [T.add(*[-T.log(T.nnet.sigmoid(x * (k + 1.5))) for k in range(n)])]


@with_gradient
def switches(n):
    x = vector()
    return [x], repeated(lambda e, k: T.switch(e > k, e - k, e * 2), x, n)


@with_gradient
def clips(n):
    x = vector()
    return [x], repeated(lambda e, k: T.clip(e * 1.5, -k - 1, k + 1), x, n)


@with_gradient
def extremes(n):
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    return xs, repeated(lambda e, k: T.maximum(e, xs[k]) if k else xs[0], None, n)


@family
def casts(n):
    x = vector()
    return [x], repeated(lambda e, k: T.cast(T.cast(e + k, "float32") * 2, "float64"), x, n)


@family
def integers(n):
    x = T.lvector("x")
    return [x], repeated(lambda e, k: (e * 3 + k) // 2 % 1000, x, n)


# --- shapes --------------------------------------------------------------------------------------------------

@family
def rolls(n):
    x = vector()
    return [x], repeated(lambda e, k: T.roll(e, 1), x, n)


@family
def life(n):
    def step(e, k):
        around = sum(T.roll(T.roll(e, i, axis=0), j, axis=1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return T.cast(T.or_(T.eq(around, 3), T.and_(T.eq(around, 2), T.eq(e, 1))), "int64")
    x = T.lmatrix("x")
    return [x], repeated(step, x, max(1, n // 12))


@with_gradient
def reshapes(n):
    x = matrix()
    return [x], repeated(lambda e, k: e.reshape((e.shape[1], e.shape[0])), x, n)


@with_gradient
def flattened(n):
    x = matrix()
    return [x], repeated(lambda e, k: (e.flatten() * 1.5).reshape(e.shape), x, n)


@with_gradient
def tensordots(n):
    x, m = T.dmatrices("x", "m")
    return [x, m], repeated(lambda e, k: T.tensordot(e, m, 1), x, n)


@with_gradient
def transposes(n):
    x, v = matrix(), T.dvector("v")
    return [x, v], repeated(lambda e, k: (e + v.dimshuffle("x", 0)).T, x, n)


@family
def fills(n):
    x = matrix()
    return [x], repeated(lambda e, k: T.alloc(e.sum(), e.shape[0], e.shape[1]) + T.ones_like(e) * k, x, n)


@family
def tiles(n):
    x = vector()
    return [x], repeated(lambda e, k: T.tile(e, 2)[:e.shape[0]], x, n)


@family
def repeats(n):
    x = matrix()
    return [x], repeated(lambda e, k: T.repeat(e, 2, axis=0)[::2], x, n)


@family
def sizes_as_values(n):
    x = vector()
    return [x], repeated(lambda e, k: e * T.cast(e.shape[0] + k, "float64") + e.size, x, n)


@family
def sizes_computed(n):
    x, m = vector(), T.lscalar("m")
    m_ = repeated(lambda m, k: (m + k) % 1000 + 1, m, n)
    return [x, m], T.alloc(x.sum(), m_)


# --- indexing, joins -----------------------------------------------------------------------------------------

@with_gradient
def slices(n):
    x = vector()
    return [x], repeated(lambda e, k: e[1:] + e[:-1], x, n)


@with_gradient
def elements(n):
    x = vector()
    return [x], repeated(lambda e, k: e + x[k], x, n)


@with_gradient
def written_elements(n):
    x = vector()
    return [x], repeated(lambda e, k: T.set_subtensor(e[k + 1], e[k] * 2), x, n)


@with_gradient
def increments(n):
    x = vector()
    return [x], repeated(lambda e, k: T.inc_subtensor(e[k:], 1.5), x, n)


@family
def shifted_rows(n):
    e, y = matrix(), T.dmatrix("y")
    return [e, y], repeated(lambda e, k: T.concatenate([T.set_subtensor(e[0], y[0])[1:], y[:1]]), e, n)


@with_gradient
def lookups(n):
    x, i = vector(), T.lvector("i")
    return [x, i], repeated(lambda e, k: e[i] * 1.5, x, n)


@with_gradient
def joins(n):
    x = vector()
    return [x], repeated(lambda e, k: T.concatenate([e[1:], x[:1]]), x, n)


@with_gradient
def growing_joins(n):
    x = vector()
    return [x], repeated(lambda e, k: T.concatenate([e, x]), x, n)


@with_gradient
def one_join_of_many(n):
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    return xs, T.concatenate([T.sin(x) for x in xs])


@with_gradient
def stacked(n):
    x = vector()
    return [x], T.stack([T.sin(x * (k + 1.5)) for k in range(n)])


# --- reductions, softmax, products ---------------------------------------------------------------------------

@with_gradient
def means(n):
    x = matrix()
    return [x], repeated(lambda e, k: e - e.mean(axis=0), x, n)


@with_gradient
def normalized(n):
    x = matrix()
    return [x], repeated(lambda e, k: (e - e.mean(axis=0)) / T.sqrt(e.var(axis=0) + 1e-5), x, n)


@with_gradient
def maxima(n):
    x = matrix()
    return [x], repeated(lambda e, k: e - e.max(axis=1, keepdims=True), x, n)


@with_gradient
def sums_of_products(n):
    x = vector()
    return [x], repeated(lambda e, k: e * (e * x).sum(), x, n)


@with_gradient
def softmaxes(n):
    x = matrix()
    return [x], repeated(lambda e, k: T.nnet.softmax(e * 1.5), x, n)


@with_gradient
def logsumexps(n):
    x = matrix()
    return [x], repeated(lambda e, k: e - T.log(T.exp(e).sum(axis=1, keepdims=True)), x, n)


@with_gradient
def cumulated(n):
    x = vector()
    return [x], repeated(lambda e, k: T.cumsum(e) * 0.5, x, n)


@with_gradient
def dots(n):
    x = matrix()
    ws = weights(n, 3, 3)
    return [x], repeated(lambda e, k: T.dot(e, ws[k]), x, n)


@with_gradient
def products_with_vectors(n):
    m, v = T.dmatrix("m"), T.dvector("v")
    return [m, v], repeated(lambda e, k: T.dot(m, e) * 0.5, v, n)


@with_gradient
def outer_products(n):
    v = vector()
    return [v], repeated(lambda e, k: e + T.outer(v * (k + 1.5), v), T.zeros((3, 3)), n)


# --- what scripts are made of --------------------------------------------------------------------------------

@with_gradient
def perceptrons(n):
    x = matrix()
    ws, bs = weights(n, 3, 3), weights(n, 3)
    return [x], repeated(lambda e, k: T.tanh(T.dot(e, ws[k]) + bs[k]), x, n)


@with_gradient
def recurrence(n):
    x = matrix()
    w, u, b = weights(1, 3, 3)[0], weights(1, 3, 3)[0], weights(1, 3)[0]

    def step(h, k):
        gate = T.nnet.sigmoid(T.dot(x, u) * (k + 1.0) + b)
        return gate * T.tanh(T.dot(h, w) + x) + (1 - gate) * h
    return [x], repeated(step, x, n)


@with_gradient
def losses_over_time(n):
    x, y = T.dtensor3("x"), T.dtensor3("y")
    w = weights(1, 3, 3)[0]
    h, loss = x[0], 0
    for k in range(n):
        h = T.tanh(T.dot(h, w) + x[k])
        loss = loss + ((h - y[k]) ** 2).mean()
    return [x, y], loss


@with_gradient
def penalty(n):
    return [], repeated(lambda e, w: e + T.sqr(w).sum(), 0, 0) + sum(T.sqr(w).sum() for w in weights(n, 3))


@family
def updates(n):
    x = vector()
    ws = weights(n, 3)
    cost = sum(T.sqr(T.dot(x, w) - 1).sum() for w in ws)
    return [x], cost, [(w, w - 0.1 * g) for w, g in zip(ws, T.grad(cost, ws))]


@family
def momenta(n):
    x = vector()
    ws, vs = weights(n, 3), weights(n, 3)
    cost = sum(T.sqr(T.dot(x, w) - 1).sum() for w in ws)
    pairs = [(w, v, 0.9 * v - 0.1 * g) for w, v, g in zip(ws, vs, T.grad(cost, ws))]
    return [x], cost, [(v, step) for w, v, step in pairs] + [(w, w + step) for w, v, step in pairs]


@family
def many_outputs(n):
    x = vector()
    return [x], [T.exp(x * (k + 1.5)).sum() for k in range(n)]


@with_gradient
def graphs_as_ops(n):
    a, b = T.dvectors("a", "b")
    op = theano.OpFromGraph([a, b], [T.tanh(a) * b])
    x = vector()
    return [x], repeated(lambda e, k: op(e, x), x, n)


def measure(name, n, call, channel):
    sys.setrecursionlimit(1000000)
    best, first, later = float("inf"), 0.0, 0.0
    built = FAMILIES[name](n)
    begin = time.perf_counter()
    while True:
        start = time.thread_time()
        f = theano.function(built[0], built[1], updates=built[2] if len(built) > 2 else None, mode="FAST_RUN", on_unused_input="ignore")
        best = min(best, time.thread_time() - start)
        if time.perf_counter() - begin > 0.3:
            break
    if call:
        size = n + 8
        values = [numpy.full((4, 3) if v.ndim == 2 and v.name != "m" else (3, 3) if v.ndim == 2 else (size, 4, 3) if v.ndim == 3 else
                             (size if n * size < 1 << 22 else 8,) if v.ndim == 1 else (), 0.5 if "float" in v.dtype else 1, dtype=v.dtype)
                  for v in built[0]]
        start = time.thread_time()
        f(*values)
        first = time.thread_time() - start
        start = time.perf_counter()
        f(*values)
        later = time.perf_counter() - start
    channel.send((best, len(f.maker.fgraph.toposort()), first, later))


def timed(name, n, call):
    """Seconds, or what became of it."""
    mine, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=measure, args=(name, n, call, theirs))
    process.start()
    theirs.close()
    try:
        return mine.recv() if mine.poll(LIMIT) else "over %g s" % LIMIT
    except EOFError:
        return "failed"
    finally:
        process.kill()
        process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--sizes", default="12,48,480")
    parser.add_argument("--call", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    names = [name for name in FAMILIES if not options.words or any(word in name for word in options.words)]
    print("%-34s %s  exponents" % ("milliseconds at", "".join("%12d" % size for size in sizes)))
    missed, worst = [], (0.0, "")
    for name in names:
        texts, exponents, before, extra = [], [], None, ""
        for size in sizes:
            found = timed(name, size, options.call)
            if isinstance(found, str):
                texts.append(found)
                exponents.append(math.inf)
                break
            texts.append("%.2f" % (found[0] * 1e3))
            if before:
                exponents.append(math.log(found[0] / before[0]) / math.log(size / before[1]))
            before = found[0], size
            worst = max(worst, (found[0], name))
            extra = "  %d applies, first call %.1f ms, then %.3f ms" % (found[1], found[2] * 1e3, found[3] * 1e3) if options.call else ""
        over = exponents and exponents[-1] > BOUND or math.inf in exponents
        if over:
            missed.append(name)
        print("%-34s %s  %s%s%s" % (name, "".join("%12s" % text for text in texts), " ".join("%.2f" % e for e in exponents), extra,
                                    "   MISSED" if over else ""), flush=True)
    print("\n%d families, %d over the exponent %.1f%s; the longest: %.2f s (%s)" %
          (len(names), len(missed), BOUND, ": " + ", ".join(missed) if missed else "", worst[0], worst[1]))


if __name__ == "__main__":
    main()
