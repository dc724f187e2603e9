"""Loops: theano.scan against the same steps written out, and against a loop in Python with NumPy.

PYTHONPATH=build/python /usr/bin/python3 tests/bench/scan.py
    Expected: at most 1 us a step more than written out; well ahead of Python. `written out` is asked for few steps, it compiles slowly.
"""
import time

import numpy

import theano
import theano.tensor as T


def best(call, seconds=0.3):
    call()
    rounds, fastest, begin = 0, float("inf"), time.perf_counter()
    while time.perf_counter() - begin < seconds or rounds < 3:
        before = time.perf_counter()
        call()
        fastest = min(fastest, time.perf_counter() - before)
        rounds += 1
    return fastest


def written_out(step, x, h, steps):
    for t in range(steps):
        h = step(x[t], h)
    return h


def main():
    rng = numpy.random.RandomState(0)
    steps = 100
    w16, w256 = theano.shared(rng.randn(16, 16) * 0.1), theano.shared(rng.randn(256, 256) * 0.05)
    cases = {
        "counter": (lambda a, h: h * 0.5 + a, lambda a, h: h * 0.5 + a, (), False),
        "rnn 16": (lambda a, h: T.tanh(T.dot(h, w16) + a), lambda a, h, w=w16.get_value(): numpy.tanh(h.dot(w) + a), (16,), False),
        "rnn 16, gradient": (lambda a, h: T.tanh(T.dot(h, w16) + a), None, (16,), w16),
        "rnn 32 x 256": (lambda a, h: T.tanh(T.dot(h, w256) + a), lambda a, h, w=w256.get_value(): numpy.tanh(h.dot(w) + a), (32, 256), False),
        "rnn 32 x 256, gradient": (lambda a, h: T.tanh(T.dot(h, w256) + a), None, (32, 256), w256),
    }
    print("%-24s %12s %12s %12s %16s %14s" % ("us a step", "scan", "written out", "numpy", "scan/written out", "scan/numpy"))
    for name, (step, by_numpy, shape, wrt) in cases.items():
        x = T.TensorType("float64", (False,) * (len(shape) + 1))()
        h = T.TensorType("float64", (False,) * len(shape))()
        loop = theano.scan(step, x, h)[0][-1]
        unrolled = written_out(step, x, h, steps)
        if wrt:
            loop, unrolled = (theano.grad((value ** 2).sum(), wrt) for value in (loop, unrolled))
        data, start = rng.randn(steps, *shape), numpy.zeros(shape)
        compiled = [theano.function([x, h], value) for value in (loop, unrolled)]
        for f in compiled:
            for _ in range(5):
                f(data, start)
            f.compile_kernels() if hasattr(f, "compile_kernels") else time.sleep(1)
        spent = [best(lambda f=f: f(data, start)) / steps * 1e6 for f in compiled]

        def python():
            state = start
            for t in range(steps):
                state = by_numpy(data[t], state)
        spent.append(best(python) / steps * 1e6 if by_numpy else float("nan"))
        print("%-24s %12.2f %12.2f %12.2f %16.2f %14.2f" % ((name,) + tuple(spent) + (spent[0] / spent[1], spent[0] / spent[2])))


if __name__ == "__main__":
    main()
