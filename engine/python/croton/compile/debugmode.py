"""DebugMode: runs functions apply by apply and compares them with the unoptimized graph."""
import warnings

import numpy

from croton import _core
from croton.compile.mode import Mode
from croton.compile.profiling import record_check
from croton.compile.stepper import Stepper, SteppedMode
from croton.configparser import config
from croton.gof import user_op
from croton.gof.graph import Constant


class DebugModeError(Exception):
    """Something that DebugMode found."""


class BadOptimization(DebugModeError):
    """Rewriting changed a value."""


class BadThunkOutput(DebugModeError):
    """Two implementations of an op differ."""


class BadDestroyMap(DebugModeError):
    """An op wrote to an input that it did not declare."""


class BadViewMap(DebugModeError):
    """An output shares memory with an input, undeclared."""


class InvalidValueError(DebugModeError):
    """A value that its type does not allow."""


class StochasticOrder(DebugModeError):
    """Rewriting twice gave different graphs."""


class DebugMode(SteppedMode):
    """Slow and careful: checks values of rewriting, undeclared writes and views, types, finiteness."""

    def __init__(self, optimizer="default", stability_patience=None, check_c_code=None, check_py_code=None, check_isfinite=None,
                 check_preallocated_output=None, require_matching_strides=None, linker=None):
        super().__init__(linker=linker, optimizer=optimizer)
        self._compiled = {}
        self._unused = set()
        self.check_c_code = config.DebugMode.check_c if check_c_code is None else check_c_code
        self.check_isfinite = config.DebugMode.check_finite if check_isfinite is None else check_isfinite
        self.stability_patience = config.DebugMode.patience if stability_patience is None else stability_patience

    def make_function(self, request):
        made = _core.compile(request)
        self._check_order(made)
        plain = dict(request)
        plain["mode"] = dict(request["mode"], level="none", including=[], excluding=[])
        plain["on_unused_input"] = "ignore"
        plain["updates"] = []
        visible = list(request["outputs"])
        plain["outputs"] = visible + [value for _, value in request["updates"]]
        plain["borrow"] = [False] * len(plain["outputs"])
        plain.update(keys=None, bare=False, feedback=[], profile=False)
        # It is given every value by place, and keeps none.
        plain["inputs"] = [dict(entry, implicit=False, required=True, keeps=False, storage=[None], default=None) for entry in request["inputs"]]
        _core.function_set_runner(made, _Comparison(made, _core.compile(plain), self).run)
        return made

    def _check_order(self, made):
        """Rewriting again takes the same steps: else results depend on chance."""
        for _ in range(self.stability_patience - 1):
            difference = _core.function_rewrite_again(made)
            if difference is None:
                continue
            sentence = ("rewriting the same graph again goes another way from step %d on (phase %s): the first time %s, now %s.\n"
                        "HINT: an op answers by chance - its __eq__, do_constant_folding or perform; "
                        "DebugMode.patience=1 leaves this check out." % (difference[0], difference[1], difference[3], difference[4]))
            record_check(made, "order", False, sentence)
            raise StochasticOrder(sentence)
        if self.stability_patience > 1:
            record_check(made, "order", True, "rewriting again takes the same steps")

    def before(self, stepper, index, inputs):
        self._copies = [value.copy() if isinstance(value, numpy.ndarray) else None for value in inputs]
        return inputs

    def after(self, stepper, index, inputs, outputs):
        apply = stepper.order[index]
        is_own = _core.is_engine_op(apply.op)
        if is_own:
            viewed, destroyed = _core.op_view_map(apply.op), _core.op_destroy_map(apply.op)
        else:
            viewed, destroyed = (_pairs(getattr(apply.op, name, {})) for name in ("view_map", "destroy_map"))
        self._check_memory(stepper, index, inputs, outputs, viewed, destroyed)
        for variable, value in zip(apply.outputs, outputs):
            if not variable.type.is_valid_value(value):
                raise InvalidValueError("%s gave a value that its type %s does not allow%s" % (apply, variable.type, stepper.place(index)))
            if self.check_isfinite and isinstance(value, numpy.ndarray) and value.dtype.kind in "fc" and \
                    apply.op.__class__.__name__ != "AllocEmpty" and not numpy.isfinite(value).all():
                finite = value[numpy.isfinite(value)]
                span = "from %s to %s" % (finite.min(), finite.max()) if finite.size and value.dtype.kind == "f" else "none are finite"
                raise InvalidValueError("%s gave values that are not finite: shape %s, dtype %s, %d of %d (the others: %s)%s"
                                        % (apply, value.shape, value.dtype, value.size - finite.size, value.size, span, stepper.place(index)))
        if not is_own:
            self._check_again(stepper, index, outputs)
        elif self.check_c_code:
            self._check_compiled(apply, outputs)
        return outputs

    def _check_memory(self, stepper, index, inputs, outputs, viewed, destroyed):
        """What an op does with its inputs is what its maps say."""
        op = stepper.order[index].op
        declared = {place for _, place in viewed} | {place for _, place in destroyed}
        for position, (before, value) in enumerate(zip(self._copies, inputs)):
            if before is not None and position not in declared and not _same(before, value, exact=True):
                raise BadDestroyMap("the op %s changed its input %d, which its destroy_map does not say%s"
                                    % (op, position, stepper.place(index)))
            for number, output in enumerate(outputs):
                if position not in declared and _share(value, output):
                    raise BadViewMap("output %d of the op %s shares memory with its input %d, which its view_map does not say%s"
                                     % (number, op, position, stepper.place(index)))
        if not config.DebugMode.warn_input_not_reused or _core.is_engine_op(op):
            return
        for name, pairs in (("view_map", viewed), ("destroy_map", destroyed)):
            for number, position in pairs:
                if op not in self._unused and outputs[number].size and not _share(inputs[position], outputs[number]):
                    self._unused.add(op)
                    warnings.warn("the op %s says by %s that output %d uses the memory of input %d, but it does not"
                                  % (op, name, number, position), stacklevel=6)

    def _check_again(self, stepper, index, outputs):
        """An op of a user gives the same when it is asked again."""
        apply = stepper.order[index]
        if any(copy is None for copy in self._copies):
            return  # values that cannot be copied may have changed
        again = _core.run_apply(apply, [copy.copy() for copy in self._copies])
        for number, (value, other) in enumerate(zip(outputs, again)):
            if isinstance(value, numpy.ndarray) and not _same(other, value):
                raise BadThunkOutput("output %d of the op %s differs when perform runs again on the same inputs: it depends on something "
                                     "else than its inputs%s" % (number, apply.op, stepper.place(index)))

    def _check_compiled(self, apply, outputs):
        """The interpreter just gave `outputs`; the compiled kernel of the op has to give the same bits."""
        if apply not in self._compiled:
            self._compiled[apply] = self._function_of(apply)
        alone = self._compiled[apply]
        if alone is None:
            return
        again = alone(*[copy for variable, copy in zip(apply.inputs, self._copies) if not isinstance(variable, Constant)])
        for number, (value, compiled) in enumerate(zip(outputs, again)):
            if isinstance(value, numpy.ndarray) and not _same(value, compiled, exact=True):
                raise BadThunkOutput("output %d of %s differs between the interpreter and the compiled kernel" % (number, apply))

    def _function_of(self, apply):
        """A function of this apply alone on its kernel; None if the op has none."""
        from croton.compile.function import function
        from croton.compile.io import In
        inputs = [variable if isinstance(variable, Constant) else variable.type() for variable in apply.inputs]
        made = apply.op.make_node(*inputs)
        free = [variable for variable in inputs if not isinstance(variable, Constant)]
        alone = function([In(variable, mutable=True) for variable in free], made.outputs, mode=Mode(linker="c", optimizer=None),
                         on_unused_input="ignore")
        alone(*[_copy(copy) for variable, copy in zip(apply.inputs, self._copies) if not isinstance(variable, Constant)])
        return alone if _core.function_compile_kernels(alone) else None


_KINDS = {BadDestroyMap: "destroy map", BadViewMap: "view map", InvalidValueError: "nan"}


def _pairs(aliases):
    return [(output, input_) for output, inputs in (aliases or {}).items() for input_ in inputs]


def _share(a, b):
    return isinstance(a, numpy.ndarray) and isinstance(b, numpy.ndarray) and b.size and numpy.may_share_memory(a, b)


def _same(a, b, exact=False):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if exact or a.dtype.kind in "biu":
        return bool(((a == b) | ((a != a) & (b != b))).all())
    if a.dtype.kind == "f":
        finite = numpy.isfinite(b)  # rewriting may make a value finite that was not
        a, b = a[finite], b[finite]
    return bool(_close(a, b).all())


def _close(a, b):
    return numpy.isclose(a, b, rtol=1e-4 if a.dtype.itemsize <= 8 and a.dtype != numpy.float64 else 1e-6,
                         atol=1e-5 if a.dtype != numpy.float64 else 1e-8, equal_nan=True)


_DISTURBED_RUNS = 24  # most need two or three


def _rounded_otherwise(value, random):
    if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "fc":
        return value
    step = numpy.finfo(value.dtype).eps * random.randint(-2, 3, size=value.shape)
    with numpy.errstate(all="ignore"):
        return numpy.asarray(value + value * step.astype(value.real.dtype), dtype=value.dtype)


class _Difference:
    """An output that differs from what the graph as it was written gave. Where that changes as much by a few roundings, rewriting did no
    harm: where digits cancel it rather brings them back."""

    def __init__(self, position, value, wanted):
        self.position = position
        self.is_comparable = value.shape == wanted.shape and value.dtype == wanted.dtype
        if not self.is_comparable:
            return
        self._wide = numpy.complex128 if value.dtype.kind == "c" else numpy.float64
        self._wanted = wanted.astype(self._wide)
        with numpy.errstate(all="ignore"):
            self._distance = numpy.abs(value.astype(self._wide) - self._wanted)
            self._done = _close(value, wanted) | ~numpy.isfinite(wanted)
        self._spread = numpy.zeros_like(self._distance)

    def widen(self, other):
        if other.shape != self._wanted.shape:
            return
        with numpy.errstate(all="ignore"):
            self._spread = numpy.fmax(self._spread, numpy.abs(other.astype(self._wide) - self._wanted))
            self._done |= ~numpy.isfinite(other) | (self._distance <= 4 * self._spread)

    def is_rounding(self):
        return self.is_comparable and bool(self._done.all())


def _copy(value):
    return value.copy() if isinstance(value, numpy.ndarray) else value


class _Comparison(Stepper):
    def __init__(self, function, reference, mode):
        super().__init__(function, mode)
        self._function = function
        self._reference = reference
        graph = _core.function_graph(reference)
        self._original = graph["inputs"], graph["outputs"], graph["toposort"]

    def run(self, arguments):
        def undeclared(op, number, position):
            raise BadViewMap("output %d of the op %s shares memory with its input %d, which its view_map does not say"
                             % (number, op, position))

        def written(op, error):
            raise BadDestroyMap("the op %s writes to an input, which its destroy_map does not say (%s)" % (op, error)) from error

        def wrong(sentence):
            raise InvalidValueError(sentence)
        before = user_op.on_shared_memory, user_op.on_written_input, user_op.on_wrong_value
        user_op.on_shared_memory, user_op.on_written_input, user_op.on_wrong_value = undeclared, written, wrong
        try:
            results = self._compared(arguments)
        except DebugModeError as error:
            record_check(self._function, _KINDS.get(type(error), "value"), False, str(error))
            raise
        finally:
            user_op.on_shared_memory, user_op.on_written_input, user_op.on_wrong_value = before
        record_check(self._function, "value", True, "%d outputs are those of the graph before it was rewritten" % len(results))
        return results

    def _compared(self, arguments):
        start = [_copy(value) for value in arguments]
        start += [variable.get_value() for variable in self.inputs[len(arguments):]]
        inputs = self._original[0]
        before = dict(zip(inputs, [_copy(value) for value in arguments]))
        before.update((variable, _copy(variable.get_value())) for variable in inputs[len(arguments):])
        expected = self._reference(*[_copy(value) for value in arguments])
        results = super().run(arguments)
        differing = [_Difference(position, value, wanted) for position, (value, wanted) in enumerate(zip(results, expected))
                     if isinstance(value, numpy.ndarray) and not _same(value, wanted)]
        for seed in range(_DISTURBED_RUNS):
            differing = [difference for difference in differing if not difference.is_rounding()]
            if not differing or not differing[0].is_comparable:
                break
            outputs = self._disturbed(before, seed)
            for difference in differing:
                difference.widen(outputs[difference.position])
        differing = [difference for difference in differing if not difference.is_rounding()]
        if differing:
            raise BadOptimization(self._accusation(differing[0].position, start))
        return results

    def _disturbed(self, before, seed):
        """What the graph as it was written gives when every result is off by a rounding or two."""
        random = numpy.random.RandomState(seed)
        values = dict((variable, _copy(value)) for variable, value in before.items())
        for apply in self._original[2]:
            outputs = _core.run_apply(apply, [variable.data if isinstance(variable, Constant) else values[variable] for variable in apply.inputs])
            moves = _core.is_engine_op(apply.op) and _core.op_view_map(apply.op)
            values.update(zip(apply.outputs, outputs if moves else [_rounded_otherwise(value, random) for value in outputs]))
        return [variable.data if isinstance(variable, Constant) else values[variable] for variable in self._original[1]]

    def _accusation(self, position, start):
        """What to tell about an output that differs: the rewrite that did it."""
        text = "output %d differs from what the graph gave before it was rewritten" % position
        blame = _core.function_guilty_rewrite(self._function, start)
        if blame is None:
            return text + "; the rewrites agree with each other, so an op gives different values from run to run"
        step, phase, rewrite, reason, _, difference = blame
        return text + ".\nThe rewrite %s did it (step %d, phase %s%s): %s.\nHINT: optimizer_excluding=%s leaves it out." % (
            rewrite, step, phase, ", " + reason if reason else "", difference, rewrite)
