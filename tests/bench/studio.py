"""How long the studio takes to draw large sessions, and how smoothly it moves in them: each a process of its own, offscreen.

python3 tests/bench/studio.py [applies ...]   with CROTON_BUILD naming the build folder
    Expected: 5,000 applies drawn in 0.7 s; 100,000 folded in 8 s with at most 600 MB; no event holds the GUI thread for 50 ms;
    60 frames/s at 20,000 nodes. `stall` is in processor time of the GUI thread
python3 tests/bench/studio.py views [applies]
    How long each view of such a session, a step, a search and the palette take (100,000 applies unless said otherwise), and the
    longest event on the way. Expected: under 100 ms of the GUI thread each
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import recording_graphs

BUILD = recording_graphs.BUILD
APPLIES_A_STEP = 14


def views(size):
    with tempfile.TemporaryDirectory() as folder:
        script, session = pathlib.Path(folder, "s.py"), pathlib.Path(folder, "s.croton")
        script.write_text(recording_graphs.RECURRENCE % (size // APPLIES_A_STEP))
        recording_graphs.spent(BUILD / "bin" / "croton", "profile", script, "-o", session)
        subprocess.run([str(BUILD / "bin" / "studio_bench"), str(session), "views"], stderr=subprocess.DEVNULL,
                       env=dict(os.environ, XDG_RUNTIME_DIR=folder), check=True)


def main():
    if sys.argv[1:2] == ["views"]:
        views(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
        return
    sizes = [int(size) for size in sys.argv[1:]] or [5_000, 20_000, 100_000]
    print("%-9s %-7s %7s %10s %9s %8s %9s %8s %8s  %s" % ("applies", "", "nodes", "picture s", "all s", "peak MB", "stall ms", "pan /s", "zoom /s", "longest"))
    with tempfile.TemporaryDirectory() as folder:
        script, session = pathlib.Path(folder, "s.py"), pathlib.Path(folder, "s.croton")
        environment = dict(os.environ, XDG_RUNTIME_DIR=folder)
        for size in sizes:
            script.write_text(recording_graphs.RECURRENCE % (size // APPLIES_A_STEP))
            recording_graphs.spent(BUILD / "bin" / "croton", "profile", script, "-o", session)
            for how in [], ["whole"]:
                if how and size > 20_000:
                    continue
                done = subprocess.run([str(BUILD / "bin" / "studio_bench"), str(session), *how], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      text=True, env=environment, check=True)
                applies, nodes, picture, every, peak, stall, pan, zoom, longest = done.stdout.split(" ", 8)
                print("%-9s %-7s %7s %10s %9s %8s %9s %8s %8s  %s" % (
                    applies, "whole" if how else "folded", nodes, picture, every, peak, stall, pan, zoom, longest.strip()), flush=True)


if __name__ == "__main__":
    main()
