"""Flags of a script's own: AddConfigVar('section.name', 'what it is for', IntParam(3)), and theano.config.section.name."""
from croton import configparser
from croton.gof.utils import also_in


class ConfigParam:
    """A default, and what makes a value of what is assigned: filter(value), which may raise ValueError."""

    def __init__(self, default, filter=None, allow_override=True):
        self.default, self.filter, self.allow_override = default, filter, allow_override

    def converted(self, name, value):
        try:
            return value if self.filter is None else self.filter(value)
        except ValueError as error:
            raise ValueError("the flag %s: %s" % (name, error)) from None


class TypedParam(ConfigParam):
    """Values of one type; is_valid(value) may refuse some."""

    def __init__(self, default, mytype, is_valid=None, allow_override=True):
        def make(value):
            made = mytype(value)
            if is_valid is not None and not is_valid(made):
                raise ValueError("%r is not valid" % (value,))
            return made
        super().__init__(default, make, allow_override)
        self.mytype, self.is_valid = mytype, is_valid


def StrParam(default, is_valid=None, allow_override=True):
    return TypedParam(default, str, is_valid, allow_override)


def IntParam(default, is_valid=None, allow_override=True):
    return TypedParam(default, int, is_valid, allow_override)


def FloatParam(default, is_valid=None, allow_override=True):
    return TypedParam(default, float, is_valid, allow_override)


def BoolParam(default, is_valid=None, allow_override=True):
    def truth(value):
        if value in (True, False):
            return bool(value)
        if str(value) in ("True", "true", "False", "false", "1", "0"):
            return str(value) in ("True", "true", "1")
        raise ValueError("it is True or False, got %r" % (value,))
    return TypedParam(default, truth, is_valid, allow_override)


class EnumStr(ConfigParam):
    """One of several words, the first of which is the default."""

    def __init__(self, default, *options, **kwargs):
        self.all = (default,) + options

        def one(value):
            if value not in self.all:
                raise ValueError("%r is none of %s" % (value, ", ".join(map(str, self.all))))
            return value
        super().__init__(default, one, kwargs.get("allow_override", True))


class _OwnFlag(configparser.Flag):
    __slots__ = ("param",)

    def __init__(self, name, doc, param):
        self.param = param
        default = param.default() if callable(param.default) else param.default
        super().__init__(name, default if default is None else param.converted(name, default), None, doc)

    def convert(self, value):
        if not self.param.allow_override:
            raise Exception("the flag %s cannot be changed" % self.name)
        return self.param.converted(self.name, value)


def AddConfigVar(name, doc, configparam, root=None, in_c_key=True):
    """Adds a flag; it has the value that THEANO_FLAGS or a .theanorc gave it."""
    if name in configparser._flags or any(known.startswith(name + ".") for known in configparser._flags):
        raise AttributeError("This name is already taken", name)
    flag = configparser._flags[name] = _OwnFlag(name, doc, configparam)
    for where, value in configparser.left_over.pop(name, ()):
        flag.assign(value, where)


also_in(configparser, globals())
