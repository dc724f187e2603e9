"""The first answer that a person gets: `croton profile own.py`, and nothing else to read."""
import re
import shlex
import subprocess

from conftest import BUILD

# The slow line is one that no other test or document shows: a user op in Python among fast ones.
OWN = """
import numpy
import theano
import theano.tensor as T


class Clip(theano.Op):
    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [T.as_tensor_variable(x)], [T.fmatrix()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.array([[min(max(v, -1), 1) for v in row] for row in inputs[0]], dtype='float32')


x = T.fmatrix("x")
scaled = 3 * x + 1
f = theano.function([x], Clip()(scaled).sum(axis=0), name="clipped")
for k in range(20):
    f(numpy.ones((40, 30), dtype="float32"))
print("the script's own words")
"""


def test_profile_ends_with_the_slowest_line_and_what_to_run_next(croton, tmp_path):
    folder = tmp_path / "it's mine"
    folder.mkdir()
    (folder / "own.py").write_text(OWN)
    done = croton("profile", "own.py", cwd=folder)
    assert done.stdout == "the script's own words\n", "stdout is the script's alone"
    said = done.stderr.splitlines()
    assert "Session: own.croton" in said, done.stderr
    slowest, = [line for line in said if line.startswith("Slowest line: ")]
    assert re.match(r"Slowest line: own\.py:\d+, [0-9.]+% of the time in ops \(.* in 20 calls, mean .*; the host's clock\)$", slowest), slowest
    number = int(re.search(r"own\.py:(\d+)", slowest).group(1))
    assert said[said.index(slowest) + 1].strip() == OWN.splitlines()[number - 1].strip(), "its text stands below"
    assert "ops: Clip (Python) 9" in done.stderr or "ops: Clip (Python) 100%" in done.stderr, done.stderr
    assert any(line.startswith("Tip: ") and "compiled code" in line for line in said), done.stderr
    report, studio = [line.strip() for line in said[said.index("Next:") + 1:]]
    assert shlex.split(report)[1:] == ["report", "own.croton"] and shlex.split(studio)[0] == str(BUILD / "bin" / "croton-studio")
    pasted = subprocess.run(["sh", "-c", report], cwd=folder, capture_output=True, text=True)
    assert pasted.returncode == 0 and slowest.split(",")[0].split(": ")[1] in pasted.stdout, pasted.stderr


def test_next_commands_are_quoted(croton, tmp_path):
    folder = tmp_path / "it's mine"
    folder.mkdir()
    (folder / "own.py").write_text(OWN)
    done = croton("profile", folder / "own.py", "-o", folder / "a b.croton")
    for line in done.stderr.splitlines()[-2:]:
        assert shlex.split(line)[-1] == str(folder / "a b.croton"), line


def test_quiet_says_nothing(croton, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    assert croton("profile", "--quiet", "own.py", cwd=tmp_path).stderr == ""
    assert "--quiet" not in croton("report", "--json", "own.croton", cwd=tmp_path).stdout, "it is not part of the recorded command"


def test_a_script_that_fails_keeps_its_traceback_and_names_the_session(croton, tmp_path):
    (tmp_path / "own.py").write_text(OWN + "raise ValueError('of the script')\n")
    done = croton("profile", "own.py", cwd=tmp_path, check=False)
    assert done.returncode == 1 and done.stderr.index("ValueError: of the script") < done.stderr.index("Session: own.croton")
    assert "Slowest line" not in done.stderr


def test_a_script_without_calls_has_no_slow_line(croton, tmp_path):
    (tmp_path / "own.py").write_text("import theano\nprint(1)\n")
    done = croton("profile", "own.py", cwd=tmp_path)
    assert done.stdout == "1\n" and "Session: own.croton" in done.stderr and "Slowest line" not in done.stderr


def test_a_stopped_run_still_says_what_was_slow(croton, tmp_path):
    (tmp_path / "own.py").write_text(OWN + "while True:\n    f(numpy.ones((4, 3), dtype='float32'))\n")
    done = croton("profile", "--time-limit", "1", "own.py", cwd=tmp_path, check=False)
    assert "Slowest line: own.py:" in done.stderr, done.stderr


def test_the_report_begins_with_the_same_line(croton, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    done = croton("profile", "own.py", cwd=tmp_path)
    place = re.search(r"Slowest line: (own\.py:\d+)", done.stderr).group(1)
    report = croton("report", "own.croton", cwd=tmp_path).stdout
    head = report[:report.index("Function profiling")]
    rows = re.findall(r"^ +[0-9.]+% .* a call +20 calls  (\S+)", head, re.M)
    assert rows[0] == place, head
    assert "tip: " in head and "Tips (test them" in head and "Clip (Python)" in head
    theano = croton("report", "--style", "theano", "own.croton", cwd=tmp_path).stdout
    assert theano.startswith("Function profiling\n") and theano.rstrip().splitlines()[-1].startswith("    "), theano


def test_a_run_that_died_before_its_first_call_is_not_compared(croton, tmp_path):
    text = OWN.replace("for k in range(20)", "import sys\nif len(sys.argv) > 1:\n    raise ValueError('too early')\nfor k in range(20)")
    (tmp_path / "own.py").write_text(text)
    croton("profile", "own.py", "-o", "a.croton", cwd=tmp_path)
    croton("profile", "own.py", "-o", "b.croton", "--", "early", cwd=tmp_path, check=False)
    for left, right in (("a.croton", "b.croton"), ("b.croton", "a.croton")):
        done = croton("compare", left, right, cwd=tmp_path, check=False)
        assert done.returncode == 1 and "%" not in done.stdout, done.stdout
        assert done.stderr.startswith("croton: b.croton has no call of a function") and "ValueError: too early" in done.stderr, done.stderr
    assert croton("compare", "a.croton", "a.croton", cwd=tmp_path).returncode == 0
    report = croton("report", "b.croton", cwd=tmp_path).stdout
    assert report.startswith("The script ended with status 1: ValueError: too early") and "No compiled function was called" in report
    summary = croton("report", "--style", "summary", "b.croton", cwd=tmp_path).stdout
    assert "0.00 ns" not in summary and "0.0%" not in summary, summary
