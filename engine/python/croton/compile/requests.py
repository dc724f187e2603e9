"""A request says all that the engine needs to compile a function; copies and subsets change a few of its fields."""
from croton import _core
from croton.configparser import change_flags, config


class Record:
    """Fields by name: all of them, no others."""

    def __init__(self, **fields):
        if fields.keys() != self.__annotations__.keys():
            raise TypeError("the fields of a %s are %s, got %s" % (type(self).__name__, ", ".join(self.__annotations__), ", ".join(fields)))
        self.__dict__.update(fields)

    def but(self, **changes):
        """Another one, with these fields changed."""
        return type(self)(**{**self.__dict__, **changes})


class DebugChecks(Record):
    """What DebugMode does beside running a function."""
    check_c: bool
    check_py: bool
    check_isfinite: bool
    patience: int  # how often a graph is rewritten to find what depends on chance
    outputs: str  # what an op is given for its outputs: initial, previous, c_contiguous, f_contiguous, strided, wrong_size, ALL
    outputs_ndim: int  # strides and wrong sizes up to this many axes
    strides: str  # others when an op runs again: ignore, warn, raise


class Settings(Record):
    """What a mode tells the engine."""
    name: str
    level: str  # none, merge, fast_compile, fast_run
    linker: str
    including: list
    excluding: list
    allow_gc: bool
    memory_budget: str  # what a call may take: 200MB, order, least
    on_rewrite_error: str  # warn, ignore, raise
    firings_a_node: float
    debug: "DebugChecks or None"


class Input(Record):
    """One explicit input."""
    variable: object
    name: "str or None"
    storage: list  # holds the value of now; functions may share it
    initial: object  # the first value of a storage of its own
    default: object  # what comes back into the storage after each call
    required: bool  # every call has to give it
    keeps: bool  # what a call gives stays in the storage
    foreign: bool  # the storage belongs to somebody else
    strict: bool
    allow_downcast: "bool or None"
    implicit: bool
    borrow: bool
    mutable: bool
    has_update: bool
    overwritten: bool = False  # the function's next value of it goes into the array that a call gives


class Request(Record):
    inputs: list
    outputs: list  # behind those that a call returns: the next values of the inputs in `feedback`
    borrow: list
    updates: list
    givens: list
    name: str
    mode: Settings
    on_unused_input: str  # raise, warn, ignore
    profile: bool
    keys: "list or None"  # a call returns a dictionary
    bare: bool  # a call returns no list but its one output
    feedback: list

    @property
    def visible(self):
        """How many outputs a call returns."""
        return len(self.outputs) - len(self.feedback)

    def computed(self):
        return self.outputs + [value for _, value in self.updates]


def compiled(request, mode):
    maker = getattr(mode, "steps", None) or mode
    with change_flags(compute_test_value=config.compute_test_value_opt):  # of what rewrites of scripts build
        made = maker.make_function(request) if hasattr(maker, "make_function") else _core.compile(request)
    if config.optimizer_verbose:
        for rewrite, before, after in _core.function_replacements(made):
            print(rewrite, before, after)
    return made


def wants_profile(profile):
    if profile is None:
        return bool(config.profile)
    return profile is not False
