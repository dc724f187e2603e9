"""Parameters of an op as an object with named fields, in Python and in C: params_type = ParamsType(a=…, b=…)."""
import hashlib
import re

import numpy

from croton.gof.c_types import NAMES, NumberInC
from croton.gof.enums import EnumType
from croton.gof.type import Type
from croton.gof.utils import hash_from_code


class Params(dict):
    """Values of the fields of a ParamsType, which are attributes, too; they do not change."""

    def __init__(self, params_type, **values):
        if not isinstance(params_type, ParamsType):
            raise TypeError("Params begins with its ParamsType, got %s" % type(params_type).__name__)
        for field in params_type.fields:
            if field not in values:
                raise TypeError('Params has no value for the field "%s" of its type' % field)
        super().__init__(**values)
        self.__dict__["__params_type__"] = params_type

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError('Params has no field "%s"' % name) from None

    def __setattr__(self, name, value):
        raise NotImplementedError("fields of Params do not change: make another one")

    def __delattr__(self, name):
        raise NotImplementedError("fields of Params do not change: make another one")

    __setitem__ = __delitem__ = __setattr__

    def __repr__(self):
        return "Params(%s)" % ", ".join("%s:%s" % (field, self[field]) for field in sorted(self))

    __str__ = __repr__

    def __eq__(self, other):
        type_ = self.__dict__["__params_type__"]
        return isinstance(other, Params) and type_ == other.__dict__["__params_type__"] and type_.values_eq(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        type_ = self.__dict__["__params_type__"]
        return hash((type(self), type_) + tuple(_signature(self[field]) for field in type_.fields))

    def __reduce__(self):
        return _params, (self.__dict__["__params_type__"], dict(self))


def _params(params_type, values):
    return Params(params_type, **values)


def _signature(value):
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return value.dtype.str, value.shape, value.tobytes()
    return value


class ParamsType(Type):
    """ParamsType(field=type, …): what holds a value of each; in C a struct, whose fields are called as the fields are."""

    def __init__(self, **kwargs):
        if not kwargs:
            raise ValueError("a ParamsType has one field at least")
        for field, type_ in kwargs.items():
            if not re.match("^[A-Za-z_][A-Za-z0-9_]*$", field):
                raise AttributeError('the field "%s" of a ParamsType is no name in C' % field)
            if not isinstance(type_, Type):
                raise TypeError('the field "%s" of a ParamsType wants a Type, got %s' % (field, type(type_).__name__))
        self.length = len(kwargs)
        self.fields = tuple(sorted(kwargs))
        self.types = tuple(kwargs[field] for field in self.fields)
        self._enums = [type_ for type_ in self.types if isinstance(type_, EnumType)]
        for names in ([key for enum in self._enums for key in enum], [key for enum in self._enums for key in enum.get_aliases()]):
            if len(set(names)) != len(names):
                raise AttributeError("two enums of a ParamsType have a constant or alias in common")
        text = ",".join("%s:%s" % pair for pair in zip(self.fields, self.types))
        self.name = "_Params_%s" % hashlib.sha256(text.encode()).hexdigest()[:24]

    def __repr__(self):
        return "ParamsType<%s>" % ", ".join("%s:%s" % pair for pair in zip(self.fields, self.types))

    __str__ = __repr__

    def __eq__(self, other):
        return type(self) is type(other) and self.fields == other.fields and self.types == other.types

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.fields, self.types))

    def __reduce__(self):
        return _params_type, (dict(zip(self.fields, self.types)),)

    def __getattr__(self, name):
        for enum in self.__dict__.get("_enums", ()):
            if name in enum:
                return enum[name]
        raise AttributeError("%s has no attribute %r" % (type(self).__name__, name))

    def get_enum(self, key):
        """The value of a constant of one of the enum types."""
        return getattr(self, key)

    def enum_from_alias(self, alias):
        """The constant that an alias, or else a name, of one of the enum types stands for."""
        enum = next((enum for enum in self._enums if enum.has_alias(alias)), None)
        return self.get_enum(alias) if enum is None else enum.fromalias(alias)

    def has_type(self, type_):
        return type_ in self.types

    def get_field(self, type_):
        return self.fields[self.types.index(type_)]

    def get_type(self, field):
        return self.types[self.fields.index(field)]

    def get_params(self, *objects, **values):
        """Params of the attributes of these objects, and of values."""
        found = {}
        for field, type_ in zip(self.fields, self.types):
            if field in values:
                value = values[field]
            else:
                owner = next((one for one in objects if hasattr(one, field)), None)
                if owner is None:
                    raise TypeError('the field "%s" has no value: none was given, and no object has such an attribute' % field)
                value = getattr(owner, field)
            found[field] = _filtered(type_, value, False, True)
        return Params(self, **found)

    def extended(self, **kwargs):
        """A ParamsType of these fields and more."""
        return ParamsType(**{**dict(zip(self.fields, self.types)), **kwargs})

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, Params):
            raise TypeError("a Params is wanted, got %s" % type(value).__name__)
        if strict and value.__dict__["__params_type__"] != self:
            raise TypeError("a Params of %s is wanted, got one of %s" % (self, value.__dict__["__params_type__"]))
        values = {field: _filtered(type_, value[field], strict, allow_downcast) for field, type_ in zip(self.fields, self.types)}
        return value if strict else Params(self, **values)

    def values_eq(self, a, b):
        return all(type_.values_eq(a[field], b[field]) for field, type_ in zip(self.fields, self.types))

    def values_eq_approx(self, a, b, **kwargs):
        return all(type_.values_eq_approx(a[field], b[field]) for field, type_ in zip(self.fields, self.types))

    # --- in C -----------------------------------------------------------------------------------------
    def _of_all(self, hook):
        found = []
        for type_ in self.types:
            for one in getattr(type_, hook)():
                if one not in found:
                    found.append(one)
        return found

    def c_headers(self):
        return self._of_all("c_headers")

    def c_header_dirs(self):
        return self._of_all("c_header_dirs")

    def c_libraries(self):
        return self._of_all("c_libraries")

    def c_lib_dirs(self):
        return self._of_all("c_lib_dirs")

    def c_compile_args(self):
        return self._of_all("c_compile_args")

    def c_no_compile_args(self):
        return self._of_all("c_no_compile_args")

    def c_init_code(self):
        return self._of_all("c_init_code")

    def c_code_cache_version(self):
        return (1, hash_from_code(self.c_support_code()))

    def c_element_types(self):
        """[(field, C type)] of the fields that have one dtype."""
        return [(field, NAMES[type_.dtype][0]) for field, type_ in zip(self.fields, self.types) if getattr(type_, "dtype", None) in NAMES]

    def c_support_code(self):
        sub = {"fail": "{\n            failed = true;\n            return;\n        }"}
        before, declared, begun, ended, extracted, calls = [], [], [], [], [], []
        for field, type_ in zip(self.fields, self.types):
            code = type_.c_support_code()
            if code and code not in before:
                before.append(code)
            declared += ["PyObject* py_%s;" % field, type_.c_declare(field, sub)]
            begun.append("py_%s = NULL;\n%s" % (field, type_.c_init(field, sub)))
            ended.append("if (py_%s) {\n%s\nPy_DECREF(py_%s);\n}" % (field, type_.c_cleanup(field, sub), field))
            extracted.append("void extract_%s()\n{\n%s\n}" % (field, type_.c_extract(field, sub)))
            calls.append('py_%(f)s = PyMapping_GetItemString(params, "%(f)s");\nif (!py_%(f)s) %(fail)s\nextract_%(f)s();\nif (failed) return;'
                         % {"f": field, "fail": sub["fail"]})
        return _STRUCT % {"before": "\n".join(before), "name": self.name, "declared": "\n".join(declared), "begun": "\n".join(begun),
                          "ended": "\n".join(ended), "extracted": "\n".join(extracted), "calls": "\n".join(calls)}

    def c_declare(self, name, sub, check_input=True):
        return "%s* %s;" % (self.name, name)

    def c_init(self, name, sub):
        return "%s = NULL;" % name

    def c_extract(self, name, sub, check_input=True):
        return """
        %(name)s = new %(struct)s();
        %(name)s->extract(py_%(name)s);
        if (%(name)s->failed) {
            delete %(name)s;
            %(name)s = NULL;
            %(fail)s
        }
        """ % {"name": name, "struct": self.name, "fail": sub["fail"]}

    def c_cleanup(self, name, sub):
        return "delete %(name)s;\n%(name)s = NULL;" % {"name": name}


def _params_type(fields):
    return ParamsType(**fields)


def _filtered(type_, value, strict, allow_downcast):
    value = type_.filter(value, strict=strict, allow_downcast=allow_downcast)
    return value[()] if isinstance(type_, NumberInC) and isinstance(value, numpy.ndarray) else value


_STRUCT = """
%(before)s
#ifndef STRUCT%(name)s
#define STRUCT%(name)s
struct %(name)s {
%(declared)s
bool failed;
%(name)s() : failed(false)
{
%(begun)s
}
~%(name)s()
{
%(ended)s
}
%(extracted)s
void extract(PyObject* params)
{
%(calls)s
}
};
#endif
"""
