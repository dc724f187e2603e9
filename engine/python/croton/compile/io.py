"""How inputs and outputs of a function behave."""
from croton.gof.graph import SharedVariableBase, Variable
from croton.gof.link import Container


class SymbolicInput:
    """An input: its variable, name, update, whether it may be overwritten, how values are converted."""

    def __init__(self, variable, name=None, update=None, mutable=None, strict=False, allow_downcast=None, autoname=True, implicit=False):
        if not isinstance(variable, Variable):
            raise TypeError("an input of a function must be a Variable, got %r" % (variable,))
        if implicit is None:
            raise TypeError("implicit must be True or False")
        self.variable = variable
        self.name = variable.name if (autoname and name is None) else name
        if self.name is not None and not isinstance(self.name, str):
            raise TypeError("name must be a string! (got: %s)" % (self.name,))
        if update is not None:
            if not isinstance(update, Variable):
                update = variable.type.filter_variable(update)
            if update.type != variable.type:
                raise TypeError("Variable '%s' has type %s but an update of type %s. The type of the update should be the same as the type "
                                "of the variable" % (variable, variable.type, update.type))
            if mutable is None:
                mutable = True
        self.update = update
        self.mutable = bool(mutable)
        self.strict, self.allow_downcast, self.implicit = bool(strict), allow_downcast, bool(implicit)

    def __str__(self):
        return "In(%s%s)" % (self.variable, " -> %s" % self.update if self.update is not None else "")

    __repr__ = __str__


class In(SymbolicInput):
    """An input with a default value, a name for keyword calls, an update."""

    def __init__(self, variable, name=None, value=None, update=None, mutable=None, strict=False, allow_downcast=None, autoname=True,
                 implicit=None, borrow=None, shared=False):
        if implicit is None:
            implicit = isinstance(value, (Container, SharedVariableBase))
        if borrow is None:
            borrow = bool(mutable)
        if mutable and not borrow:
            raise AssertionError("Symbolic input for variable %s (name=%s) has flags mutable=True, borrow=False. This combination is "
                                 "incompatible since mutable=True implies that the input variable may be both aliased (borrow=True) "
                                 "and overwritten." % (variable, name))
        super().__init__(variable, name, update, mutable, strict, allow_downcast, autoname, implicit)
        self.borrow, self.value, self.shared = bool(borrow), value, shared
        if self.implicit and value is None:
            raise TypeError("An implicit input must be given a default value")


class Param(In):
    """The older name of In, which calls the value `default`."""

    def __init__(self, variable, default=None, name=None, mutable=False, strict=False, allow_downcast=None, implicit=None, borrow=None):
        super().__init__(variable, name=name, value=default, mutable=mutable, strict=strict, allow_downcast=allow_downcast,
                         implicit=implicit, borrow=borrow)


class SymbolicOutput:
    """An output; borrow=True may return memory that the function uses again."""

    def __init__(self, variable, borrow=False):
        self.variable, self.borrow = variable, bool(borrow)

    def __str__(self):
        return "Out(%s,%s)" % (self.variable, self.borrow)

    __repr__ = __str__


Out = SymbolicOutput
