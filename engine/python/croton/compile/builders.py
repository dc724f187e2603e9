"""OpFromGraph: a graph as an op."""
from croton import _core
from croton.compile.function import function
from croton.gof.utils import listed
from croton.gof.graph import Apply, Constant, SharedVariableBase, Variable
from croton.gof.op import Op, declare, named as _settable


# What the function of its own would be told, were there one: it is rewritten and run with the graph around it.
_OF_FUNCTIONS = {"mode", "profile", "on_unused_input", "allow_input_downcast", "accept_inplace", "rebuild_strict", "no_default_updates"}


class OpFromGraph(Op):
    """f = OpFromGraph([x, y], [x + y]); f(a, b) puts one apply into a graph."""

    def __new__(cls, inputs, outputs, inline=False, lop_overrides="default", grad_overrides="default", rop_overrides="default",
                connection_pattern=None, name=None, **kwargs):
        refused = [key for key in ("updates", "givens") if key in kwargs]
        if refused:
            raise TypeError("OpFromGraph does not take %s: they belong to the function" % " and ".join(refused))
        unknown = set(kwargs) - _OF_FUNCTIONS
        if unknown:
            raise TypeError("OpFromGraph does not know %s; of what theano.function takes it accepts %s"
                            % (", ".join(sorted(unknown)), ", ".join(sorted(_OF_FUNCTIONS))))
        if not isinstance(lop_overrides, str) and not isinstance(grad_overrides, str):
            raise ValueError("lop_overrides and grad_overrides are mutually exclusive")
        inputs, outputs = listed(inputs), listed(outputs)
        if inputs is None or outputs is None:
            raise TypeError("OpFromGraph takes a list of inputs and a list of outputs")
        for value in list(inputs) + list(outputs):
            if not isinstance(value, Variable):
                raise TypeError("Inputs and outputs must be Variable instances, got %r" % (value,))
        for value in inputs:
            if isinstance(value, (Constant, SharedVariableBase)):
                raise TypeError("the input %s of OpFromGraph has a value already" % value)
        hidden = [leaf for leaf in _core.leaves(list(outputs), list(inputs)) if isinstance(leaf, SharedVariableBase)]
        stand_ins = [leaf.type() for leaf in hidden]
        for stand_in, leaf in zip(stand_ins, hidden):
            stand_in.name = leaf.name
        inner = _core.substitute(list(outputs), hidden, stand_ins) if hidden else list(outputs)
        overridden = [value for value in (lop_overrides, grad_overrides, rop_overrides) if value not in ("default", None)]
        if overridden or connection_pattern is not None:
            return _Overridden(list(inputs) + stand_ins, inner, hidden, lop_overrides, grad_overrides, rop_overrides, connection_pattern, name)
        op = _core.op_from_graph(list(inputs) + stand_ins, inner, name or "", bool(inline))
        op.__dict__.update(shared_inputs=hidden, local_inputs=list(inputs), local_outputs=list(outputs), is_inline=bool(inline))
        return op

    def __init__(self, *args, **kwargs):
        pass

    def make_node(self, *inputs):
        hidden = self.__dict__.get("shared_inputs", [])
        expected = len(self.__dict__.get("local_inputs", inputs))
        if len(inputs) != expected and len(inputs) != expected + len(hidden):
            raise ValueError("Wrong number of inputs for OpFromGraph: it takes %d, got %d" % (expected, len(inputs)))
        if len(inputs) == expected:
            inputs = list(inputs) + list(hidden)
        wanted = _core.op_inner(self)[0]
        return _core.make_node(self, [inner.type.filter_variable(value) for inner, value in zip(wanted, inputs)])

    def connection_pattern(self, node):
        return _core.connections(*_core.op_inner(self))

    name = _settable(_core.op_name)
    input_types = property(lambda self: [v.type for v in _core.op_inner(self)[0]])
    output_types = property(lambda self: [v.type for v in _core.op_inner(self)[1]])


declare("OpFromGraph", OpFromGraph)


class _Overridden(Op):
    """An OpFromGraph whose gradient somebody else wrote."""

    def __init__(self, inputs, outputs, hidden, lop, grad, rop, pattern, name):
        self.local_inputs, self.local_outputs, self.shared_inputs = inputs, outputs, hidden
        self._lop, self._grad, self._rop, self._pattern = lop, grad, rop, pattern
        self.name = name
        self._compiled = None

    def __str__(self):
        return self.name or "OpFromGraph"

    def make_node(self, *inputs):
        if len(inputs) + len(self.shared_inputs) == len(self.local_inputs):
            inputs = list(inputs) + list(self.shared_inputs)
        if len(inputs) != len(self.local_inputs):
            raise ValueError("Wrong number of inputs for OpFromGraph: it takes %d, got %d"
                             % (len(self.local_inputs) - len(self.shared_inputs), len(inputs)))
        return Apply(self, [inner.type.filter_variable(value) for inner, value in zip(self.local_inputs, inputs)],
                     [output.type() for output in self.local_outputs])

    def perform(self, node, inputs, output_storage):
        if self._compiled is None:
            self._compiled = function(self.local_inputs, self.local_outputs, on_unused_input="ignore", name=str(self))
        for cell, value in zip(output_storage, self._compiled(*inputs)):
            cell[0] = value

    def connection_pattern(self, node):
        if self._pattern is not None:
            return self._pattern(node) if callable(self._pattern) else self._pattern
        return _core.connections(self.local_inputs, self.local_outputs)

    def L_op(self, inputs, outputs, output_grads):
        default = None

        def own():
            nonlocal default
            if default is None:
                copies = _core.substitute(self.local_outputs, self.local_inputs, list(inputs))
                default = _core.lop(copies, list(inputs), [g for g in output_grads], [], "ignore")
            return default
        override = self._lop if self._lop not in ("default", None) else self._grad
        with_outputs = self._lop not in ("default", None)
        if override in ("default", None):
            return own()
        if callable(override) and not isinstance(override, (list, Op)):
            return override(inputs, outputs, output_grads) if with_outputs else override(inputs, output_grads)
        if isinstance(override, Op):
            arguments = list(inputs) + (list(outputs) if with_outputs else []) + list(output_grads)
            return override(*arguments, return_list=True)
        result = []
        for index, one in enumerate(override):
            if one in ("default", None):
                result.append(own()[index])
            elif isinstance(one, Variable):
                result.append(one)
            else:
                result.append(one(inputs, outputs, output_grads) if with_outputs else one(inputs, output_grads))
        return result

    def R_op(self, inputs, eval_points):
        if callable(self._rop):
            return self._rop(inputs, eval_points)
        copies = _core.substitute(self.local_outputs, self.local_inputs, list(inputs))
        given = [(i, p) for i, p in zip(inputs, eval_points) if p is not None]
        return _core.rop(copies, [i for i, _ in given], [p for _, p in given], True)
