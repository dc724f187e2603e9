"""Functions of PyTensor in the session that `croton profile` records: the graph as written, each of PyTensor's rewrites as a step, and times.

Nothing of PyTensor is imported here before the script does."""
import functools
import importlib.util
import os
import re
import sys
import time
import weakref

from croton import _pytensor_rewriters as rewriters, _record
from croton.session import Writer

_PLACE = "pytensor.compile.function.types"
_MOST_ASKED = 400  # applies of a final graph that rewriters are asked about
_recorded = []
_session = None  # a Writer


class _Importing:
    """Calls watch() when the script imports PyTensor."""

    def find_spec(self, name, path=None, target=None):
        if name != _PLACE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def load_and_watch(module):
            load(module)
            watch(module)
        spec.loader.exec_module = load_and_watch
        return spec


def watch_import():
    if _PLACE in sys.modules:
        watch(sys.modules[_PLACE])
    else:
        sys.meta_path.insert(0, _Importing())


def record_into(session):
    """Functions that PyTensor compiles from now on go into this session; None: nothing is recorded."""
    global _session
    _session = session


def watch(types):
    """Has each FunctionMaker record what it does, into the session of `croton profile` if no other is chosen."""
    import pytensor
    maker = types.FunctionMaker
    init, create, prepare = maker.__init__, maker.create, maker.prepare_fgraph
    folders = tuple(os.path.dirname(place) + os.sep for place in (pytensor.__file__, __file__))
    pytensor.config.traceback__limit = max(pytensor.config.traceback__limit, 20)  # the script's line lies below those of PyMC
    open_ones = []
    if _session is None and _record.active():
        record_into(Writer(None, "PyTensor", pytensor.__version__))

    @functools.wraps(prepare)
    def prepared(inputs, outputs, additional_outputs, fgraph, mode, profile):
        record = open_ones[-1] if open_ones else None
        if record is None or record.steps is not None:
            return prepare(inputs, outputs, additional_outputs, fgraph, mode, profile)
        record.begin(fgraph, mode)
        began = time.perf_counter_ns()
        try:
            return prepare(inputs, outputs, additional_outputs, fgraph, mode, profile)
        finally:
            record.end(time.perf_counter_ns() - began)

    @functools.wraps(init)
    def made(self, *arguments, **named):
        if _session is None:
            return init(self, *arguments, **named)
        began = time.perf_counter_ns()
        record = FunctionRecord(_session, folders, named.get("name"))
        open_ones.append(record)
        try:
            init(self, *arguments, **named)
        finally:
            open_ones.pop()
        record.prepare_ns = time.perf_counter_ns() - began
        if record.steps is not None:
            self.croton_record = record
            record.maker(self)
            if not self.profile:
                # Only now: PyTensor would read its whole cache of C modules again for a profile that it is given before.
                self.profile = pytensor.compile.profiling.ProfileStats(atexit_print=False)

    @functools.wraps(create)
    def created(self, *arguments, **named):
        began = time.perf_counter_ns()
        function = create(self, *arguments, **named)
        record = getattr(self, "croton_record", None)
        if record is not None and record.function is None:
            record.created(function, time.perf_counter_ns() - began)
            _recorded.append(record)
        return function

    maker.__init__, maker.create, maker.prepare_fgraph = made, created, staticmethod(prepared)
    rewriters.watch()


def finish():
    """Writes what calls took, and why rewriters did not fire. Called when the script has ended."""
    for record in _recorded:
        record.finish()
    _recorded.clear()


class FunctionRecord:
    """One function of PyTensor."""

    def __init__(self, session, folders, name):
        self.session, self.folders = session, folders
        self.name = "" if re.fullmatch(r".*\.py:\d+", name or "") else name  # PyTensor calls it by its place
        self.steps = self.function = self.written = None
        self.prepare_ns = self.rewrite_ns = 0

    def begin(self, fgraph, mode):
        file, line = self._place()
        self.mode = _mode_name(mode)
        linker = type(mode.linker).__name__.removesuffix("Linker").lower()
        self.written = self.session.function(self.name, mode=self.mode, linker=linker, file=file, line=line, state="compiling")
        self.session.source(file)
        self.steps = rewriters.Steps(self.session, self.written.graph, self.folders, fgraph, mode.optimizer)

    def end(self, rewrite_ns):
        self.rewrite_ns = rewrite_ns
        self.steps.end()
        if self.steps.problem:
            self.session.message("The rewrites of %s are not recorded from step %d on: %s" % (self.name or "a function", self.written.graph.steps + 1,
                                                                                           self.steps.problem), "warning", function=self.written)
        self.written.rewrite_counts(self.steps.counts())

    def maker(self, maker):
        inputs = []
        for given, variable in zip(maker.inputs, maker.fgraph.inputs, strict=True):
            inputs.append((self.steps.variables[variable], variable.name or "", str(variable.type), "shared" if given.shared else "input"))
        self.written.inputs(inputs)
        self.written.updates([(inputs[at][0], output, inputs[at][1]) for output, at in maker.fgraph.update_mapping.items()])

    def created(self, function, link_ns):
        self.function = weakref.ref(function)
        self.fgraph, self.profile = function.maker.fgraph, function.maker.profile
        order = [self.steps.applies[node].number for node in self.fgraph.toposort()]
        self.written.finish(order)
        self.written.about(compile_ns=self.prepare_ns + link_ns, rewrite_ns=self.rewrite_ns, link_ns=link_ns, state="ready")

    def finish(self):
        """A function of mode CROTON has its calls under Croton's own function."""
        if len(self.fgraph.apply_nodes) <= _MOST_ASKED:
            self.written.why_not(self.steps.why_not(self.fgraph))
        stats = self.profile
        if self.mode == "CROTON" or not stats.fct_callcount:
            return
        times = {self.steps.applies[node]: (stats.apply_callcount[graph, node], int(1e9 * spent))
                 for (graph, node), spent in stats.apply_time.items() if node in self.steps.applies}
        self.written.times(times, "compiled" if self.mode == "C" else "interpreter")
        if not times:
            self.session.message("%s runs the graph of %s as one thunk: what its ops take is not known. mode=\"CROTON\" shows it."
                                 % (self.mode, self.name or "a function"), function=self.written)
        self.written.about(calls=stats.fct_callcount, call_ns=int(1e9 * stats.fct_call_time), vm_ns=int(1e9 * stats.vm_call_time),
                           thunk_ns=sum(spent for _, spent in times.values()) or int(1e9 * stats.vm_call_time), state="running")

    def _place(self):
        """The line of the script that made the function: what called PyTensor, and PyMC if a script called that."""
        frame, first = sys._getframe(), None
        while frame is not None:
            file = frame.f_code.co_filename
            if rewriters.is_own(file, self.folders):
                return file, frame.f_lineno
            if first is None and not file.startswith(self.folders):
                first = file, frame.f_lineno
            frame = frame.f_back
        return first or ("", 0)


def _mode_name(mode):
    """What people call the back end of a mode."""
    linker = mode.linker
    if hasattr(linker, "c_thunks"):
        return "C" if linker.c_thunks else "Python"
    return {"NumbaLinker": "NUMBA", "JAXLinker": "JAX", "PytorchLinker": "PYTORCH", "MLXLinker": "MLX", "CrotonLinker": "CROTON",
            "CLinker": "C", "PerformLinker": "Python"}.get(type(linker).__name__, type(linker).__name__)
