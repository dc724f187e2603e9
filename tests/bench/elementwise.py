"""Elementwise expressions through Python against NumPy, and numexpr where it can be imported. Prints times and ratios.

Expected: under NumPy from 1e3 elements on (one pass instead of one per operation), under numexpr everywhere.
"""
import os
import sys
import time

if os.environ.pop("OPENBLAS_CORETYPE", None) is not None or os.environ.get("NUMEXPR_NUM_THREADS") != "1":
    os.environ["NUMEXPR_NUM_THREADS"] = "1"  # all sides on one thread
    os.execv(sys.executable, [sys.executable] + sys.argv)

import numpy
import theano
import theano.tensor as T

try:
    import numexpr
except ImportError:
    numexpr = None

EXPRESSIONS = {
    "exp(a)": (lambda a, b, m: m.exp(a), "exp(a)"),
    "a**2 + b**2 + 2*a*b": (lambda a, b, m: a ** 2 + b ** 2 + 2 * a * b, "a**2 + b**2 + 2*a*b"),
    "2*a + 3*b": (lambda a, b, m: 2 * a + 3 * b, "2*a + 3*b"),
    "ten operations": (lambda a, b, m: (a + b) * (a - b) + a * b - (a + 1) * (b - 2) + abs(a) * 0.5,
                       "(a + b) * (a - b) + a * b - (a + 1) * (b - 2) + abs(a) * 0.5"),
}
SIZES = (1000, 10000, 100000, 230400, 1000000, 10000000)


def least(action, seconds=0.15):
    """The best time of a call; the first calls let kernels compile."""
    for _ in range(5):
        action()
    time.sleep(0.3)
    action()
    best, end = float("inf"), time.perf_counter() + seconds
    batch = 1
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(batch):
            action()
        spent = time.perf_counter() - start
        best = min(best, spent / batch)
        if spent < 1e-4:
            batch *= 2
    return best


a, b = T.fvectors("a", "b")
print("%-22s %9s %12s %9s %9s" % ("float32", "elements", "croton us", "/ NumPy", "/ numexpr"))
for name, (build, text) in EXPRESSIONS.items():
    compiled = theano.function([theano.In(a, borrow=True), theano.In(b, borrow=True)], build(a, b, T), on_unused_input="ignore")
    compiled.trust_input = True
    for size in SIZES:
        random = numpy.random.RandomState(0)
        x, y = random.randn(size).astype("float32"), random.randn(size).astype("float32")
        croton = least(lambda: compiled(x, y))
        plain = least(lambda: build(x, y, numpy))
        other = least(lambda: numexpr.evaluate(text, {"a": x, "b": y})) if numexpr else float("nan")
        print("%-22s %9d %12.2f %9.2f %9.2f" % (name, size, croton * 1e6, croton / plain, croton / other))
