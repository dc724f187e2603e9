"""Ops with their C code in files, and ops that may run on several threads."""
import inspect
import os
import re

from croton.configparser import config
from croton.gof import op
from croton.gof.c_types import NAMES
from croton.gof.errors import MethodNotDefined
from croton.gof.op import Op
from croton.gof.utils import also_in, hash_from_code

_SECTIONS = ("init_code", "init_code_apply", "init_code_struct", "support_code", "support_code_apply", "support_code_struct", "code", "code_cleanup",
             "cleanup_code_struct")
_MARK = re.compile(r"^#section ([a-zA-Z0-9_]+)$", re.MULTILINE)
_OLD_MARK = re.compile(r"(THEANO_(APPLY|SUPPORT)_CODE_SECTION)")


class COp(Op):
    """An op with C code in files: `func_name` is called with the inputs, the places of the outputs and the parameters."""

    @classmethod
    def get_path(cls, f):
        """A file's path, seen from the file of the class."""
        if os.path.isabs(f):
            return f
        return os.path.realpath(os.path.join(os.path.dirname(inspect.getfile(cls)), f))

    def __init__(self, func_files=(), func_name=None):
        files = [func_files] if isinstance(func_files, str) else list(func_files)
        self.func_files = [self.get_path(one) for one in files]
        self.func_name = func_name
        self.func_codes, self.code_sections = [], {}
        for path in self.func_files:
            with open(path, encoding="utf-8") as stream:
                self.func_codes.append(stream.read())
        for path, code in zip(self.func_files, self.func_codes):
            self._read(path, code)
        if self.func_name is not None:
            if "op_code" in self.code_sections or "code" in self.code_sections:
                raise ValueError("Cannot have an `op_code` section and specify the func_name")
        elif func_files and "code" not in self.code_sections:
            raise ValueError("no `code` section in %s, and no func_name" % ", ".join(self.func_files))

    def _read(self, path, code):
        if _OLD_MARK.search(code):
            parts = _OLD_MARK.split(code)
            for place in range(1, len(parts), 3):
                section = "support_code_apply" if parts[place + 1] == "APPLY" else "support_code"
                # The marks stand in comments: their ends are left.
                text = parts[place + 2].lstrip(" */\n")
                self.code_sections[section] = self.code_sections.get(section, "") + re.sub(r"/\*+\s*$", "", text)
            return
        parts = _MARK.split(code)
        if parts[0].strip() and len(parts) > 1:
            raise ValueError("in the file %s, there is code before the first #section" % path)
        if len(parts) == 1:
            raise ValueError("No valid section marker was found in file %s" % path)
        for section, text in zip(parts[1::2], parts[2::2]):
            if section not in _SECTIONS:
                raise ValueError("Unknown section type (in file %s): %s" % (path, section))
            self.code_sections[section] = self.code_sections.get(section, "") + "\n" + text

    def get_op_params(self):
        """[(name, text)]: macros for the code."""
        params = getattr(self, "params_type", None)
        if params is None:
            return []
        if not hasattr(params, "c_element_types"):
            return [("PARAMS_TYPE", "PyObject*")]
        return [("PARAMS_TYPE", params.name)] + [("DTYPE_PARAM_" + field, ctype) for field, ctype in params.c_element_types()]

    def c_code_cache_version(self):
        return (hash_from_code("\n".join(self.func_codes)),)

    def c_init_code(self):
        return [self.code_sections["init_code"]] if "init_code" in self.code_sections else []

    def c_support_code(self):
        return self.code_sections.get("support_code", "")

    def _section(self, section, node, name):
        if section not in self.code_sections:
            return ""
        define, undefine = self.get_c_macros(node, name)
        return "\n".join(["", define, self.code_sections[section], undefine])

    def c_init_code_apply(self, node, name):
        return self._section("init_code_apply", node, name)

    def c_support_code_apply(self, node, name):
        return self._section("support_code_apply", node, name)

    def c_support_code_struct(self, node, name):
        return self._section("support_code_struct", node, name)

    def c_cleanup_code_struct(self, node, name):
        return self._section("cleanup_code_struct", node, name)

    def c_init_code_struct(self, node, name, sub):
        return self._with_sub("init_code_struct", node, name, sub)

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self._with_io("code_cleanup", node, name, inputs, outputs, sub)

    def _with_sub(self, section, node, name, sub):
        if section not in self.code_sections:
            return ""
        define, undefine = self.get_c_macros(node, name)
        define_sub, undefine_sub = self.get_sub_macros(sub)
        return "\n".join(["", define, define_sub, self.code_sections[section], undefine_sub, undefine])

    def _with_io(self, section, node, name, inputs, outputs, sub):
        if section not in self.code_sections:
            return ""
        define, undefine = self.get_c_macros(node, name)
        define_sub, undefine_sub = self.get_sub_macros(sub)
        define_io, undefine_io = self.get_io_macros(inputs, outputs)
        return "\n".join(["", define, define_sub, define_io, self.code_sections[section], undefine_io, undefine_sub, undefine])

    def get_c_macros(self, node, name, check_input=None):
        """(#define …, #undef …) for dtypes of the inputs and outputs, and for names of this apply's own."""
        macros = []
        for prefix, variables in (("INPUT", node.inputs), ("OUTPUT", node.outputs)):
            for place, variable in enumerate(variables):
                dtype = getattr(variable.type, "dtype", None)
                if dtype not in NAMES:
                    continue
                macros += [("DTYPE_%s_%d" % (prefix, place), NAMES[dtype][0]), ("TYPENUM_%s_%d" % (prefix, place), NAMES[dtype][1]),
                           ("ITEMSIZE_%s_%d" % (prefix, place), "sizeof(%s)" % NAMES[dtype][0])]
        macros += [("APPLY_SPECIFIC(str)", "str##_%s" % name)] + list(self.get_op_params())
        return _defined(macros)

    def get_sub_macros(self, sub):
        macros = [("FAIL", sub["fail"].replace("\n", " "))]
        if "params" in sub:
            macros.append(("PARAMS", sub["params"]))
        return _defined(macros)

    def get_io_macros(self, inputs, outputs):
        return _defined([("INPUT_%d" % place, name) for place, name in enumerate(inputs)]
                        + [("OUTPUT_%d" % place, name) for place, name in enumerate(outputs)])

    def format_c_function_args(self, inp, out):
        return ", ".join(list(inp) + ["&%s" % one for one in out])

    def c_code(self, node, name, inputs, outputs, sub):
        if self.func_name is None:
            return self._with_io("code", node, name, inputs, outputs, sub)
        if not self.func_files:
            raise MethodNotDefined("c_code", type(self), type(self).__name__)
        define, undefine = self.get_c_macros(node, name)
        params = ", %s" % sub["params"] if hasattr(self, "params_type") else ""
        return """
        %s
        {
            if (%s(%s%s) != 0) {
                %s
            }
        }
        %s""" % (define, self.func_name, self.format_c_function_args(inputs, outputs), params, sub["fail"], undefine)


def _defined(macros):
    define = "\n".join("#define %s %s" % (name, str(text).replace("\n", "\\\n")) for name, text in macros)
    return define, "\n".join("#undef %s" % name.split("(")[0] for name, _ in macros)


ExternalCOp = COp


class OpenMPOp(Op):
    """An op whose C code may use OpenMP: where the flag openmp is on, or `openmp` says so."""

    def __init__(self, openmp=None):
        self.openmp = config.openmp if openmp is None else bool(openmp)

    def c_compile_args(self):
        return ["-fopenmp"] if self.openmp else []

    def c_headers(self):
        return ["omp.h"] if self.openmp else []

    def update_self_openmp(self):
        """What the constructor asked for is what runs: there is nothing to find out about the compiler."""


also_in(op, globals())
