"""A request says all that the engine needs to compile a function; copies and subsets change a few of its entries."""
from croton import _core
from croton.configparser import config


def compiled(request, mode):
    made = mode.make_function(request) if hasattr(mode, "make_function") else _core.compile(request)
    if config.optimizer_verbose:
        for rewrite, before, after in _core.function_replacements(made):
            print(rewrite, before, after)
    return made


def wants_profile(profile):
    if profile is None:
        return bool(config.profile)
    return profile is not False
