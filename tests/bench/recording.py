"""What recording costs: calls of the logistic regression of the first sample, recorded and not, in turns.

python3 tests/bench/recording.py [rounds]   with PYTHONPATH naming <build>/python
"""
import os
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time, numpy, theano, theano.tensor as T
theano.config.floatX = 'float32'
recorded = sys.argv[1] == 'recorded'
if recorded:
    from croton import _record
    _record.start(sys.argv[2], '', '', '', '', '', [], print)
rng = numpy.random.RandomState(0)
x = theano.shared(rng.randn(400, 784).astype('float32'), 'x')
y = theano.shared(rng.randint(2, size=400).astype('float32'), 'y')
w = theano.shared(numpy.zeros(784, 'float32'), 'w')
b = theano.shared(numpy.float32(0), 'b')
p = 1 / (1 + T.exp(-T.dot(x, w) - b))
xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
cost = xent.mean() + 0.01 * (w ** 2).sum()
gw, gb = T.grad(cost, [w, b])
train = theano.function([], [p > 0.5, xent], updates=[(w, w - numpy.float32(0.1) * gw), (b, b - numpy.float32(0.1) * gb)])
for k in range(300):
    train()
best = 1e9
for k in range(60):
    begin = time.perf_counter()
    for i in range(50):
        train()
    best = min(best, (time.perf_counter() - begin) / 50)
print(best)
if recorded:
    _record.finish(0)
"""


def measure(kind, folder):
    done = subprocess.run([sys.executable, "-c", PROGRAM, kind, os.path.join(folder, "s.croton")], capture_output=True, text=True, check=True,
                          env=dict(os.environ, CROTON_COMPILE_WAIT="1"))
    return float(done.stdout.splitlines()[-1])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            plain, recorded = measure("plain", folder), measure("recorded", folder)
            ratios.append(recorded / plain)
            print("%.2f us plain, %.2f us recorded: %+.1f%%" % (plain * 1e6, recorded * 1e6, 100 * (ratios[-1] - 1)))
    print("median %+.1f%%" % (100 * (sorted(ratios)[len(ratios) // 2] - 1)))


if __name__ == "__main__":
    main()
