"""How expressions are written down: the engine's texts, and printers of a script's own for ops or for what a condition picks."""
import inspect

from croton import _core
from croton.gof.substitute import substituted
from croton.gof.graph import Variable


class PrinterState:
    """What printers hand on: attributes, and the printer of all (pprinter)."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def clone(self, **attributes):
        return PrinterState(**{**self.__dict__, **attributes})


class FunctionPrinter:
    """f(a, b): a name for each output of the op."""

    def __init__(self, *names):
        self.names = names

    def process(self, output, pstate):
        owner = _made(output, self)
        name = self.names[owner.outputs.index(output)]
        return "%s(%s)" % (name, ", ".join(pstate.pprinter.process(one, pstate) for one in owner.inputs))


class OperatorPrinter:
    """(a + b)."""

    def __init__(self, operator, precedence, assoc="left"):
        self.operator, self.precedence, self.assoc = operator, precedence, assoc

    def process(self, output, pstate):
        inputs = [pstate.pprinter.process(one, pstate) for one in _made(output, self).inputs]
        return "(%s%s)" % (self.operator, inputs[0]) if len(inputs) == 1 else "(%s)" % (" %s " % self.operator).join(inputs)


class PatternPrinter:
    """'%(0)s^%(1)s': a pattern for each output, alone or with precedences behind it."""

    def __init__(self, *patterns):
        self.patterns = [pattern if isinstance(pattern, str) else pattern[0] for pattern in patterns]

    def process(self, output, pstate):
        owner = _made(output, self)
        pattern = self.patterns[owner.outputs.index(output)]
        return pattern % {str(i): pstate.pprinter.process(one, pstate) for i, one in enumerate(owner.inputs)}


class MemberPrinter:
    """a.name: a name for each output."""

    def __init__(self, *names):
        self.names = names

    def process(self, output, pstate):
        owner = _made(output, self)
        return "%s.%s" % (pstate.pprinter.process(owner.inputs[0], pstate), self.names[owner.outputs.index(output)])


class IgnorePrinter:
    """The first input alone."""

    def process(self, output, pstate):
        return pstate.pprinter.process(_made(output, self).inputs[0], pstate)


class LeafPrinter:
    """The name."""

    def process(self, output, pstate):
        return str(output)


class DefaultPrinter:
    """op(a, b)."""

    def process(self, output, pstate):
        if output.owner is None:
            return LeafPrinter().process(output, pstate)
        return "%s(%s)" % (output.owner.op, ", ".join(pstate.pprinter.process(one, pstate) for one in output.owner.inputs))


def _made(output, printer):
    if output.owner is None:
        raise TypeError("%s prints what ops make; %s is made by none" % (type(printer).__name__, output))
    return output.owner


class PPrinter:
    """Called with variables, graphs or functions it gives their text. assign(op, printer) or assign(lambda pstate, variable: …, printer)
    has a printer of yours do some of it: an object with process(variable, pstate), which calls pstate.pprinter.process for the parts."""

    def __init__(self):
        self.printers = []  # (condition, printer), the last one first

    def assign(self, condition, printer):
        if not inspect.isroutine(condition) or hasattr(condition, "make_node"):
            op = condition
            condition = lambda pstate, variable: variable.owner is not None and variable.owner.op == op  # noqa: E731
        self.printers.insert(0, (condition, printer))

    def clone(self):
        copy = PPrinter()
        copy.printers = list(self.printers)
        return copy

    def clone_assign(self, condition, printer):
        copy = self.clone()
        copy.assign(condition, printer)
        return copy

    def _printer_of(self, variable, pstate):
        return next((printer for condition, printer in self.printers if condition(pstate, variable)), None)

    def process(self, variable, pstate=None):
        if not isinstance(variable, Variable):
            variable = _core.as_variable(variable)
        pstate = PrinterState(pprinter=self) if pstate is None else pstate if hasattr(pstate, "pprinter") else PrinterState(pprinter=self, **pstate)
        if not self.printers:
            return _core.pretty_print(variable)
        printer = self._printer_of(variable, pstate)
        if printer is not None:
            return printer.process(variable, pstate)
        # The engine writes the rest, with names where parts have printers of their own.
        parts, open_, seen = [], list(variable.owner.inputs) if variable.owner else [], set()
        while open_:
            one = open_.pop()
            if one in seen:
                continue
            seen.add(one)
            if self._printer_of(one, pstate) is not None:
                parts.append(one)
            elif one.owner is not None:
                open_ += one.owner.inputs
        names = {one: one.type("part%dof%d" % (i, len(parts))) for i, one in enumerate(parts)}
        text = _core.pretty_print(substituted([variable], list(names), list(names.values()))[0] if parts else variable)
        for one, stand_in in names.items():
            text = text.replace(stand_in.name, self.process(one, pstate))
        return text

    def process_graph(self, inputs, outputs, updates=None, display_inputs=False):
        lines = ["inputs: " + ", ".join(map(str, inputs))] if display_inputs else []
        updates = {new: old for old, new in dict(updates or {}).items()}
        for output in list(outputs) + [new for new in updates if new not in outputs]:
            name = getattr(updates.get(output), "name", None) or output.name or "out"
            lines.append("%s = %s" % (name, self.process(output)))
        return "\n".join(lines)

    def __call__(self, *args):
        if len(args) == 1 and isinstance(args[0], _core.Function):
            return ", ".join(self.process(output) for output in args[0].maker.fgraph.outputs)
        if len(args) == 1 and hasattr(args[0], "outputs") and hasattr(args[0], "inputs") and not isinstance(args[0], Variable):
            return self.process_graph(args[0].inputs, args[0].outputs)
        if len(args) == 2 and isinstance(args[0], (list, tuple)) and isinstance(args[1], (list, tuple)):
            return self.process_graph(*args)
        return self.process(*args)


pprint = pp = PPrinter()
leaf_printer, default_printer = LeafPrinter(), DefaultPrinter()
