"""Random numbers against numpy.random, in one run: ns a number, the best of several rounds, each in turn. Expected: MRG streams at most 0.2 of
numpy a number."""
import time

import numpy

import theano
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

ROUNDS = 15


def best(*calls, repeat=1):
    times = [[] for _ in calls]
    for _ in range(ROUNDS):
        for call, seen in zip(calls, times):
            start = time.perf_counter()
            for _ in range(repeat):
                call()
            seen.append((time.perf_counter() - start) / repeat)
    return [min(seen) for seen in times]


def function(drawn):
    f = theano.function([], theano.Out(drawn, borrow=True))
    f()
    return f


def row(name, count, calls, repeat=1):
    times = best(*calls, repeat=repeat)
    print("%-34s %9d numbers: %s ns a number, ratio to numpy %.2f"
          % (name, count, " / ".join("%6.2f" % (1e9 * one / count) for one in times), times[0] / times[1]))


if __name__ == "__main__":
    numbers = numpy.random.RandomState(1)
    print("croton / numpy.random")
    for threads in (1, 2):
        theano.config.openmp, theano.config.threads = threads > 1, threads
        for dtype in ("float32", "float64"):
            for size in ((1000, 1000), (100, 100), (10, 10)):
                srng = MRG_RandomStreams(3)
                count = size[0] * size[1]
                repeat = max(1, 200000 // count)
                row("mrg uniform %s, %d thread(s)" % (dtype, threads), count,
                    [function(srng.uniform(size, dtype=dtype)), lambda: numbers.uniform(size=size)], repeat)
        row("mrg normal float64, %d thread(s)" % threads, 10 ** 6, [function(MRG_RandomStreams(3).normal((1000, 1000))), lambda: numbers.normal(size=(1000, 1000))])
        row("mrg binomial, %d thread(s)" % threads, 10 ** 6, [function(MRG_RandomStreams(3).binomial((1000, 1000))), lambda: numbers.binomial(1, 0.5, (1000, 1000))])
    for size in ((1000, 1000), (10, 10), (1,)):
        count = int(numpy.prod(size))
        row("RandomStreams uniform", count, [function(RandomStreams(3).uniform(size)), lambda: numbers.uniform(size=size)], max(1, 2000 // count))
