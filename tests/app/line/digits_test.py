"""`croton values` on captured calls of the samples: what it names are nodes and lines of the script."""
import json
import sqlite3

import pytest
from conftest import SOURCE


@pytest.fixture(scope="module")
def captured(croton, tmp_path_factory):
    def record(sample):
        path = tmp_path_factory.mktemp("captured") / (sample + ".croton")
        croton("profile", "--capture", SOURCE / "samples" / sample / (sample + ".py"), "-o", path)
        return path

    return {sample: record(sample) for sample in ("stable_log", "unstable_loss", "logistic_regression")}


def line_of(sample, part):
    lines = (SOURCE / "samples" / sample / (sample + ".py")).read_text().splitlines()
    return "%s.py:%d" % (sample, 1 + next(number for number, line in enumerate(lines) if part in line))


def test_stable_log_shows_what_stabilize_repaired(croton, captured):
    said = json.loads(croton("values", captured["stable_log"], "--function", "log_one_minus_sigmoid", "--json").stdout)
    born = said["original"]["born"]["inf"]
    assert born["op"] == "log" and born["lines"] == line_of("stable_log", "1 - 1 / (1 + T.exp(-x))")
    assert said["original"]["values"][-1]["lost"] > 15.9
    assert "inf" not in said["optimized"]["born"]
    # Of the seven points only -800 stays: what is right there, 3.7e-348, is smaller than any number of float64.
    written, compiled = (said[side]["values"][-1]["lostMean"] for side in ("original", "optimized"))
    assert compiled < 3 < 6 < written, (written, compiled)


def test_the_clipped_loss_is_named_with_its_line(croton, captured):
    said = json.loads(croton("values", captured["unstable_loss"], "--function", "clipped", "--json").stdout)
    for side in ("original", "optimized"):
        assert line_of("unstable_loss", "T.clip(probability, 0, 1)") in said[side]["born"]["inf"]["lines"], side


def test_values_are_kept_and_tied_to_nodes(croton, captured):
    path = captured["logistic_regression"]
    text = croton("values", path, "--function", "train").stdout
    assert text.startswith("Function train, call ")
    with sqlite3.connect(path) as session:
        for side in ("original", "optimized"):
            loose = session.execute("SELECT count(*) FROM call_values v LEFT JOIN graph_applies a ON a.graph = v.graph AND a.apply = v.apply AND "
                                    "a.in_%s WHERE v.side = ? AND v.apply IS NOT NULL AND a.apply IS NULL" % side, (side,)).fetchone()
            assert loose == (0,), side
        assert session.execute("SELECT count(*) > 10, sum(graph IS NULL) FROM call_values").fetchone() == (1, 0)


def test_a_script_is_recorded_for_it(croton):
    said = croton("values", SOURCE / "samples/stable_log/stable_log.py", "--function", "log_of_one_plus").stdout
    assert "As written" in said and "more than half of the digits are gone from log" in said


LOOP = """
import numpy, theano, theano.tensor as T
x = T.dvector('x')
ys, _ = theano.scan(lambda y: 3.75 * y * (1 - y), outputs_info=x, n_steps=40, name='steps')
f = theano.function([x], ys[-1] * 1, name='chaos')
f(numpy.array([0.3, 0.1]))
"""


def test_what_a_loop_loses_is_seen(croton, tmp_path):
    mpmath = pytest.importorskip("mpmath")
    script, path = tmp_path / "s.py", tmp_path / "s.croton"
    script.write_text(LOOP)
    croton("profile", "--capture", script, "-o", path)
    said = json.loads(croton("values", path, "--json").stdout)
    for side in ("original", "optimized"):
        row = said[side]["values"][-1]
        with mpmath.workdps(60):
            right = mpmath.mpf([0.3, 0.1][row["worst"]["element"]])
            for _ in range(40):
                right = mpmath.mpf(3.75) * right * (1 - right)
            assert row["worst"]["right"][:15] == mpmath.nstr(right, 20)[:15], (side, row)
            lost = float(mpmath.log10(abs(mpmath.mpf(row["worst"]["got"]) - right) / right)) + 53 * 0.30103
        assert abs(row["lost"] - lost) < 0.05 and row["lost"] > 3, (side, row)
        assert not any("loop" in note or "Scan" in note for note in said[side].get("notes", [])), said[side]["notes"]
