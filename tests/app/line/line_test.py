"""From script to session to report, through the programs that a person uses."""
import json
import os
import pathlib
import random
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import BUILD


def query(session, sql, *arguments):
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as database:
        return database.execute(sql, arguments).fetchall()


def percentages(table):
    """First column of the rows of one of Theano's tables."""
    return [float(match.group(1)) for match in re.finditer(r"^ *([0-9.]+)% ", table, re.MULTILINE)]


def table_of(report, title):
    """The rows under the last title, up to the "remaining" line."""
    block = report[report.rindex("\n" + title + "\n"):]
    return block[:block.index("(remaining")]


def test_session_ends_finished_and_is_one_file(sample_session):
    assert dict(query(sample_session, "select key, value from meta"))["state"] == "finished"
    assert not pathlib.Path(f"{sample_session}-wal").exists()


def test_optimized_graph_has_the_products_and_the_stable_functions(sample_session):
    ops = [row[0] for row in query(
        sample_session, "select a.op from graph_applies a join functions f on f.graph = a.graph "
                        "where f.name = 'train' and in_optimized")]
    assert sum(op.startswith("CGemv") for op in ops) == 2, ops
    text = " ".join(ops)
    assert "softplus" in text and "sigmoid" in text, ops


def test_every_optimized_node_leads_to_a_line(sample_session):
    lost = query(sample_session, """
        select a.graph, a.apply, a.op from graph_applies a join graphs g on g.id = a.graph
        where in_optimized and g.kind = 'function' and a.created_rewrite != 'insert_deepcopy'
          and not exists (select 1 from source_links s where s.graph = a.graph and s.apply = a.apply)""")
    assert not lost


def test_every_optimized_node_leads_to_original_nodes(sample_session):
    lost = query(sample_session, """
        select a.graph, a.apply, a.op from graph_applies a join graphs g on g.id = a.graph
        where in_optimized and g.kind = 'function' and not exists (
            select 1 from origins o join graph_applies b on b.graph = o.origin_graph and b.apply = o.origin_apply
            where o.graph = a.graph and o.apply = a.apply and b.in_original)""")
    assert not lost


def test_report_percentages_and_counts(croton, sample_session):
    report = croton("report", sample_session).stdout
    for title in ("Class", "Ops", "Apply"):
        shares = percentages(table_of(report, title))
        assert shares, report
        assert abs(sum(shares) - 100) < 0.06 * len(shares), (title, shares)
    applies = query(sample_session, "select sum(in_optimized) from graph_applies a join graphs g on g.id = a.graph "
                                    "where g.kind = 'function'")[0][0]
    stated = [int(n) for n in re.findall(r"Number of Apply nodes: (\d+)", report)]
    assert applies in stated


def test_calls_are_counted(sample_session):
    assert dict(query(sample_session, "select name, calls from functions")) == {"train": 1000, "predict": 1}


def test_passes_and_graph(croton, sample_session):
    passes = croton("passes", sample_session).stdout
    for phase in ("canonicalize", "stabilize"):
        assert phase in passes
    original = croton("graph", sample_session, "--function", "train", "--stage", "original").stdout
    optimized = croton("graph", sample_session, "--function", "train", "--stage", "optimized").stdout
    assert "CGemv" in optimized and "CGemv" not in original


def test_studio_draws_a_picture(sample_session, tmp_path):
    studio = BUILD / "bin" / "croton-studio"
    if not studio.exists():
        pytest.skip("the studio was not built")
    picture = tmp_path / "main.png"
    done = subprocess.run([str(studio), str(sample_session), "--screenshot", str(picture), "--view", "graph"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert picture.stat().st_size > 10_000


ENDLESS = """
import numpy, theano, theano.tensor as T
x = T.matrix('x')
w = theano.shared(numpy.ones((50, 50)), name='w')
step = theano.function([x], T.tanh(T.dot(x, w)).sum(), updates=[(w, w * 0.999)], name='step')
data = numpy.ones((20, 50))
k = 0
while True:
    step(data)
    k += 1
    if k % 50 == 0:
        extra = theano.function([x], T.exp(x * k).sum(), name='extra%d' % k)
        extra(data)
"""


def worker_of(launcher):
    """The process below the launcher's keeper."""
    number = launcher.pid
    for _ in range(2):
        children = pathlib.Path(f"/proc/{number}/task/{number}/children").read_text().split()
        if not children:
            return None
        number = int(children[0])
    return number


KILLS = 100 if os.environ.get("CROTON_LONG_TESTS") else 10


def test_killed_workers_leave_sessions_that_open(croton, tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    moments = random.Random(7)
    for attempt in range(KILLS):
        session = tmp_path / f"killed{attempt}.croton"
        launcher = croton.start("profile", script, "-o", session)
        deadline = time.monotonic() + 30
        while not session.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.8))
        worker = worker_of(launcher)
        assert worker, launcher.communicate()
        os.kill(worker, signal.SIGKILL)
        _, errors = launcher.communicate(timeout=30)
        assert launcher.returncode == 128 + signal.SIGKILL
        assert "kill" in errors.lower(), errors
        done = croton("report", session, check=False)
        assert done.returncode == 0, done.stderr
        assert "cut off" in (done.stdout + done.stderr).lower()


def test_errors_are_one_sentence_with_the_place(croton, tmp_path):
    script = tmp_path / "wrong.py"
    script.write_text("import theano.tensor as T\nx = T.matrix('x')\ny = T.vector('y')\n"
                      "import theano\nf = theano.function([x], x + y)\n")
    done = croton("run", script, check=False)
    assert done.returncode == 1
    assert "wrong.py" in done.stderr and "line 5" in done.stderr
    assert "y" in done.stderr
    assert "croton/" not in done.stderr.replace(str(tmp_path), ""), "frames of the package are not the user's"

    for arguments in (["run", tmp_path / "absent.py"], ["report", tmp_path / "absent.croton"]):
        done = croton(*arguments, check=False)
        assert done.returncode in (1, 2)
        assert "absent" in done.stderr and len(done.stderr.strip().splitlines()) <= 2

    garbage = tmp_path / "garbage.croton"
    garbage.write_bytes(b"not a database" * 100)
    done = croton("report", garbage, check=False)
    assert done.returncode == 1 and "garbage.croton" in done.stderr


def test_devices_say_why_not(croton):
    done = croton("devices", "--json")
    devices = json.loads(done.stdout)
    text = json.dumps(devices)
    assert "cpu" in text
