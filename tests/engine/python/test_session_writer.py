"""A session written by hand, as other compilers' people would, is read like one of ours."""
import pathlib
import subprocess
import sys

import pytest

from croton.session import SessionError, Writer

CROTON = pathlib.Path(sys.modules["croton"].__file__).parents[2] / "bin" / "croton"


def croton(*words):
    return subprocess.run([str(CROTON), *map(str, words)], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def graph(tmp_path):
    with Writer(tmp_path / "other.croton", producer="other") as session:
        yield session.function("f").graph


def test_session_written_by_hand(tmp_path):
    path = tmp_path / "model.croton"
    with Writer(path, producer="my compiler", version="1.0", script="model.py", text="x\ny = exp(x)\nz = log(y)\nreturn -z\n") as session:
        session.rewrite("log_of_exp", phase="canonicalize", why="log undoes exp", file="model.py", line=3)
        session.lane(0, "main")
        function = session.function("f", mode="BEST", file="model.py", line=4)
        graph = function.graph
        x = graph.variable("input", "float64[?]", dtype="float64", shape="(?,)", name="x")
        exp = graph.apply("exp", [x], ["float64[?]"], role="elementwise", lines=[("model.py", 2, "f")])
        log = graph.apply("log", exp.outputs, ["float64[?]"], role="elementwise", lines=[("model.py", 3, "f")])
        neg = graph.apply("neg", log.outputs, ["float64[?]"], role="elementwise", lines=[("model.py", 4, "f")])
        graph.outputs(neg.outputs)
        with graph.step("log_of_exp", phase="canonicalize", reason="log undoes exp", ns=700):
            graph.set_input(neg, 0, x)
            graph.prune(exp)
            graph.prune(log)
        graph.passed("canonicalize", phase="canonicalize", ns=1000)
        function.inputs([(x, "x", "float64[?]", "input")])
        function.finish(order=[neg])
        function.times({neg: (10, 5000)})
        function.about(calls=10, call_ns=9000, vm_ns=6000, thunk_ns=5000)
        function.why_not({neg: {"fuse": "it stands alone"}})
        session.event(0, "call", 100, 900, function=function)
    assert "exp" in croton("graph", path, "--stage", "original")
    assert croton("graph", path).split() == "neg [id A] 0 |x [id B]".split()
    passes = croton("passes", path)
    assert "3 -> 1 apply" in passes and "log_of_exp" in passes and "log undoes exp" in passes
    report = croton("report", path)
    assert "model.py:4" in report and "10 calls" in report


def test_merges_hand_over_lines_and_origins(tmp_path):
    path = tmp_path / "merge.croton"
    with Writer(path, producer="my compiler") as session:
        function = session.function("f")
        graph = function.graph
        x = graph.variable("input", "float64[?]", name="x")
        one, other = (graph.apply("exp", [x], ["float64[?]"], lines=[("model.py", line, "f")]) for line in (2, 3))
        both = graph.apply("add", [*one.outputs, *other.outputs], ["float64[?]"], lines=[("model.py", 4, "f")])
        graph.outputs(both.outputs)
        with graph.step("merge", phase="merge", became=[(other, "merged", one)]):
            graph.set_input(both, 1, one.outputs[0])
            graph.prune(other)
        function.finish()
        function.times({one: (2, 1000), both: (2, 1000)})
        function.about(calls=2, call_ns=2000, thunk_ns=2000)
    lines = croton("report", path)
    assert "model.py:2" in lines and "model.py:3" in lines  # the time of one exp is both lines'


def test_constants_that_nothing_reads_leave(graph):
    two = graph.variable("constant", "int64", value="2")
    pow_ = graph.apply("pow", [graph.variable("input", "float64[?]", name="x"), two], ["float64[?]"])
    graph.outputs(pow_.outputs)
    with graph.step("drop"):
        graph.set_input(pow_, 1, graph.variable("constant", "int64", value="3"))
    assert not graph.has(two)


@pytest.mark.parametrize("wrong, sentence", [
    (lambda graph, apply: graph.apply("exp", [99], ["float64[?]"]), "variable 99 was never added"),
    (lambda graph, apply: graph.set_input(apply, 0, 0), "outside of a step"),
    (lambda graph, apply: graph.variable("inptu", "float64"), "the kind of a variable is \"inptu\""),
    (lambda graph, apply: graph.apply("exp", [0], ["float64[?]"], views=[(1, 0)]), "there is no such pair"),
    (lambda graph, apply: graph.apply("exp", [0], ["float64[?]"], role="great"), "the role \"great\""),
    (lambda graph, apply: graph.set_output(5, 0), "output 5"),
    (lambda graph, apply: graph.finish(order=[apply, apply]), "does not name each of its applies once"),
])
def test_what_does_not_fit_is_refused(graph, wrong, sentence):
    x = graph.variable("input", "float64[?]", name="x")
    apply = graph.apply("exp", [x], ["float64[?]"])
    graph.outputs(apply.outputs)
    with pytest.raises(SessionError, match=sentence):
        wrong(graph, apply)


def test_apply_that_is_read_cannot_leave(graph):
    x = graph.variable("input", "float64[?]", name="x")
    exp = graph.apply("exp", [x], ["float64[?]"])
    graph.outputs(graph.apply("log", exp.outputs, ["float64[?]"]).outputs)
    with pytest.raises(SessionError, match="another still reads it"), graph.step("wrong"):
        graph.prune(exp)


def test_nothing_is_written_after_the_end(tmp_path):
    session = Writer(tmp_path / "ended.croton", producer="my compiler")
    graph = session.function("f").graph
    session.finish()
    with pytest.raises(SessionError, match="has ended"):
        graph.variable("input", "float64[?]")


def test_no_recording_to_write_into():
    with pytest.raises(SessionError, match="no session is being recorded"):
        Writer(None, producer="my compiler")
