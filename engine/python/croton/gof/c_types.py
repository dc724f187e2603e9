"""How values of types come into C code and out of it."""
from croton.gof.errors import MethodNotDefined

# What C calls the dtypes, and NumPy's C interface. Complex numbers are those of COMPLEX, which can be added and multiplied.
NAMES = {name: (("theano_" if name.startswith("complex") else "npy_") + name, "NPY_" + name.upper()) for name in (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128")}

COMPLEX = """
#ifndef CROTON_COMPLEX
#define CROTON_COMPLEX
template <typename Part> struct croton_complex {
    Part real, imag;
    croton_complex() {}
    template <typename Real> croton_complex(const Real& real) : real(real), imag(0) {}
    template <typename Real, typename Imag> croton_complex(const Real& real, const Imag& imag) : real(real), imag(imag) {}
    template <typename Other> croton_complex(const croton_complex<Other>& other) : real(other.real), imag(other.imag) {}
    croton_complex operator-() const { return croton_complex(-real, -imag); }
    friend croton_complex operator+(const croton_complex& a, const croton_complex& b) { return croton_complex(a.real + b.real, a.imag + b.imag); }
    friend croton_complex operator-(const croton_complex& a, const croton_complex& b) { return croton_complex(a.real - b.real, a.imag - b.imag); }
    friend croton_complex operator*(const croton_complex& a, const croton_complex& b)
    {
        return croton_complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real);
    }
    friend croton_complex operator/(const croton_complex& a, const croton_complex& b)
    {
        const Part square = b.real * b.real + b.imag * b.imag;
        return croton_complex((a.real * b.real + a.imag * b.imag) / square, (a.imag * b.real - a.real * b.imag) / square);
    }
    friend bool operator==(const croton_complex& a, const croton_complex& b) { return a.real == b.real && a.imag == b.imag; }
    friend bool operator!=(const croton_complex& a, const croton_complex& b) { return !(a == b); }
};
#define CROTON_MIXED(op)                                                                                                  \\
    template <typename A, typename B>                                                                                     \\
    croton_complex<decltype(A() + B())> operator op(const croton_complex<A>& a, const croton_complex<B>& b)               \\
    {                                                                                                                     \\
        typedef croton_complex<decltype(A() + B())> Wide;                                                                 \\
        return Wide(a) op Wide(b);                                                                                        \\
    }
CROTON_MIXED(+)
CROTON_MIXED(-)
CROTON_MIXED(*)
CROTON_MIXED(/)
typedef croton_complex<npy_float32> theano_complex64;
typedef croton_complex<npy_float64> theano_complex128;
#endif
"""


class CLinkerObject:
    """What C code can be asked of: each method may be left out."""

    def c_headers(self):
        return []

    def c_header_dirs(self):
        return []

    def c_libraries(self):
        return []

    def c_lib_dirs(self):
        return []

    def c_support_code(self):
        return ""

    def c_code_cache_version(self):
        return ()

    def c_compile_args(self):
        return []

    def c_no_compile_args(self):
        return []

    def c_init_code(self):
        return []


def _hidden(self, *args):
    raise MethodNotDefined("this op has no C code")


class HideC:
    """Before the class of an op with C code, whose C code its own does without: perform() runs."""
    c_code = c_code_cleanup = c_headers = c_header_dirs = c_libraries = c_lib_dirs = c_support_code = c_support_code_apply = _hidden
    c_support_code_struct = c_init_code = c_init_code_apply = c_init_code_struct = c_cleanup_code_struct = c_no_compile_args = _hidden
    c_compile_args = _hidden

    def c_code_cache_version(self):
        return ()

    def c_code_cache_version_apply(self, node):
        return self.c_code_cache_version()


class CLinkerType(CLinkerObject):
    """A type whose values C code can use."""

    def c_declare(self, name, sub, check_input=True):
        raise MethodNotDefined("c_declare", type(self), self.__class__.__name__)

    def c_init(self, name, sub):
        raise MethodNotDefined("c_init", type(self), self.__class__.__name__)

    def c_extract(self, name, sub, check_input=True):
        raise MethodNotDefined("c_extract", type(self), self.__class__.__name__)

    def c_extract_out(self, name, sub, check_input=True):
        """As c_extract; what has no value yet is set up by c_init."""
        return """
        if (py_%(name)s == Py_None)
        {
            %(init)s
        }
        else
        {
            %(extract)s
        }""" % {"name": name, "init": self.c_init(name, sub), "extract": self.c_extract(name, sub)}

    def c_cleanup(self, name, sub):
        return ""

    def c_sync(self, name, sub):
        raise MethodNotDefined("c_sync", type(self), self.__class__.__name__)


class ObjectInC(CLinkerType):
    """Python objects as they are."""

    def c_declare(self, name, sub, check_input=True):
        return "PyObject* %s;" % name

    def c_init(self, name, sub):
        return "%s = NULL;" % name

    def c_extract(self, name, sub, check_input=True):
        return "Py_INCREF(py_%s); %s = py_%s;" % (name, name, name)

    def c_cleanup(self, name, sub):
        return "Py_XDECREF(%s);" % name

    def c_sync(self, name, sub):
        return "Py_XDECREF(py_%(name)s); py_%(name)s = %(name)s ? %(name)s : Py_None; Py_INCREF(py_%(name)s);" % {"name": name}


class NumberInC(CLinkerType):
    """Numbers of theano.scalar as numbers of C."""

    def c_declare(self, name, sub, check_input=True):
        return "typedef %s dtype_%s;\ndtype_%s %s;" % (NAMES[self.dtype][0], name, name, name)

    def c_init(self, name, sub):
        return "%s = 0;" % name

    def c_extract(self, name, sub, check_input=True):
        if self.dtype == "float16":
            raise NotImplementedError("C has no numbers of float16")
        return """
        {
            PyArrayObject* given = (PyArrayObject*) PyArray_FROM_O(py_%(name)s);
            PyArrayObject* number = NULL;
            if (given) {
                PyArray_Descr* kind = PyArray_DescrFromType(%(number)s);
                if (PyArray_NDIM(given) == 0 && PyArray_CanCastTypeTo(PyArray_DESCR(given), kind, NPY_SAME_KIND_CASTING)) {
                    number = (PyArrayObject*) PyArray_CastToType(given, kind, 0);
                } else {
                    Py_DECREF(kind);
                    PyErr_SetString(PyExc_TypeError, "expected a number of the dtype %(dtype)s");
                }
                Py_DECREF(given);
            }
            if (!number) {
                %(fail)s
            }
            memcpy(&%(name)s, PyArray_DATA(number), sizeof(%(name)s));
            Py_DECREF(number);
        }
        """ % {"name": name, "number": NAMES[self.dtype][1], "dtype": self.dtype, "fail": sub["fail"]}

    def c_cleanup(self, name, sub):
        return ""

    def c_sync(self, name, sub):
        return """
        {
            PyArray_Descr* kind = PyArray_DescrFromType(%(number)s);
            PyObject* number = PyArray_Scalar(&%(name)s, kind, NULL);
            Py_DECREF(kind);
            if (!number) {
                %(fail)s
            }
            Py_XDECREF(py_%(name)s);
            py_%(name)s = number;
        }
        """ % {"name": name, "number": NAMES[self.dtype][1], "fail": sub["fail"]}

    def c_support_code(self):
        return COMPLEX if self.dtype.startswith("complex") else ""

    def c_code_cache_version(self):
        return (1,)


class ArrayInC(CLinkerType):
    """Tensors as PyArrayObject."""

    def dtype_specs(self):
        return (self.dtype,) + NAMES[self.dtype]

    def c_support_code(self):
        return COMPLEX if self.dtype.startswith("complex") else ""

    def c_declare(self, name, sub, check_input=True):
        return "PyArrayObject* %s;\ntypedef %s dtype_%s;" % (name, NAMES[self.dtype][0], name)

    def c_init(self, name, sub):
        return "%s = NULL;" % name

    def c_extract(self, name, sub, check_input=True):
        return """
        %(name)s = NULL;
        if (py_%(name)s == Py_None) {
            PyErr_SetString(PyExc_ValueError, "expected an ndarray, not None");
            %(fail)s
        }
        if (!PyArray_Check(py_%(name)s)) {
            PyErr_SetString(PyExc_ValueError, "expected an ndarray");
            %(fail)s
        }
        if (!PyArray_ISALIGNED((PyArrayObject*) py_%(name)s)) {
            PyErr_SetString(PyExc_NotImplementedError, "expected an aligned array of the dtype %(number)s");
            %(fail)s
        }
        if (PyArray_TYPE((PyArrayObject*) py_%(name)s) != %(number)s) {
            PyErr_Format(PyExc_TypeError, "expected type_num %%d (%(number)s) got %%d", %(number)s, PyArray_TYPE((PyArrayObject*) py_%(name)s));
            %(fail)s
        }
        if (PyArray_NDIM((PyArrayObject*) py_%(name)s) != %(ndim)i) {
            PyErr_Format(PyExc_TypeError, "expected an array with %(ndim)i dimensions, got %%d", PyArray_NDIM((PyArrayObject*) py_%(name)s));
            %(fail)s
        }
        %(name)s = (PyArrayObject*)(py_%(name)s);
        Py_XINCREF(%(name)s);
        """ % {"name": name, "fail": sub["fail"], "number": NAMES[self.dtype][1], "ndim": self.ndim}

    def c_cleanup(self, name, sub):
        return "Py_XDECREF(%s);" % name

    def c_sync(self, name, sub):
        return """
        Py_XDECREF(py_%(name)s);
        py_%(name)s = %(name)s ? (PyObject*)(%(name)s) : Py_None;
        Py_INCREF(py_%(name)s);
        """ % {"name": name}

    def c_headers(self):
        return []

    def c_code_cache_version(self):
        return (1,)
