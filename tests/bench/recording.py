"""What recording costs: the logistic regression of 400 x 784, recorded and not, by turns in one process.

python3 tests/bench/recording.py [rounds]   with PYTHONPATH naming <build>/python
    predicted: what the session says, one stamp and its counters for each apply and one look after each call
    measured: the median over pairs of neighbouring blocks of 60 calls, one with and one without recording, of two functions
    compiled alike that read and write the same arrays; and the same of two functions that are both not recorded. Where its
    buffers happen to lie makes a function two per cent faster or slower for good: the mean over several pairs is told
"""
import os
import sqlite3
import statistics
import sys
import tempfile
import time

os.environ["CROTON_COMPILE_WAIT"] = "1"
import numpy
import theano
import theano.tensor as T
from croton import _record

theano.config.floatX = "float32"
BLOCK = 60
PAIRS = 6


def step():
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = xent.mean() + 0.01 * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    return theano.function([], [p > 0.5, xent], updates=[(w, w - numpy.float32(0.1) * gw), (b, b - numpy.float32(0.1) * gb)])


rng = numpy.random.RandomState(0)
x = theano.shared(rng.randn(400, 784).astype("float32"), "x")
y = theano.shared(rng.randint(2, size=400).astype("float32"), "y")
w = theano.shared(numpy.zeros(784, "float32"), "w")
b = theano.shared(numpy.float32(0), "b")


def block(function):
    begin = time.perf_counter()
    for _ in range(BLOCK):
        function()
    return (time.perf_counter() - begin) / BLOCK


def compare(first, second, rounds):
    ratios, times = [], []
    for k in range(rounds):
        # Which one comes first changes, so that a drift favours neither.
        if k % 2:
            two, one = block(second), block(first)
        else:
            one, two = block(first), block(second)
        ratios.append(two / one)
        times.append(one)
    return statistics.median(ratios) - 1, statistics.median(times)


def several(first, second, rounds):
    """Mean of the ratios of all pairs with its standard error, and the median time of a step."""
    ratios, times = zip(*(compare(one, two, rounds // len(first)) for one, two in zip(first, second)))
    return statistics.mean(ratios), statistics.stdev(ratios) / len(ratios) ** 0.5, statistics.median(times)


def made(count):
    functions = [step() for _ in range(count)]
    for function in functions:
        for _ in range(1000):
            function()
    return functions


def asked_rounds(words):
    """Each pair of functions has its part of them, and what comes of one pair needs one at least."""
    if not words:
        return 3000
    if len(words) > 1 or not words[0].isdecimal() or int(words[0]) < PAIRS:
        sys.exit("recording.py: %s is no number of rounds; it takes one of at least %d, which the %d pairs of functions share"
                 % (" ".join(words), PAIRS, PAIRS))
    return int(words[0])


def main():
    rounds = asked_rounds(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.croton")
        plain, others = made(PAIRS), made(PAIRS)
        _record.start(path, "", "", "", "", "", [], print)
        recorded = made(PAIRS)
        none, doubt, took = several(plain, others, rounds)
        cost, error, _ = several(plain, recorded, rounds)
        _record.finish(0)
        with sqlite3.connect(path) as database:
            ns, calls = database.execute("select m.value, sum(f.calls) from meta m, functions f where m.key = 'recording_ns'").fetchone()
            parts = dict(database.execute("select name, overhead_ns from clocks"))
        print("a step takes %.2f us" % (took * 1e6))
        print("predicted %+.2f%% (%.1f ns an apply, %.0f ns a call)" % (100 * float(ns) / calls / (took * 1e9), parts["host"], parts["call"]))
        print("measured  %+.2f%% +- %.2f" % (100 * cost, 100 * error))
        print("functions that are not recorded differ by %+.2f%% +- %.2f" % (100 * none, 100 * doubt))


if __name__ == "__main__":
    main()
