"""What a person gets who profiles: reports at exit, options of `croton profile`, what a session holds, advice."""
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import pytest

from advice_programs import PROGRAMS, PROLOGUE
from conftest import BUILD, SOURCE

SAMPLE = SOURCE / "samples/logistic_regression/logistic_regression.py"


def query(session, sql, *arguments):
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as database:
        return database.execute(sql, arguments).fetchall()


def shares(report, title):
    block = report[report.rindex("\n" + title + "\n"):]
    block = block[:block.index("(remaining")]
    return [float(match.group(1)) for match in re.finditer(r"^ *([0-9.]+)% ", block, re.MULTILINE)]


STEPS = """
import numpy, theano, theano.tensor as T
x = T.matrix('x')
w = theano.shared(numpy.ones((5, 5)), name='w')
step = theano.function([x], T.tanh(T.dot(x, w)).sum(), updates=[(w, w * 0.999)], name='step')
data = numpy.ones((4, 5))
for k in range(%d):
    step(data)
"""


def written(folder, text, name="script.py"):
    path = folder / name
    path.write_text(text)
    return path


# --- reports at exit -----------------------------------------------------------------------------------------

def test_profile_flag_prints_the_report_at_exit(croton):
    done = croton("run", SAMPLE, env={"THEANO_FLAGS": "profile=True"})
    assert done.stdout.strip()
    for title in ("Class", "Ops", "Apply"):
        numbers = shares(done.stderr, title)
        assert abs(sum(numbers) - 100) < 0.06 * len(numbers), (title, numbers)
    assert "Function profiling\n==================\n  Message: " in done.stderr
    assert "Sum of all(2) printed profiles at exit excluding Scan op profile." in done.stderr
    counts = [int(n) for n in re.findall(r"Number of Apply nodes: (\d+)", done.stderr)]
    assert counts[-1] == sum(counts[:-1])


def test_memory_and_optimizer_are_added_on_request(croton, tmp_path):
    script = written(tmp_path, STEPS % 20)
    done = croton("run", script, env={"THEANO_FLAGS": "profile=True,profile_memory=True,profile_optimizer=True,profiling.destination=stdout"})
    assert "Max peak memory with current setting\n        CPU: " in done.stdout
    assert "Optimizer Profile" in done.stdout and "times - times applied - nb node created - name" in done.stdout
    assert "<Mflops> <Gflops/s>" in done.stdout and "input 0: dtype=float64, shape=" in done.stdout
    assert "Function profiling" not in done.stderr


FORKING = """
import multiprocessing, os, sys
import numpy, theano, theano.tensor as T
x = T.dvector('x')
step = theano.function([x], T.tanh(x).sum(), profile=True, name='step')
step(numpy.ones(4))
def work(k):
    return float(theano.function([x], (x * k).sum())(numpy.ones(2)) + step(numpy.zeros(4)))
with multiprocessing.get_context('fork').Pool(2) as pool:
    print(pool.map(work, range(4)))
worker = multiprocessing.get_context('fork').Process(target=lambda: theano.function([x], x.min(), profile=True, name='worker')(numpy.ones(4)))
worker.start()
worker.join()
child = os.fork()
if child == 0:
    step(numpy.ones(4))
    theano.function([x], x.max(), profile=True, name='own')(numpy.ones(4))
    sys.exit(3)
print('the child ended with', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
step(numpy.ones(4))
"""


def test_children_of_a_script_print_and_record_their_own(croton, tmp_path):
    script = written(tmp_path, FORKING)
    session = tmp_path / "forks.croton"
    folder = tmp_path / "temporary"
    folder.mkdir()
    for done in (croton("run", script, env={"TMPDIR": str(folder)}), croton("profile", script, "-o", session, env={"TMPDIR": str(folder)})):
        assert done.stdout.splitlines() == ["[0.0, 2.0, 4.0, 6.0]", "the child ended with 3"]
        reports = re.findall(r"  Message: (\w+) .*\n  Time in (\d+) calls", done.stderr)
        assert reports == [("worker", "1"), ("own", "1"), ("step", "2")], done.stderr
    assert not list(folder.iterdir())
    assert query(session, "SELECT name, calls FROM functions") == [("step", 2)]
    meta = dict(query(session, "SELECT key, value FROM meta"))
    assert (meta["state"], meta["exit_status"]) == ("finished", "0")


def test_profile_mode_prints_its_own_report(croton):
    done = croton("run", SAMPLE, env={"THEANO_FLAGS": "mode=ProfileMode,ProfileMode.profile_memory=True"})
    for part in ("Time since import", "Theano fct summary:", "Single Op-wise summary:", "Apply-wise summary:", "Max FAST_RUN_NO_GC (KB)",
                 "(*) Op is running a c implementation", "1001 Theano fct call"):
        assert part in done.stdout, part


def test_messages_shared_profiles_and_summaries(croton, tmp_path):
    script = written(tmp_path, """
import io, numpy, theano, theano.tensor as T
x = T.vector('x')
stats = theano.compile.ProfileStats(atexit_print=False, message='both')
f = theano.function([x], T.exp(x), profile=stats)
g = theano.function([x], T.log(x), profile=stats)
h = theano.function([x], x + 1, profile='the third one')
i = theano.function([x], x + 2, profile=False)
for k in range(3):
    f(numpy.ones(3)); g(numpy.ones(3)); h(numpy.ones(3)); i(numpy.ones(3))
out = io.StringIO()
stats.summary(out)
text = out.getvalue()
assert 'Message: both' in text and 'Time in 6 calls' in text, text
assert i.profile is None
h.profile.summary(out)
assert 'Message: the third one' in out.getvalue()
""")
    done = croton("run", script)
    assert "Message: the third one" in done.stderr
    assert "Message: both" not in done.stderr  # it was not asked to print at exit


@pytest.mark.parametrize("flags", ["", ",allow_gc=False", ",optimizer_excluding=inplace", ",optimizer_excluding=inplace:fusion,allow_gc=False"])
def test_planned_memory_is_what_was_measured(croton, tmp_path, flags):
    session = tmp_path / "s.croton"
    sample = (SOURCE / "samples" / "mlp" / "mlp.py").read_text().replace("range(10)", "range(1)").replace("20 * batch", "4 * batch")
    croton("profile", written(tmp_path, sample), "-o", session, env={"THEANO_FLAGS": "floatX=float32" + flags})
    text = croton("report", session, "--style", "theano").stdout
    arena, outside = map(int, re.search(r"planned: an arena of (\d+)KB, and at most (\d+)KB outside of it", text).groups())
    measured = int(re.search(r"Measured by the allocator, at most in one call: (\d+)KB", text).group(1))
    assert measured > 200 and abs(arena + outside - measured) <= 0.02 * measured, text
    assert "Theano's count" in text and "allow_gc=False: the same in a call" in text
    assert "Measured by the allocator, at most in one call: %dKB" % measured in croton("report", session, "--style", "profilemode").stdout


def test_several_stages_say_what_stays_without_gc(croton, tmp_path):
    session = tmp_path / "s.croton"
    script = written(tmp_path, "import numpy, theano, theano.tensor as T\nx = T.fvector('x')\n"
                               "f = theano.function([x], T.exp(x[(x > 0).nonzero()] * 2).sum() + T.tanh(x).sum())\n"
                               "for k in range(3): f(numpy.arange(100000, dtype='float32') % 7 - 3)\n")
    croton("profile", script, "-o", session)
    text = croton("report", session, "--style", "theano").stdout
    assert "what goes from stage to stage" in text and "allow_gc=False: the arenas and values of all stages stay until the call ends" in text, text


def test_the_recording_behind_a_report_leaves_nothing(croton, tmp_path):
    script = written(tmp_path, STEPS % 5)
    croton("run", script, env={"THEANO_FLAGS": "profile=True", "TMPDIR": str(tmp_path)})
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def test_a_session_prints_the_same_profile(croton, tmp_path):
    session = tmp_path / "s.croton"
    done = croton("profile", written(tmp_path, STEPS % 50), "-o", session, env={"THEANO_FLAGS": "profile=True"})
    from_session = croton("report", session).stdout
    pick = lambda text: re.findall(r"^.* (\d+) +(\d+) +(theano\.\S+|\S+)$", text[text.index("\nClass\n"):text.index("\nOps\n")], re.M)  # noqa: E731
    assert pick(done.stderr) == pick(from_session) != []


# --- options -------------------------------------------------------------------------------------------------

def test_repeat_and_warmup(croton, tmp_path):
    session = tmp_path / "s.croton"
    croton("profile", written(tmp_path, STEPS % 30), "-o", session, "--repeat", "3", "--warmup", "10", "--mode", "FAST_COMPILE")
    assert query(session, "select name, calls, warmup_calls from functions") == [("step", 30, 10)] * 3
    assert query(session, "select distinct steady, calls from apply_stats order by 1") == [(0, 10), (1, 20)]


def test_time_limit_ends_a_run_well(croton, tmp_path):
    session = tmp_path / "s.croton"
    begin = time.monotonic()
    done = croton("profile", written(tmp_path, STEPS % 10**9), "-o", session, "--time-limit", "1.5", timeout=60)
    assert time.monotonic() - begin < 40
    assert done.stderr.startswith(f"\nSession: {session}\nSlowest line: ")
    meta = dict(query(session, "select key, value from meta"))
    assert meta["state"] == "finished" and meta["exit_status"] == "0"
    assert "time limit" in query(session, "select text from messages")[-1][0]
    assert query(session, "select calls from functions")[0][0] > 0


def test_size_limit_is_stated_and_the_session_opens(croton, tmp_path):
    session = tmp_path / "s.croton"
    script = written(tmp_path, "print('x' * 3000000)\nimport time\ntime.sleep(0.5)\n" + STEPS % 2000)
    croton("profile", script, "-o", session, "--size-limit", "1")
    assert any("size limit" in text for text, in query(session, "select text from messages"))
    assert dict(query(session, "select what, reason from drops"))["events"] == "the session has reached its size limit"
    assert "2000 calls" in croton("report", session, "--style", "summary").stdout


def test_beyond_a_size_limit_what_functions_did_is_still_told(croton, tmp_path):
    session = tmp_path / "s.croton"
    script = written(tmp_path, "import numpy, theano, theano.tensor as T\nx = T.dvector('x')\nfor k in range(60):\n"
                               "    theano.function([x], T.tanh(x * k + 1).sum(), name='f%d' % k)(numpy.ones(4))\n    print('y' * 30000)\n")
    croton("profile", script, "-o", session, "--size-limit", "1")
    dropped = dict(query(session, "select what, count from drops"))
    assert dropped["declines"] > 0 and dropped["bytes of steps"] > 0, dropped
    assert "60 calls" in croton("report", session, "--style", "summary").stdout
    graphs = json.loads(croton("export", session, "--json").stdout)["graphs"]
    assert graphs[0]["optimized"] and len(graphs) == 60 and graphs[-1]["optimized"] is None
    assert "f59" in croton("export", session, "--html").stdout
    done = subprocess.run([str(BUILD / "bin" / "croton"), "graph", str(session), "--function", "f59"], capture_output=True, text=True)
    assert done.returncode == 1 and "were not kept: the session has reached its size limit" in done.stderr
    for name, kept in query(session, "select f.name, count(*) - 1 from functions f join steps s using (graph) group by 1 having count(*) <= f.step_count"):
        assert "%d of the" % kept in croton("graph", session, "--function", name).stderr


def test_ctrl_c_is_one_sentence(croton, tmp_path):
    session = tmp_path / "s.croton"
    process = subprocess.Popen([str(BUILD / "bin" / "croton"), "profile", str(written(tmp_path, STEPS % 10**9)), "-o", str(session)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if session.exists() and query(session, "select count(*) from functions where calls > 0")[0][0]:
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: launcher and worker
    _, errors = process.communicate(timeout=60)
    assert errors.strip().splitlines() == [f"croton: stopped; {session} keeps what was recorded until then"]
    assert dict(query(session, "select key, value from meta"))["end_reason"] == "stopped by Ctrl-C"


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.1])
def test_ctrl_c_while_the_worker_starts_is_one_sentence_too(tmp_path, delay):
    session = tmp_path / "s.croton"
    process = subprocess.Popen([str(BUILD / "bin" / "croton"), "profile", str(written(tmp_path, STEPS % 10**9)), "-o", str(session)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    launched = f"/proc/{process.pid}/task/{process.pid}/children"
    while not pathlib.Path(launched).read_text():
        time.sleep(0.001)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert errors == f"croton: stopped; {session} keeps what was recorded until then\n"
    assert dict(query(session, "select key, value from meta"))["end_reason"] == "stopped by Ctrl-C"


@pytest.mark.parametrize("ignored", [False, True], ids=["in the foreground", "in the background"])
def test_a_time_limit_ends_what_waits(croton, tmp_path, ignored):
    session = tmp_path / "s.croton"
    begin = time.monotonic()
    script = written(tmp_path, "import time, theano\ntime.sleep(60)\n")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if ignored else None  # as shells do with background jobs
    try:
        croton("profile", "--time-limit", "0.2", script, "-o", session)
    finally:
        if ignored:
            signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begin < 30
    assert any("time limit of 0.2 s" in text for text, in query(session, "select text from messages"))


# --- what a session holds ------------------------------------------------------------------------------------

def test_flags_are_there_from_the_start(croton, tmp_path):
    session = tmp_path / "s.croton"
    script = written(tmp_path, "import os, signal, time, theano\ntheano.config.floatX = 'float32'\ntime.sleep(0.6)\nos.kill(os.getpid(), signal.SIGKILL)\n")
    done = croton("profile", script, "-o", session, check=False, env={"THEANO_FLAGS": "floatX=float64,allow_gc=False"})
    assert done.returncode == 128 + signal.SIGKILL
    flags = {name: (value, origin) for name, value, origin in query(session, "select * from flags")}
    assert flags["allow_gc"] == ("False", "THEANO_FLAGS")
    whole = tmp_path / "whole.croton"
    croton("profile", written(tmp_path, "import theano\ntheano.config.floatX = 'float32'\n"), "-o", whole)
    flags = {name: (value, origin) for name, value, origin in query(whole, "select * from flags")}
    assert flags["floatX"] == ("float32", "script")


def test_what_garbage_collection_takes_is_kept(croton, tmp_path):
    session = tmp_path / "s.croton"
    croton("profile", written(tmp_path, """
import gc, numpy, theano, theano.tensor as T
gc.disable()
x = T.dvector('x')
f = theano.function([x], T.dot(T.exp(x), T.cumsum(x)), name='large')  # more in between than a function keeps for its next call
small = theano.function([x], T.dot(T.exp(x), T.cumsum(x)), name='small')
for k in range(3): f(numpy.ones(8 << 20))
for k in range(3): small(numpy.ones(8))
for k in range(5):
    nodes = [[] for n in range(1000)]
    for node in nodes: node.append(node)
    del node, nodes
    gc.collect()
gc.collect(0)
"""), "-o", session)
    collections = query(session, "SELECT name, count(*), sum(duration_ns) FROM events WHERE lane = 3 AND function IS NULL GROUP BY name")
    counts = {name: count for name, count, _ in collections}
    assert counts["generation 2"] >= 5 and counts["generation 0"] >= 1, counts
    meta = dict(query(session, "SELECT key, value FROM meta"))
    assert int(meta["collections"]) == sum(counts.values())
    assert int(meta["collection_ns"]) == sum(ns for _, _, ns in collections) > 0
    assert int(meta["collection_ns"]) < int(meta["duration_ns"])
    given = query(session, "SELECT e.bytes, e.start_ns >= c.start_ns, e.start_ns + e.duration_ns <= c.start_ns + c.duration_ns + 1000, f.name "
                           "FROM events e JOIN events c ON c.kind = 'call' AND c.function = e.function AND c.call = e.call "
                           "JOIN functions f ON f.id = e.function WHERE e.lane = 3")
    assert [row[1:] for row in given] == [(1, 1, "large")] * 3, given
    assert all(row[0] >= 64 << 20 for row in given)
    croton("profile", tmp_path / "script.py", "-o", session, env={"THEANO_FLAGS": "allow_gc=False"})
    assert query(session, "SELECT count(*) FROM events WHERE lane = 3 AND function IS NOT NULL") == [(0,)]


def test_sources_of_modules_and_kernels_are_kept(croton, tmp_path):
    written(tmp_path, "import theano.tensor as T\ndef act(x):\n    return T.tanh(x) * T.exp(-x ** 2) + 1\n", "layers.py")
    script = written(tmp_path, "import numpy, theano, theano.tensor as T, layers\nx = T.matrix('x')\n"
                               "f = theano.function([x], layers.act(x), name='f')\nfor k in range(20): f(numpy.ones((30, 30)))\n")
    session = tmp_path / "s.croton"
    croton("profile", script, "-o", session, env={"CROTON_COMPILE_WAIT": "1"})
    sources = dict(query(session, "select file, text from sources"))
    assert "return T.tanh(x)" in sources[str(tmp_path / "layers.py")]
    kernels = query(session, "select source, flags, symbol from kernels")
    if query(session, "select value from machine where name = 'compiler'")[0][0].startswith("none"):
        pytest.skip("there is no C compiler")
    assert kernels and kernels[0][0].startswith("void " + kernels[0][2])
    assert ("kernel",) in query(session, "select distinct runs from plan_items")
    assert ("compiled",) in query(session, "select distinct tier from apply_stats")


def test_devices_are_those_that_the_command_prints(croton, sample_session):
    printed = {one["name"]: one["available"] for one in json.loads(croton("devices", "--json").stdout)["devices"]}
    # What runs on the processor loads no driver to look for more.
    without_drivers = {name: yes for name, yes in printed.items() if name == "cpu"}
    assert {name: bool(yes) for name, yes in query(sample_session, "select name, available from devices")} == without_drivers


def test_planned_and_measured_memory_agree(sample_session):
    plans = query(sample_session, "select f.name, peak_bytes, measured_peak_bytes from plans p join functions f on f.id = p.function")
    assert plans
    for name, planned, measured in plans:
        if planned > 4096:  # below, alignment is a good part
            assert abs(measured - planned) <= 0.05 * planned + 512, (name, planned, measured)


def test_documented_questions(sample_session):
    """The questions of profiler/session/queries.md give rows that make sense on a real session."""
    questions = dict(re.findall(r"^\d+\. ([^:]+): `(SELECT .*;)`", (SOURCE / "profiler/session/queries.md").read_text(), re.M))
    assert len(questions) == 12
    answers = {name: query(sample_session, sql) for name, sql in questions.items()}
    for name, rows in answers.items():
        assert rows or "transfer" in name, name
    slowest = answers["slowest applies"]
    assert [row[-1] for row in slowest] == sorted((row[-1] for row in slowest), reverse=True)
    total = query(sample_session, "select sum(total_ns) * 1e-6 from apply_stats")[0][0]
    assert sum(row[-1] for row in answers["time per line"]) <= total * 1.001
    assert {tuple(row[:2]): row[2] for row in answers["time per line"]} == pytest.approx(
        {tuple(row[:2]): row[2] for row in answers["time per line with what it calls"] if row[2] > 0})
    assert any("logistic_regression.py" in str(row) for row in answers["their source lines"])


def test_long_runs_stay_small_and_open_fast(croton, tmp_path):
    text = SAMPLE.read_text()
    session = tmp_path / "s.croton"
    script = written(tmp_path, re.sub(r"\b1000\b", "10000", text))
    croton("profile", script, "-o", session, timeout=300)
    calls = dict(query(session, "select name, calls from functions"))
    assert max(calls.values()) == 10000
    assert session.stat().st_size <= 20_000_000
    begin = time.perf_counter()
    query(session, "select op, sum(total_ns) from apply_stats join graph_applies using (graph, apply) group by op order by 2 desc")
    print("10,000 steps: %.1f MB; the table of ops in %.1f ms" % (session.stat().st_size * 1e-6, 1e3 * (time.perf_counter() - begin)))
    dropped = dict(query(session, "select what, count from drops"))
    assert dropped["events"] > 0  # what was left out is stated


def test_checks_of_debugmode_are_kept(croton, tmp_path):
    session = tmp_path / "s.croton"
    croton("profile", written(tmp_path, STEPS % 3), "-o", session, "--mode", "DebugMode")
    assert query(session, "select kind, passed from checks") == [("order", 1), ("value", 1)]
    guarded = tmp_path / "g.croton"
    script = written(tmp_path, "import numpy, theano, theano.tensor as T\nx = T.vector('x')\nf = theano.function([x], T.log(x))\nf(numpy.array([-1.0]))\n")
    assert croton("profile", script, "-o", guarded, "--mode", "NanGuardMode", check=False).returncode == 1
    assert query(guarded, "select kind, passed from checks") == [("nan", 0)]
    assert "Check failed (nan): NaN detected" in croton("report", guarded, "--style", "summary").stdout


def test_kernels_are_printed_with_their_apply(croton, tmp_path):
    session = tmp_path / "s.croton"
    script = written(tmp_path, "import numpy, theano, theano.tensor as T\nx = T.matrix('x')\n"
                               "f = theano.function([x], T.tanh(x) * T.exp(-x ** 2) + 1, name='f')\nfor k in range(20): f(numpy.ones((30, 30)))\n")
    croton("profile", script, "-o", session, env={"CROTON_COMPILE_WAIT": "1"})
    if "no compiler" in croton("devices").stdout:
        pytest.skip("there is no C compiler")
    text = croton("graph", session, "--kernels").stdout
    assert "void croton_kernel_" in text and text.startswith("/* Elemwise{Composite{")


# --- compare and export --------------------------------------------------------------------------------------

def test_several_runs_are_compared_run_by_run(croton, tmp_path):
    script = written(tmp_path, STEPS % 300)
    for name in "ab":
        croton("profile", script, "-o", tmp_path / f"{name}.croton", "--runs", "6")
    assert sorted(path.name for path in tmp_path.glob("*.croton*")) == ["a.croton", "b.croton"]
    lanes = query(tmp_path / "a.croton", "select lane / 1000, count(*) from events where kind = 'apply' group by 1")
    assert len(lanes) == 6 and min(count for _, count in lanes) > 100
    assert query(tmp_path / "a.croton", "select value from meta where key = 'runs'") == [("6",)]
    result = json.loads(croton("compare", tmp_path / "a.croton", tmp_path / "b.croton", "--json").stdout)
    assert result["runs"] == 6
    assert "6 runs or more" in croton("compare", tmp_path / "a.croton", tmp_path / "b.croton").stdout
    assert "apply time" in croton("report", tmp_path / "a.croton").stdout  # further runs change no table
    assert max(calls for calls, in query(tmp_path / "a.croton", "select calls from functions")) == 300
    trace = json.loads(croton("export", tmp_path / "a.croton", "--chrome-trace").stdout)
    assert any("run 6" in str(event.get("args")) for event in trace["traceEvents"])


def test_devices_and_pipes_are_not_replaced(croton, tmp_path):
    pipe = tmp_path / "pipe.croton"
    os.mkfifo(pipe)
    done = croton("profile", written(tmp_path, "print(1)\n"), "-o", pipe, check=False)
    assert done.returncode == 1 and "is no ordinary file" in done.stderr and not done.stdout
    assert pipe.is_fifo()


def test_a_run_that_fails_ends_the_runs(croton, tmp_path):
    script = written(tmp_path, "import os, sys\nmark = %r\nif os.path.exists(mark): sys.exit(3)\nopen(mark, 'w')\n" % str(tmp_path / "mark"))
    done = croton("profile", script, "-o", tmp_path / "a.croton", "--runs", "3", check=False)
    assert done.returncode == 3
    assert sorted(path.name for path in tmp_path.glob("*.croton*")) == ["a.croton"]


OP_IN_C = """
import numpy, theano, theano.tensor as T
class Twice(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = 2 * inputs[0]
    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return '''
        Py_XDECREF(%s);
        %s = (PyArrayObject*) PyArray_NewCopy(%s, NPY_ANYORDER);
        if (!%s) %s
        for (npy_intp i = 0; i < PyArray_SIZE(%s); ++i) ((double*) PyArray_DATA(%s))[i] *= 2;
        ''' % (z, z, x, z, sub["fail"], z, z)
x = T.dvector("x")
f = theano.function([x], Twice()(x))
for _ in range(20):
    f(numpy.ones(200000))
"""


@pytest.mark.parametrize("linker, kind, runs", [("cvm", "C", "kernel"), ("py", "Py", "python")])
def test_an_op_of_a_script_runs_as_what_it_is_said_to(croton, tmp_path, linker, kind, runs):
    script, session = tmp_path / "twice.py", tmp_path / "twice.croton"
    script.write_text(OP_IN_C)
    croton("profile", script, "-o", session, env={"THEANO_FLAGS": "linker=" + linker})
    with sqlite3.connect(session) as database:
        assert database.execute("SELECT implementation FROM graph_applies WHERE op LIKE 'Twice%'").fetchall() == [(kind,)]
        assert database.execute("SELECT DISTINCT p.runs FROM plan_items p JOIN graph_applies a USING (graph, apply) "
                                "WHERE a.op LIKE 'Twice%'").fetchall() == [(runs,)]
    advice = json.loads(croton("report", session, "--json").stdout)["advice"]
    assert any("without compiled code" in one["text"] for one in advice) == (kind == "Py")


def test_compare_two_runs(croton, tmp_path):
    slow = STEPS.replace("T.tanh(T.dot(x, w))", "(T.tanh(T.dot(x, w)) ** 2.5)") % 2000
    for name, text in (("a", STEPS % 2000), ("b", slow)):
        croton("profile", written(tmp_path, text, "script.py"), "-o", tmp_path / f"{name}.croton")
    result = json.loads(croton("compare", tmp_path / "a.croton", tmp_path / "b.croton", "--json").stdout)
    assert result["functions"][0]["a"]["calls"] == result["functions"][0]["b"]["calls"] == 2000
    assert all(row["a"] or row["b"] for row in result["applies"])
    assert sum(bool(row["a"] and row["b"]) for row in result["applies"]) >= 2


def test_exports_of_a_real_session(croton, sample_session, tmp_path):
    trace = json.loads(croton("export", sample_session, "--chrome-trace").stdout)
    kinds = {event.get("cat") for event in trace["traceEvents"]}
    assert {"call", "apply"} <= kinds
    page = tmp_path / "page.html"
    croton("export", sample_session, "--html", "-o", page)
    assert page.read_text().count("<svg") == 4 or "Graphviz" in croton("devices").stdout


# --- advice --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("advice", PROGRAMS)
def test_advice_speaks_and_stays_silent(croton, tmp_path, advice):
    def said(program):
        text, flags = program
        session = tmp_path / "s.croton"
        croton("profile", written(tmp_path, PROLOGUE + text + "\n"), "-o", session, *(["--flags", flags] if flags else []))
        report = json.loads(croton("report", session, "--json").stdout)
        return [one for one in report["advice"] if one["id"] == advice.split()[0]]

    def is_silent(program, of):
        said_of_it = None
        for _ in range(3):  # times of a busy machine say a thing once, not each time
            said_of_it = [one for one in said(program) if of(one)]
            if not said_of_it:
                return True
        raise AssertionError(said_of_it)

    told = said(PROGRAMS[advice][0]) or said(PROGRAMS[advice][0])
    assert told, "it says nothing"
    assert told[0]["evidence"] and len(told[0]["evidence"]) < 400
    marked = [k for k, line in enumerate((PROLOGUE + PROGRAMS[advice][0][0]).splitlines(), 1) if line.endswith("#!")]
    assert told[0]["place"]["line"] in marked or not marked
    assert is_silent(PROGRAMS[advice][1], lambda one: True)
    assert len(PROGRAMS[advice]) == 2 or is_silent(PROGRAMS[advice][-1], lambda one: one["text"] == told[0]["text"])


def test_a_session_knows_where_its_script_lies(croton, tmp_path, monkeypatch):
    (tmp_path / "tiny.py").write_text("import theano\n")
    monkeypatch.chdir(tmp_path)
    croton("profile", "tiny.py", "-o", "tiny.croton")
    with sqlite3.connect("tiny.croton") as database:
        meta = dict(database.execute("select key, value from meta"))
    assert meta["directory"] == str(tmp_path)
    assert meta["croton"] == croton("--version").stdout.split()[1]
