"""What following Croton's advice wins: each program of tests/app/line/advice_programs.py as it is and with the advice followed.

python3 tests/bench/advice.py [--croton build/bin/croton] [--write profiler/stats/ADVICE.md] [--device opencl0:0]

With --device: those of a device, on that one.

Expected: every factor above 1. Time is that of compiling and calls together, the median of three runs by turns; for `inplace`
it is the peak of memory. The gain that the report states is the most that could be won by the numbers of the session.
"""
import argparse
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "app", "line"))
from advice_programs import ON_DEVICE, PROGRAMS, PROLOGUE


def record(croton, folder, program, device):
    text, flags = program
    script, session = os.path.join(folder, "script.py"), os.path.join(folder, "s.croton")
    with open(script, "w") as file:
        file.write(PROLOGUE + text + "\n")
    there = ["--device", device, "--floatX", "float32"] if device else []
    subprocess.run([croton, "profile", script, "-o", session] + there + (["--flags", flags] if flags else []), check=True, capture_output=True)
    report = json.loads(subprocess.run([croton, "report", session, "--json"], check=True, capture_output=True, text=True).stdout)
    with sqlite3.connect(session) as database:
        report["peak"] = database.execute("select max(peak_bytes) from plans").fetchone()[0]
        # From the second call to the end of all work: the first one builds kernels, which a cache may have.
        (second,) = database.execute("select min(start_ns) from events where kind = 'call' and call > 0").fetchone()
        (end,) = database.execute("select max(start_ns + duration_ns) from events where kind in ('call', 'kernel', 'copy')").fetchone()
        report["thenNs"] = end - second if second else None
    return report


def cost(name, report):
    if name in ON_DEVICE:
        return report["thenNs"]
    if name == "inplace":
        return report["peak"]
    if name == "checking-mode":
        return report["summary"]["callNs"]
    return report["summary"]["callNs"] + report["summary"]["compileNs"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--croton", default=os.path.join(os.path.dirname(__file__), "..", "..", "build", "bin", "croton"))
    parser.add_argument("--write")
    parser.add_argument("--only")
    parser.add_argument("--device")
    options = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        programs = ON_DEVICE if options.device else PROGRAMS
        for name in programs:
            if options.only and name not in options.only.split(","):
                continue
            before, after, said = [], [], None
            for _ in range(3):
                report = record(options.croton, folder, programs[name][0], options.device)
                told = [one for one in report["advice"] if one["id"] == name]
                if not told:
                    break
                said = told[0]
                before.append(cost(name, report))
                after.append(cost(name, record(options.croton, folder, programs[name][-1], options.device)))
            if not said:
                print("%-16s says nothing" % name, flush=True)
                continue
            factor = statistics.median(one / two for one, two in zip(before, after))
            stated = "at most %.0f%% of %s" % (100 * said["gain"], said["of"]) if said["gain"] else "-"
            lines.append("| %s | %s | %s | %.1f |" % (name, said["text"].split(":")[0], stated, factor))
            print("%-16s %5.2f times as fast or small    stated: %s" % (name, factor, stated), flush=True)
    if options.write:
        with open(options.write) as file:
            rows = file.read().splitlines()
        for line in lines:
            places = [i for i, row in enumerate(rows) if row.startswith(line[:line.index("|", 2) + 1])]
            if places:
                rows[places[0]] = line
            else:
                rows.append(line)
        with open(options.write, "w") as file:
            file.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
