"""What each rewrite is worth in each row, by `croton ablate`: which ones make a row slower than leaving them out?"""
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LEAST = 0.03  # of a call, and significant


def call(name):
    """Makes a row and calls it a few times; what `croton ablate` runs."""
    from natural import sides, themes
    made = sides.Croton(next(row for row in themes.rows() if row.name == name))
    for _ in range(10):
        made.call()
    return 0


def croton():
    build = os.environ.get("CROTON_BUILD") or os.path.join(HERE, "..", "..", "..", "build")
    return os.path.join(build, "bin", "croton")


def slowing(row, seconds):
    """(rewrite, share of the call that it costs) of a row."""
    words = [croton(), "ablate", "--json", "--anyway", "--seconds", str(seconds), os.path.join(HERE, "..", "natural.py"), "--", "--call", row.name]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[-1])
    table = json.loads(done.stdout)["rows"]
    whole = table[0]["ns"]
    return [(one["left_out"][0], -one["difference_ns"] / whole) for one in table
            if one["kind"] == "single" and one["counts"] and -one["difference_ns"] > LEAST * whole]


def run(rows, options):
    worst = {}
    for row in rows:
        try:
            found = slowing(row, max(10, 10 * options.seconds))
        except Exception as error:
            print("%s: %s: %s" % (row.theme, row.name, error), flush=True)
            continue
        for rewrite, share in found:
            worst.setdefault(rewrite, []).append((share, row))
            print("%s: %s: %s makes it %.0f %% slower" % (row.theme, row.name, rewrite, 100 * share), flush=True)
    print("\n%d rows, %d rewrites that make some row over %.0f %% slower" % (len(rows), len(worst), 100 * LEAST))
    for rewrite, places in sorted(worst.items(), key=lambda pair: -max(share for share, _ in pair[1])):
        share, row = max(places, key=lambda place: place[0])
        print("%-40s %3d rows, most: %.0f %% of %s" % (rewrite, len(places), 100 * share, row.name))
    return 0
