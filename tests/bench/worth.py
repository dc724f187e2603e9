"""What rewrites are worth, twice: do two runs of `croton ablate` name the same three first, and how long does it take?

    python3 tests/bench/worth.py [SAMPLE...]

Times are those of this machine now: on a busy one the places of what is worth little change.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CROTON = ROOT / "build" / "bin" / "croton"
SAMPLES = sys.argv[1:] or ["logistic_regression", "mlp", "lstm", "lenet"]
PLACES = 3


def croton(*words):
    return subprocess.run([str(CROTON), *map(str, words)], check=True, capture_output=True, text=True).stdout


def first(rows):
    """Names of those whose absence costs most, and counts."""
    return [row["left_out"][0] for row in rows if row["kind"] == "single" and row["counts"] and "error" not in row][:PLACES]


with tempfile.TemporaryDirectory() as folder:
    print("%-20s %-8s %6s %9s %9s %9s  %s" % ("sample", "by", "rows", "seconds", "singles", "all", "the first three, and whether a second run says so"))
    for sample in SAMPLES:
        session = os.path.join(folder, sample + ".croton")
        croton("profile", "--capture", ROOT / "samples" / sample / (sample + ".py"), "-o", session)
        for by in ("pass", "rewrite"):
            said, spent = [], []
            for again in range(2):
                start = time.monotonic()
                said.append(json.loads(croton("ablate", session, "--by", by, "--seconds", 5, "--json")))
                spent.append(time.monotonic() - start)
            names = [first(one["rows"]) for one in said]
            base = said[0]["rows"][0]["ns"]
            print("%-20s %-8s %6d %9.1f %8.0f%% %8.0f%%  %s %s" % (
                sample, by, len(said[0]["rows"]), min(spent), 100 * said[0]["sum_of_singles_ns"] / base, 100 * said[0]["total_ns"] / base,
                ", ".join(names[0]) or "none counts", "(the same)" if names[0] == names[1] else "(then: %s)" % ", ".join(names[1])))
