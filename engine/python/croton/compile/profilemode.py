"""ProfileMode: the old profiler; every function compiled with it keeps times."""
import sys

from croton import _core
from croton.compile import profiling
from croton.compile.mode import Mode, made_by_name
from croton.compile.profiling import ProfileStats
from croton.configparser import config


class ProfileMode(Mode):
    keeps_profile = True

    def __init__(self, linker=None, optimizer="default", profile=None, **kwargs):
        super().__init__(linker=linker, optimizer=optimizer)
        self._functions = []

    def make_function(self, request):
        made = _core.compile(request.but(profile=True))
        self._functions.append(made)
        return made

    def _copy(self):
        result = super()._copy()
        result._functions = self._functions
        return result

    def print_summary(self, n_apply_to_print=None, n_ops_to_print=None, min_memory_size=None):
        """Times by class, op and apply of all functions of this mode."""
        if not self._functions:
            return
        old = config.ProfileMode
        text = profiling.report("profilemode", [("", self._functions)], ops=n_ops_to_print or old.n_ops_to_print,
                                applies=n_apply_to_print or old.n_apply_to_print, memory=old.profile_memory,
                                min_memory=old.min_memory_size if min_memory_size is None else min_memory_size)
        print(text, end="")
        sys.stdout.flush()

    def print_diff_summary(self, other, n_apply_to_print=15, n_ops_to_print=20, min_memory_size=None):
        """Time per op here, there, and the difference."""
        here, there = self._op_times(), other._op_times()
        print("OpName CallsA CallsB TimeA TimeB DIFF")
        rows = sorted(set(here) | set(there), key=lambda name: -abs(here.get(name, (0, 0))[1] - there.get(name, (0, 0))[1]))
        for name in rows[:n_ops_to_print]:
            (calls, seconds), (other_calls, other_seconds) = here.get(name, (0, 0.0)), there.get(name, (0, 0.0))
            print("%s %d %d %.4fs %.4fs %+.4fs" % (name, calls, other_calls, seconds, other_seconds, seconds - other_seconds))

    def _op_times(self):
        stats = ProfileStats(atexit_print=False)
        for function in self._functions:
            stats.attach(function)
        times = {}
        for apply, _, calls, seconds in stats._rows():
            before = times.get(str(apply.op), (0, 0.0))
            times[str(apply.op)] = (before[0] + calls, before[1] + seconds)
        return times


_default = None
_at_exit = []


def default_mode():
    """The mode of the flag mode=ProfileMode: one for the whole process, printed at exit."""
    global _default
    if _default is None:
        _default = ProfileMode()
        _at_exit.append(_default)
    return _default


def forget():
    """Nothing of what was compiled up to here is printed at exit."""
    global _default
    _default = None
    _at_exit.clear()
    prof_mode_instance_to_print.clear()


def print_all():
    modes, _at_exit[:] = list(_at_exit), []
    for mode in modes + prof_mode_instance_to_print:
        mode.print_summary()
    prof_mode_instance_to_print[:] = []


prof_mode_instance_to_print = []
made_by_name["ProfileMode"] = made_by_name["PROFILE_MODE"] = default_mode
