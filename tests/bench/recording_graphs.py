"""What recording adds to a whole run of big graphs: `croton profile` by `croton run`, in turns, each a process of its own.

python3 tests/bench/recording_graphs.py [rounds] [family ...]   with CROTON_BUILD naming the build folder
    wall: median of the rounds; cpu: of all threads. What is recorded is written beside the run where a second core is free
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("CROTON_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
HEAD = """
import numpy as np, theano, theano.tensor as T
rng = np.random.RandomState(0)
W, U, b = [theano.shared(rng.randn(*shape) * .1) for shape in ((4, 4), (4, 4), (4,))]
x, h0 = T.dmatrices('x', 'h0')
def recurrence(steps):
    h = h0
    for k in range(steps):
        gate = T.nnet.sigmoid(T.dot(x, U) * (k + 1.) + b)
        h = gate * T.tanh(T.dot(h, W) + x) + (1 - gate) * h
    return h
at = np.ones((3, 4)), np.zeros((3, 4))
"""
RECURRENCE = HEAD + "theano.function([x, h0], recurrence(%d))(*at)"
GRADIENT = HEAD + "theano.function([x, h0], T.grad(recurrence(%d).sum(), [W, U, b]))(*at)"
SINES = """
import numpy as np, theano, theano.tensor as T
x = y = T.dvector('x')
for k in range(%d): y = T.sin(y)
theano.function([x], y, mode=theano.Mode(optimizer=None))(np.ones(3))
"""
WIDE = """
import numpy as np, theano, theano.tensor as T
x = T.dvector('x')
theano.function([x], [T.dot(T.tanh(x * (k + .5)), x) for k in range(%d // 4)])(np.ones(3))
"""
FAMILIES = {
    "tiny": "import theano, theano.tensor as T; x = T.dvector(); theano.function([x], x + 1)([1.])",
    "recurrence of 2500": RECURRENCE % 2500,
    "recurrence of 10000": RECURRENCE % 10000,
    "gradient of 500": GRADIENT % 500,
    "gradient of 1000": GRADIENT % 1000,
    "sines, not optimized": SINES % 60000,
    "wide": WIDE % 20000,
}


def spent(*command):
    begin, before = time.perf_counter(), os.times()
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - begin, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    chosen = [name for name in FAMILIES if len(sys.argv) < 3 or any(part in name for part in sys.argv[2:])]
    croton = BUILD / "bin" / "croton"
    print("%-22s %8s %10s %6s %8s %9s %6s %9s" % ("", "run s", "recorded s", "ratio", "cpu s", "recorded", "ratio", "MB"))
    with tempfile.TemporaryDirectory() as folder:
        script, session = pathlib.Path(folder, "s.py"), pathlib.Path(folder, "s.croton")
        for name in chosen:
            script.write_text(FAMILIES[name])
            spent(croton, "run", script)  # its kernels are in the cache
            runs, records = zip(*[(spent(croton, "run", script), spent(croton, "profile", script, "-o", session)) for _ in range(rounds)])
            (wall, cpu), (recorded, recorded_cpu) = [[statistics.median(part) for part in zip(*several)] for several in (runs, records)]
            print("%-22s %8.2f %10.2f %6.2f %8.2f %9.2f %6.2f %9.1f" % (
                name, wall, recorded, recorded / wall, cpu, recorded_cpu, recorded_cpu / cpu, session.stat().st_size / 1e6), flush=True)


if __name__ == "__main__":
    main()
