"""PyTensor's rewriters as steps of a session: what each one changed, and what those that did not fire answer."""
import functools
import inspect
import os
import re
import time

_PYTHON = os.path.dirname(os.__file__) + os.sep
_PHASES = ("merge", "useless", "canonicalize", "stabilize", "blas", "specialize", "device", "fusion", "inplace", "schedule")
_is_watched = set()


def watch():
    """Hears when a node rewriter is tried; Steps hears what changes."""
    from pytensor.graph.rewriting.basic import NodeProcessingGraphRewriter
    process = NodeProcessingGraphRewriter.process_node

    @functools.wraps(process)
    def processed(self, fgraph, node, node_rewriter=None, enforce_tracks=True):
        steps = getattr(fgraph, "croton_steps", None)
        if steps is None:
            return process(self, fgraph, node, node_rewriter, enforce_tracks)
        began = steps.mark = time.perf_counter_ns()
        done = process(self, fgraph, node, node_rewriter, enforce_tracks)
        spent = time.perf_counter_ns() - began
        count = steps.tried.setdefault(node_rewriter or self.node_rewriter, [0, 0, 0, 0])
        count[0] += 1
        count[1] += bool(done)
        count[3] += spent
        if done:
            steps.flush()
        return done

    NodeProcessingGraphRewriter.process_node = processed


def _passes_of(optimizer):
    """The rewriters that a mode runs one after the other; sequences without a name are what they hold."""
    for one in getattr(optimizer, "data", ()):
        if getattr(one, "name", None) is None and hasattr(one, "data"):
            yield from _passes_of(one)
        else:
            yield one


def _watch_passes(passes):
    """Has their classes tell when one begins and ends."""
    for one in passes:
        owner = next(base for base in type(one).__mro__ if "apply" in vars(base))
        if owner not in _is_watched:
            _is_watched.add(owner)
            owner.apply = _told(owner.apply)


def _told(apply):
    @functools.wraps(apply)
    def told(self, fgraph, *arguments, **named):
        steps = getattr(fgraph, "croton_steps", None)
        if steps is None or steps.is_in_pass or (name_of(self) == type(self).__name__ and hasattr(self, "data")):
            return apply(self, fgraph, *arguments, **named)
        began = time.perf_counter_ns()
        steps.begin_pass(name_of(self))
        try:
            return apply(self, fgraph, *arguments, **named)
        finally:
            steps.end_pass(self, time.perf_counter_ns() - began)
    return told


def name_of(rewriter):
    """What a rewriter, or the reason of a change, is called."""
    if isinstance(rewriter, str):
        return rewriter
    return getattr(rewriter, "name", None) or getattr(rewriter, "__name__", None) or type(rewriter).__name__


def about(rewriter):
    """(file, line, documentation) of where a rewriter is defined."""
    code = getattr(rewriter, "fn", None) or (rewriter if callable(rewriter) and hasattr(rewriter, "__code__") else None)
    doc = inspect.getdoc(code) if code is not None else inspect.getdoc(type(rewriter))
    code = inspect.unwrap(code) if code is not None else getattr(type(rewriter), "transform", None) or getattr(type(rewriter), "apply", None)
    code = getattr(inspect.unwrap(code), "__code__", None) if code is not None else None
    if getattr(rewriter, "in_pattern", None) is not None:
        doc = "%s becomes %s" % (rewriter.in_pattern, rewriter.out_pattern)
    return (*((code.co_filename, code.co_firstlineno) if code is not None else ("", 0)), _plain(doc or ""))


def _plain(doc):
    """The paragraphs of a documentation text before its list of parameters, each in one line."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", doc)]
    first = next((i for i, part in enumerate(paragraphs) if re.match(r"\w+ -{3,}", part)), len(paragraphs))
    return "\n".join(paragraphs[:first])


def phase_of(name):
    low = name.lower()
    return next((phase for phase in _PHASES if phase in low), name)


def is_own(file, folders):
    """Does a file belong to the script, not to Python, a package or these folders?"""
    return not (file.startswith(folders + ("<", _PYTHON)) or "site-packages" in file or "dist-packages" in file)


class Steps:
    """A feature of a FunctionGraph that writes each change of the graph as part of a step."""

    def __init__(self, session, graph, folders, fgraph, optimizer):
        self.session, self.graph, self.folders = session, graph, folders
        self.applies, self.variables = {}, {}
        self.tried = {}  # rewriter: [tried, applied, failed, ns]
        self.mark, self.phase, self._texts, self._files = time.perf_counter_ns(), "", {}, set()
        self._pending, self._reason, self._is_closed, self._is_undone = [], None, False, False
        self.is_in_pass, self.problem = False, ""
        _watch_passes(_passes_of(optimizer))
        for variable in fgraph.inputs:
            self._leaf(variable, "input")
        for node in fgraph.toposort():
            self._add(node, node.inputs)
        graph.outputs([self._number(variable) for variable in fgraph.outputs])
        self.fgraph = fgraph
        fgraph.attach_feature(self)
        fgraph.croton_steps = self

    def end(self):
        self.flush()
        self.fgraph.remove_feature(self)
        del self.fgraph.croton_steps
        self.fgraph = None

    def counts(self):
        counts = {}
        for rewriter, count in self.tried.items():
            sum_of = counts.setdefault(name_of(rewriter), [0, 0, 0, 0])
            for i, one in enumerate(count):
                sum_of[i] += one
        return counts

    # What PyTensor calls.

    def clone(self):
        return None

    def on_import(self, fgraph, node, reason):
        if self._hears(reason):
            self._pending.append(("import", node, tuple(node.inputs)))

    def on_prune(self, fgraph, node, reason):
        if self._hears(reason):
            self._pending.append(("prune", node, None))

    def on_change_input(self, fgraph, node, i, old, new, reason=None):
        if self._hears(reason):
            self._pending.append(("change", node, (i, old, new)))

    def validate(self, fgraph):
        self._is_closed = True

    def _hears(self, reason):
        """False for what takes a change back: the change itself is forgotten then."""
        if isinstance(reason, tuple) and reason and reason[0] == "Revert":
            self._is_undone = True
            return False
        if self._is_undone or self._is_closed or (reason is not self._reason and self._reason is not None):
            self.flush()
        self._reason = reason
        return True

    def begin_pass(self, name):
        self.flush()
        self.phase, self.is_in_pass = phase_of(name), True
        self.mark = time.perf_counter_ns()

    def end_pass(self, rewriter, ns):
        self.is_in_pass = False
        self.flush()
        if self.problem:
            return
        self.graph.passed(name_of(rewriter), phase=self.phase,
                          kind="equilibrium" if "Equilibrium" in type(rewriter).__name__ else "global", ns=ns)
        self.phase = ""

    def flush(self):
        """What was heard since the last time is one step. What cannot be written ends the recording of this graph, not the script."""
        if self.problem:
            return
        try:
            self._flush()
        except Exception as problem:
            self.problem = "%s: %s" % (type(problem).__name__, problem)

    def _flush(self):
        pending, reason = self._pending, self._reason
        self._pending, self._reason, self._is_closed = [], None, False
        if self._is_undone:
            self._is_undone = False
            return
        if not pending:
            return
        now = time.perf_counter_ns()
        name = name_of(reason) if reason is not None else "PyTensor"
        phase = self.phase or phase_of(name)
        if name not in self._files:
            self._files.add(name)
            file, line, why = about(reason) if reason is not None and not isinstance(reason, str) else ("", 0, "")
            self.session.rewrite(name, phase=phase, why=why, file=file, line=line, tags="pytensor")
        became = []
        with self.graph.step(name, phase=phase, ns=now - self.mark, became=became):
            self._write(pending, name, became)
        self.mark = time.perf_counter_ns()

    def _write(self, pending, name, became):
        pruned, heirs, added, gone = [], {}, [], {}  # a change is heard after what it prunes
        for kind, node, more in pending:
            if kind == "import":
                old = self.applies.get(node)
                if old is not None and old not in pruned:
                    pruned.append(old)
                self._add(node, more)
                added.append(node)
            elif kind == "prune":
                gone[node] = self.applies.pop(node)
                pruned.append(gone[node])
            else:
                i, old, new = more
                left = self.applies.get(old.owner) or gone.get(old.owner)
                if left is not None:
                    heirs.setdefault(left, new)
                at = getattr(node.op, "idx", None)
                if at is not None and type(node.op).__name__ == "Output":
                    self.graph.set_output(at, self._number(new))
                elif node in self.applies:
                    self.graph.set_input(self.applies[node], i, self._number(new))
        for apply in pruned:
            self.graph.prune(apply)
        made = [self.applies[node] for node in added if node in self.applies]
        for apply in pruned:
            new = heirs.get(apply)
            if new is not None and new.owner is None:
                became.append((apply, "constant" if hasattr(new, "data") else "dead", None))
            elif new is not None and new.owner in self.applies:
                fate = "merged" if "merge" in name.lower() else "fused" if "fusion" in name.lower() else "replaced"
                became.append((apply, fate, self.applies[new.owner]))
            elif "fusion" in name.lower() and made:
                became.append((apply, "fused", made[-1]))

    # Nodes as the session has them.

    def _number(self, variable):
        """Its number. A constant that nothing read any more has left the graph, and comes back with a new one."""
        known, is_constant = self.variables.get(variable), hasattr(variable, "data")
        if known is not None and (not is_constant or self.graph.has(known)):
            return known
        return self._leaf(variable, "constant" if is_constant else "input")

    def _leaf(self, variable, kind):
        if kind == "input" and hasattr(variable, "get_value"):
            kind = "shared"
        type_text, dtype, shape, name = self._type(variable)
        number = self.graph.variable(kind, type_text, dtype=dtype, shape=shape, name=name, value=_summary(variable) if kind == "constant" else "",
                                     lines=self._lines(variable))
        self.variables[variable] = number
        return number

    def _add(self, node, inputs):
        op = node.op
        text = self._texts.get(id(op))
        if text is None:
            cls = type(op)
            exact = str(op)
            friendly = str(getattr(op, "scalar_op", None) or exact)
            text = self._texts[id(op)] = (_cut(exact, 200), _cut(friendly, 60), "%s.%s" % (cls.__module__, cls.__name__), _role(op), op)
        more = {"views": _pairs(op, "view_map"), "destroys": _pairs(op, "destroy_map")}
        apply = self.graph.apply(text[0], [self._number(variable) for variable in inputs], [self._type(output) for output in node.outputs],
                                 friendly=text[1], op_class=text[2], role=text[3], lines=self._lines(node.outputs[0]) if node.outputs else [],
                                 implementation="C" if hasattr(op, "c_code") else "Py", **more)
        self.applies[node] = apply
        self.variables.update(zip(node.outputs, apply.outputs, strict=True))

    def _type(self, variable):
        kind = variable.type
        text = self._texts.get(kind)
        if text is None:
            shape = getattr(kind, "shape", None)
            text = self._texts[kind] = (str(kind), getattr(kind, "dtype", ""), "" if shape is None else "(%s)" % ", ".join(
                "?" if size is None else str(size) for size in shape))
        return (*text, variable.name or "")

    def _lines(self, variable):
        trace = getattr(variable.tag, "trace", None) or []
        if trace and not isinstance(trace[0], tuple):
            trace = trace[0]
        own = [frame for frame in trace if is_own(frame[0], self.folders)]
        lines = [(frame[0], frame[1], frame[2]) for frame in (own or [frame for frame in trace if not frame[0].startswith(self.folders)][-1:])]
        for file, _, _ in lines:
            if file not in self._files:
                self._files.add(file)
                self.session.source(file)
        return lines

    def why_not(self, fgraph):
        """{apply: {rewriter: answer}}: those that track an op of the final graph and did not change it, asked on a copy."""
        copy, same = fgraph.clone_get_equiv(check_integrity=False)
        by_op = {}
        for rewriter in self.tried:
            tracks = getattr(rewriter, "tracks", None)
            for tracked in (tracks() if tracks is not None else None) or ():
                by_op.setdefault(tracked if isinstance(tracked, type) else type(tracked), []).append((tracked, rewriter))
        answers = {}
        for node in fgraph.apply_nodes:
            if node not in self.applies:
                continue
            words = {}
            for base in type(node.op).__mro__:
                for tracked, rewriter in by_op.get(base, ()):
                    if isinstance(tracked, type) or tracked == node.op:
                        words[name_of(rewriter)] = _answer(rewriter, copy, same[node])
            if words:
                answers[self.applies[node]] = words
        return answers


def _answer(rewriter, fgraph, node):
    try:
        made = rewriter.transform(fgraph, node)
    except Exception as error:  # what a rewriter of PyTensor or of the script raises is its answer
        return "raised %s: %s" % (type(error).__name__, str(error).split("\n")[0])
    if made is False or made is None:
        return "declined: what it looks for is not here"
    new = list(made.values()) if isinstance(made, dict) else list(made)
    text = ", ".join(str(one.owner.op if one is not None and one.owner is not None else one) for one in new)
    return "would give %s now; it was not tried in this place" % text[:120]


def _cut(text, most):
    return text if len(text) <= most else text[:most - 1] + "…"


def _summary(constant):
    return str(constant)[:80]


def _pairs(op, name):
    return [(output, read[0]) for output, read in (getattr(op, name, None) or {}).items() if read]


_ROLES = {"Elemwise": "elementwise", "Blockwise": "other", "Dot": "product", "Gemm": "product", "Gemv": "product", "CGemv": "product",
          "Ger": "product", "CGer": "product", "Dot22": "product", "BatchedDot": "product", "DimShuffle": "view", "Reshape": "view",
          "SpecifyShape": "view", "DeepCopyOp": "view", "MakeVector": "join", "Join": "join", "Split": "join", "Alloc": "creation",
          "AllocEmpty": "creation", "ARange": "creation", "Eye": "creation", "Subtensor": "index", "AdvancedSubtensor": "index",
          "AdvancedSubtensor1": "index", "IncSubtensor": "write", "AdvancedIncSubtensor": "write", "AdvancedIncSubtensor1": "write",
          "Scan": "loop", "IfElse": "choice", "Shape": "shape", "Shape_i": "shape", "TensorFromScalar": "view", "ScalarFromTensor": "view",
          "CumOp": "cumulative", "Softmax": "softmax", "LogSoftmax": "softmax", "SortOp": "sort", "ArgSortOp": "sort", "CheckAndRaise": "check",
          "Assert": "check", "Cholesky": "linalg", "SolveTriangular": "linalg", "Solve": "linalg", "Det": "linalg", "SLogDet": "linalg",
          "CholeskySolve": "linalg", "OpFromGraph": "nested"}


def _role(op):
    for cls in type(op).__mro__:
        if cls.__name__ in _ROLES:
            return _ROLES[cls.__name__]
        if cls.__name__ == "CAReduce":
            return "reduction"
        if cls.__name__ == "RandomVariable":
            return "random"
    return "other"
