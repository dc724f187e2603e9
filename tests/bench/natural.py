"""Programs as people spell them against JAX, NumPy and numexpr, in turns, beside what this machine copies and multiplies at most.

natural.py [--peers PYTHON] [--rows PATTERN] [--threads N] [--levels v3,v4] [--seconds S] [--json FILE] [--worst N] [--write]
natural.py --sweep | --ablate | --list [--rows PATTERN]

PYTHON is that of an environment with jax[cpu], numpy and numexpr, which is asked in a process of its own: it may have another NumPy. Rows are in
natural/themes/, one line each. A row is good where it is 1.5 x faster than the best peer or takes at most 1.15 of its roof. Values of a row are
compared first; a difference is an error. Expected: at most 15 of 300 rows behind, geometric mean at least 2.2.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def settle(threads):
    """Threads and waits as asked, before anything is imported that reads them."""
    count = str(threads)
    os.environ.update(
        OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count, NUMEXPR_NUM_THREADS=count, CROTON_COMPILE_WAIT="1", JAX_PLATFORMS="cpu",
        JAX_ENABLE_X64="1", TF_CPP_MIN_LOG_LEVEL="3", PYTHONWARNINGS="ignore", XLA_FLAGS="" if threads > 1 else
        "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    os.environ.pop("OPENBLAS_CORETYPE", None)
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="PYTHON", help="the Python of an environment with JAX (also: CROTON_PEERS)", default=os.environ.get("CROTON_PEERS"))
    parser.add_argument("--rows", metavar="PATTERN", default="", help="rows whose theme and name match")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--levels", help="levels of instructions, each in a run of its own: v2,v3,v4")
    parser.add_argument("--seconds", type=float, default=1.0, help="that measuring a row may take")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--worst", type=int, default=40, metavar="N", help="rows in the list at the end")
    parser.add_argument("--write", action="store_true", help="put the table into the page of performance")
    parser.add_argument("--sweep", action="store_true", help="ns an element over sizes and layouts, ours only")
    parser.add_argument("--ablate", action="store_true", help="what each rewrite is worth in each row")
    parser.add_argument("--list", action="store_true", help="print the rows")
    parser.add_argument("--call", metavar="ROW", help="make and call one row, for croton ablate")
    return parser.parse_args()


def chosen(pattern):
    from natural import themes
    return [(number, row) for number, row in enumerate(themes.rows()) if re.search(pattern, "%s: %s" % (row.theme, row.name))]


class Peers:
    """The other process."""

    def __init__(self, python):
        self._process = subprocess.Popen([python, "-c", "import sys; sys.path.insert(0, %r); from natural import peer, themes, timing; "
                                          "peer.serve(themes.rows(), timing)" % HERE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.versions = self._answer()

    def _answer(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of the peers ended; run its Python by hand: import jax, numexpr")
        return json.loads(line)

    def ask(self, *words):
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self._answer()


def measure(row, number, peers, machine, seconds):
    """A row's result as a dictionary."""
    import numpy
    from natural import sides, timing
    result = {"theme": row.theme, "row": row.name, "times": {}}
    try:
        ours = sides.Croton(row)
        values = ours.values()
    except Exception as error:
        return dict(result, error="croton: %s: %s" % (type(error).__name__, str(error).split("\n")[0][:200]))
    moved = sum(one.bytes() for one in row.inputs) + sum(value.nbytes for value in values)
    with tempfile.TemporaryDirectory() as folder:
        answer = peers.ask("row", number, folder)
        for name in answer["peers"]:
            with numpy.load("%s/%s.npz" % (folder, name)) as theirs:
                found = sides.difference(row, values, [theirs[key] for key in theirs.files])
            if found:
                result["error"] = "%s: %s" % (name, found)
    result["missing"] = answer["why"]
    actions = {"croton": (ours.call, timing.count_of(ours.call))}
    end, rounds = time.perf_counter() + seconds, 0
    while rounds < 5 or (rounds < 40 and time.perf_counter() < end):
        rounds += 1
        for name in ["croton"] + answer["peers"]:
            once = timing.spent(*actions[name]) if name in actions else peers.ask("time", name)
            result["times"][name] = min(result["times"].get(name, 1e9), once)
            if rounds >= 2 and name not in ("croton", "jax") and once > 20 * result["times"]["croton"]:
                answer["peers"].remove(name)  # far behind: its turns would only take time
                break
        if rounds >= 3 and time.perf_counter() > end + 4 * seconds:
            break
    dtype = "float64" if any(one.dtype == "float64" for one in row.inputs) else "float32"
    result["bytes"], result["roof"] = moved, machine.roof(moved, answer["flops"], dtype)
    return result


def judged(result):
    """Adds the best peer, the ratio to it, and whether the row is good."""
    times = result["times"]
    others = {name: value for name, value in times.items() if name != "croton"}
    if "croton" in times and others:
        result["best"] = min(others, key=others.get)
        result["ahead"] = others[result["best"]] / times["croton"]
        result["of roof"] = result["roof"] / times["croton"]
        result["good"] = result["ahead"] >= 1.5 or result["of roof"] >= 1 / 1.15
        result["lost"] = times["croton"] / max(result["roof"], min(others.values()) / 1.5)
    return result


def compare(options):
    import numpy
    from natural import report, timing
    if not options.peers:
        sys.exit("natural.py: --peers PYTHON is missing: the Python of an environment with jax[cpu] and numexpr")
    machine, peers, results = timing.Machine(), Peers(options.peers), []
    for number, row in chosen(options.rows):
        results.append(judged(measure(row, number, peers, machine, options.seconds)))
        print(report.line(results[-1]), flush=True)
    about = report.about(options, machine, peers.versions)
    print(report.text(about, results, options.worst))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"about": about, "rows": results}, file, indent=1)
    if options.write:
        report.write(about, results)
    return 1 if any("error" in result for result in results) else 0


def main():
    options = parsed()
    if options.levels:
        words = [word for word in sys.argv if not word.startswith("--levels") and word != options.levels]
        return max(subprocess.call([sys.executable] + words, env=dict(os.environ, CROTON_CPU_LEVEL=level)) for level in options.levels.split(","))
    settle(options.threads)
    if options.list:
        for _, row in chosen(options.rows):
            print("%s: %s" % (row.theme, row.name))
        return 0
    if options.sweep:
        from natural import sweep
        return sweep.run([row for _, row in chosen(options.rows)], options)
    if options.ablate or options.call:
        from natural import ablate
        return ablate.call(options.call) if options.call else ablate.run([row for _, row in chosen(options.rows)], options)
    return compare(options)


if __name__ == "__main__":
    sys.exit(main())
