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
MUCH = 0.06  # of a call: twice what counts


def croton(*words):
    return subprocess.run([str(CROTON), *map(str, words)], check=True, capture_output=True, text=True).stdout


def places(rows):
    """Of those whose absence costs time for sure: name -> place; several may have one."""
    return {row["left_out"][0]: row["place"] for row in rows if "place" in row}


def first(rows):
    return ["%d %s" % (place, name) for name, place in places(rows).items() if place <= PLACES]


def agree(one, other):
    """What both know is in the same order, and what has one of the first places and costs much is known to both."""
    a, b = places(one), places(other)
    both = [name for name in a if name in b and min(a[name], b[name]) <= PLACES]
    if any((a[x] < a[y]) and (b[x] > b[y]) for x in both for y in both):
        return False
    for rows, known in (one, b), (other, a):
        much = MUCH * rows[0]["ns"]
        if any(row.get("place", PLACES + 1) <= PLACES and row["difference_ns"] > much and row["left_out"][0] not in known for row in rows):
            return False
    return True


with tempfile.TemporaryDirectory() as folder:
    print("%-20s %-8s %6s %9s %9s %9s  %s" % ("sample", "by", "rows", "seconds", "singles", "all", "the first three, and whether a second run says so"))
    for sample in SAMPLES:
        session = os.path.join(folder, sample + ".croton")
        croton("profile", "--capture", ROOT / "samples" / sample / (sample + ".py"), "-o", session)
        for by in ("pass", "rewrite"):
            said, spent = [], []
            for again in range(2):
                start = time.monotonic()
                said.append(json.loads(croton("ablate", session, "--by", by, "--json")))
                spent.append(time.monotonic() - start)
            names = [first(one["rows"]) for one in said]
            base = said[0]["rows"][0]["ns"]
            print("%-20s %-8s %6d %9.1f %8.0f%% %8.0f%%  %s %s" % (
                sample, by, len(said[0]["rows"]), min(spent), 100 * said[0]["sum_of_singles_ns"] / base, 100 * said[0]["total_ns"] / base,
                ", ".join(names[0]) or "none counts", "(the same)" if names[0] == names[1] else "(%s: %s)" % (
                    "agrees" if agree(said[0]["rows"], said[1]["rows"]) else "DISAGREES", ", ".join(names[1]))))
