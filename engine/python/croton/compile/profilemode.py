"""ProfileMode: the old profiler; every function compiled with it keeps times."""
import sys

from croton import _core
from croton.compile.mode import Mode
from croton.configparser import config


class ProfileMode(Mode):
    def __init__(self, linker=None, optimizer="default", profile=None, **kwargs):
        super().__init__(linker=linker, optimizer=optimizer)
        self._functions = []

    def make_function(self, request):
        request = dict(request, profile=True)
        made = _core.compile(request)
        self._functions.append(made)
        return made

    def _copy(self):
        result = super()._copy()
        result._functions = self._functions
        return result

    def print_summary(self, n_apply_to_print=None, n_ops_to_print=None, min_memory_size=None):
        """Times by class, op and apply of all functions of this mode."""
        from croton.compile.profiling import ProfileStats
        stats = ProfileStats(atexit_print=False, message="ProfileMode")
        for function in self._functions:
            stats.attach(function)
        stats.summary(sys.stdout, n_ops_to_print or config.ProfileMode.n_ops_to_print, n_apply_to_print or config.ProfileMode.n_apply_to_print)


_default = None


def default_mode():
    """The mode of the flag mode=ProfileMode: one for the whole process, printed at exit."""
    global _default
    if _default is None:
        import atexit
        _default = ProfileMode()
        atexit.register(lambda: _default.print_summary())
    return _default


prof_mode_instance_to_print = []
