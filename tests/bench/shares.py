"""How a fused kernel's time is split over lines, beside what the same lines take when nothing is fused.

python3 tests/bench/shares.py   with PYTHONPATH naming <build>/python
    split: by the cost model, as the session says it for the fused function
    apart: the time of each line's own applies in the same function with fusion left out, measured in the same session
    expected: each line within 15 points
"""
import os
import sqlite3
import sys
import tempfile

os.environ["CROTON_COMPILE_WAIT"] = "1"
import numpy
import theano
import theano.tensor as T
from croton import _record

CALLS = 400
RNG = numpy.random.RandomState(0)


def array(dtype, *shape):
    return (RNG.rand(*shape) * 0.5 + 0.25).astype(dtype)


# Each line of a program is one part of its work.
def wave():
    x, y = T.dvectors("x", "y")
    a = T.exp(x)
    b = T.sin(y)
    c = a * b + x
    return [x, y], c, [array("float64", 20000), array("float64", 20000)]


def loss():
    p, y = T.fmatrices("p", "y")
    a = -y * T.log(p)
    b = (1 - y) * T.log(1 - p)
    c = T.sqrt(a * a + b * b)
    return [p, y], c, [array("float32", 100, 300), array("float32", 100, 300)]


def energy():
    x, m = T.dmatrix("x"), T.dvector("m")
    d = T.tanh(x) - m
    s = d ** 2 / (1 + abs(x))
    total = s.sum(axis=1)
    return [x, m], total, [array("float64", 200, 150), array("float64", 150)]


def mixed():
    x, n = T.fvector("x"), T.ivector("n")
    a = T.cast(n, "float64") * 0.5
    b = T.log1p(T.cast(x, "float64"))
    c = T.cast(T.erf(b * a), "float32")
    return [x, n], c, [array("float32", 20000), RNG.randint(1, 9, 20000).astype("int32")]


def memory():
    x, y, z = T.dmatrices("x", "y", "z")
    a = x + y * z
    b = T.exp(a)
    c = b * 0.5 + 1
    return [x, y, z], c, [array("float64", 1000, 1500) for _ in range(3)]


def run(make, mode):
    inputs, output, values = make()
    function = theano.function(inputs, output, mode=mode, name=make.__name__)
    for _ in range(CALLS):
        function(*values)
    return function


TIMES = """SELECT l.line, sum(s.min_ns * l.share) FROM apply_stats s JOIN functions f ON f.id = s.function AND f.graph = s.graph
           JOIN source_links l ON l.graph = s.graph AND l.apply = s.apply WHERE f.id = ? AND s.steady GROUP BY 1 ORDER BY 1"""


def main():
    fused = theano.compile.mode.get_mode("FAST_RUN")
    apart = fused.excluding("fusion", "schedule")
    programs = [wave, loss, energy, mixed, memory]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.croton")
        _record.start(path, "", "", "", "", "", [], print)
        kept = [run(make, mode) for make in programs for mode in (fused, apart)]
        _record.finish(0)
        worst = 0
        with sqlite3.connect(path) as database:
            ids = [row[0] for row in database.execute("SELECT id FROM functions ORDER BY id")]
            assert len(ids) == len(kept)
            with open(__file__) as source:
                text = source.read().split("\n")
            for number, make in enumerate(programs):
                split, measured = ({line: ns for line, ns in database.execute(TIMES, (ids[2 * number + k],))} for k in (0, 1))
                print("\n%-10s %6s %6s %7s" % (make.__name__, "split", "apart", "points"))
                for line in sorted(set(split) | set(measured)):
                    a, b = (100 * times.get(line, 0) / sum(times.values()) for times in (split, measured))
                    worst = max(worst, abs(a - b))
                    print("%9.1f%% %5.1f%% %+6.1f   %s" % (a, b, a - b, text[line - 1].strip()))
        print("\nfarthest off: %.1f points" % worst)
        return worst > 15


if __name__ == "__main__":
    sys.exit(main())
