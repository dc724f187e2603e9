"""scan: a step, written once in symbols, that runs many times."""
import warnings

import numpy

from croton import _core
from croton.gof.substitute import substituted
from croton.compile.rebuild import collect_default_updates
from croton.configparser import config
from croton.gof.errors import MissingInputError
from croton.gof.graph import Constant, SharedVariableBase, Variable
from croton.gof.test_value import get_test_value
from croton.scan_module.scan_utils import get_updates_and_outputs
from croton.tensor import basic
from croton.tensor.subtensor import set_subtensor
from croton.tensor.type import TensorType
from croton.updates import OrderedUpdates


def _listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _variable(value):
    return value if isinstance(value, Variable) else basic.as_tensor_variable(value)


def _inner(actual, name=None):
    """The variable that stands in the step for what `actual` is."""
    made = actual.type()
    made.name = name
    if config.compute_test_value != "off":
        try:
            made.tag.test_value = get_test_value(actual)
        except AttributeError:
            pass
    return made


def _at(name, tap):
    return "%s[t%s]" % (name, "%+d" % tap if tap else "") if name else None


def _copied(name):
    return name + "_copy" if name else None


def _fixed_steps(n_steps):
    if n_steps is None or (isinstance(n_steps, float) and not numpy.isfinite(n_steps)):
        return None
    if not isinstance(n_steps, Variable):
        if int(n_steps) != n_steps:
            raise ValueError("n_steps is a number of steps, got %r" % (n_steps,))
        return int(n_steps)
    try:
        return int(basic.get_scalar_constant_value(n_steps))
    except basic.NotScalarConstantError:
        return None


class _Sequence:
    def __init__(self, given):
        if isinstance(given, dict):
            unknown = set(given) - {"input", "taps"}
            if unknown or "input" not in given:
                raise ValueError("a sequence is a variable, or dict(input=variable, taps=[0]); got the keys %s" % sorted(given))
            taps, given = given.get("taps"), given["input"]
        else:
            taps = None
        given = _variable(given)
        self.input, self.name = _on_host(given), given.name
        if not isinstance(self.input.type, TensorType) or self.input.ndim == 0:
            raise ValueError("the sequence %s has no leading dimension to go along: it is a %s. Pass it as a non_sequence"
                             % (self.input, self.input.type))
        self.taps = [0] if taps is None else [int(tap) for tap in (_listed(taps))]

    def slices(self, go_backwards):
        """For each tap the sequence that is read at step t, and the variable of a step."""
        low, high = min(self.taps + [0]), max(self.taps + [0])
        result = []
        for tap in self.taps:
            start = tap - low
            part = self.input[start:] if tap == high else self.input[start:tap - high]
            if go_backwards:
                part = part[::-1]
            name = self.name
            if name is not None:
                part.name = "%s[%d:%s]" % (name, start, "" if tap == high else tap - high)
            if self.taps != [0] or name is None:
                inner = _inner(self.input[start], _at(name, tap))
            else:
                inner = _inner(self.input[0], _at(name, 0))
            result.append((part, inner))
        return result


class _Output:
    def __init__(self, given):
        self.initial, self.taps = None, None
        if isinstance(given, dict):
            unknown = set(given) - {"initial", "taps", "inplace", "return_steps", "store_steps"}
            if unknown:
                raise ValueError("outputs_info takes dict(initial=variable, taps=[-1]); unknown: %s" % ", ".join(sorted(unknown)))
            self.initial, self.taps = given.get("initial"), given.get("taps")
            if self.taps is not None:
                self.taps = [int(tap) for tap in _listed(self.taps)]
            if self.initial is None and self.taps:
                raise ValueError("If you are using slices of an output you need to provide a initial state for it: "
                                 "dict(initial=…, taps=%s)" % self.taps)
        elif given is not None:
            self.initial = given
        if self.initial is None:
            return
        given = _variable(self.initial)
        self.initial, self.name = _on_host(given), given.name
        if self.taps is None:
            self.taps = [-1]
        if any(tap >= 0 for tap in self.taps):
            raise ValueError("Can not use future taps of outputs: %s of %s; taps of outputs are -1 and below" % (self.taps, self.initial))
        if not self.taps:
            self.initial, self.taps = None, None
        elif self.reach > 1 and self.initial.ndim == 0:
            raise ValueError("the initial state %s of an output with the taps %s has one more leading dimension than a step's result: "
                             "one row per step back" % (self.initial, self.taps))

    is_map = property(lambda self: self.initial is None)
    reach = property(lambda self: -min(self.taps))
    is_single = property(lambda self: self.taps == [-1])

    def variables(self):
        """The variables of a step, one per tap."""
        if self.is_single:
            return [_inner(self.initial, _at(self.name, -1))]
        return [_inner(self.initial[self.reach + tap], _at(self.name, tap)) for tap in self.taps]

    def buffer(self, n_steps):
        """Room for all steps, that begins with the initial state."""
        start = basic.unbroadcast(basic.shape_padleft(self.initial), 0) if self.is_single else self.initial[:self.reach]
        return _expanded(start, n_steps)


def _expanded(start, n_steps):
    sizes = [start.shape[axis] for axis in range(start.ndim)]
    room = _core.alloc_empty(start.dtype, [n_steps + sizes[0]] + sizes[1:])
    if any(start.broadcastable[1:]):
        room = basic.patternbroadcast(room, (False,) + start.broadcastable[1:])
    return set_subtensor(room[:sizes[0]], start)


def _checked_state(info, made, name):
    """What a step gives for a state has the type of the state."""
    wanted = info.initial.type
    if not info.is_single:
        wanted = info.initial[0].type
    if made.type == wanted:
        return made
    where = "%s: the initial state %s (outputs_info)" % (name or "scan_fn", info.initial)
    if made.ndim != wanted.ndim:
        raise ValueError("%s has %d dimension(s), but the corresponding output of the inner function has %d dimension(s): %s against %s. "
                         "A state has the rank of what a step returns%s"
                         % (where, wanted.ndim, made.ndim, wanted, made.type,
                            "" if info.is_single else ", and with several taps one leading dimension more"))
    if made.dtype != wanted.dtype:
        raise ValueError("%s has dtype %s, but the corresponding output of the inner function has dtype %s. "
                         "This could happen if the inner graph of scan results in an upcast or downcast: "
                         "cast what the step returns (x.astype(%r)), or the initial state (x.astype(%r))"
                         % (where, wanted.dtype, made.dtype, wanted.dtype, made.dtype))
    if all(new or not old for new, old in zip(made.broadcastable, wanted.broadcastable)):
        return basic.patternbroadcast(made, wanted.broadcastable)
    raise ValueError("%s has the broadcast pattern %s, but the corresponding output of the inner function %s: %s against %s. "
                     "Give the initial state that pattern: theano.tensor.unbroadcast(x, %s)"
                     % (where, wanted.broadcastable, made.broadcastable, wanted, made.type,
                        ", ".join(str(axis) for axis, (old, new) in enumerate(zip(wanted.broadcastable, made.broadcastable)) if old and not new)))


def _result(values, return_list):
    if not values:
        return [] if return_list else None
    return values[0] if len(values) == 1 and not return_list else values


def scan(fn, sequences=None, outputs_info=None, non_sequences=None, n_steps=None, truncate_gradient=-1, go_backwards=False, mode=None,
         name=None, profile=False, allow_gc=None, strict=False, return_list=False):
    """(outputs, updates): what fn(elements, earlier outputs, non_sequences) gives, step after step, stacked along a new first axis."""
    for option, given in (("mode", mode is not None), ("profile", profile), ("allow_gc", allow_gc is not None)):
        if given:
            warnings.warn("%s= of scan is accepted and ignored: its body is compiled and recorded as the function is that it stands in"
                          % option, stacklevel=2)
    sequences = [_Sequence(one) for one in _listed(sequences)]
    infos = [_Output(one) for one in _listed(outputs_info)]
    non_sequences = [_variable(one) for one in _listed(non_sequences)]
    fixed = _fixed_steps(n_steps)
    if fixed is not None and fixed < -1:
        raise ValueError("n_steps counts steps, got %d; go_backwards=True goes through sequences from their end" % fixed)
    if fixed == -1:  # one step, backwards, as old scripts say it
        fixed, go_backwards, n_steps = 1, not go_backwards, 1

    read = [pair for sequence in sequences for pair in sequence.slices(go_backwards)]
    if fixed is None and n_steps is None or (fixed is None and not isinstance(n_steps, Variable)):
        if not read:
            raise ValueError("No information about the number of steps provided. Either provide a value for n_steps argument of scan "
                             "or provide an input sequence")
        steps = read[0][0].shape[0]
        for part, _ in read[1:]:
            steps = basic.minimum(steps, part.shape[0])
    else:
        steps = basic.as_tensor_variable(n_steps if fixed is None else numpy.int64(fixed))
        if steps.ndim or steps.dtype not in basic.discrete_dtypes:
            raise ValueError("n_steps must be an integer scalar, got %s" % steps.type)
    taps = [[] if info.is_map else info.variables() for info in infos]

    once = fixed == 1
    arguments = [part[0] if once else inner for part, inner in read]
    for info, variables in zip(infos, taps):
        if once and not info.is_map:
            arguments += [info.initial if info.is_single else info.initial[info.reach + tap] for tap in info.taps]
        else:
            arguments += variables
    condition, made, updates = get_updates_and_outputs(fn(*(arguments + non_sequences)))
    if not infos:
        infos = [_Output(None) for _ in made]
    if len(made) != len(infos):
        raise ValueError("Please provide None as outputs_info for any output that does not feed back into scan (i.e. it behaves like a map): "
                         "the step returns %d outputs, outputs_info has %d" % (len(made), len(infos)))
    made = [value if info.is_map else _checked_state(info, value, name) for info, value in zip(infos, made)]
    if once:
        return _result([basic.unbroadcast(basic.shape_padleft(value), 0) for value in made], return_list), updates

    inner_inputs = [inner for _, inner in read]
    many = [k for k, info in enumerate(infos) if not info.is_map and not info.is_single]
    single = [k for k, info in enumerate(infos) if not info.is_map and info.is_single]
    free = [k for k, info in enumerate(infos) if info.is_map]
    outer_states = [infos[k].buffer(steps) for k in many + single]
    for k in many + single:
        inner_inputs += taps[k]

    # Shared variables that change from step to step are states, too; all others are read only.
    pairs = list(updates.items())
    pairs += collect_default_updates(made + ([condition] if condition is not None else []), pairs, [], inner_inputs, False)
    pairs = [(shared, _updated(shared, value)) for shared, value in pairs]
    rows = [pair for pair in pairs if isinstance(pair[0].type, TensorType)]
    others = [pair for pair in pairs if not isinstance(pair[0].type, TensorType)]
    inner_shared = [_inner(_on_host(shared), _copied(shared.name)) for shared, _ in rows + others]

    inner_outputs = [made[k] for k in many + single] + [_on_host(value) for _, value in rows] + [made[k] for k in free]
    inner_outputs += [value for _, value in others] + ([condition] if condition is not None else [])
    fixed_inputs = _read_only(inner_outputs, inner_inputs, non_sequences, [shared for shared, _ in pairs], strict, name)
    stand_ins = [_inner(_on_host(value), _copied(value.name)) for value in fixed_inputs]
    replaced = fixed_inputs + [shared for shared, _ in rows + others]
    inner_outputs = substituted(inner_outputs, replaced, [_like(inner, value) for inner, value in zip(stand_ins + inner_shared, replaced)])

    outer_states += [_expanded(basic.unbroadcast(basic.shape_padleft(shared), 0), steps) for shared, _ in rows]
    op = _core.scan_op(inner_inputs + inner_shared[:len(rows)] + inner_shared[len(rows):] + stand_ins, inner_outputs, name or "", len(read), [],
                       [infos[k].taps for k in many], len(single) + len(rows), len(free), len(others), len(fixed_inputs),
                       condition is not None, int(truncate_gradient))
    outer = [steps] + [part[:steps] for part, _ in read] + outer_states + [shared for shared, _ in others]
    results = op(*(outer + [steps] * len(free) + [_on_host(value) for value in fixed_inputs]), return_list=True)

    values = [None] * len(infos)
    for place, k in enumerate(many + single):
        values[k] = results[place][infos[k].reach:]
    first_row = len(many) + len(single)
    for place, k in enumerate(free):
        values[k] = results[first_row + len(rows) + place]
    after = OrderedUpdates()
    for place, (shared, _) in enumerate(rows):
        after[shared] = _like(results[first_row + place][-1], shared)
    for place, (shared, _) in enumerate(others):
        after[shared] = results[first_row + len(rows) + len(free) + place]
    return _result(values, return_list), after


# A loop is built of arrays of the host, wherever they lie: rewrites send it to a device as a whole.
def _on_host(value):
    return _core.transfer(value, "cpu") if isinstance(value.type, TensorType) and _core.type_device(value.type) != "cpu" else value


def _like(made, value):
    return _core.transfer(made, _core.type_device(value.type)) if isinstance(value.type, TensorType) else made


def _updated(shared, value):
    value = _variable(value) if isinstance(shared.type, TensorType) else value
    return shared.filter_update(value)


def _read_only(outputs, inputs, non_sequences, changing, strict, name):
    """What a step reads and nothing in the loop changes."""
    given = [one for one in dict.fromkeys(non_sequences) if not isinstance(one, Constant) and one not in changing]
    needed = []
    for leaf in _core.leaves(outputs, inputs + given):
        if isinstance(leaf, Constant) or leaf in inputs or leaf in changing:
            continue
        if leaf in given:
            continue
        if strict and isinstance(leaf, SharedVariableBase):  # Theano's takes other variables, too
            raise MissingInputError("%s: a step reads the shared variable %s, which is not among the non_sequences: with strict=True "
                                    "pass it as a non_sequence" % (name or "scan_fn", leaf))
        needed.append(leaf)
    return given + needed
