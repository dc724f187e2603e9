"""How the time of every command and every view grows with the session: twice as many functions, graphs in them, applies, lines, calls.

python3 tests/bench/sessions.py [KIND:N ...]   with CROTON_BUILD naming the build folder; kinds: functions, scans, applies, lines, calls
    Each is recorded with N, 2 N and 4 N, and shown by each command and view, each a process of its own: seconds on the processor, and
    the exponent at which they grow. Expected: at most 1.3. What is over before it can be measured has no exponent.
--commands, --views: only these; --only NAME…: only those whose name has one of the words
"""
import argparse
import math
import os
import pathlib
import subprocess
import tempfile

BUILD = pathlib.Path(os.environ.get("CROTON_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
BOUND, LEAST, LIMIT = 1.3, 0.05, 300
HEAD = "import numpy as np, theano, theano.tensor as T\nx, m = T.dvector('x'), T.dmatrix('m')\nv, w = np.ones(10), np.ones((10, 10))\nh = x\n"
FUNCTION = "f%d = theano.function([x], T.tanh(x * %d.5) + x, name='f%d'); f%d(v); f%d(v)\n"
SCAN = ("r, u = theano.scan(lambda a, b: T.tanh(b * %d.5) + a, sequences=[x], outputs_info=[T.constant(0., dtype='float64')])\n"
        "h = h + r[-1]\n")
LAYER = "h = T.tanh(T.dot(m, h)) + x\n"
CALL = "f = theano.function([x, m], h, name='f', on_unused_input='ignore'); f(v, w); f(v, w)\n"
KINDS = {
    "functions": lambda n: HEAD + "".join(FUNCTION % (k, k, k, k, k) for k in range(n)),
    "scans": lambda n: HEAD + "".join(SCAN % k for k in range(n)) + CALL,
    "applies": lambda n: HEAD + "for k in range(%d):\n    %s" % (n // 4, LAYER) + CALL,
    "lines": lambda n: HEAD + LAYER * (n // 4) + CALL,
    "calls": lambda n: HEAD + LAYER + CALL + "for k in range(%d): f(v, w)\n" % n,
}
SIZES = {"functions": 250, "scans": 50, "applies": 4000, "lines": 4000, "calls": 5000}
COMMANDS = {
    "report": ["report", "S"], "report --optimizer": ["report", "--optimizer", "S"], "report --operands": ["report", "--operands", "S"],
    "report --min-peak": ["report", "--min-peak", "S"], "report --json": ["report", "--json", "S"],
    "report --style summary": ["report", "--style", "summary", "S"], "report --style profilemode": ["report", "--style", "profilemode", "S"],
    "passes": ["passes", "S"], "passes --steps": ["passes", "--steps", "S"], "passes --json": ["passes", "--json", "S"],
    "passes --why-not": ["passes", "--why-not", "tanh", "S"], "compare": ["compare", "S", "S"], "history": ["history", "S", "S"],
    "graph": ["graph", "S"], "graph --kernels": ["graph", "--kernels", "S"], "memory": ["memory", "S"],
    "memory --budget": ["memory", "--budget", "1MB", "S"], "whatif": ["whatif", "--at-roof", "all", "S"], "values": ["values", "S"],
    "export --json": ["export", "--json", "S"], "export --html": ["export", "--html", "S"], "export --chrome-trace": ["export", "--chrome-trace", "S"],
    "snapshot": ["snapshot", "S", "OUT"],
}
for table in "applies classes functions lines memory ops rewrites transfers".split():
    COMMANDS["export --csv " + table] = ["export", "--csv", "--table", table, "S"]


def record(kind, count, folder):
    script, session = pathlib.Path(folder, "%s%d.py" % (kind, count)), pathlib.Path(folder, "%s%d.croton" % (kind, count))
    script.write_text(KINDS[kind](count))
    subprocess.run([str(BUILD / "bin/croton"), "profile", str(script), "-o", str(session)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return session


def seconds(command):
    """On the processor, with the processes that it started; of the processor, because a busy machine makes the wall clock long."""
    before = os.times()
    subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=LIMIT)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def command_line(name, session, folder):
    words = {"S": session, "OUT": pathlib.Path(folder, "copy.croton")}
    return [BUILD / "bin/croton", *[words.get(word, word) for word in COMMANDS[name]]]


def view_names():
    listed = subprocess.run([str(BUILD / "bin/croton-studio"), "--list-views"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return [line.split("\t")[0] for line in listed.splitlines()]


def view_line(name, session, folder):
    return [BUILD / "bin/croton-studio", session, "--view", name, "--screenshot", pathlib.Path(folder, "view.png")]


def exponent(spent, sizes):
    """From the smallest to the largest; None where there is too little to measure."""
    if spent[-1] < LEAST or spent[0] <= 0:
        return None
    return math.log(spent[-1] / spent[0]) / math.log(sizes[-1] / sizes[0])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kinds", nargs="*", default=["%s:%d" % kind for kind in SIZES.items()])
    options.add_argument("--commands", action="store_true")
    options.add_argument("--views", action="store_true")
    options.add_argument("--only", nargs="+", default=[""])
    given = options.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    worst = []
    for kind in given.kinds:
        name, _, count = kind.partition(":")
        sizes = [int(count or SIZES[name]) * factor for factor in (1, 2, 4)]
        print("%-28s %s  exponent" % (name, " ".join("%8d" % size for size in sizes)))
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_RUNTIME_DIR"] = os.environ["XDG_CONFIG_HOME"] = folder
            sessions = [record(name, size, folder) for size in sizes]
            lines = [] if given.views and not given.commands else [(one, command_line) for one in COMMANDS]
            lines += [] if given.commands and not given.views else [(one, view_line) for one in view_names()]
            for one, line in lines:
                if not any(word in one for word in given.only):
                    continue
                spent = [min(seconds(line(one, session, folder)) for _ in range(2)) for session in sessions]
                grows = exponent(spent, sizes)
                label = "%s %s" % ("view" if line is view_line else "", one)
                print("%-28s %s  %s" % (label.strip(), " ".join("%8.2f" % each for each in spent), "" if grows is None else "%.2f%s" % (
                    grows, "  over %.1f" % BOUND if grows > BOUND else "")), flush=True)
                if grows is not None:
                    worst.append((grows, name, label.strip()))
    for grows, name, label in sorted(worst, reverse=True)[:5]:
        print("%.2f  %s of many %s" % (grows, label, name))


if __name__ == "__main__":
    main()
