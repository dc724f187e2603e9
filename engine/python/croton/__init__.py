"""Croton: symbolic tensor expressions, compiled. `import theano` gives the same package under its old name."""
import importlib as _importlib
import logging as _logging
import os as _os

from croton import _interpreter

_interpreter.check()
__path__.append(_os.path.join(_os.path.dirname(__file__), "compat", "modules"))

import numpy as _numpy  # noqa: E402

from croton import _core, configparser  # noqa: E402
from croton.compat import faces as _faces, missing as _missing  # noqa: E402
from croton._release import __version__  # noqa: E402

_core.add_own_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)
_core.add_own_folder(_os.path.dirname(__file__) + _os.sep)

from croton.configparser import change_flags, config, is_default as _is_default, on_change as _on_change  # noqa: E402

_on_change("floatX", _core.set_float_x)
_on_change("cast_policy", lambda policy: _core.set_cast_policy(policy == "custom"))
_on_change("exception_verbosity", lambda level: _core.set_verbose_errors(level == "high"))
_on_change("traceback.limit", lambda limit: _core.set_trace_limit(max(1, limit)))


def _set_threads(_changed):
    _core.set_threads(config.threads if config.openmp else 1)


_on_change("threads", _set_threads)
_on_change("cuda.graphs", _core.use_device_graphs)
_on_change("cuda.nvtx", _core.name_ranges)
_on_change("openmp", _set_threads)
_on_change("openmp_elemwise_minsize", lambda count: _core.set_shared_elements(max(0, count)))

_on_change("cxx", lambda path: _core.choose_compiler(None if path == "auto" else path))


def _choose_cache(_changed):
    folder = config.compiledir or ("" if _is_default("base_compiledir") else config.base_compiledir)
    _core.choose_kernel_cache(_os.path.expanduser(folder) if folder else None)


_on_change("base_compiledir", _choose_cache)
_on_change("compiledir", _choose_cache)
_on_change("compile.timeout", lambda seconds: _core.set_compile_limit(seconds if seconds > 0 else 1e9))


def _choose_numpy_warnings(_changed):
    flags = config.numpy
    actions = {"all": flags.seterr_all, "divide": flags.seterr_divide, "over": flags.seterr_over, "under": flags.seterr_under,
               "invalid": flags.seterr_invalid}
    _numpy.seterr(**{kind: None if action == "None" else action for kind, action in actions.items()})


for _name in ("all", "divide", "over", "under", "invalid"):
    _on_change("numpy.seterr_" + _name, _choose_numpy_warnings)

from croton import gof  # noqa: E402
from croton.gof.errors import run_error as _run_error  # noqa: E402
from croton.gof import (Apply, Constant, FunctionGraph, Generic, Op, OpenMPOp, Type, Variable, generic)  # noqa: E402
from croton import tensor, own_flags as _own_flags  # noqa: E402,F401
from croton import scalar  # noqa: E402
from croton import gradient  # noqa: E402
from croton.gradient import DisconnectedInputError, Lop, NullTypeGradError, Rop, grad, subgraph_grad  # noqa: E402
from croton.compile import (FunctionMaker, In, Mode, OpFromGraph, Out, Param, ProfileMode, ProfileStats, SymbolicInput,  # noqa: E402
                            SymbolicOutput, as_op, function, function_dump, predefined_linkers, predefined_modes,
                            predefined_optimizers, shared)
from croton import compile, printing  # noqa: E402,A004
from croton.printing import pp, pprint  # noqa: E402
from croton.gof import meta as _meta, vm as _vm  # noqa: E402,F401
from croton.tensor.basic import dot  # noqa: E402
from croton.clone import clone  # noqa: E402
from croton.gof import test_value as _test_value  # noqa: E402
from croton.tensor import engine_ops as _engine_ops, shape_feature as _shape_feature  # noqa: E402,F401
from croton.updates import OrderedUpdates  # noqa: E402
from croton.scan_module import foldl, foldr, map, reduce, scan, scan_checkpoints, until  # noqa: E402,A004
from croton import (compat, ifelse, raise_op, sandbox, scan_module, sparse, typed_list, updates, version)  # noqa: E402

_core.register_errors(gof.errors.MissingInputError, DisconnectedInputError, NullTypeGradError, _run_error)
_on_change("compute_test_value", _test_value.switch)
_core.register_unused_input(compile.UnusedInputError)

_faces.install()
# `from theano.tensor import *` has always given these modules, too.
for _module in (tensor, tensor.basic):
    _module.compile, _module.gof, _module.printing, _module.scal = compile, gof, printing, scalar
tensor.shared = tensor.sharedvar.tensor_constructor = shared

theano_logger = _logging.getLogger("theano")
logging_default_handler = _logging.StreamHandler()
logging_default_formatter = _logging.Formatter("%(levelname)s (%(name)s): %(message)s")
logging_default_handler.setFormatter(logging_default_formatter)


def sparse_grad(var):
    """The gradient of an index is taken as it is; accepted for old scripts."""
    return var


def get_scalar_constant_value(v):
    return tensor.get_scalar_constant_value(v)


def __getattr__(name):
    if name == "theano":
        import theano
        return theano
    if name == "configdefaults":
        return configparser
    if name in ("CLinker", "Container", "DualLinker", "InconsistencyError", "OpWiseCLinker", "PerformLinker", "opt", "toolbox", "utils"):
        return getattr(gof, name)
    if name == "object2":
        return gof.utils.object2
    if name in ("show", "load_ipython_extension"):
        return getattr(_importlib.import_module("croton.notebook"), name)
    if name == "_asarray":
        return _importlib.import_module("croton.misc.safe_asarray")._asarray
    if name in ("worker", "d3viz", "tests", "misc"):
        return _importlib.import_module("croton." + name)
    raise AttributeError(name)


_missing.speak_all()
