"""Runs a Theano script: python3 -m croton.worker run|profile [--session S] [--label L] [--repeat N] [--warmup N]
[--time-limit S] [--size-limit MB] [--capture N] [--capture-limit MB] [--events-fd N] FILE [ARGUMENT ...]

The script sees itself as the main program. Python 2 sources are converted on the fly; lines keep their numbers. What the
script prints is passed through, and with `profile` kept in the session.
"""
import argparse
import gc
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import select
import signal
import sys
import threading
import time
import traceback

import numpy

from croton import configparser
from croton.compat import mpi_calls, old_names
from croton.compat.python2 import builtins as python2_builtins, modules as python2_modules, signs as python2_signs, sources as python2
from croton.configparser import config

PACKAGE_FOLDERS = tuple(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), name) + os.sep
                        for name in ("croton", "theano"))


class Events:
    """One JSON line per event of interest on the descriptor that the launcher gave, if it gave one. A reader that does not
    read keeps nobody waiting: what finds no room in its pipe is not told."""

    def __init__(self, descriptor):
        self.descriptor = descriptor
        self.lock = threading.Lock()
        os.register_at_fork(after_in_child=self._close)  # a child that goes on as its parent did tells nothing

    def send(self, event, **fields):
        if self.descriptor is None:
            return
        cut = max(map(len, (value for value in fields.values() if isinstance(value, str))), default=0)
        line = b""
        while not line or len(line) > select.PIPE_BUF:  # what is longer may be written in part, and wait for the rest
            line = json.dumps(dict(event=event, **{name: value[:cut] if isinstance(value, str) else value
                                                   for name, value in fields.items()})).encode() + b"\n"
            cut //= 2
        try:
            with self.lock:
                room = select.poll()
                room.register(self.descriptor, select.POLLOUT)
                if room.poll(0):
                    os.write(self.descriptor, line)
        except OSError:
            self.descriptor = None  # the launcher has gone or does not listen; the run goes on

    def _close(self):
        self.descriptor = None


class Progress(threading.Thread):
    """Tells five times a second how far the run is."""

    def __init__(self, events, record):
        super().__init__(daemon=True)
        self.events, self.record = events, record
        self.stopped = threading.Event()

    def run(self):
        last = None
        while not self.stopped.wait(0.2):
            counts = self.record.counts()
            if counts != last:
                functions, calls = last = counts
                self.events.send("progress", activity="running", functions=functions, calls=calls, done=calls,
                                 text="%d functions, %d calls" % counts)

    def stop(self):
        self.stopped.set()
        self.join()


class KeptStream:
    """stdout or stderr that is passed through and kept."""

    def __init__(self, stream, number, record):
        self._stream, self._number, self._record = stream, number, record

    def write(self, text):
        written = self._stream.write(text)
        if text:
            self._record.output(self._number, text)
        return written

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _is_own(filename):
    return filename.startswith(PACKAGE_FOLDERS) or filename.startswith("<frozen ")


def report_exception(error):
    """The traceback as Python shows it, without the frames of the worker and the package. Returns the user's place."""
    seen = set()
    remark = ""
    link = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        frames = []
        at = link.__traceback__
        while at is not None:
            if not _is_own(at.tb_frame.f_code.co_filename):
                frames.append(at)
                if at.tb_next is None and link is error:
                    remark = python2.remark(error, at.tb_frame.f_code.co_filename)
            at = at.tb_next
        rebuilt = None
        for frame in reversed(frames):
            rebuilt = type(frame)(rebuilt, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
        link.__traceback__ = rebuilt
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    traceback.print_exception(type(error), error, error.__traceback__)
    if remark:
        print("croton: " + remark, file=sys.stderr)
    if isinstance(error, ModuleNotFoundError) and error.name in ("pytensor", "pymc"):
        print("croton: %s has no %s: install Croton where it is (pip install 'croton[pytensor]'), and call croton from there"
              % (sys.executable, error.name), file=sys.stderr)
    if isinstance(error, SyntaxError):
        return error.filename or "", error.lineno or 0
    place = traceback.extract_tb(error.__traceback__)
    return (place[-1].filename, place[-1].lineno) if place else ("", 0)


def start_recording(options, text, events, losses):
    """What of the recording is lost later goes into `losses` as sentences, for the exit status."""
    from croton import _host_use, _pytensor_record, _record

    def lost(sentence):
        losses.append(sentence)
        print("croton: %s" % sentence, file=sys.__stderr__)
        events.send("warning", text=sentence)

    try:
        _record.start(options.session, _record.version, options.label or "",
                      os.environ.get("CROTON_COMMAND", ""), options.script, text, options.arguments, lost,
                      {"warm_up": options.warmup, "size_limit": options.size_limit * 10**6, "capture": options.capture,
                       "capture_limit": options.capture_limit * 10**6})
    except _record.SessionError as error:
        lost("%s; the script runs without being recorded" % error)
        return None
    _record.add_source(options.script, text)
    _record.set_machine([("python", sys.version.split()[0]), ("numpy", numpy.__version__)])
    record_flags(_record)
    mpi_calls.observe(_record)
    observe_collections(_record)
    _pytensor_record.watch_import()
    _host_use.watch()
    sys.stdout = KeptStream(sys.stdout, 1, _record)
    sys.stderr = KeptStream(sys.stderr, 2, _record)
    return _record


def observe_collections(record):
    """Tells what Python's garbage collector takes: the collector never runs within itself."""
    began = 0

    def seen(phase, about):
        nonlocal began
        if phase == "start":
            began = time.perf_counter_ns()
        else:
            record.collected(about["generation"], began, time.perf_counter_ns())

    gc.callbacks.append(seen)


class _FirstImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Notices when the script imports theano, which the worker did before: what a script writes into THEANO_FLAGS up to then counts."""

    def __init__(self):
        self.module = importlib.import_module("theano")
        del sys.modules["theano"]
        self.spec = self.module.__spec__
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name == "theano" else None

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        sys.meta_path.remove(self)
        module.__spec__ = self.spec
        configparser.take_what_the_script_set()


def record_flags(record):
    flags = getattr(config, "_flags", {})
    record.set_flags([(name, str(flag.value), flag.origin()) for name, flag in sorted(flags.items())])


class TimeLimit:
    """Interrupts the script after some seconds; 0: never."""

    # SIGINT is ignored in what a shell runs in the background, and SIGALRM may be the script's own.
    SIGNAL = signal.SIGRTMIN + 9

    def __init__(self, seconds):
        self.reached = False
        if seconds > 0:
            signal.signal(self.SIGNAL, signal.default_int_handler)
        self.timer = threading.Timer(seconds, self._end) if seconds > 0 else None
        if self.timer:
            self.timer.daemon = True
            self.timer.start()

    def _end(self):
        self.reached = True
        # To the main thread itself: that also ends what it waits for.
        signal.pthread_kill(threading.main_thread().ident, self.SIGNAL)

    def stop(self):
        if self.timer:
            self.timer.cancel()


class Terminated(SystemExit):
    """A signal wants the recording to end; the script is left as by sys.exit()."""

    def __init__(self, number):
        super().__init__(128 + number)
        self.reason = "terminated by %s" % signal.Signals(number).name


ENDINGS = (signal.SIGTERM, signal.SIGHUP)


def end_properly():
    """Those signals end the recording like Ctrl-C, unless they are ignored or the script takes them itself."""
    is_ending = False

    def end(number, frame):
        nonlocal is_ending
        if not is_ending:  # the script may be in a `finally`
            is_ending = True
            raise Terminated(number)

    # The script's processes end as they do without a recording; a signal that comes meanwhile waits until they can.
    held = threading.local()

    def hold():
        held.before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)

    def release():
        signal.pthread_sigmask(signal.SIG_SETMASK, held.before)

    def as_ever():
        for number in ENDINGS:
            if signal.getsignal(number) is end:
                signal.signal(number, signal.SIG_DFL)
        release()

    for number in ENDINGS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
    os.register_at_fork(before=hold, after_in_parent=release, after_in_child=as_ever)


def interrupts(how):
    """SIG_BLOCK, SIG_UNBLOCK: the launcher starts the worker with interrupts held back, until there is a recording to end."""
    signal.pthread_sigmask(how, (signal.SIGINT,) + ENDINGS)


def print_profiles():
    """What profile=True and mode=ProfileMode print at exit; the recording is still open."""
    profiling = sys.modules.get("croton.compile.profiling")
    if profiling is not None:
        profiling.print_all()


def onnx_command():
    return importlib.import_module("croton.onnx.command")


def run_script(options, text, is_old):
    """Runs it as __main__ and returns the exit status; exceptions other than its own SystemExit go through."""
    if options.script.endswith(".onnx"):
        return onnx_command().run(options.script, options.arguments)
    code = python2.compile_script(text, options.script, is_old=is_old)
    main = sys.modules["__main__"] = type(sys)("__main__")
    main.__dict__.update(__file__=options.script, __builtins__=python2_builtins.of_file(options.script))
    sys.argv = [options.script] + options.arguments
    sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    try:
        exec(code, main.__dict__)
    except Terminated:
        raise
    except SystemExit as stop:
        if stop.code is None:
            return 0
        if isinstance(stop.code, int):
            return stop.code
        print(stop.code, file=sys.stderr)
        return 1
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="croton.worker", allow_abbrev=False)
    parser.add_argument("mode", choices=("run", "profile"))
    parser.add_argument("--session")
    parser.add_argument("--label", default="")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--warmup", type=int, default=0)
    parser.add_argument("--time-limit", type=float, default=0)
    parser.add_argument("--size-limit", type=int, default=0)
    parser.add_argument("--capture", type=int, default=-1)
    parser.add_argument("--capture-limit", type=int, default=256)
    parser.add_argument("--events-fd", type=int)
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.mode == "profile" and not options.session:
        parser.error("profile needs --session")
    if os.environ.pop("CROTON_FREE_CORES", None):
        os.sched_setaffinity(0, os.sched_getaffinity(os.getppid()))  # it began on a core of the launcher's choice
    events = Events(options.events_fd)

    if configparser.problem:
        print("croton: %s" % configparser.problem, file=sys.stderr)
        return 1
    is_model = options.script.endswith(".onnx")
    try:
        text = onnx_command().listing(options.script) if is_model else python2.read_source(options.script)
    except (OSError, ValueError, SyntaxError) as error:
        print("croton: %s cannot be read: %s" % (options.script, error), file=sys.stderr)
        return 1

    if "\0" in text:
        kind = "a session or another database: croton report reads sessions" if text.startswith("SQLite format") else "no text"
        print("croton: %s is no Python script, it is %s" % (options.script, kind), file=sys.stderr)
        return 1

    old_names.give_back()
    is_old, neighbour = (False, None) if is_model else python2_signs.of_program(text, options.script)
    if neighbour:
        print("croton: %s was read as Python 2 (3 / 2 is 1), as %s is; if it was not written for that, let its first line say so: "
              "#!/usr/bin/env python3" % (options.script, os.path.relpath(neighbour)), file=sys.stderr)
    python2_modules.convert_imports(os.path.dirname(os.path.abspath(options.script)), is_old)
    losses = []
    record = start_recording(options, text, events, losses) if options.mode == "profile" else None
    progress = None
    if record is not None:
        end_properly()
        progress = Progress(events, record)
        progress.start()
    events.send("state", text="running", activity="running")
    reason = ""
    _FirstImport()
    limit = TimeLimit(options.time_limit)
    try:
        interrupts(signal.SIG_UNBLOCK)
        for _ in range(max(options.repeat, 1)):
            status = run_script(options, text, is_old)
            if status != 0:
                break
    except KeyboardInterrupt:
        if limit.reached:  # what was asked for has happened
            status, reason = 0, ""
            if record is not None:
                record.message("info", "the run was ended after its time limit of %g s" % options.time_limit)
        else:
            status, reason = 130, "stopped by Ctrl-C"
    except Terminated as stop:
        status, reason = stop.code, stop.reason
    except BaseException as error:
        file, line = report_exception(error)
        status = 1
        reason = "%s: %s" % (type(error).__name__, str(error).split("\n")[0])
        if record is not None:
            record.message("error", reason, str(error), file, line)
        events.send("error", text=reason, file=file, line=line)
    interrupts(signal.SIG_BLOCK)
    limit.stop()
    print_profiles()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            pass  # the reader went away: nothing can be told to it
        except OSError as error:
            status = status or 1
            print("croton: the output of the script could not be written: %s" % error, file=sys.__stderr__)
    if record is not None:
        progress.stop()
        record_flags(record)
        gradient = sys.modules.get("croton.gradient")
        record.set_meta("grad_ns", str(int(getattr(gradient, "grad_time", 0) * 1e9)))
        sys.modules["croton._pytensor_record"].finish()
        record.add_host_uses(sys.modules["croton._host_use"].rows())
        record.finish(status, reason)
    if losses:  # also what was lost by the end: the script did its work, but what was asked for is not there
        status = status or 1
    events.send("state", text="finished", activity="finished", status=status)
    try:
        interrupts(signal.SIG_UNBLOCK)
    except KeyboardInterrupt:  # it came while the recording was ended, which is done
        status = status or 130
    except Terminated as stop:
        status = status or stop.code
    return status


if __name__ == "__main__":
    result = main()
    # Functions that scripts registered with atexit run now; the session is closed already.
    sys.exit(result)
