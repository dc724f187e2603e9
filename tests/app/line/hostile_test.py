"""A session and a script whose every text is hostile: nothing of it steers a terminal, a page, a picture or a spreadsheet."""

import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import BUILD

BAD = "\x1b[31m\x07\x08\x7f\u009b31m\r</title><script>BAD</script>\"'\\,;\ufffe"
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\r(?!\n)")
NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?$|[-+]?(nan|inf)$")
PLAIN = {"rows", "outputs", "arguments", "inputs", "origins", "array_key", "document"}  # JSON, and what names other rows

SCRIPT = f"""
import numpy, theano, theano.tensor as T
bad = {ascii(BAD)}
x = T.dmatrix("x" + bad)
w = theano.shared(numpy.ones((3, 3)), name="w" + bad)
loss = T.log(T.nnet.sigmoid(T.dot(x, w))).sum()
loss.name = "loss" + bad
train = theano.function([x], [loss, T.isinf(x).sum()], updates=[(w, w - .1 * T.grad(loss, w))], name="train" + bad)
for i in range(5):
    train(numpy.ones((4, 3)))
"""


def run(*words):
    return subprocess.run([str(BUILD / "bin" / "croton"), *words], capture_output=True, timeout=240)


def read(kind, text):
    if kind == "json":
        json.loads(text)
    elif kind == "xml":
        ElementTree.fromstring(text)
    elif kind == "dot":
        picture = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, check=True)
        ElementTree.fromstring(picture.stdout.decode())
    elif kind == "html":
        assert "<script>BAD" not in text
    elif kind == "csv":
        for cell in (cell for row in csv.reader(io.StringIO(text)) for cell in row):
            assert not cell.startswith(tuple("=+-@\t\r")) or NUMBER.match(cell), cell


def check(words, kind, status):
    """The exit status is one of those allowed, and the output is what it says it is."""
    done = run(*words)
    for stream in (done.stdout, done.stderr):
        steers = CONTROL.search(stream.decode())
        assert not steers, (words, stream.decode()[max(0, steers.start() - 60):steers.end()])
    assert done.returncode in status, (words, done.stderr)
    assert b"fault of croton" not in done.stderr, (words, done.stderr)
    if done.returncode == 0:
        read(kind, done.stdout.decode())


def commands(session, functions):
    has_dot = shutil.which("dot") is not None
    for style in ("lines", "theano", "profilemode", "summary"):
        yield ["report", session, "--style", style, "--optimizer", "--operands"], "text"
    for words in (["report", session], ["compare", session, session], ["export", session]):
        yield [*words, "--json"], "json"
    yield ["export", session, "--chrome-trace"], "json"
    yield ["export", session, "--html"], "html"
    yield ["compare", session, session], "text"
    for table in ("applies", "ops", "classes", "lines", "functions", "rewrites", "memory", "transfers"):
        yield ["export", session, "--csv", "--table", table], "csv"
    for question in ("applies(first)", 'busiest("rewrites", 3)'):
        yield ["lesson", "ask", session, question], "text"
    for function in functions:
        of = [session, "--function", function]
        for stage in ("original", "optimized", "1"):
            yield ["graph", *of, "--types", "--stage", stage], "text"
            yield ["graph", *of, "--format", "json", "--stage", stage], "json"
            if has_dot:
                yield ["graph", *of, "--all", "--format", "dot", "--stage", stage], "dot"
                yield ["graph", *of, "--all", "--format", "svg", "--stage", stage], "xml"
        yield ["passes", *of, "--steps"], "text"
        yield ["passes", *of, "--json"], "json"
        yield ["memory", *of], "text"
        yield ["memory", *of, "--json"], "json"


def complaints(session):
    yield ["snapshot", session, session + ".new", "--only", "nobody" + BAD]
    yield ["report", session, "--function", "nobody" + BAD]
    yield ["graph", session, "--function", "nobody" + BAD]
    yield ["graph", session, "--stage", "stage" + BAD]
    yield ["passes", session, "--why-not", "nobody" + BAD]
    yield ["report", session + BAD]
    yield ["expr", "x +" + BAD]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    script = folder / "script.py"
    script.write_text(SCRIPT)
    session = str(folder / "recorded.croton")
    done = run("profile", "--capture", str(script), "-o", session)
    assert done.returncode == 0, done.stderr
    return session


def test_names_of_a_script(recorded):
    for words, kind in commands(recorded, [""]):
        check([word for word in words if word not in ("", "--function")], kind, {0})
    for words in (["graph", recorded, "--kernels"], ["values", recorded], ["replay", recorded], ["bisect", recorded, "--until", "nan"]):
        check(words, "text", {0, 1})
    for words in (["values", recorded, "--json"], ["replay", recorded, "--json"]):
        check(words, "json", {0})
    for words in complaints(recorded):
        check(words, "text", {1, 2})


@pytest.mark.parametrize("front, back", [("", BAD), ("=1+", ""), ("@SUM(1)\r\n", "\n"), ("-2+", "\t"), ("+", "")])
def test_texts_of_a_session(recorded, tmp_path, front, back):
    session = str(tmp_path / "session.croton")
    shutil.copy(recorded, session)
    with sqlite3.connect(session) as database:
        tables = [name for name, in database.execute("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'")]
        for table in tables:
            for _, column, kind, *_ in database.execute(f"SELECT * FROM pragma_table_info('{table}')").fetchall():
                if kind == "TEXT" and column not in PLAIN and table != "meta":
                    database.execute(f"UPDATE OR IGNORE {table} SET {column} = ? || {column} || ?", (front, back))
        facts = ("label", "command", "directory", "host", "croton", "end_reason")
        database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(fact, front + fact + back) for fact in facts])
        function = database.execute("SELECT name FROM functions").fetchone()[0]
    database.close()
    for words, kind in commands(session, [function] if "\n" not in function and "\r" not in function else []):
        check(words, kind, {0, 1})
    for words in complaints(session):
        check(words, "text", {1, 2})
