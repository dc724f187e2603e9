"""Old names around function()."""
from croton.compile.function import Maker as FunctionMaker
from croton.compile.function import function
from croton.compile.io import Param  # noqa: F401
from croton.compile.rebuild import rebuild_collect_shared  # noqa: F401


class SymbolicInputKit:
    def __init__(self, name):
        raise NotImplementedError("SymbolicInputKit is gone; pass several In")


def pfunc(params, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False, accept_inplace=False, name=None,
          rebuild_strict=True, allow_input_downcast=None, profile=None, on_unused_input=None, output_keys=None):
    return function(params, outputs, mode, updates, givens, no_default_updates, accept_inplace, name, rebuild_strict,
                    allow_input_downcast, profile, on_unused_input)


def iter_over_pairs(pairs):
    """(key, value) of a dictionary, or the pairs of a list."""
    return pairs.items() if isinstance(pairs, dict) else pairs


def orig_function(inputs, outputs, mode=None, accept_inplace=False, name=None, profile=None, on_unused_input=None, output_keys=None):
    return function(inputs, outputs, mode=mode, accept_inplace=accept_inplace, name=name, profile=profile, on_unused_input=on_unused_input)
