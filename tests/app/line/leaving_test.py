"""Nothing is waited for at the end, nothing stays behind: compilers at work, signals, launchers that are killed."""
import contextlib
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from conftest import BUILD

CROTON = str(BUILD / "bin" / "croton")

# Leaves while its kernel is being compiled, if there is a compiler.
LEAVING = """
import os, signal, sys, time
import numpy, theano, theano.tensor as T
x = T.dmatrix('x')
f = theano.function([x], (T.tanh(x) * 2 + x / (x * x + 1)).sum(axis=0), name='f')
while %(compiler)r and not os.path.exists(%(begun)r):
    f(numpy.ones((50, 50)))
print('%%.6f' %% time.monotonic(), flush=True)
%(way)s
"""
WAYS = {
    "the end": "",
    "an exception": "raise ValueError('of the script')",
    "sys.exit": "sys.exit(3)",
    "os._exit": "os._exit(3)",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(60)",
    "Ctrl-C": "os.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)",
}
# Sleeps, says that it has slept, and then compiles.
COMPILER = """#!/bin/sh
[ "$1" = --version ] && { echo 'gcc (that sleeps)'; exit 0; }
touch %s
sleep %s
touch %s
exec gcc "$@"
"""


def query(session, sql):
    with contextlib.closing(sqlite3.connect(f"file:{session}?mode=ro", uri=True)) as database:  # a reader would keep its -wal
        return database.execute(sql).fetchall()


def meta(session):
    return dict(query(session, "select key, value from meta"))


def written(path, text, mode=0o600):
    path.write_text(text)
    path.chmod(mode)
    return path


def until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return False


def processes_with(text):
    """Numbers of the living processes in whose command lines it stands."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                if text.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                pass
    return found


class Leaving:
    def __init__(self, folder):
        self.folder = folder
        self.cache = folder / "cache"
        self.session = folder / "s.croton"

    def run(self, launcher, way, compiler_sleeps):
        """Seconds from the moment of leaving until the process and whoever holds its output have gone."""
        begun = self.folder / "begun"
        begun.unlink(missing_ok=True)
        script = written(self.folder / "script.py", LEAVING % {"compiler": compiler_sleeps is not None, "begun": str(begun), "way": WAYS[way]})
        compiler = ""
        if compiler_sleeps is not None:
            compiler = str(written(self.folder / "compiler", COMPILER % (begun, compiler_sleeps, self.folder / "slept"), 0o700))
        words = {"python": [sys.executable, str(script)], "croton run": [CROTON, "run", str(script)],
                 "croton profile": [CROTON, "profile", str(script), "-o", str(self.session)]}[launcher]
        environment = dict(os.environ, CROTON_CC=compiler, CROTON_CACHE_DIR=str(self.cache), PYTHONPATH=str(BUILD / "python"),
                           TMPDIR=str(self.folder / "tmp"))
        (self.folder / "tmp").mkdir(exist_ok=True)
        self.done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=120)
        return time.monotonic() - float(self.done.stdout.split()[0])


def ends_compilers(folder):
    for number in processes_with(str(folder)):  # they would end by themselves, but later
        os.kill(number, signal.SIGKILL)


@pytest.mark.timing
@pytest.mark.parametrize("launcher", ["python", "croton run", "croton profile"])
def test_leaving_takes_no_longer_with_a_compiler_at_work(tmp_path, launcher, bound):
    leaving = Leaving(tmp_path)
    try:
        without = min(leaving.run(launcher, "the end", None) for _ in range(3))
        waited = min(leaving.run(launcher, "the end", 30) for _ in range(3))
        what = "%s: leaving takes %.0f ms, %.0f ms with a compiler at work" % (launcher, without * 1e3, waited * 1e3)
        print(what)
        bound(waited < 1.5 * without + 0.2, what)
    finally:
        ends_compilers(tmp_path)


@pytest.mark.parametrize("launcher, way", [(launcher, way) for launcher in ("python", "croton profile") for way in WAYS] + [("croton run", "the end")])
def test_leaving_does_not_wait_for_a_compiler(tmp_path, launcher, way):
    leaving = Leaving(tmp_path)
    try:
        leaving.run(launcher, way, None)
        expected = leaving.done.returncode
        leaving.run(launcher, way, 30)
        assert leaving.done.returncode == expected
        assert not (tmp_path / "slept").exists()  # the compiler is still at it
        if launcher == "croton profile" and way != "os._exit":
            facts = meta(leaving.session)
            assert facts["state"] == "finished"
            assert facts["end_reason"] == {"the end": "", "sys.exit": "", "an exception": "ValueError: of the script",
                                           "SIGTERM": "terminated by SIGTERM", "Ctrl-C": "stopped by Ctrl-C"}[way]
    finally:
        ends_compilers(tmp_path)


@pytest.mark.parametrize("way", ["the end", "os._exit"])
def test_a_compile_that_was_left_is_finished_for_the_next_run(tmp_path, way):
    leaving = Leaving(tmp_path)
    leaving.run("python", way, 1)
    assert until(lambda: not processes_with(str(tmp_path)))
    kept = [path.suffix for path in (leaving.cache / "kernels").iterdir()]
    assert kept.count(".so") == 1 and ".tmp" not in kept
    assert list((tmp_path / "tmp").iterdir()) == []


# --- signals --------------------------------------------------------------------------------------------------

WORKING = """
import numpy, os, sys, theano, theano.tensor as T
x = T.dvector('x')
f = theano.function([x], (x * x).sum(), name='f')
print(os.getpid(), flush=True)
try:
    while True:
        f(numpy.ones(5))
finally:
    print('left', flush=True)
"""


def profiling(tmp_path, text, **how):
    session = tmp_path / "s.croton"
    process = subprocess.Popen([CROTON, "profile", str(written(tmp_path / "working.py", text)), "-o", str(session)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)
    worker = int(process.stdout.readline())
    assert until(lambda: session.exists() and query(session, "select count(*) from functions where calls > 0")[0][0])
    return process, worker, session


@pytest.mark.parametrize("ignored", [False, True], ids=["in the foreground", "in the background"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_recording_by_its_name(tmp_path, number, ignored):
    # Shells have their background jobs ignore Ctrl-C.
    process, _, session = profiling(tmp_path, WORKING, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN) if ignored else None)
    process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert out == "left\n"
    assert errors == f"croton: terminated by {number.name}; {session} keeps what was recorded until then\n"
    facts = meta(session)
    assert (facts["state"], facts["exit_status"], facts["end_reason"]) == ("finished", str(128 + number), f"terminated by {number.name}")
    assert not pathlib.Path(f"{session}-wal").exists()


def test_a_script_that_takes_sigterm_itself_is_left_to(tmp_path):
    process, _, session = profiling(tmp_path, "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(9))\n" + WORKING)
    process.terminate()
    out, errors = process.communicate(timeout=60)
    assert out == "left\n" and errors.startswith(f"\nSession: {session}\nNext:\n")
    assert process.returncode == 9
    assert meta(session)["exit_status"] == "9"


# In short sleeps: Python does not notice a signal that comes just before it begins to sleep.
CLEANING_UP = """
import os, time, theano
try:
    print(os.getpid(), flush=True)
    for _ in range(6000):
        time.sleep(0.01)
finally:
    time.sleep(1)
    print('cleaned up', flush=True)
"""


@pytest.mark.parametrize("command", ["run", "profile"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_whole_group_comes_once(tmp_path, command, number):
    if command == "run" and number != signal.SIGINT:
        pytest.skip("ends the worker at once: there is no recording to close")
    session = tmp_path / "s.croton"
    process = subprocess.Popen([CROTON, command, str(written(tmp_path / "s.py", CLEANING_UP))] + ["-o", str(session)] * (command == "profile"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    process.stdout.readline()
    os.killpg(process.pid, number)
    out, errors = process.communicate(timeout=60)
    assert (out, process.returncode) == ("cleaned up\n", 128 + number), errors
    assert len(errors.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_the_recording_is_closed_gives_its_status(tmp_path, number):
    script = written(tmp_path / "s.py", "import signal, sys, threading, theano\nstream = sys.stdout\nclass Last:\n    def flush(self):\n        sys.stdout = stream\n"
                                        f"        signal.pthread_kill(threading.main_thread().ident, {int(number)})\nsys.stdout = Last()\n")
    done = subprocess.run([CROTON, "profile", str(script), "-o", str(tmp_path / "s.croton")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 128 + number, done.stderr
    assert meta(tmp_path / "s.croton")["state"] == "finished"


def test_processes_of_a_script_end_by_sigterm_as_ever(tmp_path):
    script = written(tmp_path / "s.py", "import multiprocessing, time, theano\nchild = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\n"
                                        "child.start()\nchild.terminate()\nchild.join()\nprint(child.exitcode)\n")
    done = subprocess.run([CROTON, "profile", str(script), "-o", str(tmp_path / "s.croton")], capture_output=True, text=True, timeout=60)
    assert done.stdout == "-15\n"


# --- who is killed --------------------------------------------------------------------------------------------

def is_gone(number):
    try:
        return ") Z " in pathlib.Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return True


@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_killed_launcher_takes_its_worker_along(tmp_path, croton, command):
    session = tmp_path / "s.croton"
    words = [CROTON, command, str(written(tmp_path / "working.py", WORKING))] + (["-o", str(session)] if command == "profile" else [])
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    worker = int(process.stdout.readline())
    if command == "profile":
        assert until(lambda: query(session, "select count(*) from functions where calls > 0")[0][0])
    process.kill()
    process.wait()
    assert until(lambda: is_gone(worker))
    if command == "profile":
        assert "This session was cut off after call" in croton("report", session).stdout


def ancestors(number):
    """Its parent, whose parent …, up to this test."""
    found = []
    while number > 1 and number != os.getpid():
        found.append(number)
        number = int(pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return found


def test_a_killed_studio_takes_its_run_along(tmp_path):
    studio = BUILD / "bin" / "croton-studio"
    if not studio.exists():
        pytest.skip("the studio was not built")
    told = tmp_path / "told"
    told.mkdir()
    script = written(tmp_path / "working.py", WORKING.replace("print(os.getpid(), flush=True)", f"os.mkdir(os.path.join({str(told)!r}, str(os.getpid())))")
                     .replace("print('left', flush=True)", f"os.mkdir(os.path.join({str(told)!r}, 'left'))"))
    folders = {name: str(tmp_path / name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CROTON_CACHE_DIR")}
    process = subprocess.Popen([str(studio), "--run", str(script)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=dict(os.environ, QT_QPA_PLATFORM="offscreen", **folders))
    line = []
    try:
        assert until(lambda: list(told.iterdir())), "the script was not run"
        line = ancestors(int(next(told.iterdir()).name))  # worker, keeper, launcher, studio
        assert len(line) == 4 and line[-1] == process.pid
        sessions = pathlib.Path(folders["XDG_CACHE_HOME"]) / "croton" / "sessions"
        assert until(lambda: any(query(session, "select count(*) from functions where calls > 0")[0][0] for session in sessions.glob("*.croton")))
        process.kill()
        process.wait()
        assert until(lambda: all(map(is_gone, line)))
    finally:
        for number in line or [process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        process.wait()
    assert (told / "left").exists(), "the script was not asked to end"
    session, = sessions.glob("*.croton")
    assert meta(session)["end_reason"] == "terminated by SIGTERM"


# Starts what scripts start: programs, forks, processes of multiprocessing, an orphan; and one that is detached on purpose.
STARTING = """
import multiprocessing, os, signal, subprocess, sys, time, theano
signal.signal(signal.SIGTERM, %(sigterm)s)
sleeping = [sys.executable, '-c', 'import time; time.sleep(1000)']
if __name__ == '__main__':
    own = [subprocess.Popen(sleeping).pid, subprocess.Popen(['sh', '-c', 'trap "" TERM HUP INT; sleep 1000; true']).pid]
    context = multiprocessing.get_context('spawn')
    processes = [context.Process(target=time.sleep, args=(1000,), daemon=daemon) for daemon in (False, True)]
    for process in processes:
        process.start()
        own.append(process.pid)
    reader, writer = os.pipe()
    if os.fork() == 0:  # it ends, and leaves an orphan
        os.write(writer, b'%%d' %% subprocess.Popen(sleeping).pid)
        os._exit(0)
    os.wait()
    own.append(int(os.read(reader, 100)))
    detached = subprocess.Popen(sleeping, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid
    print(*own, detached, flush=True)
    %(then)s
"""


def starting(tmp_path, command, sigterm="signal.SIG_DFL", then="time.sleep(1000)"):
    script = written(tmp_path / "starting.py", STARTING % {"sigterm": sigterm, "then": then})
    words = [CROTON, command, str(script)] + ["-o", str(tmp_path / "s.croton")] * (command == "profile")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    *own, detached = map(int, process.stdout.readline().split())
    assert not any(map(is_gone, own))
    return process, own, detached


@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_killed_launcher_takes_what_the_script_started_along(tmp_path, command):
    process, own, detached = starting(tmp_path, command)
    try:
        process.kill()
        process.wait()
        assert until(lambda: all(map(is_gone, own)))
        assert not is_gone(detached)
    finally:
        for number in own + [detached]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


@pytest.mark.parametrize("ends", ["by itself", "by its keeper", "not at all"])
def test_a_stopped_run_leaves_nothing_of_the_script(tmp_path, ends):
    process, own, detached = starting(tmp_path, "run", **({"sigterm": "signal.SIG_IGN"} if ends == "not at all" else {}))
    try:
        if ends == "by its keeper":
            keeper = int(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
            os.kill(keeper, signal.SIGKILL)
        else:
            process.terminate()
        process.communicate(timeout=60)
        assert all(map(is_gone, own)) and not is_gone(detached)
        assert process.returncode == 128 + (signal.SIGKILL if ends == "by its keeper" else signal.SIGTERM)
    finally:
        for number in own + [detached]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


def test_a_script_that_ends_leaves_what_it_started(tmp_path):
    process, own, detached = starting(tmp_path, "run", then="os._exit(3)")
    try:
        assert process.wait(60) == 3
        assert not any(map(is_gone, own + [detached]))
    finally:
        for number in own + [detached]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGABRT, signal.SIGKILL])
@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_signal_of_the_script_itself_gives_the_status_that_a_shell_gives(tmp_path, command, number):
    script = written(tmp_path / "s.py", f"import os, resource, signal, theano\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nos.kill(os.getpid(), {int(number)})\nsignal.pause()\n")
    done = subprocess.run([CROTON, command, str(script)] + ["-o", str(tmp_path / "s.croton")] * (command == "profile"),
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 128 + number, done.stderr


ASYNCHRONOUS = """
import asyncio, theano
async def work():
    try:
        print('at work', flush=True)
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        print('cancelled', flush=True)
        raise
    finally:
        await asyncio.sleep(0.2)
        print('cleaned up', flush=True)
asyncio.run(work())
"""


@pytest.mark.parametrize("whole_group", [False, True])
@pytest.mark.parametrize("command", ["run", "profile"])
def test_asyncio_is_interrupted_as_ever(tmp_path, command, whole_group):
    words = [CROTON, command, str(written(tmp_path / "s.py", ASYNCHRONOUS))] + ["-o", str(tmp_path / "s.croton")] * (command == "profile")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout.readline() == "at work\n"
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert out == "cancelled\ncleaned up\n"
    assert process.returncode == 130 and len(errors.splitlines()) == 1, errors


# --- who does not listen --------------------------------------------------------------------------------------

def test_events_that_nobody_reads_keep_nobody_waiting(tmp_path):
    reader, writer = os.pipe()
    try:
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, b"x" * 4096)
        except BlockingIOError:
            pass
        os.set_blocking(writer, True)
        script = written(tmp_path / "s.py", "import theano\nprint('done')\nraise ValueError('x' * 100000)\n")
        done = subprocess.run([CROTON, "profile", str(script), "-o", str(tmp_path / "s.croton"), "--events-fd", str(writer)],
                              capture_output=True, text=True, timeout=60, pass_fds=[writer])
        assert done.stdout == "done\n"
    finally:
        os.close(reader)
        os.close(writer)
    assert meta(tmp_path / "s.croton")["state"] == "finished"
