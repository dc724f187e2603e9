"""Local optimizers that are said by examples: patterns of ops and names."""
import numbers
import sys

import numpy

from croton import _core
from croton.gof import opt
from croton.gof.graph import Constant, Variable
from croton.gof.opt import LocalOptimizer
from croton.gof.utils import also_in


class OpSub(LocalOptimizer):
    """Applies of op1 become applies of op2 on the same inputs."""
    reentrant = False
    retains_inputs = True

    def __init__(self, op1, op2, transfer_tags=True):
        self.op1, self.op2, self.transfer_tags = op1, op2, transfer_tags

    def op_key(self):
        return self.op1

    def tracks(self):
        return [self.op1]

    def transform(self, node):
        if node.op != self.op1:
            return False
        made = self.op2.make_node(*node.inputs)
        if self.transfer_tags:
            for new, old in zip(made.outputs, node.outputs):
                new.tag.__dict__.update(old.tag.__dict__)
        return made.outputs

    def __str__(self):
        return "%s -> %s" % (self.op1, self.op2)


class OpRemove(LocalOptimizer):
    """Applies of the op become their inputs."""
    reentrant = False

    def __init__(self, op):
        self.op = op

    def op_key(self):
        return self.op

    def tracks(self):
        return [self.op]

    def transform(self, node):
        if node.op != self.op:
            return False
        if node.nin != node.nout:
            raise ValueError("It is not possible to remove an Op that has a different number of inputs and outputs")
        return node.inputs

    def __str__(self):
        return "%s(x) -> x" % self.op


class PatternSub(LocalOptimizer):
    """What looks like in_pattern becomes out_pattern.

    A pattern is (op, pattern, …), the name of something (a string: the same name, the same variable), a Constant or number, or
    {"pattern": pattern, "constraint": function of the variable}. In what replaces it a function may stand in the place of an op.
    """

    def __init__(self, in_pattern, out_pattern, allow_multiple_clients=False, skip_identities_fn=None, name=None, tracks=(), get_nodes=None,
                 values_eq_approx=None):
        self.in_pattern, self.out_pattern = in_pattern, out_pattern
        self.values_eq_approx = values_eq_approx
        if isinstance(in_pattern, (list, tuple)):
            self.op = in_pattern[0]
        elif isinstance(in_pattern, dict):
            self.op = in_pattern["pattern"][0]
        else:
            raise TypeError("The pattern to search for must start with a specific Op instance.")
        self.__doc__ = "%s\n\nThis instance does: %s\n" % (type(self).__doc__, self)
        self.allow_multiple_clients, self.skip_identities_fn = allow_multiple_clients, skip_identities_fn
        if name:
            self.__name__ = self.name = name
        self._tracks, self.get_nodes = list(tracks), get_nodes
        if self._tracks and get_nodes is None:
            raise ValueError("PatternSub: tracks and get_nodes go together")

    def op_key(self):
        return self.op

    def tracks(self):
        return self._tracks or [self.op]

    def transform(self, node, get_nodes=True):
        if get_nodes and self.get_nodes is not None:
            for real in self.get_nodes(node):
                if real == "output":
                    continue
                found = self.transform(real, get_nodes=False)
                if found is not False and found is not None:
                    return dict(zip(real.outputs, found if isinstance(found, (list, tuple)) else [found]))
        if node.op != self.op or len(node.outputs) != 1:
            return False
        bound = self._match(self.in_pattern, node.out, {}, allow_multiple=True)
        if bound is None:
            return False
        made = self._build(self.out_pattern, bound, node.out)
        if made.type != node.out.type:
            converted = node.out.type.convert_variable(made)
            if converted is None or converted.type != node.out.type:
                return False
            made = converted
        if self.values_eq_approx is not None:
            made.tag.values_eq_approx = self.values_eq_approx
        return [made]

    def _match(self, pattern, variable, bound, allow_multiple=False):
        """The names with what they stand for, or None."""
        if isinstance(pattern, (list, tuple)):
            apply = variable.owner
            if apply is None:
                return None
            if apply.op != pattern[0] or len(apply.inputs) != len(pattern) - 1:
                return self._through_identity(pattern, variable, bound, allow_multiple)
            if not allow_multiple and not self.allow_multiple_clients and _reader_count(variable) > 1:
                return None
            for inner, needed in zip(pattern[1:], apply.inputs):
                bound = self._match(inner, needed, bound)
                if bound is None:
                    return None
            return bound
        if isinstance(pattern, dict):
            if "pattern" not in pattern:
                raise KeyError("Malformed pattern: %s (expected key 'pattern')" % pattern)
            constraint = pattern.get("constraint")
            if constraint is not None and not constraint(variable):
                return None
            return self._match(pattern["pattern"], variable, bound, allow_multiple)
        if isinstance(pattern, str):
            known = bound.get(pattern)
            if known is not None:
                same = known is variable or (isinstance(known, Constant) and isinstance(variable, Constant) and known.equals(variable))
                return bound if same else None
            return {**bound, pattern: variable}
        if isinstance(pattern, (numbers.Number, numpy.ndarray)):
            pattern = _core.as_variable(pattern)
        if isinstance(pattern, Constant) and isinstance(variable, Constant):
            if pattern.equals(variable):
                return bound
            same = numpy.ndim(pattern.data) == 0 and variable.data.size == 1 and variable.data.reshape(()) == pattern.data
            return bound if same else None
        return None

    def _through_identity(self, pattern, variable, bound, allow_multiple):
        if self.skip_identities_fn is None:
            return None
        inside = self.skip_identities_fn(variable)
        if not inside or not isinstance(inside, Variable) or inside is variable:
            return None
        return self._match(pattern, inside, bound, allow_multiple)

    def _build(self, pattern, bound, like):
        if isinstance(pattern, (list, tuple)):
            return pattern[0](*[self._build(inner, bound, like) for inner in pattern[1:]])
        if isinstance(pattern, str):
            return bound[pattern]
        if isinstance(pattern, dict):
            return self._build(pattern["pattern"], bound, like)
        if isinstance(pattern, (numbers.Number, numpy.ndarray)):
            return _core.as_variable(pattern)
        return pattern.clone() if isinstance(pattern, Constant) else pattern

    def __str__(self):
        return getattr(self, "__name__", None) or "%s -> %s" % (_text(self.in_pattern), _text(self.out_pattern))

    __repr__ = __str__

    def print_summary(self, stream=None, level=0, depth=-1):
        print("%s%s %s(%s, %s) id=%s" % (" " * level, type(self).__name__, getattr(self, "name", getattr(self, "__name__", None)),
                                         self.in_pattern, self.out_pattern, id(self)), file=stream or sys.stdout)


def _text(pattern):
    if isinstance(pattern, (list, tuple)):
        return "%s(%s)" % (pattern[0], ", ".join(_text(one) for one in pattern[1:]))
    if isinstance(pattern, dict):
        constraint = pattern.get("constraint")
        return "%s subject to %s" % (_text(pattern["pattern"]), getattr(constraint, "__name__", constraint))
    return str(pattern)


def _reader_count(variable):
    try:
        return len(variable.clients)
    except AttributeError:
        return 1


also_in(opt, globals())
