"""PyTensor's linker for Croton, and the modes that use it."""
import warnings
from importlib.metadata import version

from pytensor.compile import mode as modes
from pytensor.graph.rewriting.db import RewriteDatabaseQuery
from pytensor.link.basic import JITLinker
from pytensor.link.utils import raise_with_op
from pytensor.raise_op import CheckAndRaise

import croton
from croton.pytensor.graph import converted

TRIED = ("2.38",)  # versions of PyTensor with which the tests of this package ran
# What only PyTensor's C code wants, or what Croton does itself and better after it has seen the whole graph.
_NOT_FOR_US = ("cxx_only", "BlasOpt", "inplace", "fusion", "local_careduce_fusion", "scan_save_mem_prealloc",
               "reuse_lu_decomposition_multiple_solves", "scan_split_non_sequence_lu_decomposition_solve")


class CrotonLinker(JITLinker):
    """Has Croton compile a whole graph of PyTensor."""

    required_rewrites = ("minimum_compile",)
    incompatible_rewrites = _NOT_FOR_US

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
        thunks, output_nodes, function = super().create_jitable_thunk(compute_map, order, input_storage, output_storage, storage_map)
        checks = [node for node in self.fgraph.apply_nodes if isinstance(node.op, CheckAndRaise)]
        if checks:
            thunks = [_raising(thunks[0], self.fgraph, checks)]
        return thunks, output_nodes, function


def _raising(thunk, fgraph, checks):
    """The thunk, whose failed checks raise the exception of their op in PyTensor, with their apply."""
    def checked():
        try:
            return thunk()
        except AssertionError as error:
            node = next((one for one in checks if str(error).startswith(one.op.msg)), None)
            if node is None:
                raise
            raise_with_op(fgraph, node, thunk, (node.op.exc_type, node.op.exc_type(node.op.msg), error.__traceback__))
    checked.__dict__.update(thunk.__dict__)
    return checked


def compiled(function):
    """Croton's function within a function of PyTensor that was compiled by the mode CROTON or CROTON_AFTER."""
    made = getattr(getattr(function, "vm", None), "jit_fn", None)
    if not hasattr(made, "python_applies"):
        raise ValueError("%s was not compiled by Croton: compile it by pytensor.function(…, mode=\"CROTON\")" % (function,))
    return made


def python_applies(function):
    """The applies of PyTensor that Croton has no form of: they run by their method perform."""
    return list(compiled(function).python_applies)


def register():
    """Makes the linker "croton" and the modes CROTON and CROTON_AFTER known to PyTensor, once."""
    if "croton" in modes.predefined_linkers:
        return
    here = version("pytensor")
    if not here.startswith(tuple(one + "." for one in TRIED)):
        warnings.warn("croton.pytensor was tried with PyTensor %s, and this is %s: compare results with another mode" % (" and ".join(TRIED), here),
                      stacklevel=3)
    modes.register_linker("croton", CrotonLinker())
    modes.register_mode("CROTON", modes.Mode(CrotonLinker(), RewriteDatabaseQuery(include=["minimum_compile"])))
    modes.register_mode("CROTON_AFTER", modes.Mode(CrotonLinker(), RewriteDatabaseQuery(include=["fast_run"])))
