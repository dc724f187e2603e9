"""What a script does around its functions while it is recorded: what it gives them, what it makes of their results, and the values of
shared variables that it reads and sets in Python."""
import dis
import functools
import os
import sys
import time
import zlib

import numpy

from croton import _core
from croton.tensor.var import TensorSharedVariable

_OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep
MOST_BYTES = 1 << 16  # of an array that is compared as a whole; of a larger one some elements are
MOST_SECONDS = 0.1  # spent on watching the calls of one function

_functions = {}  # id of the engine → _Calls
_values = {}  # (what, line, name, function) → [count, nanoseconds, bytes]


def watch():
    """From now on, to the end of the process."""
    _core.watch_calls(_see)
    TensorSharedVariable.get_value = _timed("get", TensorSharedVariable.get_value)
    TensorSharedVariable.set_value = _timed("set", TensorSharedVariable.set_value)


def rows():
    """As _record.add_host_uses takes them."""
    found = [row for number, calls in sorted(_functions.items()) for row in calls.rows(number)]
    for (what, place, name, function), (count, spent, size) in _values.items():
        found.append((function, what, name, -1, *place, count, count, spent, size))
    return found


def _line():
    lines = _core.trace_lines(_core.capture_trace())
    return lines[0][:2] if lines else ("", 0)


def _timed(what, method):
    @functools.wraps(method)
    def timed(self, *arguments, **keywords):
        began = time.perf_counter_ns()
        result = method(self, *arguments, **keywords)
        spent = time.perf_counter_ns() - began
        value = result if what == "get" else arguments[0] if arguments else keywords.get("new_value")
        kept = _values.setdefault((what, _line(), self.name or "", None), [0, 0, 0])
        kept[0] += 1
        kept[1] += spent
        kept[2] = getattr(value, "nbytes", 0)
        if what == "set" and (kept[0] <= 8 or kept[0] & (kept[0] - 1) == 0) and (maker := _maker_of(value)) is not None:
            _values.setdefault(("put back", _line(), self.name or "", maker), [0, 0, 0])[0] += 1
        return result
    return timed


def _maker_of(value):
    """The function that returned this array last, by its number."""
    found = _fingerprint(value)
    return next((number for number, calls in _functions.items() if found is not None and found in calls.results), None)


def _see(number, arguments, result, calls, conversions, spent):
    watched = _functions.get(number)
    if watched is None:
        watched = _functions[number] = _Calls()
    began = time.perf_counter()
    if watched.seconds < MOST_SECONDS:
        if arguments is not None:
            watched.give(arguments, calls)
        else:
            watched.take(result, calls, conversions, spent)
        watched.seconds += time.perf_counter() - began


def _fingerprint(value):
    """Equal for equal arrays; None where nothing is known."""
    if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "biufc" or value.size == 0:
        return None
    if value.nbytes > MOST_BYTES:
        value = value.flat[::max(1, value.size // 4096)]
    return zlib.crc32(numpy.ascontiguousarray(value).data.cast("B")), value.shape, value.dtype.str


class _Given:
    """One input of a function."""

    def __init__(self):
        self.first = None
        self.bytes = self.seen = self.changed = self.fed_back = 0
        self.is_array = False

    def look(self, value, results):
        now = _fingerprint(value)
        self.bytes = getattr(value, "nbytes", 0)
        self.is_array = now is not None
        if self.seen == 0:
            self.first = now
        self.seen += 1
        self.changed += now is None or now != self.first
        self.fed_back += now is not None and now in results


class _Calls:
    """The calls of one function that were looked at."""

    def __init__(self):
        self.seconds = 0
        self.places = {}  # line → how often
        self.used = set()  # outputs that some call kept
        self.inputs = []
        self.results, self.results_of = set(), -1  # of the call before
        self.seen = self.calls = self.conversions = self.converting = self.outputs = 0

    def give(self, arguments, calls):
        place = _line()
        self.places[place] = self.places.get(place, 0) + 1
        while len(self.inputs) < len(arguments):
            self.inputs.append(_Given())
        results = self.results if self.results_of == calls - 1 else ()
        for value, given in zip(arguments, self.inputs):
            given.look(value, results)

    def take(self, result, calls, conversions, spent):
        self.seen += 1
        self.calls, self.conversions, self.converting = calls, conversions, spent
        results = result if isinstance(result, (list, tuple)) else [result]
        self.outputs = len(results)
        self.results, self.results_of = set(map(_fingerprint, results)) - {None}, calls
        used = _used_outputs(isinstance(result, list))
        self.used |= set(range(self.outputs)) if used is None else used

    def rows(self, number):
        place = max(self.places, key=self.places.get) if self.places else ("", 0)
        yield (number, "call", "", -1, *place, self.calls, self.calls, 0, 0)
        if self.conversions:
            yield (number, "converted", "", -1, *place, self.conversions, self.calls, self.converting, 0)
        for position, given in enumerate(self.inputs):
            if given.seen > 2 and not given.changed:
                yield (number, "unchanged", "", position, *place, given.seen, given.seen, 0, given.bytes)
            if given.fed_back:
                yield (number, "fed back", "", position, *place, given.fed_back, given.seen, 0, given.bytes)
        for position in range(self.outputs):
            if position not in self.used:
                yield (number, "unused", "", position, *place, self.seen, self.seen, 0, 0)


# --- what the line that calls does with the result ---------------------------------------------------------------

def _used_outputs(is_list):
    """Positions of outputs that the calling line keeps; None: all, as far as can be seen."""
    frame = sys._getframe(3)
    if frame.f_code.co_filename.startswith(_OWN_FOLDER):
        return None
    steps = _steps(frame.f_code)
    at = next((i for i, step in enumerate(steps) if step.offset == frame.f_lasti), None)
    if at is None or at + 1 >= len(steps) or not steps[at].opname.startswith("CALL"):
        return None
    after = steps[at + 1:]
    if after[0].opname == "POP_TOP":
        return set()
    if after[0].opname.startswith("STORE_"):
        return None if _is_read(frame.f_code, after[0]) else set()
    if not is_list:
        return None
    if after[0].opname == "UNPACK_SEQUENCE":
        names = after[1:1 + after[0].argval]
        if any(not step.opname.startswith("STORE_") for step in names):
            return None
        return {k for k, step in enumerate(names) if _is_read(frame.f_code, step)}
    if len(after) > 1 and after[0].opname.startswith("LOAD_") and isinstance(after[0].argval, int) and \
            (after[1].opname == "BINARY_SUBSCR" or after[1].argrepr == "[]"):
        return {after[0].argval} if after[0].argval >= 0 else None
    return None


@functools.lru_cache(maxsize=256)
def _steps(code):
    return [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG", "NOT_TAKEN")]


def _is_read(code, store):
    """May the name that a step stores be read later?"""
    if store.opname == "STORE_FAST":
        return any(step.opname.startswith("LOAD_FAST") and store.argval in (step.argval if isinstance(step.argval, tuple) else (step.argval,))
                   for step in _steps(code))
    if store.opname not in ("STORE_NAME", "STORE_GLOBAL"):
        return True
    return _names(code, store.argval)


def _names(code, name):
    if any(step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval == name for step in _steps(code)):
        return True
    return any(_names(inner, name) for inner in code.co_consts if hasattr(inner, "co_code"))
