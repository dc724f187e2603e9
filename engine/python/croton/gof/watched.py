"""Who looks at variables as they are built: test values, and the flag warn_float64."""
from croton import _core

_watchers = {}


def watch(name, watcher):
    """`watcher(variables, first)` is called with what was built; None: no longer. `first`: the id of the first variable that the builder at work made
    itself. The engine calls it with the outputs of each apply, where the apply is made."""
    if watcher is None:
        _watchers.pop(name, None)
    else:
        _watchers[name] = watcher
    _core.watch_applies(_made if _watchers else None)


def show(variables, first=float("inf")):
    for watcher in list(_watchers.values()):
        watcher(variables, first)


def _made(apply, first):
    show(apply.outputs, first)
