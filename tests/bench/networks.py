"""Training steps of whole networks and the convolutions in them, against the same written out by hand (limit_networks) in one process, in turns.

ninja -C build limit_networks
PYTHONPATH=build/python /usr/bin/python3 tests/bench/networks.py [lstm] [convolutions] [networks] [--jax PYTHON]
    Times are seconds of this thread on the processor, so that other people's work shows less; least and median.
    Expected: an LSTM step at most 1.5, convolutions and networks at most 1.3; ahead of JAX, which PYTHON runs where it has that.
"""
import ctypes
import os
import subprocess
import sys
import time

import numpy

import theano
import theano.tensor as T
from theano.tensor.signal.pool import pool_2d

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(os.environ.get("CROTON_BUILD", os.path.join(HERE, "..", "..", "build")), "lib", "liblimit_networks.so")
FLOATS = ctypes.c_void_p
rng = numpy.random.RandomState(0)


def floats(*shape, scale=1.0):
    return numpy.ascontiguousarray((rng.randn(*shape) * scale).astype("float32"))


def zeros(*shape):
    return numpy.zeros(shape, "float32")


class Keeping:
    """Arrays that a structure points to."""

    def __init__(self):
        self.arrays = []

    def __call__(self, array):
        self.arrays.append(array)
        return array.ctypes.data


class Conv(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in ("images", "channels", "height", "width", "filters", "side")]


class Stage(ctypes.Structure):
    _fields_ = ([("conv", Conv), ("pool", ctypes.c_int), ("is_library_better", ctypes.c_int * 3)]
                + [(name, FLOATS) for name in ("kernels", "bias", "made", "pooled", "made_grad", "pooled_grad", "kernel_grad")])


class ConvNet(ctypes.Structure):
    _fields_ = ([("x", FLOATS), ("y", FLOATS), ("first", Stage), ("second", Stage)]
                + [(name, ctypes.c_int) for name in ("hidden", "classes", "is_tuned")]
                + [(name, FLOATS) for name in ("W", "b", "V", "c", "h", "h_grad", "p")])


class Lstm(ctypes.Structure):
    _fields_ = ([(name, ctypes.c_int) for name in ("steps", "batch", "inputs", "units")]
                + [(name, FLOATS) for name in ("x", "W", "U", "b", "gates", "bounded", "memory", "hidden", "later", "memory_grad", "bias_grad")])


def in_turns(calls, seconds):
    """[(least, median)] of milliseconds by call; None for a call that is not there."""
    spent, begin = [[] for _ in calls], time.perf_counter()
    while time.perf_counter() - begin < seconds or len(spent[0]) < 9:
        for times, call in zip(spent, calls):
            if call is None:
                continue
            before = time.thread_time()
            call()
            times.append(time.thread_time() - before)
    return [(min(times) * 1e3, sorted(times)[len(times) // 2] * 1e3) if times else None for times in spent]


def row(name, ours, limit, bound):
    ratios = [one / other for one, other in zip(ours, limit)]
    print("%-40s %9.3f %9.3f %7.2f %7.2f  <= %-4g %s" % (name, ours[0], limit[0], ratios[0], ratios[1], bound, "" if min(ratios) <= bound else "MISSED"))
    sys.stdout.flush()


def head(what):
    print("\n%-40s %9s %9s %7s %7s" % (what, "croton ms", "limit ms", "least", "median"))


def jax(python, what):
    if python:
        sys.stdout.write(subprocess.run([python, os.path.join(HERE, "networks_jax.py"), what], stdout=subprocess.PIPE, universal_newlines=True,
                                        env=dict(os.environ, PYTHONPATH="")).stdout)


def descend(cost, parameters, rate):
    return [(one, one - numpy.float32(rate) * slope) for one, slope in zip(parameters, T.grad(cost, parameters))]


def lstm_rows(library):
    head("LSTM, 32 x 256 units, 100 steps, training")
    batch, units, steps = 32, 256, 100
    x, W, U, b = floats(steps, batch, units), floats(units, 4 * units, scale=0.05), floats(units, 4 * units, scale=0.05), zeros(4 * units)
    start = time.perf_counter()
    parameters = [theano.shared(value.copy(), name) for value, name in ((W, "W"), (U, "U"), (b, "b"))]

    def step(x_t, memory, hidden, U):
        gates = x_t + T.dot(hidden, U)
        admit, keep, tell = [T.nnet.sigmoid(gates[:, k * units:(k + 1) * units]) for k in range(3)]
        memory = keep * memory + admit * T.tanh(gates[:, 3 * units:])
        return memory, tell * T.tanh(memory)

    data = T.ftensor3()
    nothing = T.zeros((data.shape[1], units), dtype="float32")
    (_, hiddens), _ = theano.scan(step, T.dot(data, parameters[0]) + parameters[2], [nothing, nothing], [parameters[1]])
    cost = (hiddens ** 2).mean()
    train = theano.function([data], cost, updates=descend(cost, parameters, 0.1))
    first = train(x)
    print("until the first result: %.2f s" % (time.perf_counter() - start))
    keep = Keeping()
    parts = [keep(array) for array in (x, W, U, b, zeros(steps, batch, 4 * units), zeros(steps, batch, units), zeros(steps + 1, batch, units),
                                       zeros(steps + 1, batch, units), zeros(batch, units), zeros(batch, units), zeros(4 * units))]
    limit = Lstm(steps, batch, units, units, *parts)
    library.limit_lstm.restype = ctypes.c_float
    expected = library.limit_lstm(ctypes.byref(limit))
    numpy.testing.assert_allclose(first, expected, rtol=1e-4)
    for shared, value in zip(parameters, (W, U, b)):
        numpy.testing.assert_allclose(shared.get_value(), value, atol=1e-5)
    time.sleep(2)  # its kernels are compiled meanwhile
    for _ in range(3):
        train(x)
    row("a step", *in_turns([lambda: train(x), lambda: library.limit_lstm(ctypes.byref(limit))], 6), 1.5)


CONVOLUTIONS = [(10, 3, 32, 32, 5, 5), (60, 1, 256, 256, 6, 7), (32, 64, 28, 28, 64, 3), (60, 1, 28, 28, 20, 5), (60, 20, 12, 12, 50, 5), (1, 1, 256, 256, 6, 7),
                (1, 6, 50, 50, 16, 7), (10, 6, 50, 50, 16, 7), (20, 8, 32, 32, 16, 3), (20, 16, 32, 32, 32, 3), (16, 3, 64, 64, 32, 3), (16, 3, 64, 64, 16, 5),
                (16, 16, 24, 24, 6, 5), (16, 32, 24, 24, 8, 3)]


def convolution_rows(library):
    head("convolutions, the better limit")
    for images, channels, height, width, filters, side in CONVOLUTIONS:
        conv = Conv(images, channels, height, width, filters, side)
        image, kernel, grad = floats(images, channels, height, width), floats(filters, channels, side, side), floats(images, filters, height - side + 1, width - side + 1)
        x, k, g = T.ftensor4(), theano.shared(kernel), T.ftensor4()
        y = T.nnet.conv2d(x, k, filter_flip=False)
        cost = (y * g).sum()
        passes = [("forward", 0, [x], y, (image,), (image, kernel)), ("image", 2, [x, g], T.grad(cost, x), (image, grad), (kernel, grad)),
                  ("kernels", 1, [x, g], T.grad(cost, k), (image, grad), (image, grad))]
        for name, number, inputs, output, data, given in passes:
            f = theano.function(inputs, output)
            out = numpy.empty_like(f(*data))

            def limit(by_library, number=number, given=given, out=out):
                return library.limit_conv(ctypes.byref(conv), number, by_library, *[FLOATS(array.ctypes.data) for array in (*given, out)])

            calls = [lambda: f(*data)]
            for by_library in (0, 1):
                out.fill(0)
                there = limit(by_library)
                if there:
                    numpy.testing.assert_allclose(out, f(*data), atol=2e-4 * abs(out).max())
                calls.append((lambda by=by_library: limit(by)) if there else None)
            ours, *limits = in_turns(calls, 0.7)
            row("(%d,%d,%d,%d)*(%d,%d,%d,%d) %s" % (images, channels, height, width, filters, channels, side, side, name), ours,
                min(one for one in limits if one), 1.3)


def stage_of(keep, images, channels, size, filters, side, pool):
    out = size - side + 1
    kernels, bias = floats(filters, channels, side, side, scale=1 / numpy.sqrt(channels * side * side)), zeros(filters)
    made, pooled = (images, filters, out, out), (images, filters, out // pool, out // pool)
    return Stage(Conv(images, channels, size, size, filters, side), pool, (ctypes.c_int * 3)(), keep(kernels), keep(bias), keep(zeros(*made)),
                 keep(zeros(*pooled)), keep(zeros(*made)), keep(zeros(*pooled)), keep(zeros(*kernels.shape))), kernels, bias, out // pool


def network_row(library, name, images, size, sides, filters, pools, hidden, classes=10):
    keep = Keeping()
    first, k1, b1, side = stage_of(keep, images, 1, size, filters[0], sides[0], pools[0])
    second, k2, b2, side = stage_of(keep, images, filters[0], side, filters[1], sides[1], pools[1])
    features = filters[1] * side * side
    x, y = floats(images, 1, size, size), (numpy.arange(images) % classes).astype("int32")
    W, b = floats(features, hidden, scale=features ** -0.5), zeros(hidden)
    top = hidden or features
    V, c = floats(top, classes, scale=top ** -0.5), zeros(classes)
    parameters = [theano.shared(value.copy()) for value in (k1, b1, k2, b2, V, c) + ((W, b) if hidden else ())]
    K1, B1, K2, B2, VV, C = parameters[:6]

    def stage(data, kernels, bias, pool):
        made = T.nnet.conv2d(data, kernels, filter_flip=False)
        return T.tanh((pool_2d(made, (pool, pool), ignore_border=True) if pool > 1 else made) + bias.dimshuffle("x", 0, "x", "x"))

    data, labels = T.ftensor4(), T.ivector()
    out = stage(stage(data, K1, B1, pools[0]), K2, B2, pools[1]).flatten(2)
    if hidden:
        out = T.tanh(T.dot(out, parameters[6]) + parameters[7])
    cost = -T.log(T.nnet.softmax(T.dot(out, VV) + C))[T.arange(labels.shape[0]), labels].mean()
    train = theano.function([data, labels], cost, updates=descend(cost, parameters, 0.01))
    limit = ConvNet(keep(x), keep(y), first, second, hidden, classes, 0,
                    *[keep(array) for array in (W, b, V, c, zeros(images, hidden), zeros(images, hidden), zeros(images, classes))])
    library.limit_conv_net.restype = ctypes.c_float
    costs = [(float(train(x, y)), library.limit_conv_net(ctypes.byref(limit))) for _ in range(3)]
    numpy.testing.assert_allclose(*zip(*costs), rtol=1e-3)
    time.sleep(1)
    train(x, y)
    row(name, *in_turns([lambda: train(x, y), lambda: library.limit_conv_net(ctypes.byref(limit))], 3), 1.3)


def network_rows(library):
    head("networks, training")
    network_row(library, "LeNet, 60 of 28 x 28", 60, 28, (5, 5), (20, 50), (2, 2), 500)
    for images in (1, 10):
        network_row(library, "two stages on 256 x 256, batch of %d" % images, images, 256, (7, 7), (6, 16), (5, 1), 0)


def main():
    arguments = sys.argv[1:]
    python = arguments.pop(arguments.index("--jax") + 1) if "--jax" in arguments else None
    wanted = [one for one in arguments if not one.startswith("-")] or ["lstm", "convolutions", "networks"]
    theano.config.threads = 1
    library = ctypes.CDLL(LIBRARY)
    for name, rows in (("lstm", lstm_rows), ("convolutions", convolution_rows), ("networks", network_rows)):
        if name in wanted:
            rows(library)
            jax(python, name)


if __name__ == "__main__":
    main()
