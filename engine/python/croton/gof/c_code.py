"""C code of ops that scripts write: put together as Theano does, compiled into a module of its own, and run."""
import ctypes
import hashlib
import inspect
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import numpy

from croton import _core
from croton.configparser import config
from croton.gof.c_types import ObjectInC
from croton.gof.errors import MethodNotDefined

_HELP = """
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>
#include <iostream>
#include <cmath>
#include <cstring>
#ifndef PyInt_Check
#define PyInt_Check PyLong_Check
#define PyInt_FromLong PyLong_FromLong
#define PyInt_AsLong PyLong_AsLong
#define PyInt_FromSsize_t PyLong_FromSsize_t
#define PyString_Check PyUnicode_Check
#define PyString_FromString PyUnicode_FromString
#define PyString_AsString PyUnicode_AsUTF8
#define PyNumber_Int PyNumber_Long
#endif
#define THEANO_EXPORT __attribute__((visibility("default")))
"""

_FAIL = """{
        %(failure_var)s = %(id)i;
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_RuntimeError, "Unexpected error in an Op's C code. No Python exception was set.");
        }
        goto __label_%(id)i;
    }"""


class NoCompiler(Exception):
    """There is no C++ compiler."""


def compiler():
    """The path of the C++ compiler, or None."""
    if config.cxx == "":
        return None
    names = [os.environ.get("CROTON_CXX"), "g++", "c++", "clang++"] if config.cxx == "auto" else [config.cxx]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


def _asked(of, name, *args, default):
    """What a hook gives, `default` where the object has none."""
    hook = getattr(of, name, None)
    if hook is None:
        return default
    try:
        found = hook(*args)
    except (MethodNotDefined, NotImplementedError):
        return default
    return default if found is None else found


def _told_compiler(of, hook):
    """What a hook gives that is told the compiler's path, where it is written to be told."""
    try:
        inspect.signature(getattr(of, hook, None)).bind()
    except TypeError:  # it wants an argument, or is no function
        return _asked(of, hook, compiler(), default=[])
    return _asked(of, hook, default=[])


def _declared(type_, name, sub):
    try:
        return type_.c_declare(name, sub, check_input=True)
    except TypeError:  # written without the argument
        return type_.c_declare(name, sub)


def _extracted(type_, which, name, sub):
    hook = getattr(type_, which)
    try:
        return hook(name, sub, check_input=True)
    except TypeError:
        return hook(name, sub)


class _Blocks:
    """Nested pieces of code; each has a label that `fail` goes to, where what it holds is given back."""

    def __init__(self):
        self.declarations, self.head, self.tail, self.count = [], [], [], 0

    def sub(self):
        self.count += 1
        sub = {"failure_var": "__failure", "id": self.count}
        sub["fail"] = _FAIL % sub
        return sub

    def add(self, sub, behavior, cleanup, declare=""):
        self.declarations.append(declare)
        self.head.append("{\n%s\n" % behavior)
        self.tail.insert(0, "__label_%i:\n%s\n;\n}\n" % (sub["id"], cleanup))

    def text(self):
        return "\n".join(self.declarations + self.head + self.tail)


class Source:
    """The C++ text of an apply, and what its compiler has to be told."""

    def __init__(self, node):
        op, name = node.op, "node_0"
        self.op = op
        self.types = []
        for variable in list(node.inputs) + list(node.outputs):
            if not any(type(variable.type) is type(one) and variable.type == one for one in self.types):
                self.types.append(variable.type)
        params = getattr(op, "params_type", None) or ObjectInC()
        if params not in self.types:
            self.types.append(params)
        self.parts = [op] + self.types
        struct_sub = {"fail": _FAIL % {"failure_var": "__failure", "id": 0}, "failure_var": "__failure", "params": "params"}
        # By variable: one that is an input twice is one.
        names, blocks, arguments = {}, _Blocks(), []
        for number, variable in enumerate(list(node.inputs) + list(node.outputs)):
            if variable in names:
                continue
            label = names[variable] = "V%i" % number
            arguments.append(label)
            is_output = number >= len(node.inputs)
            sub = blocks.sub()
            declare = "PyObject* py_%s;\n%s" % (label, _declared(variable.type, label, sub))
            get = "py_%(v)s = PyList_GET_ITEM(storage_%(v)s, 0);\nPy_XINCREF(py_%(v)s);\n" % {"v": label}
            # Without `check_input`, types of Theano's leave their checks out; here they always check.
            code = get + "{\n%s\n}" % _extracted(variable.type, "c_extract_out" if is_output else "c_extract", label, sub)
            cleanup = "{\n%s\n}\nPy_XDECREF(py_%s);" % (variable.type.c_cleanup(label, sub), label)
            if is_output:
                cleanup = ("if (!__failure) {\n%s\nPyObject* old = PyList_GET_ITEM(storage_%s, 0);\nPy_XINCREF(py_%s);\n"
                           "PyList_SET_ITEM(storage_%s, 0, py_%s);\nPy_XDECREF(old);\n}\n" % (variable.type.c_sync(label, sub), label, label, label, label)
                           + cleanup)
            blocks.add(sub, code, cleanup, declare)
        inputs, outputs = [names[variable] for variable in node.inputs], [names[variable] for variable in node.outputs]
        sub = dict(blocks.sub(), params="params")
        code = op.c_code(node, name, inputs, outputs, sub)
        cleanup = _asked(op, "c_code_cleanup", node, name, inputs, outputs, sub, default="")
        blocks.add(sub, "{\n%s\n}" % code, "{\n%s\n}" % cleanup)
        self.arguments = [next(variable for variable, label in names.items() if label == one) for one in arguments]
        init = list(_asked(op, "c_init_code", default=[])) + [line for type_ in self.types for line in _asked(type_, "c_init_code", default=[])]
        text = [_HELP]
        for part in self.parts:
            for header in _told_compiler(part, "c_headers"):
                text.append("#include %s" % (header if header[:1] in '<"' else '"%s"' % header))
        text += _ordered_support(self.types)
        text += [_asked(op, "c_support_code", default=""), _asked(op, "c_support_code_apply", node, name, default="")]
        struct_cleanup = _asked(op, "c_cleanup_code_struct", node, name, default="") or _asked(op, "c_code_cleanup_struct", node, name, default="")
        values = {
            "support": _asked(op, "c_support_code_struct", node, name, default=""),
            "params": _declared(params, "params", struct_sub),
            "extract_params": _extracted(params, "c_extract", "params", struct_sub),
            "cleanup_params": params.c_cleanup("params", struct_sub),
            "init": "\n".join(init + [_asked(op, "c_init_code_apply", node, name, default="")]),
            "init_struct": _asked(op, "c_init_code_struct", node, name, struct_sub, default=""),
            "cleanup_struct": struct_cleanup,
            "storage": "\n".join("PyObject* storage_%s = PyTuple_GET_ITEM(cells, %i);" % (one, place) for place, one in enumerate(arguments)),
            "body": blocks.text(),
        }
        text.append(_STRUCT % values)
        self.text = "\n".join(text)
        self.flags, self.unwanted, self.folders, self.libraries, self.library_folders = [], [], [], [], []
        for part in self.parts:
            self.flags += _told_compiler(part, "c_compile_args")
            self.unwanted += _told_compiler(part, "c_no_compile_args")
            self.folders += _told_compiler(part, "c_header_dirs")
            self.libraries += _told_compiler(part, "c_libraries")
            self.library_folders += _told_compiler(part, "c_lib_dirs")
        version = _asked(op, "c_code_cache_version_apply", node, default=()) or _asked(op, "c_code_cache_version", default=())
        self.version = version

    def command(self, path, source, out):
        flags = [flag for flag in ["-O3", "-fPIC", "-shared", "-w"] + shlex.split(config.gcc.cxxflags) + self.flags if flag not in self.unwanted]
        folders = [sysconfig.get_paths()["include"], numpy.get_include()] + self.folders
        return ([path] + flags + ["-I" + folder for folder in folders] + ["-o", out, source] + ["-L" + folder for folder in self.library_folders]
                + ["-Wl,-rpath," + folder for folder in self.library_folders] + ["-l" + library for library in self.libraries])


def _ordered_support(types):
    seen = []
    for type_ in types:
        code = _asked(type_, "c_support_code", default="")
        if code and code not in seen:
            seen.append(code)
    return seen


_STRUCT = """
namespace {
struct Instance {
PyObject* py_params;
%(params)s
%(support)s
int init(PyObject* given)
{
    int __failure = 0;
    py_params = given;
    Py_XINCREF(py_params);
    {
%(extract_params)s
    }
    {
%(init)s
    }
    {
%(init_struct)s
    }
__label_0:
    return __failure;
}
void cleanup()
{
    {
%(cleanup_struct)s
    }
    {
%(cleanup_params)s
    }
    Py_XDECREF(py_params);
}
int run(PyObject* cells)
{
    int __failure = 0;
%(storage)s
%(body)s
    return __failure;
}
};
}
extern "C" THEANO_EXPORT void* croton_make(PyObject* params)
{
    if (_import_array() < 0) return NULL;
    Instance* made = new Instance();
    if (made->init(params)) {
        delete made;
        return NULL;
    }
    return made;
}
extern "C" THEANO_EXPORT int croton_run(void* instance, PyObject* cells) { return static_cast<Instance*>(instance)->run(cells); }
extern "C" THEANO_EXPORT void croton_drop(void* instance)
{
    static_cast<Instance*>(instance)->cleanup();
    delete static_cast<Instance*>(instance);
}
"""

_loaded = {}  # by key: the library


def _library(source):
    path = compiler()
    if path is None:
        raise NoCompiler("there is no C++ compiler" if config.cxx != "" else "the flag cxx is empty")
    command = source.command(path, "", "")
    key = hashlib.sha256("\n".join([source.text, repr(command), repr(source.version), numpy.__version__, sys.version]).encode()).hexdigest()
    if key in _loaded:
        return _loaded[key]
    name = "op_%s.so" % key[:40]
    kept = _core.kept_product(name) if source.version else None
    if kept is None:
        place = _core.place_for_product(name) if source.version else None
        with tempfile.TemporaryDirectory(prefix="croton-op-") as scratch:
            text = os.path.join(scratch, "op.cpp")
            made = os.path.join(scratch, "op.so") if place is None else "%s.%d.tmp" % (place, os.getpid())
            with open(text, "w", encoding="utf-8") as stream:
                stream.write(source.text)
            result = subprocess.run(source.command(path, text, made), capture_output=True, text=True)
            if result.returncode:
                raise CompileError("Compilation failed (return status=%s) of the C code of the op %s, whose text the attribute source of this error "
                                   "holds; correct it, or leave c_code out and write perform: %s"
                                   % (result.returncode, source.op, result.stderr.strip().replace(text, "op.cpp")), source.text)
            if place is None:
                _loaded[key] = _opened(made)
                return _loaded[key]
            _core.keep_product(made, place)
            kept = place
    _loaded[key] = _opened(kept)
    return _loaded[key]


class CompileError(Exception):
    """The compiler did not take the C code of an op."""

    def __init__(self, message, source=None):
        super().__init__(message)
        self.source = source


def _opened(path):
    library = ctypes.PyDLL(path)
    library.croton_make.argtypes, library.croton_make.restype = [ctypes.py_object], ctypes.c_void_p
    library.croton_run.argtypes, library.croton_run.restype = [ctypes.c_void_p, ctypes.py_object], ctypes.c_int
    library.croton_drop.argtypes, library.croton_drop.restype = [ctypes.c_void_p], None
    return library


class Compiled:
    """The C code of an apply, ready to run on cells: lists of one value, one a variable."""

    def __init__(self, node):
        if not getattr(node.op, "_f16_ok", False) and any(getattr(one.type, "dtype", None) == "float16" for one in list(node.inputs) + list(node.outputs)):
            raise NotImplementedError("the op %s does not say by _f16_ok that its C code works with float16, for which C has no numbers" % node.op)
        source = Source(node)
        self._arguments = source.arguments
        self._library = _library(source)
        self._instance = self._library.croton_make(node.run_params())
        if not self._instance:
            raise RuntimeError("the C code of the op %s could not be set up (c_init_code_struct)" % node.op)

    def run(self, node, inputs, storage):
        cells = {}
        for variable, value in zip(node.inputs, inputs):
            cells[variable] = [value]
        for variable, cell in zip(node.outputs, storage):
            cells[variable] = cell
        failure = self._library.croton_run(self._instance, tuple(cells[variable] for variable in self._arguments))
        if failure:
            raise RuntimeError("the C code of the op %s failed without saying why" % node.op)

    def __del__(self):
        if getattr(self, "_instance", None):
            self._library.croton_drop(self._instance)
