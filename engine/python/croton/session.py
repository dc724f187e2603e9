"""Sessions written by other compilers: graphs, the steps that rewrote them, times. The studio, `croton report`, `croton passes` and the rest
read them like those of Croton's own functions.

    from croton.session import Writer

    with Writer("model.croton", producer="my compiler") as session:
        function = session.function("f")
        graph = function.graph
        x = graph.variable("input", type="float64[?]", name="x")
        exp = graph.apply("exp", [x], outputs=["float64[?]"])
        log = graph.apply("log", exp.outputs, outputs=["float64[?]"])
        graph.outputs(log.outputs)
        with graph.step("log_of_exp", phase="canonicalize", reason="log undoes exp"):
            graph.set_output(0, x)
            graph.prune(log)
            graph.prune(exp)
        function.finish()

What does not fit the graph as it stands raises SessionError with one sentence, and is not written."""
import contextlib
import os
import sys
import time

from croton import _record

SessionError = _record.SessionError
__all__ = ["Apply", "Function", "Graph", "SessionError", "Writer"]


class Writer:
    """A session that is being written. With `path=None` it is the one that `croton profile` is recording."""

    def __init__(self, path, producer, version="", *, label="", script="", text="", arguments=()):
        if not producer:
            raise SessionError("a session needs the name of its producer, the compiler that it is about")
        self.owns = path is not None
        if self.owns:
            self._session = _record.Session(os.fspath(path), _record.version, label, " ".join(sys.argv), (script, text, list(arguments)))
            self._session.set_machine()
        else:
            self._session = _record.Session.recorded()
        self._session.set_meta("producer", "%s %s" % (producer, version) if version else producer)
        self._rewrites = set()

    def function(self, name, **about):
        """A function of the session. `about`: mode, linker, file and line of where it was made, message."""
        return Function(self, name, about)

    def rewrite(self, name, *, phase="", why="", file="", line=0, tags="", position=0.0):
        """An entry of the catalogue of rewrites; the first one of a name counts."""
        if name not in self._rewrites:
            self._rewrites.add(name)
            self._session.add_rewrites([(name, phase, position, tags, why, file, line)])

    def source(self, file, text=None):
        """Keeps the text of a source file that nodes name. Without `text` the file is read; one that cannot be read is left out."""
        if text is None:
            try:
                with open(file, encoding="utf-8", errors="replace") as stream:
                    text = stream.read()
            except OSError:
                return
        self._session.add_source(file, text)

    def lane(self, number, name, kind="host"):
        """A row of the timeline; events name its number."""
        self._session.add_lane(number, kind, name)

    def event(self, lane, kind, start_ns, duration_ns, *, function=None, name=""):
        """What happened when, in nanoseconds since now() was 0."""
        self._session.add_event(lane, kind, start_ns, duration_ns, function.id if function else 0, name)

    def message(self, text, severity="info", *, function=None):
        self._session.add_message(severity, text, function.id if function else 0)

    def now(self):
        """Nanoseconds since the session began."""
        return self._session.now()

    def finish(self, status=0, reason=""):
        """Ends the file. A session that `croton profile` records ends with the script instead."""
        if self.owns:
            self._session.finish(status, reason)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.finish(0 if kind is None else 1, "" if kind is None else "%s: %s" % (kind.__name__, error))


class Function:
    """A function: its graph, when and where it was made, how long it took."""

    def __init__(self, session, name, about):
        self._session, self._about = session._session, {"name": name or "", "created_ns": session.now(), **about}
        self.id = self._session.new_function()
        self.graph = Graph(self._session.new_graph(self.id, name or ""))
        self._began = time.perf_counter_ns()

    def about(self, **about):
        """More about it: compile_ns, rewrite_ns, link_ns; calls, call_ns, vm_ns, thunk_ns, first_call_ns, last_call_ns; state."""
        self._about.update(about)
        self._write()

    def inputs(self, variables):
        """(variable, name, type, kind) of what a caller passes ("input") and of shared variables ("shared")."""
        self._about["inputs"] = [(int(variable), name, type, kind) for variable, name, type, kind in variables]

    def updates(self, updates):
        """(variable, output, name): that output becomes the new value of the shared variable."""
        self._about["updates"] = [(int(variable), output, name) for variable, output, name in updates]

    def times(self, times, tier="compiled"):
        """{apply: (calls, total_ns)} or {apply: (calls, total_ns, min_ns, max_ns)}."""
        self._session.set_times(self.id, self.graph._graph, tier, [
            (int(apply), *((time[0], time[1], time[1] // max(time[0], 1), time[1] // max(time[0], 1)) if len(time) == 2 else time))
            for apply, time in times.items()])

    def rewrite_counts(self, counts):
        """{rewrite: (tried, applied, failed, ns)} over all passes."""
        self._session.count_rewrites(self.graph._graph, [(name, *count) for name, count in counts.items()])

    def why_not(self, declines):
        """{apply: {rewrite: reason}}: rewrites that could have changed an apply of the final graph, and why they did not."""
        return self._session.why_not(self.graph._graph, [(int(apply), list(words.items())) for apply, words in declines.items()])

    def finish(self, order=()):
        """Writes the final graph; `order`: its applies as they run."""
        self.graph.finish(order)
        self._about.setdefault("compile_ns", time.perf_counter_ns() - self._began)
        self._write()

    def _write(self):
        self._session.set_function(self.id, self.graph._graph, self._about)


class Apply:
    """An apply of a graph; `outputs` are the numbers of its variables."""

    def __init__(self, number, outputs):
        self.number, self.outputs = number, outputs

    def __int__(self):
        return self.number

    __index__ = __int__


class Graph:
    """A graph and its steps. What comes before the first step is the original graph. Variables are numbers."""

    def __init__(self, graph):
        self._graph = graph

    @property
    def steps(self):
        """How many there are."""
        return self._graph.steps

    def variable(self, kind, type="", *, dtype="", shape="", name="", value="", lines=()):
        """An input, a shared variable or a constant: its number. `lines`: (file, line, function), the outermost first."""
        return self._graph.variable(kind, (type, dtype, shape, name or ""), value, list(lines))

    def apply(self, op, inputs, outputs, *, friendly="", op_class="", **more):
        """An apply. `outputs`: a type or (type, dtype, shape, name) each. `more`: device, implementation ("C", "Py"), role,
        views and destroys ([(output, input)]), lines."""
        texts = [(output, "", "", "") if isinstance(output, str) else tuple(text or "" for text in output) for output in outputs]
        return Apply(*self._graph.apply((op, friendly, op_class), list(inputs), texts, more))

    def has(self, variable):
        """Is it in the graph as it stands? A constant that nothing reads any more leaves at the end of a step."""
        return self._graph.has(variable)

    def outputs(self, variables):
        for index, variable in enumerate(variables):
            self._graph.set_output(index, variable)

    def set_output(self, index, variable):
        self._graph.set_output(index, variable)

    def set_input(self, apply, port, variable):
        self._graph.set_input(int(apply), port, variable)

    def prune(self, apply):
        """Takes an apply out, at the end of the step."""
        self._graph.prune(int(apply))

    @contextlib.contextmanager
    def step(self, rewrite, *, phase="", reason="", ns=None, became=()):
        """The changes that are made inside are one step of this rewrite. `became`: (apply, fate, other apply or None), where the fate is kept,
        replaced, merged, fused, moved, constant or dead. What is pruned and not named was replaced by what the step added."""
        began = time.perf_counter_ns()
        self._graph.begin_step()
        yield self
        self._graph.end_step(rewrite, phase, reason, time.perf_counter_ns() - began if ns is None else ns,
                             [(int(apply), fate, None if other is None else int(other)) for apply, fate, other in became])

    def passed(self, name, *, phase="", kind="global", ns=0):
        """Ends a pass: the steps since the last one are its."""
        self._graph.add_pass(name, phase, kind, ns)

    def finish(self, order=()):
        self._graph.finish([int(apply) for apply in order])
