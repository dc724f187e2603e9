"""Variables and applies, and walks over them."""
import weakref
from collections import deque

import numpy

from croton import _core
from croton._kinds import CONSTANT, GENERIC, INPUT, NONE, NULL, DISCONNECTED, OUTPUT, RANDOM_STATE, SLICE
from croton.configparser import config
from croton.gof import provided
from croton.gof.errors import MethodNotDefined
from croton.gof.utils import listed, scratchpad, trace_of


not_loaded = weakref.WeakSet()  # graphs of functions: most are looked at only for their order


def graph_with(variable):
    """The graph of a function that the variable belongs to, or None."""
    for graph in list(not_loaded):
        graph._load()
    return variable.__dict__.get("_fgraph")


def readers_of(variable):
    """[(apply or 'output', index)] in the graph of a function that is being compiled; None elsewhere."""
    readers = _core.readers_there(variable)
    return None if readers is None else [("output" if apply is None else apply, index) for apply, index in readers]


def view_of(variable):
    """That graph, as local optimizers see it."""
    view = _core.view_of(variable)
    if view is not None:
        view._inside = variable
    return view


def made_at(variable):
    """Where a script built the variable, to be added to a sentence."""
    lines = _core.trace_lines(_core.variable_trace(variable))
    if not lines:
        return ""
    return "\nBacktrace when that variable is created:\n\n" + "\n".join(
        "  File \"%s\", line %d, in %s\n    %s" % line for line in reversed(lines))


class Node:
    """Something that a graph is made of."""
    __slots__ = ()

    @property
    def tag(self):
        """A free bag of attributes that lives with the node."""
        bag = self.__dict__
        tag = bag.get("_tag")
        if tag is None:
            tag = bag["_tag"] = scratchpad()
            tag.trace = trace_of(self._trace_number())
        return tag

    @tag.setter
    def tag(self, tag):
        self.__dict__["_tag"] = tag

    def __setstate__(self, state):
        from croton import _pickle
        _pickle.restore(self, state)


class Variable(_core.VariableBase, Node):
    """A value that an expression stands for. It has a type, and an owner if an op computes it."""

    def _trace_number(self):
        return _core.variable_trace(self)

    def __str__(self):
        return self._display

    def get_test_value(self):
        """The value with which graphs are tried out; AttributeError if there is none."""
        tag = self.__dict__.get("_tag")
        if tag is None or not hasattr(tag, "test_value"):
            raise AttributeError("%s has no test value %s" % (self, made_at(self)))
        return self.type.filter(tag.test_value)

    def __repr__(self):
        if config.print_test_value and self.owner is None:
            try:
                return self._display + "\n" + repr(self.get_test_value())
            except AttributeError:
                pass
        return self._display

    @property
    def clients(self):
        """[(apply or 'output', index)]: who reads it in the FunctionGraph that it belongs to."""
        owner = self.__dict__.get("_fgraph")
        readers = readers_of(self) if owner is None else owner.clients[self]
        if readers is None and graph_with(self) is not None:
            return self.clients
        if readers is None:
            raise AttributeError("%s belongs to no FunctionGraph, so nothing is known of its clients; the graph of a function knows those of its "
                                 "own variables: f.maker.fgraph.clients[variable]" % self)
        return readers

    @property
    def fgraph(self):
        """The FunctionGraph that it belongs to."""
        return _graph_of(self, self)

    def clone(self):
        """A new variable of the same type and name, without an owner."""
        copy = self.type()
        copy.name = self.name
        if "_tag" in self.__dict__:
            copy.tag.__dict__.update(self.tag.__dict__)
        return copy

    def get_parents(self):
        return [self.owner] if self.owner is not None else []

    def __lt__(self, other):
        raise NotImplementedError("Subclasses of Variable must provide __lt__")

    def __le__(self, other):
        raise NotImplementedError("Subclasses of Variable must provide __le__")

    def __gt__(self, other):
        raise NotImplementedError("Subclasses of Variable must provide __gt__")

    def __ge__(self, other):
        raise NotImplementedError("Subclasses of Variable must provide __ge__")

    def eval(self, inputs_to_values=None):
        """The value, given those of the inputs it depends on. The function is kept for the next time."""
        values = inputs_to_values or {}
        if not isinstance(values, dict):
            raise TypeError("eval() takes a dictionary {variable: value}, got %s" % type(values).__name__)
        by_name = {}
        if any(isinstance(key, str) for key in values):
            by_name = {leaf.name: leaf for leaf in _core.leaves([self], []) if leaf.name}
        pairs = []
        for key, value in values.items():
            if isinstance(key, str):
                if key not in by_name:
                    raise ValueError("this expression has no input called %r" % key)
                key = by_name[key]
            pairs.append((key, value))
        pairs.sort(key=lambda pair: _core.variable_id(pair[0]))
        cache = self.__dict__.setdefault("_fn_cache", {})
        variables = tuple(key for key, _ in pairs)
        compiled = cache.get(variables)
        if compiled is None:
            compiled = cache[variables] = provided.compiled(list(variables), self, name="eval", on_unused_input="ignore")
        return compiled(*[value for _, value in pairs])

    def __reduce__(self):
        from croton import _pickle
        return _pickle.reduce_variable(self)

    def __getstate__(self):
        return None


def _graph_of(node, variable):
    owner = node.__dict__.get("_fgraph")
    owner = view_of(variable) or graph_with(variable) if owner is None else owner
    if owner is None:
        raise AttributeError("%s belongs to no FunctionGraph" % node)
    return owner


class Constant(Variable):
    """A leaf with a value that never changes."""

    def get_test_value(self):
        return self.data

    def __new__(cls, type, data, name=None):
        made = _core.constant(type, type.filter(data), name or "")
        if made.type != type:
            made.__dict__["_type"] = type  # a type of the user's own
        return made

    @property
    def data(self):
        return _core.constant_value(self)

    value = data

    def signature(self):
        return ConstantSignature(self.type, self.data)

    def equals(self, other):
        return isinstance(other, Constant) and self.signature() == other.signature()

    def merge_signature(self):
        return self.signature()

    def clone(self):
        return self


class ConstantSignature(tuple):
    """Type and value of a constant; equal if a merge would join them."""

    def __new__(cls, type, data):
        return tuple.__new__(cls, (type, data))

    def __eq__(self, other):
        if not isinstance(other, ConstantSignature) or self[0] != other[0]:
            return False
        a, b = self[1], other[1]
        if isinstance(a, numpy.ndarray):
            return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())
        return type(a) is type(b) and a == b

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash(self[0])


class SharedVariableBase(Variable):
    """A leaf with a value that functions share."""

    def __new__(cls, *args, **kwargs):
        if cls.__module__.startswith("croton."):
            return _shared_of(*args, **kwargs)
        return super().__new__(cls)  # what a script's __init__ hands on says the rest

    def __init__(self, name, type, value, strict, allow_downcast=None, container=None):
        if not self.__class__.__module__.startswith("croton."):
            _core.adopt(self, _shared_of(name, type, value, strict, allow_downcast, container))


def _shared_of(name, type, value, strict, allow_downcast=None, container=None):
    if container is not None:
        if value is not None or strict is not None:
            raise TypeError("value and strict are ignored if you pass a container here")
        return _core.shared_like(container.variable, name or "")
    made = _core.shared(type, type.filter(value, strict=strict, allow_downcast=allow_downcast), name or "", True)
    if strict or allow_downcast is not None:
        made._filter = dict(strict=bool(strict), allow_downcast=allow_downcast)
    return made


def _with_type_of(output, value, op):
    """`value` for an op that gives what it takes, as ViewOp does, and whose output a script made of another dtype or pattern."""
    have, wanted = value.type, output.type
    if have == wanted or getattr(have, "ndim", None) != getattr(wanted, "ndim", None) or not hasattr(wanted, "dtype") or op(value).type != have:
        return value
    return _core.pattern_broadcast(_core.cast(value, wanted.dtype), list(wanted.broadcastable))


class Apply(_core.ApplyBase, Node):
    """An op applied to inputs."""

    def __new__(cls, op, inputs, outputs):
        inputs, outputs = listed(inputs), listed(outputs)
        for what, values in (("inputs", inputs), ("outputs", outputs)):
            if values is None:
                raise TypeError("The %s of an Apply must be a list or tuple" % what)
        for value in inputs:
            if not isinstance(value, Variable):
                raise TypeError("The 'inputs' argument to Apply must contain Variable instances, not %s" % (value,))
        for value in outputs:
            if not isinstance(value, Variable):
                raise TypeError("The 'outputs' argument to Apply must contain Variable instances, not %s" % (value,))
        if len(inputs) == len(outputs) == 1 and isinstance(op, _core.OpBase) and _core.is_engine_op(op):
            inputs = [_with_type_of(outputs[0], inputs[0], op)]
        return _core.apply_from_python(op, inputs, outputs)

    def _trace_number(self):
        return self._trace

    @property
    def nin(self):
        return len(self.inputs)

    @property
    def nout(self):
        return len(self.outputs)

    def default_output(self):
        outputs = self.outputs
        which = getattr(self.op, "default_output", None)
        if which is None:
            if len(outputs) == 1:
                return outputs[0]
            raise ValueError("%s has %d outputs and no default one: name the output" % (self.op, len(outputs)))
        return outputs[which]

    @property
    def out(self):
        return self.default_output()

    @property
    def fgraph(self):
        """The FunctionGraph that it belongs to."""
        return _graph_of(self, self.outputs[0])

    def __str__(self):
        numbers = _core.number_texts(self)
        return "%s(%s)" % (self.op, ", ".join(number or str(variable) for number, variable in zip(numbers, self.inputs)))

    __repr__ = __str__

    def __asapply__(self):
        return self

    def clone(self):
        return self.clone_with_new_inputs(self.inputs)

    def clone_with_new_inputs(self, inputs, strict=True):
        op, inputs = self.op, list(inputs)
        if len(inputs) == len(self.inputs) and all(new.type == old.type for new, old in zip(inputs, self.inputs)):
            if _core.is_engine_op(op):
                return _core.make_apply(op, inputs, [output.type for output in self.outputs])
        elif strict:
            raise TypeError("the new inputs of %s have other types than the old ones" % op)
        return op.make_node(*inputs)

    def get_parents(self):
        return list(self.inputs)

    def run_params(self):
        return params_of(self)

    def __reduce__(self):
        from croton import _pickle
        return _pickle.reduce_apply(self)

    def __getstate__(self):
        return None


def params_of(node):
    """What the op of an apply wants beside its inputs, or None."""
    if getattr(node.op, "params_type", None) is None:
        return None
    try:
        return node.op.get_params(node)
    except MethodNotDefined:
        return getattr(node.op, "params", None)


def _variables(nodes):
    """A list of variables from one, or from anything that gives variables and applies one after the other."""
    result = []
    for node in [nodes] if isinstance(nodes, Node) else nodes:
        if isinstance(node, Apply):
            result.extend(node.outputs)
        else:
            result.append(node)
    return result


def ancestors(variable_list, blockers=None):
    """The variables and all that they depend on, the last variable's first; what blocks is not looked into."""
    return _core.ancestors(_variables(variable_list), _variables(blockers or []), False)


def graph_inputs(variable_list, blockers=None):
    """The leaves that the variables depend on, those of the last variable first."""
    return [variable for variable in ancestors(variable_list, blockers) if variable.owner is None]


def variables_and_orphans(i, o):
    """The variables between inputs and outputs, and those among them that have a value or are missing."""
    i = _variables(i)
    found, known = _core.ancestors(_variables(o), i, True), set(i)
    return found, [variable for variable in found if variable.owner is None and variable not in known]


def variables(i, o):
    return variables_and_orphans(i, o)[0]


def orphans(i, o):
    return variables_and_orphans(i, o)[1]


def ops(i, o):
    """The applies between inputs and outputs."""
    return set(io_toposort(i, o))


def io_toposort(inputs, outputs, orderings=None, clients=None):
    """Applies between inputs and outputs, producers first, in Theano's order: programs number what they keep in files by it. `orderings`: {apply: what
    has to come before it}; `clients` is filled with who reads each variable and apply."""
    given, orderings = set(_variables(inputs)), orderings or {}
    if not orderings and clients is None:
        return _depth_first(given, _variables(outputs))

    def deps(one):
        if one in given:
            return ()
        needed = list(one.inputs) if isinstance(one, Apply) else [] if one.owner is None else [one.owner]
        return needed + list(orderings.get(one, ()))
    return [one for one in general_toposort(_variables(outputs), deps, clients=clients) if isinstance(one, Apply)]


def walk(nodes, expand, bfs=True, return_children=False, hash_fn=id):
    """Each that `expand` leads to from some, once: breadth first or depth first. `return_children`: with what it leads to."""
    left, seen = deque(nodes), set()
    while left:
        one = left.popleft() if bfs else left.pop()
        if hash_fn(one) in seen:
            continue
        seen.add(hash_fn(one))
        others = expand(one)
        yield (one, others) if return_children else one
        left.extend(others or ())


def stack_search(start, expand, mode="bfs", build_inv=False):
    """All that `expand` leads to from what stands in the deque `start`: breadth first or depth first ("dfs")."""
    if mode not in ("bfs", "dfs"):
        raise ValueError("mode should be bfs or dfs", mode)
    found, expanded_from = [], {}
    for one, others in walk(start, expand, mode == "bfs", return_children=True):
        found.append(one)
        for other in others or () if build_inv else ():
            expanded_from.setdefault(other, []).append(one)
    return (found, expanded_from) if build_inv else found


def general_toposort(outputs, deps, debug_print=False, compute_deps_cache=None, deps_cache=None, clients=None):
    """What is reached from the outputs through `deps(one)`, each behind all that it depends on; ValueError for a circle."""
    needed_by = {} if clients is None else clients
    needs, left = {}, list(outputs)
    while left:
        one = left.pop()
        if one in needs:
            continue
        needs[one] = list(deps(one) or ())
        for other in needs[one]:
            needed_by.setdefault(other, []).append(one)
        left.extend(needs[one])
    waits = {one: len(others) for one, others in needs.items()}
    order = [one for one, count in waits.items() if count == 0]
    for one in order:  # grows
        for other in needed_by.get(one, ()):
            waits[other] -= 1
            if waits[other] == 0:
                order.append(other)
    if len(order) < len(needs):
        raise ValueError("graph contains cycles")
    return order


def _depth_first(given, outputs):
    """The applies behind the first output first, of an apply those behind its last input."""
    known, order = given, []
    open_ = [output.owner for output in reversed(outputs) if output.owner is not None]
    while open_:
        apply = open_[-1]
        made = apply.outputs
        needed = [] if made[0] in known else [one.owner for one in apply.inputs if one.owner is not None and one not in known]
        if needed:
            open_ += needed
            continue
        open_.pop()
        if made[0] not in known:
            known.update(made)
            order.append(apply)
    return order


def list_of_nodes(inputs, outputs):
    return io_toposort(inputs, outputs)


inputs = graph_inputs
vars_between, orphans_between = variables, orphans  # as Theano-PyMC calls them


def applys_between(ins, outs):
    """The applies between inputs and outputs, each once, producers first."""
    return io_toposort(ins, outs)


def default_leaf_formatter(leaf):
    return str(leaf)


def default_node_formatter(op, argstrings):
    return "%s(%s)" % (op.op, ", ".join(argstrings))


def op_as_string(i, op, leaf_formatter=default_leaf_formatter, node_formatter=default_node_formatter):
    """An apply as text, down to the inputs i."""
    return node_formatter(op, as_string(i, op.inputs, leaf_formatter, node_formatter))


def as_string(i, o, leaf_formatter=default_leaf_formatter, node_formatter=default_node_formatter):
    """The outputs o as texts, down to the inputs i: *1 -> … where something is used twice, *1 from then on."""
    i, o = list(i), list(o)
    several, seen = set(), set()
    for apply in io_toposort(i, o):
        for variable in apply.inputs:
            if variable.owner is not None and variable not in i:
                (several if variable.owner in seen else seen).add(variable.owner)
    numbers = {}

    def text(variable):
        apply = variable.owner
        if variable in i or apply is None:
            return leaf_formatter(variable)
        which = "" if len(apply.outputs) == 1 else "::%d" % variable.index
        if apply not in several:
            return node_formatter(apply, [text(one) for one in apply.inputs]) + which
        if apply in numbers:
            return "*%d%s" % (numbers[apply], which)
        numbers[apply] = len(numbers) + 1
        number = numbers[apply]
        return "*%d%s -> %s" % (number, which, node_formatter(apply, [text(one) for one in apply.inputs]))
    return [text(variable) for variable in o]


def is_in_ancestors(l_node, f_node):
    """Does the apply l_node need what the apply f_node computes?"""
    return f_node in io_toposort([], l_node.outputs)


def view_roots(r):
    """The variables whose memory r may show."""
    owner = r.owner
    if owner is None:
        return [r]
    if _core.is_engine_op(owner.op):
        views = [input_ for output, input_ in _core.op_view_map(owner.op) if output == r.index]
    else:
        views = (owner.op.view_map or {}).get(r.index, [])
    return [root for input_ in views for root in view_roots(owner.inputs[input_])] or [r]


def destroyed_inputs(op):
    """[(output, the input that it overwrites)]"""
    if _core.is_engine_op(op):
        return list(_core.op_destroy_map(op))
    return [(output, input_) for output, several in (op.destroy_map or {}).items() for input_ in several]


def io_connection_pattern(inputs, outputs):
    """One row an input: does a gradient reach it from each output?"""
    return _core.connections(list(inputs), list(outputs))


def clone_get_equiv(inputs, outputs, copy_inputs=True, copy_orphans=True, memo=None):
    """{old: new} for a copy of the graph between inputs and outputs."""
    inputs, outputs = _variables(inputs), _variables(outputs)
    memo = {} if memo is None else memo
    for variable in inputs:
        memo.setdefault(variable, variable.clone() if copy_inputs else variable)
    for apply in io_toposort(inputs, outputs):
        for variable in apply.inputs:
            if variable not in memo:
                memo[variable] = variable.clone() if copy_orphans and not isinstance(variable, SharedVariableBase) else variable
        copy = memo.setdefault(apply, apply.clone_with_new_inputs([memo[variable] for variable in apply.inputs]))
        for old, new in zip(apply.outputs, copy.outputs):
            new.name = old.name
            memo.setdefault(old, new)
    for variable in outputs:
        memo.setdefault(variable, variable.clone())
    return memo


def clone(inputs, outputs, copy_inputs=True, copy_orphans=None):
    """(inputs, outputs) of a copy of the graph between them."""
    inputs, outputs = _variables(inputs), _variables(outputs)
    orphans_too = copy_inputs if copy_orphans is None else copy_orphans
    memo = clone_get_equiv(inputs, outputs, copy_inputs, orphans_too)
    return [memo[variable] for variable in inputs], [memo[variable] for variable in outputs]



for _kind in (GENERIC, NONE, SLICE, RANDOM_STATE, DISCONNECTED, NULL):
    for _role in (INPUT, OUTPUT):
        _core.register_variable_class(_kind, _role, Variable)
    _core.register_variable_class(_kind, CONSTANT, Constant)
_core.register_apply_class(Apply)
