"""Commands and views take a time that grows as the session does. Four times the functions may take six times as long; were anything
quadratic, it would be sixteen. What a process takes with hardly any session is no part of it. tests/bench/sessions.py has the numbers."""
import os
import pathlib
import sys

import pytest

SOURCE = pathlib.Path(os.environ["CROTON_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/bench"))
import sessions  # noqa: E402

MOST = 7.5        # times as long, of four times the session
LEAST = 0.3       # seconds of growth: less is noise of a busy machine. What was quadratic took seconds at these sizes
IS_LONG = bool(os.environ.get("CROTON_LONG_TESTS"))
SMALL = {"functions": 120, "scans": 30} if IS_LONG else {"functions": 120}
# The commands that were quadratic, and all of them in a long run.
COMMANDS = [*sessions.COMMANDS] if IS_LONG else ["report", "report --optimizer", "passes --steps", "compare", "export --html", "export --json"]
VIEWS = ["profile", "graph", "steps", "memory", "flame", "timeline"] if (sessions.BUILD / "bin/croton-studio").exists() else []


@pytest.fixture(scope="module", params=sorted(SMALL))
def recorded(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    os.environ["XDG_RUNTIME_DIR"] = os.environ["XDG_CONFIG_HOME"] = str(folder)
    return folder, [sessions.record(request.param, count, folder) for count in (1, SMALL[request.param], 4 * SMALL[request.param])]


@pytest.mark.parametrize("name", [*COMMANDS, *("view " + view for view in VIEWS)])
def test_what_reads_a_session_is_linear_in_functions_and_graphs(recorded, name, bound):
    folder, files = recorded
    view = name.startswith("view ")
    line = (lambda session: sessions.view_line(name[5:], session, folder)) if view else (
        lambda session: sessions.command_line(name, session, folder))
    best = [min(sessions.seconds(line(session)) for _ in range(2)) for session in files]
    base, once, four = best
    what = "%s: %.2f s with one function, %.2f s, and %.2f s with four times as many" % (name, base, once, four)
    print(what)
    bound(four - base < LEAST or four - base < MOST * max(once - base, LEAST / MOST), what)
