"""What is tried after a recording, with other flags or without a rewrite, and stays in its session."""
import json
import os
import sqlite3
import subprocess

import pytest

from conftest import BUILD

SCRIPT = """
import numpy
import theano
import theano.tensor as T

x = T.matrix("x")
h = x
for layer in range(4):
    h = T.tanh(T.dot(h, h)) * T.exp(-h ** 2)
train = theano.function([x], T.grad(h.sum(), x), name="train")
for call in range(20):
    train(numpy.ones((64, 64), theano.config.floatX) / 64)
"""


@pytest.fixture
def session(croton, tmp_path):
    (tmp_path / "model.py").write_text(SCRIPT)
    croton("profile", "--capture", tmp_path / "model.py", "-o", tmp_path / "s.croton")
    return tmp_path / "s.croton"


def rows(session, query):
    with sqlite3.connect(session) as database:
        return database.execute(query).fetchall()


def test_runs_verify_the_memory_of_a_session_and_stay_in_it(croton, session):
    told = croton("memory", session, "--function", "train", "--verify", "--json")
    assert "running with memory_budget=least" in told.stderr
    later = json.loads(croton("memory", session, "--function", "train", "--json").stdout)  # nothing runs now
    assert later == json.loads(told.stdout)
    lines = [line for line in later[0]["alternatives"] if line["flags"] and line["name"] != "float32 for float64"]
    assert len(lines) >= 4
    for line in lines:
        assert abs(line["predicted_bytes"] - line["measured_bytes"]) <= 0.05 * line["measured_bytes"], line
    assert len(rows(session, "SELECT * FROM verified_runs WHERE peak_bytes > 0 AND ns > 0")) >= len(lines)


def test_a_run_verifies_a_budget(croton, session):
    lines = json.loads(croton("memory", session, "--function", "train", "--json").stdout)[0]["alternatives"]
    budget = (lines[0]["predicted_bytes"] + lines[-1]["predicted_bytes"]) // 2
    assert lines[-1]["predicted_bytes"] < budget < lines[0]["predicted_bytes"]
    text = croton("memory", session, "--function", "train", "--budget", budget, "--verify").stdout
    assert "a run with it took" in text
    assert [bytes_ for bytes_, in rows(session, f"SELECT peak_bytes FROM verified_runs WHERE flags='memory_budget={budget}'")
            if 0 < bytes_ <= budget]


def test_what_a_whatif_verified_stays_in_the_session(croton, session):
    croton("whatif", session, "--function", "train", "--threads", 1, "--verify")
    (flags, ns), = rows(session, "SELECT flags, ns FROM verified_runs")
    assert flags == "threads=1"
    said = json.loads(croton("whatif", session, "--function", "train", "--threads", 1, "--json").stdout)
    assert said["verifiedNs"] == pytest.approx(ns)


def test_without_its_script_nothing_can_be_verified(croton, session):
    os.rename(session.parent / "model.py", session.parent / "elsewhere.py")
    done = croton("memory", session, "--function", "train", "--budget", "1KB", "--verify", check=False)
    assert done.returncode == 1 and "the script of this session is not here" in done.stderr
    assert rows(session, "SELECT count(*) FROM verified_runs") == [(0,)]


def test_a_replay_is_recorded_without_a_rewrite(croton, session, tmp_path):
    out = tmp_path / "without.croton"
    croton("replay", session, "--function", "train", "--exclude", "fusion", "-o", out)
    with_it, = rows(session, "SELECT applies_optimized FROM functions WHERE name='train'")
    (name, applies, calls), = rows(out, "SELECT name, applies_optimized, calls FROM functions")
    assert name == "train" and calls > 0 and applies > with_it[0]
    assert not rows(out, "SELECT * FROM steps WHERE phase='fusion'")


def test_a_program_is_told_how_far_it_is(croton, session):
    reading, writing = os.pipe()
    with os.fdopen(reading) as events:
        done = subprocess.run([BUILD / "bin" / "croton", "ablate", session, "--function", "train", "--by", "pass", "--seconds", "5",
                               "--events-fd", str(writing)], pass_fds=[writing], capture_output=True, text=True)
        os.close(writing)
        assert done.returncode == 0, done.stderr
        told = [json.loads(line) for line in events]
    assert all(line["event"] == "progress" and 0 <= line.get("done", 0) <= line.get("total", 1) for line in told)
    assert any("done" in line for line in told)
    assert any("fusion" in line["text"] for line in told)
    assert croton("ablate", session, "--events-fd", "77", check=False).returncode == 2
