"""From expressions to functions."""
from croton.compile.io import In, Out, Param, SymbolicInput, SymbolicOutput
from croton.compile.mode import (FAST_COMPILE, FAST_RUN, Mode, get_default_mode, get_mode, predefined_linkers, predefined_modes,
                                 predefined_optimizers, register_linker, register_mode, register_optimizer)
from croton.compile.errors import AliasedMemoryError, UnusedInputError
from croton.compile.rewriting import optdb
from croton.compile.sharedvalue import SharedVariable, shared, shared_constructor
from croton.compile.function import function, function_dump
from croton.compile.rebuild import rebuild_collect_shared
from croton.compile.builders import OpFromGraph
from croton.compile.ops import (DeepCopyOp, FromFunctionOp, Rebroadcast, Shape, Shape_i, SpecifyShape, ViewOp, as_op, deep_copy_op, register_deep_copy_op_c_code,
                                register_rebroadcast_c_code, register_shape_c_code, register_shape_i_c_code,
                                register_specify_shape_c_code, register_view_op_c_code, shape_i, view_op)
from croton.compile.nanguardmode import NanGuardMode
from croton.compile.debugmode import DebugMode
from croton.compile.monitormode import MonitorMode
from croton.compile.profilemode import ProfileMode
from croton.compile.profiling import ProfileStats
from croton._core import Function
from croton.compile import builders, debugmode, io, kernels, mode, monitormode, nanguardmode, ops, profilemode, profiling, sharedvalue
from croton.compile.function_types import FunctionMaker, SymbolicInputKit, orig_function, pfunc
from croton.compile import function_module
from croton.compile.function import function  # noqa: F811


def __getattr__(name):
    # Theano's package has all names of these.
    for module in (mode, function_module, ops):
        if name in vars(module) and not name.startswith("_"):
            return vars(module)[name]
    raise AttributeError(name)
