"""Lines with what they call: a program of two files, one that calls itself, and SQL of the same."""
import json
import sqlite3

import pytest

LAYERS = """
import theano.tensor as T
def dense(x, w):
    return squash(T.dot(x, w))
def squash(x):
    return T.tanh(x)
"""
TRAIN = """
import numpy as np, theano, theano.tensor as T
from layers import dense
def build(x, w):
    h = dense(x, w)
    return dense(h, w) + 1
x, w = T.matrix('x'), theano.shared(np.ones((300, 300)), 'w')
y = build(x, w)
f = theano.function([x], [y, theano.grad(y.sum(), x)], mode=theano.Mode(linker='c', optimizer=OPTIMIZER))
for _ in range(5): f(np.ones((300, 300)))
"""
RECURSIVE = """
import numpy as np, theano, theano.tensor as T
def build(x, depth):
    if depth == 0: return x
    return T.sin(build(x, depth - 1)) + DEPTH
x = T.vector('x')
y = build(x, DEPTH)
theano.function([x], y, mode=theano.Mode(optimizer=None))(np.ones(1000))
"""


def line_of(text, part):
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def recorded(croton, folder, name="train", **texts):
    for file, text in texts.items():
        (folder / f"{file}.py").write_text(text)
    session = folder / "s.croton"
    croton("profile", folder / f"{name}.py", "-o", session, "--", cwd=folder)
    return session


def lines(croton, session, folder):
    """[own ns, ns with calls] by "file:line"."""
    rows = json.loads(croton("report", session, "--json").stdout)["lines"]
    return {f"{row['place']['file']}:{row['place']['line']}".replace(f"{folder}/", ""): (row["ns"], row["with_calls_ns"])
            for row in rows if row["place"]["line"]}


@pytest.fixture(params=["None", "'fast_run'"], ids=["as_written", "fused"])
def two_files(request, croton, tmp_path):
    text = TRAIN.replace("OPTIMIZER", request.param)
    return recorded(croton, tmp_path, train=text, layers=LAYERS), text


def test_a_line_has_the_time_of_what_it_calls(croton, two_files, tmp_path):
    session, text = two_files
    found = lines(croton, session, tmp_path)
    whole = found[f"train.py:{line_of(text, 'y = build')}"]
    first = found[f"train.py:{line_of(text, 'h = dense')}"]
    second = found[f"train.py:{line_of(text, 'return dense')}"]
    dot = found[f"layers.py:{line_of(LAYERS, 'T.dot')}"]
    tanh = found[f"layers.py:{line_of(LAYERS, 'T.tanh')}"]
    assert whole[0] == 0 and first[0] == 0, "they only call"
    assert dot[0] > 0 and tanh[0] > 0
    assert dot[1] >= dot[0] + tanh[0] - 2, "squash is called from there"
    assert first[1] > 0 and second[1] > second[0]
    # All that was made in build, forth and back, is beneath its call; the two calls of dense share it with the sum.
    assert abs(first[1] + second[1] - whole[1]) <= 4
    assert whole[1] <= sum(own for own, _ in found.values()) + len(found)


def test_sql_says_the_same(croton, two_files, tmp_path):
    session, _ = two_files
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as database:
        rows = database.execute("""SELECT c.file, c.line, sum(s.total_ns * c.own), sum(s.total_ns * c.with_calls)
            FROM apply_stats s JOIN functions f ON f.id = s.function AND f.graph = s.graph
            JOIN call_lines c ON c.graph = s.graph AND c.apply = s.apply GROUP BY 1, 2""").fetchall()
        assert database.execute("SELECT count(*) FROM variable_chains").fetchone()[0] > 0
    said = {f"{file}:{line}".replace(f"{tmp_path}/", ""): (own, beneath) for file, line, own, beneath in rows}
    counted = lines(croton, session, tmp_path)
    assert set(said) == set(counted)
    for place, (own, beneath) in counted.items():
        assert said[place] == pytest.approx((own, beneath), abs=2), place


def test_the_report_names_the_scripts_lines(croton, two_files, tmp_path):
    session, text = two_files
    report = croton("report", session, "--style", "summary").stdout
    block = report[report.index("Lines of the script, with what they call"):].split("\n\n")[0]
    assert "layers.py" not in block
    assert f"train.py:{line_of(text, 'y = build')}" in block.splitlines()[1], block
    assert "train.py" in report[report.index("\nLines\n"):report.index("Lines of the script")] or "'fast_run'" not in text
    csv = croton("export", session, "--csv", "--table", "lines").stdout
    assert csv.splitlines()[0].endswith("with_calls_percent,with_calls_ns")


@pytest.mark.parametrize("depth", [30, 400])
def test_a_line_that_calls_itself_counts_an_apply_once(croton, tmp_path, depth):
    text = RECURSIVE.replace("DEPTH", str(depth))
    session = recorded(croton, tmp_path, name="deep", deep=text)
    found = lines(croton, session, tmp_path)
    own = sum(ns for ns, _ in found.values())
    inner, outer = found[f"deep.py:{line_of(text, 'T.sin')}"], found[f"deep.py:{line_of(text, 'y = build')}"]
    assert inner == pytest.approx((own, own), abs=2)
    assert outer == pytest.approx((0, own), abs=2)
    with sqlite3.connect(session) as database:
        assert database.execute("SELECT count(*) FROM chains").fetchone()[0] <= 2 * depth + 10


def test_of_a_flat_script_the_report_stays_short(croton, tmp_path):
    session = recorded(croton, tmp_path, name="flat", flat="""
import numpy as np, theano, theano.tensor as T
x = T.vector('x')
theano.function([x], T.exp(x) + 1)(np.ones(10))
""")
    assert "Lines of the script" not in croton("report", session, "--style", "summary").stdout
    assert all(own == beneath for own, beneath in lines(croton, session, tmp_path).values())
