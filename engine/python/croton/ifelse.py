"""A choice between values of which only one is computed."""
from croton import _core
from croton.gof.graph import Variable
from croton.gof.op import Op, declare, named as _settable, parameters
from croton.tensor import basic


class IfElse(Op):
    """Inputs: a condition, n values if it holds, n values if not."""

    def __new__(cls, n_outs, as_view=False, gpu=False, name=None):
        return _core.if_else_op(int(n_outs), name or "")

    def __init__(self, *args, **kwargs):
        pass

    n_outs = property(lambda self: parameters(self)["count"])
    name = _settable(lambda self: parameters(self)["title"] or None)
    as_view = property(lambda self: any(parameters(self)["over"]))
    gpu = False

    def make_node(self, c, *args):
        if len(args) != 2 * self.n_outs:
            raise ValueError("Wrong number of arguments to make_node: expected %d, got %d" % (2 * self.n_outs, len(args)))
        args = [one if isinstance(one, Variable) else basic.as_tensor_variable(one) for one in args]
        pairs = [_of_one_type(then, other) for then, other in zip(args[:self.n_outs], args[self.n_outs:])]
        values = [then for then, _ in pairs] + [other for _, other in pairs]
        if len({_place(one) for one in values}) > 1:
            values = [_core.transfer(one, "cpu") if _place(one) != "cpu" else one for one in values]
        return _core.make_node(self, [basic.as_tensor_variable(c)] + values)


declare("IfElse", IfElse)


def _place(value):
    return getattr(value.type, "device", "cpu")


def _of_one_type(then, other):
    if then.type == other.type:
        return then, other
    for changed, kept in ((0, other), (1, then)):
        try:
            return (kept.type.filter_variable(then), other) if changed == 0 else (then, kept.type.filter_variable(other))
        except TypeError:
            continue
    raise TypeError("The two branches should have identical types, but they are %s and %s respectively. This error could be raised if "
                    "for example you provided a one element list on the `then` branch but a tensor on the `else` branch."
                    % (then.type, other.type))


def ifelse(condition, then_branch, else_branch, name=None):
    """then_branch if the condition holds, else else_branch; lists of values are allowed. What only the other one needs is not computed."""
    kind = None
    branches = []
    for branch in (then_branch, else_branch):
        if isinstance(branch, (list, tuple)):
            kind = type(branch)
            branches.append(list(branch))
        else:
            branches.append([branch])
    then, other = branches
    if len(then) != len(other):
        raise ValueError("The number of values on the `then` branch should have the same number of variables as the `else` branch : "
                         "(variables on `then` %d, variables on `else` %d)" % (len(then), len(other)))
    if not then:
        return kind()
    made = IfElse(len(then), name=name)(condition, *(then + other), return_list=True)
    return made[0] if kind is None else kind(made)
