"""function(profile=True): times of a function, printed at exit or by f.profile.summary()."""
import atexit
import sys
import time

from croton import _core
from croton.configparser import config

theano_imported_time = time.time()
_printed = []


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
        out = file or sys.stderr
        if not self._functions or not self.fct_callcount:
            return
        write = lambda text="": print(text, file=out)  # noqa: E731
        rows = sorted(self._rows(), key=lambda row: -row[3])
        thunks = sum(row[3] for row in rows)
        share = lambda part, whole: 100.0 * part / whole if whole else 0.0  # noqa: E731
        write("Function profiling")
        write("==================")
        write("  Message: %s" % (self.message or (self._functions[0].name or "")))
        write("  Time in %d calls to Function.__call__: %es" % (self.fct_callcount, self.fct_call_time))
        write("  Time in Function.fn.__call__: %es (%.3f%%)" % (self.vm_call_time, share(self.vm_call_time, self.fct_call_time)))
        write("  Time in thunks: %es (%.3f%%)" % (thunks, share(thunks, self.fct_call_time)))
        write("  Total compile time: %es" % self.compile_time)
        write("    Number of Apply nodes: %d" % len(rows))
        write("    Theano Optimizer time: %es" % self.optimizer_time)
        write("       Theano validate time: %es" % self.validate_time)
        write("    Theano Linker time (includes C, CUDA code generation/compiling): %es" % self.linker_time)
        write()
        from croton import gradient
        write("Time in all call to theano.grad() %es" % gradient.grad_time)
        write("Time since theano import %.3fs" % (time.time() - theano_imported_time))
        self._table(write, "Class", rows, thunks, lambda apply: "%s.%s" % (type(apply.op).__module__, type(apply.op).__name__),
                    "<Class name>", n_ops_to_print or config.profiling.n_ops)
        self._table(write, "Ops", rows, thunks, lambda apply: str(apply.op), "<Op name>", n_ops_to_print or config.profiling.n_ops)
        self._apply_table(write, rows, thunks, n_apply_to_print or config.profiling.n_apply)

    def _table(self, write, title, rows, thunks, key, heading, limit):
        groups = {}
        for apply, _, calls, seconds in rows:
            group = groups.setdefault(key(apply), [0.0, 0, 0, set()])
            group[0] += seconds
            group[1] += calls
            group[2] += 1
            group[3].add("C" if not _core.is_engine_op(apply.op) is False and _core.is_engine_op(apply.op) else "Py")
        ordered = sorted(groups.items(), key=lambda item: -item[1][0])
        write(title)
        write("---")
        write("<% time> <sum %> <apply time> <time per call> <type> <#call> <#apply> " + heading)
        total = 0.0
        for name, (seconds, calls, applies, kinds) in ordered[:limit]:
            percent = 100.0 * seconds / thunks if thunks else 0.0
            total += percent
            kind = "C " if kinds == {"C"} else "Py" if kinds == {"Py"} else "C Py"
            write("  %4.1f%%   %5.1f%%   %7.3fs   %8.2es   %s  %5d  %5d   %s"
                  % (percent, total, seconds, seconds / calls if calls else 0, kind, calls, applies, name[:config.profiling.output_line_width]))
        rest = ordered[limit:]
        left = sum(group[0] for _, group in rest)
        write("   ... (remaining %i %s account for %6.2f%%(%.2fs) of the runtime)"
              % (len(rest), {"Class": "Classes"}.get(title, title), 100.0 * left / thunks if thunks else 0.0, left))
        write()

    def _apply_table(self, write, rows, thunks, limit):
        write("Apply")
        write("------")
        write("<% time> <sum %> <apply time> <time per call> <#call> <id> <Apply name>")
        total = 0.0
        for apply, index, calls, seconds in rows[:limit]:
            percent = 100.0 * seconds / thunks if thunks else 0.0
            total += percent
            write("  %4.1f%%   %5.1f%%   %7.3fs   %8.2es  %5d  %4d   %s"
                  % (percent, total, seconds, seconds / calls if calls else 0, calls, index,
                     str(apply)[:config.profiling.output_line_width]))
        left = sum(row[3] for row in rows[limit:])
        write("   ... (remaining %i Apply instances account for %.2f%%(%.2fs) of the runtime)"
              % (max(len(rows) - limit, 0), 100.0 * left / thunks if thunks else 0.0, left))
        write()


def attach(function, argument):
    """The profile of a new function; `argument` is what function(profile=…) was given."""
    if isinstance(argument, ProfileStats):
        argument.attach(function)
        return argument
    stats = ProfileStats(message=argument if isinstance(argument, str) else function.name)
    stats.attach(function)
    return stats


_registered = False
print_at_exit = True


def _register():
    global _registered
    if not _registered:
        _registered = True
        atexit.register(_print_all)


def _print_all():
    if not print_at_exit:
        return
    destination = config.profiling.destination
    out = sys.stdout if destination == "stdout" else sys.stderr if destination == "stderr" else open(destination, "w")
    for stats in sorted(_printed, key=lambda stats: -(stats.fct_call_time + stats.compile_time)):
        if stats.fct_callcount:
            stats.summary(out)
        elif stats._functions:
            print("Skipping empty Profile", file=out)
    if out not in (sys.stdout, sys.stderr):
        out.close()
