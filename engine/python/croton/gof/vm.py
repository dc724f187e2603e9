"""Theano's linkers as objects: each stands for the name of one, and takes graphs by hand."""
from croton import gof
from croton.compile.function import function
from croton.compile.mode import Mode
from croton.compile.stepper import After, Around
from croton.gof import link
from croton.gof.link import Container
from croton.gof.utils import also_in


class _Linker:
    def __init__(self, allow_gc=None, use_cloop=None, schedule=None, lazy=None, callback=None, c_thunks=None, allow_partial_eval=None,
                 fallback_on_perform=True, nice_errors=True):
        self.steps = None if callback is None else After(callback)
        base = "cvm" if use_cloop else self._base
        self.linker_name = base + "_nogc" if allow_gc is False and base in ("cvm", "vm", "c|py") else base

    def __repr__(self):
        return "%s()" % type(self).__name__

    def accept(self, fgraph, no_recycling=None, profile=None):
        """Takes a graph as it is; make_function() and make_thunk() make something of it that runs."""
        self.fgraph = fgraph
        return self

    def make_function(self, unpack_single=True, **kwargs):
        """A function of the inputs of the graph; a lone output comes bare, unless unpack_single=False."""
        outputs = list(self.fgraph.outputs)
        return function(list(self.fgraph.inputs), outputs[0] if unpack_single and len(outputs) == 1 else outputs,
                               mode=Mode(self, None), accept_inplace=True, on_unused_input="ignore")

    def make_thunk(self, input_storage=None, output_storage=None, storage_map=None):
        """(thunk, containers of inputs, containers of outputs): thunk() reads the ones and fills the others."""
        compiled = self.make_function(unpack_single=False)
        inputs, outputs = ([Container(variable, [None] if storage is None else storage[i]) for i, variable in enumerate(variables)]
                           for variables, storage in ((self.fgraph.inputs, input_storage), (self.fgraph.outputs, output_storage)))

        def thunk():
            for container, value in zip(outputs, compiled(*[container.value for container in inputs])):
                container.storage[0] = value
        return thunk, inputs, outputs


class VM_Linker(_Linker):
    _base = "vm"


VMLinker = VM_Linker  # as Theano-PyMC calls it


class PerformLinker(_Linker):
    _base = "py"


class CLinker(_Linker):
    _base = "c"


class OpWiseCLinker(_Linker):
    _base = "c|py"


class DualLinker(_Linker):
    _base = "c|py"


class WrapLinker(_Linker):
    """wrapper(index, node, thunk, …) is called for each apply, and calls the thunks: one of each linker."""
    _base = "vm"

    def __init__(self, linkers, wrapper):
        super().__init__()
        self.linkers = list(linkers)
        self.linker_name = self.linkers[0].linker_name
        self.steps = Around(wrapper, len(self.linkers))


def WrapLinkerMany(linkers, wrappers):
    """A WrapLinker of several wrappers, called one after the other."""
    wrappers = list(wrappers)

    def all_of_them(*args):
        for wrapper in wrappers:
            wrapper(*args)
    return WrapLinker(linkers, all_of_them)


also_in(link, globals())
also_in(gof, globals())
