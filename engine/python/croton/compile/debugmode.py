"""DebugMode: runs functions apply by apply and compares them with the unoptimized graph."""
import numpy

from croton import _core
from croton.compile.stepper import Stepper, SteppedMode
from croton.configparser import config


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
        super().__init__(optimizer=optimizer)
        self.check_isfinite = config.DebugMode.check_finite if check_isfinite is None else check_isfinite

    def make_function(self, request):
        made = _core.compile(request)
        plain = dict(request)
        plain["mode"] = dict(request["mode"], level="none", including=[], excluding=[])
        plain["on_unused_input"] = "ignore"
        plain["updates"] = []
        visible = list(request["outputs"])
        plain["outputs"] = visible + [value for _, value in request["updates"]]
        plain["borrow"] = [False] * len(plain["outputs"])
        plain.update(keys=None, bare=False, feedback=[], profile=False)
        _core.function_set_runner(made, _Comparison(made, _core.compile(plain), self).run)
        return made

    def before(self, index, apply, inputs):
        self._copies = [value.copy() if isinstance(value, numpy.ndarray) else None for value in inputs]

    def after(self, index, apply, inputs, outputs):
        if not _core.is_engine_op(apply.op):
            views = {i for _, i in _pairs(getattr(apply.op, "view_map", {}))} | {i for _, i in _pairs(getattr(apply.op, "destroy_map", {}))}
        else:
            views = {i for _, i in _core.op_view_map(apply.op)} | {i for _, i in _core.op_destroy_map(apply.op)}
        for position, (before, value) in enumerate(zip(self._copies, inputs)):
            if before is not None and not _same(before, value, exact=True):
                raise BadDestroyMap("the op %s changed its input %d, which its destroy_map does not say" % (apply.op, position))
            for number, output in enumerate(outputs):
                if isinstance(value, numpy.ndarray) and isinstance(output, numpy.ndarray) and position not in views and \
                        numpy.may_share_memory(value, output) and output.size:
                    raise BadViewMap("output %d of the op %s shares memory with its input %d, which its view_map does not say"
                                     % (number, apply.op, position))
        for variable, value in zip(apply.outputs, outputs):
            if not variable.type.is_valid_value(value):
                raise InvalidValueError("%s gave a value that its type %s does not allow" % (apply, variable.type))
            tag = variable.__dict__.get("_tag")
            if self.check_isfinite and isinstance(value, numpy.ndarray) and value.dtype.kind in "fc" and \
                    apply.op.__class__.__name__ != "AllocEmpty" and not numpy.isfinite(value).all():
                raise InvalidValueError("%s gave values that are not finite: shape %s, dtype %s" % (apply, value.shape, value.dtype))


def _pairs(aliases):
    return [(output, input_) for output, inputs in (aliases or {}).items() for input_ in inputs]


def _same(a, b, exact=False):
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if exact or a.dtype.kind in "biu":
        return bool(((a == b) | ((a != a) & (b != b))).all())
    return bool(numpy.allclose(a, b, rtol=1e-4 if a.dtype.itemsize <= 8 and a.dtype != numpy.float64 else 1e-6,
                               atol=1e-5 if a.dtype != numpy.float64 else 1e-8, equal_nan=True))


class _Comparison(Stepper):
    def __init__(self, function, reference, mode):
        super().__init__(function, mode)
        self._reference = reference

    def run(self, arguments):
        expected = self._reference(*[value.copy() if isinstance(value, numpy.ndarray) else value for value in arguments])
        results = super().run(arguments)
        for position, (value, wanted) in enumerate(zip(results, expected)):
            if isinstance(value, numpy.ndarray) and not _same(value, wanted):
                raise BadOptimization("output %d differs from what the graph gave before it was rewritten: largest difference %s"
                                      % (position, numpy.max(numpy.abs(value.astype("float64") - wanted.astype("float64")))
                                         if value.shape == wanted.shape else "in shape: %s and %s" % (value.shape, wanted.shape)))
        return results
