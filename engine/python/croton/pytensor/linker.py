"""PyTensor's linker for Croton, and the modes that use it."""
import functools
import operator
import os
import warnings
from importlib.metadata import version

import pytensor
from pytensor.compile import mode as modes
from pytensor.graph.rewriting.db import RewriteDatabaseQuery
from pytensor.link.basic import JITLinker
from pytensor.link.utils import raise_with_op
from pytensor.raise_op import CheckAndRaise

import croton
from croton import _core
from croton.pytensor.graph import converted

TRIED = ("2.38",)  # versions of PyTensor with which the tests of this package ran
# Rewrites for PyTensor's C code, and those that Croton does itself: fusion, work in place, products by BLAS.
_LEFT_TO_CROTON = ("cxx_only", "BlasOpt", "inplace", "fusion", "local_careduce_fusion", "scan_save_mem_prealloc",
               "reuse_lu_decomposition_multiple_solves", "scan_split_non_sequence_lu_decomposition_solve")


class CrotonLinker(JITLinker):
    """Has Croton compile a whole graph of PyTensor."""

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = _LEFT_TO_CROTON

    def fgraph_convert(self, fgraph, **kwargs):
        inputs, outputs, in_python = converted(fgraph.inputs, fgraph.outputs)
        function = croton.function(inputs, [croton.Out(output, borrow=True) for output in outputs], on_unused_input="ignore",
                                   accept_inplace=True)
        function.trust_input = True
        function.python_applies = in_python
        return function

    def create_thunk_inputs(self, storage_map):
        return [storage_map[variable] for variable in self.fgraph.inputs]

    def jit_compile(self, fn):
        return fn

    def create_jitable_thunk(self, compute_map, order, input_storage, output_storage, storage_map):
        """One thunk for the graph. Its errors are Croton's, which name the apply that failed; PyTensor's would name the first output."""
        function = self.fgraph_convert(self.fgraph)
        inputs, outputs = self.create_thunk_inputs(storage_map), [storage_map[variable] for variable in self.fgraph.outputs]
        first = operator.itemgetter(0)
        checks = [node for node in self.fgraph.apply_nodes if isinstance(node.op, CheckAndRaise)]

        def thunk():
            try:
                values = function(*map(first, inputs))
            except AssertionError as error:
                node = next((one for one in checks if str(error).startswith(one.op.msg)), None)
                if node is None:
                    raise
                raise_with_op(self.fgraph, node, thunk, (node.op.exc_type, node.op.exc_type(node.op.msg), error.__traceback__))
            for cell, value in zip(outputs, values):  # noqa: B905, as each call waits for it
                cell[0] = value
        thunk.inputs, thunk.outputs, thunk.lazy = inputs, outputs, False
        return [thunk], [variable.owner for variable in self.fgraph.outputs if variable.owner is not None][:1], function


def compiled(function):
    """Croton's function within a function of PyTensor that was compiled by the mode CROTON or CROTON_AFTER."""
    made = getattr(getattr(function, "vm", None), "jit_fn", None)
    if not hasattr(made, "python_applies"):
        raise ValueError("%s was not compiled by Croton: compile it by pytensor.function(…, mode=\"CROTON\")" % (function,))
    return made


def python_applies(function):
    """The applies of PyTensor that Croton has no form of: they run by their method perform."""
    return list(compiled(function).python_applies)


def register(others):
    """Makes the linker "croton", the modes CROTON and CROTON_AFTER, and those of other linkers known to PyTensor, once."""
    if "croton" in modes.predefined_linkers:
        return
    # Lines of errors and profiles are those of whoever called PyTensor.
    for place in (os.path.dirname(pytensor.__file__) + os.sep, functools.__file__):
        _core.add_own_folder(place)
    here = version("pytensor")
    if not here.startswith(tuple(one + "." for one in TRIED)):
        warnings.warn("croton.pytensor was tried with PyTensor %s, and this is %s: compare results with another mode" % (" and ".join(TRIED), here),
                      stacklevel=3)
    modes.register_linker("croton", CrotonLinker())
    modes.register_mode("CROTON", modes.Mode(CrotonLinker(), RewriteDatabaseQuery(include=["minimum_compile"])))
    modes.register_mode("CROTON_AFTER", modes.Mode(CrotonLinker(), RewriteDatabaseQuery(include=["fast_run"])))
    for name, linker in others.items():
        modes.register_mode(name, modes.Mode(linker, RewriteDatabaseQuery(include=["minimum_compile"])))
