"""How far `croton compare` can be trusted on real runs: pairs of equal runs, and pairs in which one apply has 10% more to do.

python3 tests/bench/compare_pairs.py equal 40        wanted: at most 2 alarms
python3 tests/bench/compare_pairs.py tenth 10        wanted: found in 9 of 10
    [--keep FOLDER] leaves the sessions there, [--croton build/bin/croton] names the program.

The program is the logistic regression of 400 x 784 with one elementwise apply of about 5% of a step beside it, over so many
elements as its argument says. About 10% more elements make it 10% slower, a part of its time being the same for any
number. A session holds twelve runs.
"""
import argparse
import json
import os
import subprocess
import tempfile

PROGRAM = """
import sys, numpy, theano, theano.tensor as T
theano.config.floatX = 'float32'
rng = numpy.random.RandomState(0)
x = theano.shared(rng.randn(400, 784).astype('float32'), 'x')
y = theano.shared(rng.randint(2, size=400).astype('float32'), 'y')
w = theano.shared(numpy.zeros(784, 'float32'), 'w')
b = theano.shared(numpy.float32(0), 'b')
v = theano.shared(numpy.linspace(0, 1, int(sys.argv[1])).astype('float32'), 'v')
p = 1 / (1 + T.exp(-T.dot(x, w) - b))
xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
cost = xent.mean() + 0.01 * (w ** 2).sum()
gw, gb = T.grad(cost, [w, b])
train = theano.function([], [p > 0.5, xent], name='train', updates=[
    (w, w - numpy.float32(0.1) * gw), (b, b - numpy.float32(0.1) * gb), (v, T.tanh(v) + T.exp(-v))])
for step in range(int(sys.argv[2])):
    train()
"""
ELEMENTS, MORE, STEPS, RUNS = 1600, 1776, 4000, 12  # whole vectors: a tail of single elements costs more


def record(croton, script, session, elements, steps):
    subprocess.run([croton, "profile", script, "-o", session, "--runs", str(RUNS), "--warmup", "50", str(elements), str(steps)], check=True,
                   stdout=subprocess.DEVNULL, env=dict(os.environ, CROTON_COMPILE_WAIT="1"))


def compare(croton, a, b):
    return json.loads(subprocess.run([croton, "compare", a, b, "--json"], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("equal", "tenth"))
    parser.add_argument("pairs", type=int)
    parser.add_argument("--croton", default=os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "croton"))
    parser.add_argument("--keep")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair, for runs in pieces")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        script = os.path.join(folder, "step.py")
        with open(script, "w") as file:
            file.write(PROGRAM)
        alarms = found = 0
        for pair in range(options.first, options.first + options.pairs):
            sessions = [os.path.join(folder, "%s%02d%s.croton" % (options.kind, pair, side)) for side in "ab"]
            record(options.croton, script, sessions[0], ELEMENTS, STEPS)
            more = MORE if options.kind == "tenth" else ELEMENTS
            record(options.croton, script, sessions[1], more, STEPS)
            result = compare(options.croton, *sessions)
            mine = [row for row in result["applies"] if row["a"] and "tanh" in row["a"]["name"]][0]
            told = [row for row in result["applies"] if row["significant"]]
            wrong = [row for row in told if row is not mine or options.kind == "equal"]
            alarms += len(wrong)
            found += mine["significant"]
            print("%2d  %d runs  %s %4.1f%% of the step, measured %+5.1f%% judged %+5.1f%% p %.2g  %s" % (
                pair, result["runs"], "found " if mine["significant"] else "silent",
                100 * mine["share"], 100 * mine["rawRelative"], 100 * mine["relative"], mine["p"],
                "".join("  ALARM %s %+.1f%%" % (row["a"]["name"][:40], 100 * row["relative"]) for row in wrong)), flush=True)
        print("%d pairs, %d alarms%s" % (options.pairs, alarms, ", found in %d" % found if options.kind == "tenth" else ""))


if __name__ == "__main__":
    main()
