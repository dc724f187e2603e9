"""Types of constants that have names, in Python and in C, and of what only C code knows."""
import numbers
import re

from croton.gof import type as type_module
from croton.gof.type import Type
from croton.gof.utils import also_in


class EnumType(Type):
    """EnumType(NAME=value, OTHER=(alias, value), ctype='double'): one of these numbers, which C code knows by name."""

    def __init__(self, **kwargs):
        self.ctype = kwargs.pop("ctype", "double")
        self.cname = kwargs.pop("cname", self.ctype.replace(" ", "_"))
        self.aliases, self._values = {}, {}
        for name, value in kwargs.items():
            if not re.match("^[A-Z][A-Z0-9_]*$", name):
                raise AttributeError('%s: constants are written in capital letters, digits and underscores, which "%s" is not'
                                     % (type(self).__name__, name))
            if isinstance(value, (list, tuple)):
                if len(value) != 2:
                    raise TypeError("%s: a tuple in the place of a value is (alias, value)" % type(self).__name__)
                alias, value = value
                if not isinstance(alias, str) or alias == name or alias in self.aliases:
                    raise TypeError('%s: an alias is a text of its own, which "%s" is not'
                                    % (type(self).__name__, alias))
                self.aliases[alias] = name
            if isinstance(value, bool):
                value = int(value)
            if not isinstance(value, numbers.Real):
                raise ValueError('%s: the constant "%s" wants a number, got %s' % (type(self).__name__, name, type(value).__name__))
            self._values[name] = value
        if set(self.aliases) & set(self._values):
            raise TypeError("%s: an alias has the name of a constant" % type(self).__name__)

    def __repr__(self):
        names = {name: alias for alias, name in self.aliases.items()}
        return "%s<%s>(%s)" % (type(self).__name__, self.ctype, ", ".join(
            "%s%s:%s" % (name, "(%s)" % names[name] if name in names else "", self._values[name]) for name in sorted(self._values)))

    __str__ = __repr__

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError("%s has no constant %r" % (type(self).__name__, name))

    def __getitem__(self, name):
        return self._values[name]

    def __contains__(self, name):
        return name in self._values

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def keys(self):
        return self._values.keys()

    def values(self):
        return self._values.values()

    def items(self):
        return self._values.items()

    def __eq__(self, other):
        return (type(self) is type(other) and self.ctype == other.ctype and self._values == other._values
                and self.aliases == other.aliases)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.ctype, tuple(sorted(self._values.items())), tuple(sorted(self.aliases.items()))))

    def fromalias(self, alias):
        """The value of the constant with this alias, or with this name."""
        return self._values[self.aliases.get(alias, alias)]

    def has_alias(self, alias):
        return alias in self.aliases

    def get_aliases(self):
        return tuple(sorted(self.aliases))

    def filter(self, value, strict=False, allow_downcast=None):
        if not strict and isinstance(value, bool):
            value = int(value)
        if value not in self._values.values():
            raise TypeError("%s is none of the values of %s" % (value, self))
        return value

    def values_eq(self, a, b):
        return a == b

    def c_support_code(self):
        return "".join("#ifndef %(name)s\n#define %(name)s %(value)s\n#endif\n" % {"name": name, "value": value} for name, value in self._values.items())

    def c_declare(self, name, sub, check_input=True):
        return "%s %s;" % (self.ctype, name)

    def c_init(self, name, sub):
        return "%s = 0;" % name

    def c_extract(self, name, sub, check_input=True):
        return """
        %(name)s = (%(ctype)s)PyFloat_AsDouble(py_%(name)s);
        if (PyErr_Occurred()) {
            %(fail)s
        }
        """ % {"name": name, "ctype": self.ctype, "fail": sub["fail"]}

    def c_code_cache_version(self):
        return (1, self.ctype, self.cname, tuple(sorted(self._values.items())))


class EnumList(EnumType):
    """EnumList('NAME', ('OTHER', 'alias'), ctype='int'): constants that are counted from 0."""

    def __init__(self, *names, **kwargs):
        options = {"ctype": kwargs.pop("ctype", "int")}
        if "cname" in kwargs:
            options["cname"] = kwargs.pop("cname")
        if kwargs:
            raise TypeError("%s takes ctype and cname by name, nothing else" % type(self).__name__)
        values = {}
        for place, name in enumerate(names):
            if isinstance(name, (list, tuple)):
                if len(name) != 2:
                    raise TypeError("%s: a tuple in the place of a name is (name, alias)" % type(self).__name__)
                name, value = name[0], (name[1], place)
            else:
                value = place
            if not isinstance(name, str):
                raise TypeError('%s: the name of a constant is a text, got "%s"' % (type(self).__name__, name))
            if name in values:
                raise AttributeError('%s: the constant "%s" stands there twice' % (type(self).__name__, name))
            values[name] = value
        super().__init__(**values, **options)


class CEnumType(EnumList):
    """As EnumList, of constants that C code has already: what they are is known there only."""

    def c_support_code(self):
        return ""

    def c_extract(self, name, sub, check_input=True):
        cases = "".join("case %d: %s = %s; break;\n" % (place, name, constant) for constant, place in self.items())
        return """
        switch (PyLong_AsLong(py_%(name)s)) {
        %(cases)s
        default:
            PyErr_SetString(PyExc_ValueError, "CEnumType: invalid value to map to C constants.");
            %(fail)s
        }
        """ % {"name": name, "cases": cases, "fail": sub["fail"]}


class CDataType(Type):
    """CDataType('struct foo*', 'free_foo'): a pointer that only C code knows what to do with; `freefunc` is called when nothing holds it."""

    def __init__(self, ctype, freefunc=None, headers=(), header_dirs=(), libraries=(), lib_dirs=(), compile_args=(), extra_support_code="",
                 version=None):
        if not isinstance(ctype, str):
            raise TypeError("ctype is the name of a C type, got %r" % (ctype,))
        self.ctype, self.freefunc, self.version = ctype, freefunc, version
        self._hooks = [tuple(one) for one in (headers, header_dirs, libraries, lib_dirs, compile_args)]
        self.extra_support_code = extra_support_code

    def _all(self):
        return [self.ctype, self.freefunc, self.extra_support_code, self.version] + self._hooks

    def __eq__(self, other):
        return type(self) is type(other) and self._all() == other._all()

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.ctype, self.freefunc))

    def __repr__(self):
        return "CDataType{%s}" % self.ctype

    __str__ = __repr__

    def filter(self, value, strict=False, allow_downcast=None):
        if value is not None and type(value).__name__ != "PyCapsule":
            raise TypeError("None or a PyCapsule is wanted, got %s" % type(value).__name__)
        return value

    def values_eq(self, a, b):
        return a is b

    def c_headers(self):
        return list(self._hooks[0])

    def c_header_dirs(self):
        return list(self._hooks[1])

    def c_libraries(self):
        return list(self._hooks[2])

    def c_lib_dirs(self):
        return list(self._hooks[3])

    def c_compile_args(self):
        return list(self._hooks[4])

    def c_support_code(self):
        return """
        #ifndef CAPSULE_DESTRUCTOR
        #define CAPSULE_DESTRUCTOR
        static void _capsule_destructor(PyObject* o)
        {
            void (*destroy)(void*) = (void (*)(void*))PyCapsule_GetContext(o);
            if (destroy) destroy(PyCapsule_GetPointer(o, NULL));
        }
        #endif
        """ + self.extra_support_code

    def c_declare(self, name, sub, check_input=True):
        return "%s %s;" % (self.ctype, name)

    def c_init(self, name, sub):
        return "%s = NULL;" % name

    def c_extract(self, name, sub, check_input=True):
        return "%(name)s = (%(ctype)s)PyCapsule_GetPointer(py_%(name)s, NULL);\nif (%(name)s == NULL) %(fail)s" % {
            "name": name, "ctype": self.ctype, "fail": sub["fail"]}

    def c_sync(self, name, sub):
        return """
        Py_XDECREF(py_%(name)s);
        if (%(name)s == NULL) {
            py_%(name)s = Py_None;
            Py_INCREF(py_%(name)s);
        } else {
            py_%(name)s = PyCapsule_New((void*)%(name)s, NULL, _capsule_destructor);
            if (py_%(name)s && PyCapsule_SetContext(py_%(name)s, (void*)%(free)s)) {
                Py_DECREF(py_%(name)s);
                py_%(name)s = NULL;
            }
        }
        """ % {"name": name, "free": self.freefunc or "NULL"}

    def c_code_cache_version(self):
        return (1, self.version)


also_in(type_module, globals())
