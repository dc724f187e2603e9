"""function(profile=True): times of a function, printed at exit or by f.profile.summary()."""
import atexit
import os
import shutil
import sys
import tempfile
import time

from croton import _core, _files
from croton.configparser import config
from croton.gof.utils import spent
from croton.printing import debugprint

theano_imported_time = time.time()
_printed = []
_folder = None  # of the recording that profile=True made for itself


def begin():
    """Has profiled functions recorded from now on: by the recording that is on, else by one in a temporary folder."""
    global _folder
    from croton import _record
    if _record.active():
        return
    try:
        _folder = tempfile.mkdtemp(prefix="croton-profile-")
    except OSError as error:
        raise OSError("profile=True has no folder to record in (%s): set TMPDIR to one that can be written" % error) from None
    _record.start(os.path.join(_folder, "profile.croton"), _record.version, "", "", sys.argv[0] if sys.argv else "", "", [],
                  _lost, {"only_profiled": True})
    _record.set_meta("started_with", "profile=True")
    _register()


def _lost(sentence):
    print("croton: %s" % sentence, file=sys.__stderr__)


def report(style, groups, **options):
    """The text of a report. `groups`: (message, compiled functions) for each block."""
    from croton import _record
    _record.set_meta("grad_ns", str(int(spent["gradient"] * 1e9)))
    named = [(message or "", [_core.function_id(function) for function in functions]) for message, functions in groups]
    return _record.report(style, named, options)


_passed = set()


def record_check(function, kind, passed, text):
    """Tells the recording, if one is on, what DebugMode or NanGuardMode found. What passes is told once per function."""
    record = sys.modules.get("croton._record")
    if record is None or not record.active():
        return
    number = _core.function_id(function) if function is not None else 0
    if passed and (number, kind) in _passed:
        return
    if passed:
        _passed.add((number, kind))
    record.check(number, kind, passed, text)


def _report_options(**given):
    options = dict(ops=config.profiling.n_ops, applies=config.profiling.n_apply, width=config.profiling.output_line_width,
                   min_memory=config.profiling.min_memory_size, memory=config.profile_memory, optimizer=config.profile_optimizer,
                   min_peak=config.profiling.min_peak_memory, ignore_first_call=config.profiling.ignore_first_call)
    options.update((name, value) for name, value in given.items() if value is not None)
    return options


def _graphs(functions):
    """What the flag profiling.debugprint adds to a report."""
    if not config.profiling.debugprint:
        return ""
    return "".join(debugprint(function, file="str", print_type=True) + "\n" for function in functions)


class ProfileStats:
    """Times of one or several functions."""

    def __init__(self, atexit_print=True, flag_time_thunks=None, gpu_checks=True, **kwargs):
        self.message = kwargs.pop("message", None)
        self._functions = []
        if atexit_print:
            _printed.append(self)
            _register()

    def attach(self, function):
        self._functions.append(function)

    def _sum(self, key):
        return sum(_core.function_statistics(function)[key] for function in self._functions)

    fct_callcount = property(lambda self: self._sum("calls"))
    fct_call_time = property(lambda self: self._sum("call_time"))
    vm_call_time = property(lambda self: self._sum("run_time"))
    compile_time = property(lambda self: sum(_core.function_times(f)["total"] for f in self._functions))
    optimizer_time = property(lambda self: sum(_core.function_times(f)["optimizer"] for f in self._functions))
    validate_time = property(lambda self: sum(_core.function_times(f)["validate"] for f in self._functions))
    linker_time = property(lambda self: sum(_core.function_times(f)["linker"] for f in self._functions))

    def _rows(self):
        """(apply, toposort index, calls, seconds)"""
        for function in self._functions:
            counters = _core.function_statistics(function)["applies"]
            for index, (apply, (calls, seconds)) in enumerate(zip(function.maker.fgraph.toposort(), counters)):
                yield apply, index, calls, seconds

    apply_time = property(lambda self: {apply: seconds for apply, _, _, seconds in self._rows()})
    apply_callcount = property(lambda self: {apply: calls for apply, _, calls, _ in self._rows()})

    def compute_total_times(self):
        """By apply: its seconds, and the total times of what its inputs are computed by."""
        totals = {}
        for function in self._functions:
            times = self.apply_time
            for apply in function.maker.fgraph.toposort():
                makers = dict.fromkeys(variable.owner for variable in apply.inputs if variable.owner in times)
                totals[apply] = times.get(apply, 0.0) + sum(totals[maker] for maker in makers)
        return totals

    def class_time(self):
        return self._grouped(lambda apply: apply.op.__class__, 3)

    def class_callcount(self):
        return self._grouped(lambda apply: apply.op.__class__, 2)

    def op_time(self):
        return self._grouped(lambda apply: apply.op, 3)

    def op_callcount(self):
        return self._grouped(lambda apply: apply.op, 2)

    def _grouped(self, key, column):
        result = {}
        for row in self._rows():
            result[key(row[0])] = result.get(key(row[0]), 0) + row[column]
        return result

    def summary(self, file=None, n_ops_to_print=None, n_apply_to_print=None):
        """The report as Theano prints it."""
        if not self._functions or not self.fct_callcount:
            return
        text = report("profile", [(self.message, self._functions)], **_report_options(ops=n_ops_to_print, applies=n_apply_to_print))
        print(text + _graphs(self._functions), file=file or sys.stderr, end="")


def attach(function, argument):
    """The profile of a new function; `argument` is what function(profile=…) was given."""
    if isinstance(argument, ProfileStats):
        argument.attach(function)
        return argument
    message = argument if isinstance(argument, str) else None
    if message:
        from croton import _record
        _record.set_message(_core.function_id(function), message)
    stats = ProfileStats(message=message)
    stats.attach(function)
    return stats


_registered = False
print_at_exit = True


def _register():
    global _registered
    if _registered:
        return
    _registered = True
    atexit.register(_at_exit)
    processes = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:  # one of these leaves without atexit
        from multiprocessing.util import Finalize
        Finalize(None, _at_exit, exitpriority=0)


def print_all():
    """What is printed at exit: the profiles of functions, then the old mode's. Once."""
    if not print_at_exit:
        return
    profilemode = sys.modules.get("croton.compile.profilemode")
    if profilemode is not None:
        profilemode.print_all()
    stats, _printed[:] = list(_printed), []
    groups = [(one.message, one._functions) for one in stats if one._functions]
    if not groups:
        return
    text = report("profile", groups, **_report_options()) + _graphs(function for _, functions in groups for function in functions)
    destination = config.profiling.destination
    if destination in ("stdout", "stderr"):
        print(text, file=getattr(sys, destination), end="")
    else:
        try:
            _files.write(destination, text.encode())
        except OSError as error:  # the script has ended, and what it measured would be lost
            print("croton: profiling.destination: %s. The profiles follow here." % error, file=sys.stderr)
            print(text, file=sys.stderr, end="")


def _leave_to_the_parent():
    """In the child of a fork: what the parent will print, and the folder it records in, are the parent's."""
    global _folder, _registered
    _folder = None
    _registered = False
    _printed.clear()
    profilemode = sys.modules.get("croton.compile.profilemode")
    if profilemode is not None:
        profilemode.forget()


os.register_at_fork(after_in_child=_leave_to_the_parent)


def _at_exit():
    global _folder
    print_all()
    if _folder is not None:
        from croton import _record
        _record.finish(0)
        shutil.rmtree(_folder, ignore_errors=True)
        _folder = None
