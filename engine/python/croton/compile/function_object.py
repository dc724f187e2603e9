"""What a compiled function tells and can do besides being called."""
from croton import _core
from croton.compile import arguments, copies  # noqa: F401
from croton.compile.containers import inputs_of
from croton.compile.io import Out
from croton.gof import provided
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, SharedVariableBase, Variable
from croton.gof.link import Container
from croton.printing import debugprint


def exported_graph(function):
    """The optimized graph, the same objects for all who look at it."""
    state = function.__dict__
    if "_exported" not in state:
        state["_exported"] = _core.function_graph(function)
    return state["_exported"]


class Maker:
    """function.maker: the optimized graph, inputs, outputs, mode. By hand, FunctionMaker(inputs, outputs, mode).create() makes a function."""

    def __init__(self, inputs=None, outputs=None, mode=None, accept_inplace=False, function_builder=None, profile=None, on_unused_input=None,
                 fgraph=None, output_keys=None, name=None, _function=None):
        if _function is None:
            if fgraph is not None and outputs is None:
                outputs = fgraph.outputs
            if output_keys is not None:
                outputs = dict(zip(output_keys, outputs))
            _function = provided.compiled(inputs, outputs, mode=mode, accept_inplace=accept_inplace, profile=profile, on_unused_input=on_unused_input,
                                        name=name)
        self._function, self._is_taken = _function, False

    @property
    def fgraph(self):
        state = self._function.__dict__
        graph = state.get("_fgraph")
        if graph is None:
            exported = exported_graph(self._function)
            inputs, outputs = exported["inputs"], exported["outputs"]
            mapping = {output: input_ for output, input_ in exported["updates"]}
            graph = state["_fgraph"] = FunctionGraph(inputs, outputs, clone=False, update_mapping=mapping, _order=exported["toposort"])
            graph.profile = None
            graph.name = self._function.name
        return graph

    env = fgraph
    mode = property(lambda self: self._function.__dict__["_mode"])
    linker = property(lambda self: self.mode.linker)
    inputs = property(lambda self: list(inputs_of(self._function)))
    expanded_inputs = inputs
    indices = property(lambda self: [[slot, None, [slot]] for slot in self.inputs])
    required = property(lambda self: [required for required, _, _ in self._function.defaults])
    refeed = property(lambda self: [refeed for _, refeed, _ in self._function.defaults])
    unpack_single = property(lambda self: self._function.unpack_single)
    return_none = False
    output_keys = property(lambda self: self._function.output_keys)
    on_unused_input = property(lambda self: self._function.__dict__["_request"].on_unused_input)
    accept_inplace = False
    profile = property(lambda self: self._function.__dict__.get("profile"))
    name = property(lambda self: self._function.name)
    function_builder = None

    @property
    def outputs(self):
        request = self._function.__dict__["_request"]
        return [Out(variable, borrow) for variable, borrow in zip(request.outputs[:request.visible], request.borrow)]

    @property
    def compile_time(self):
        return _core.function_times(self._function)["total"]

    def create(self, input_storage=None, trustme=False, storage_map=None):
        """The function; another one with storage of its own each time. `input_storage`: first values of the inputs, None for those without."""
        made = self._function.copy() if self._is_taken else self._function
        self._is_taken = True
        for container, value in zip(made.input_storage, input_storage or ()):
            if value is not None:
                container.value = value.value if isinstance(value, Container) else value
        return made


class VM:
    """function.fn: what runs; only what scripts look at."""

    def __init__(self, function_):
        self._function = function_

    @property
    def storage_map(self):
        """{variable: [value]} of inputs that have one: constants and shared variables."""
        result = {}
        for variable in self._function.maker.fgraph.variables:
            if isinstance(variable, Constant):
                result[variable] = [variable.data]
            elif isinstance(variable, SharedVariableBase):
                result[variable] = [variable.get_value(borrow=True)]
            else:
                result[variable] = [None]
        return result

    @property
    def nodes(self):
        return self._function.maker.fgraph.toposort()

    thunks = property(lambda self: [None] * len(self.nodes))
    allow_gc = property(lambda self: self._function.__dict__["_request"].mode.allow_gc)

    def __call__(self, *args, **kwargs):
        """With arguments as the function itself. Without: on what f.input_storage holds, and the results go into f.output_storage."""
        request = self._function.__dict__["_request"]
        if args or kwargs:
            return self._function(*args, **kwargs)
        results = self._function(*[container.value for container in self._function.input_storage[:len(request.inputs)]])
        if isinstance(results, dict):
            results = [results[key] for key in request.keys]
        for container, value in zip(self._function.output_storage, [results] if request.bare else results):
            container.storage[0] = value
        return None


def _free(self):
    """Drops what the function keeps between calls."""
    for subset in self.__dict__.get("_subsets", {}).values():
        _core.function_free(subset)
    _core.function_free(self)


def _get_shared(self):
    """The shared variables that the function reads or updates."""
    return list(_core.function_shared(self))


def _defaults(self):
    """(whether a call has to give it, whether the value comes back after each call, the value), one an input."""
    result = [(entry.required, not entry.required and not entry.keeps, entry.default)
              for entry in self.__dict__["_request"].inputs]
    return result + [(False, False, None)] * len(self.get_shared())


def _repr(self):
    return "<theano.compile.function_module.Function object %s at 0x%x>" % (self.name or "", id(self))


def _profile(self):
    return self.__dict__.get("profile_")


def _repr_html(self):
    from croton.notebook import html_of
    return html_of(self)


def _show(self, stage="optimized"):
    from croton.notebook import show
    return show(self, stage)


def _dprint(self, **kwargs):
    return debugprint(self, **kwargs)


def _output_storage(self):
    """Where f.fn() puts its results."""
    state = self.__dict__
    if "_output_storage" not in state:
        state["_output_storage"] = [Container(out.variable, [None]) for out in self.maker.outputs]
    return state["_output_storage"]


_core.Function.maker = property(lambda self: Maker(_function=self))
_core.Function.fn = property(VM)
_core.Function.free = _free
_core.Function.get_shared = _get_shared
_core.Function.__repr__ = _repr
_core.Function.__str__ = _repr
_core.Function._repr_html_ = Variable._repr_html_ = _repr_html
_core.Function.show = _show
_core.Function.dprint = _dprint
_core.Function.profile = None
_core.Function.name = None
_core.Function.unpack_single = property(lambda self: self.__dict__["_request"].bare)
_core.Function.return_none = False
_core.Function.output_keys = property(lambda self: self.__dict__["_request"].keys)
_core.Function.n_returned_outputs = property(lambda self: len(self.maker.outputs))
_core.Function.output_storage = property(_output_storage)
_core.Function.outputs = property(lambda self: self.maker.outputs)
_core.Function.indices = property(lambda self: self.maker.indices)
_core.Function.defaults = property(_defaults)
_core.Function.sync_shared = lambda self: None
