"""Gradients of expressions."""
import time
import warnings

import numpy

from croton import _core
from croton.compile.function import function
from croton.compile.sharedvalue import shared
from croton.configparser import config
from croton.gof import provided
from croton.gof.graph import Variable, ancestors
from croton.gof.type import DisconnectedType, NullType
from croton.gof.utils import listed, spent
from croton.scan_module.scan import scan
from croton.tensor import basic
from croton.tensor.opclasses import built
from croton.tensor.type import TensorType


class DisconnectedInputError(ValueError):
    """The cost does not depend on a variable."""


class NullTypeGradError(TypeError):
    """A gradient that is undefined or not implemented."""


class GradientError(Exception):
    """A gradient that disagrees with finite differences."""

    def __init__(self, arg, err_pos=None, shape=None, val1=None, val2=None, abs_err=None, rel_err=None, abs_tol=None, rel_tol=None):
        super().__init__(arg)
        self.arg, self.err_pos, self.shape, self.val1, self.val2 = arg, err_pos, shape, val1, val2
        self.abs_err, self.rel_err, self.abs_tol, self.rel_tol = abs_err, rel_err, abs_tol, rel_tol

    def __str__(self):
        if self.err_pos is None:
            return str(self.arg)
        return ("GradientError: numeric gradient and analytic gradient exceed tolerance:\n"
                "        At position %s of argument %s with shape %s,\n"
                "            val1 = %s      ,  val2 = %s\n"
                "            abs. error = %s,  abs. tolerance = %s\n"
                "            rel. error = %s,  rel. tolerance = %s"
                % (self.err_pos, self.arg, self.shape, self.val1, self.val2, self.abs_err, self.abs_tol, self.rel_err, self.rel_tol))


def format_as(use_list, use_tuple, outputs):
    """A single value, a list or a tuple."""
    if use_list and use_tuple:
        raise ValueError("Both flags cannot be simultaneously True")
    if use_list or use_tuple:
        return list(outputs) if use_list else tuple(outputs)
    assert len(outputs) == 1
    return outputs[0]


def _wrt_list(wrt, name="wrt"):
    use_tuple = isinstance(wrt, tuple)
    several = listed(wrt)
    use_list = several is not None and not use_tuple
    if isinstance(wrt, (set, frozenset, dict)):
        raise TypeError("%s must be a variable or a list or tuple of variables: the order of a %s is not defined"
                        % (name, type(wrt).__name__))
    variables = [wrt] if several is None else several
    for variable in variables:
        if not isinstance(variable, Variable):
            raise TypeError("Expected Variable, got %s of type %s" % (variable, type(variable)))
    return use_list, use_tuple, variables


def _several(values):
    """A list of what a list, tuple or iterator gives, or of the one value."""
    several = listed(values)
    return [values] if several is None else several


def _points(values):
    return [value if isinstance(value, Variable) else _core.as_variable(value) for value in _several(values)]


def _choice(name, value, allowed):
    if value not in allowed:
        raise ValueError("%s is one of %s, got %r" % (name, ", ".join(map(repr, allowed)), value))


def grad(cost, wrt, consider_constant=None, disconnected_inputs="raise", add_names=True, known_grads=None,
         return_disconnected="zero", null_gradients="raise"):
    """d cost / d wrt, one variable for each of wrt (a list gives a list)."""
    if cost is None and not known_grads:
        raise AssertionError("cost and known_grads can't both be None.")
    if cost is not None:
        if not isinstance(cost, Variable):
            cost = _core.as_variable(cost)
        if isinstance(cost.type, NullType):
            raise ValueError("Can't differentiate a NaN cost. cost is NaN because %s" % cost.type.why_null)
        if getattr(cost, "ndim", 0) != 0:
            raise TypeError("cost must be a scalar: it has %d dimensions; take its mean or sum first" % cost.ndim)
    _choice("disconnected_inputs", disconnected_inputs, ("raise", "warn", "ignore"))
    _choice("return_disconnected", str(return_disconnected).lower(), ("zero", "none", "disconnected"))
    _choice("null_gradients", null_gradients, ("raise", "return"))
    use_list, use_tuple, variables = _wrt_list(wrt)
    known = []
    for variable, gradient in dict(known_grads or {}).items():
        gradient = gradient if isinstance(gradient, Variable) else _core.as_variable(gradient)
        if not isinstance(gradient.type, (NullType, DisconnectedType)) and getattr(gradient, "ndim", None) != getattr(variable, "ndim", None):
            raise TypeError("Ambiguous wrt variable: the known gradient of %s has %s dimensions, the variable has %s"
                            % (variable, getattr(gradient, "ndim", "no"), getattr(variable, "ndim", "no")))
        known.append((variable, variable.type.elements_of(gradient) if hasattr(variable.type, "elements_of") else gradient))
    if consider_constant is None:
        consider_constant = []
    elif isinstance(consider_constant, Variable) or not hasattr(consider_constant, "__iter__"):
        raise TypeError("consider_constant must be an iterable collection")
    start = time.time()
    instead = str(return_disconnected).lower()
    has_parts = any(hasattr(variable.type, "as_gradient") for variable in variables)
    terms, messages = _core.grad(cost, variables, list(consider_constant), disconnected_inputs, "disconnected" if has_parts else instead,
                                 null_gradients == "raise", bool(add_names), known)
    if has_parts:
        terms = [_of_parts(variable, term, instead) for variable, term in zip(variables, terms)]
    spent["gradient"] += time.time() - start
    for message in messages:
        warnings.warn(message, stacklevel=2)
    return format_as(use_list, use_tuple, terms)


def _of_parts(variable, term, instead):
    """What grad() returns where a variable may be a matrix of parts, whose gradient is that of its elements."""
    as_gradient = getattr(variable.type, "as_gradient", None)
    if isinstance(term.type, DisconnectedType):
        if instead != "zero":
            return None if instead == "none" else term
        if as_gradient is None:
            return variable.zeros_like(dtype=config.floatX if variable.dtype[0] in "iub" else variable.dtype)
        return variable.zeros_like()
    return term if as_gradient is None or isinstance(term.type, NullType) else as_gradient(variable, term)


def __getattr__(name):
    if name == "grad_time":
        return spent["gradient"]
    raise AttributeError("module 'theano.gradient' has no attribute %r" % name)


def subgraph_grad(wrt, end, start=None, cost=None, details=False):
    """Gradients with respect to wrt and end, start giving those of the variables above."""
    start, wrt, end = dict(start or {}), list(wrt), list(end)
    terms = grad(cost, wrt + end, known_grads=start, consider_constant=end, disconnected_inputs="ignore")
    return terms[:len(wrt)], terms[len(wrt):]


def Lop(f, wrt, eval_points, consider_constant=None, disconnected_inputs="raise"):
    """eval_points · (d f / d wrt): the gradient run backwards from given values."""
    points, functions = _points(eval_points), _several(f)
    use_list, use_tuple, variables = _wrt_list(wrt)
    if len(points) != len(functions):
        raise ValueError("Lop needs one point for each of f: got %d for %d" % (len(points), len(functions)))
    return format_as(use_list, use_tuple, _core.lop(functions, variables, points, list(consider_constant or []), disconnected_inputs))


def Rop(f, wrt, eval_points, disconnected_outputs="raise", return_disconnected="zero"):
    """(d f / d wrt) · eval_points."""
    use_tuple, several = isinstance(f, tuple), listed(f)
    use_list = several is not None and not use_tuple
    points, functions = _points(eval_points), [f] if several is None else several
    _, _, variables = _wrt_list(wrt)
    if len(points) != len(variables):
        raise ValueError("Rop needs one point for each of wrt: got %d for %d" % (len(points), len(variables)))
    for variable, point in zip(variables, points):
        if variable.ndim != point.ndim:
            raise ValueError("Element of wrt and its eval_points do not match: %s has %d dimensions, %s has %d"
                             % (variable, variable.ndim, point, point.ndim))
    _choice("disconnected_outputs", disconnected_outputs, ("raise", "warn", "ignore"))
    _choice("return_disconnected", return_disconnected.lower(), ("zero", "none", "disconnected"))
    for function in functions:
        # What is computed from other variables changes by zero; a leaf that is no point has nothing to do with them.
        if disconnected_outputs == "raise" and function.owner is None and function not in variables:
            raise DisconnectedInputError("Rop: %s depends on none of %s: leave it out, or pass disconnected_outputs='ignore'"
                                         % (function, ", ".join(str(variable) for variable in variables)))
    try:
        terms = _keep_dependence(functions, variables, _core.rop(functions, variables, points, True))
    except DisconnectedInputError as error:
        if disconnected_outputs == "raise":
            raise
        if len(functions) > 1:  # which of them it is
            terms = [Rop(function, variables, points, disconnected_outputs, return_disconnected) for function in functions]
        else:
            terms = [_no_direction(functions[0], str(error), disconnected_outputs, return_disconnected)]
        return format_as(use_list, use_tuple, terms)
    if disconnected_outputs != "raise":
        reached = _core.connections(variables, functions)
        for number, function in enumerate(functions):
            if not any(row[number] for row in reached):
                why = "Rop: %s does not depend on any of %s" % (function, ", ".join(str(v) for v in variables))
                terms[number] = _no_direction(function, why, disconnected_outputs, return_disconnected)
    return format_as(use_list, use_tuple, terms)


def _no_direction(function, why, disconnected_outputs, return_disconnected):
    if disconnected_outputs == "warn":
        warnings.warn(why, stacklevel=3)
    if return_disconnected.lower() == "zero":
        return basic.zeros_like(function, dtype=None if str(function.dtype).startswith(("float", "complex")) else config.floatX)
    return None if return_disconnected.lower() == "none" else DisconnectedType()()


def _keep_dependence(functions, variables, terms):
    """A linear f leaves its point out of the term: it stays an input of the term, which rewriting forgets."""
    result = []
    for function, term in zip(functions, terms):
        above, needed = set(ancestors([function])), set(ancestors([term]))
        lost = any(variable in above and variable not in needed for variable in variables)
        result.append(basic.fill(function, term) if lost and term.type == function.type else term)
    return result


R_op, L_op = Rop, Lop


def jacobian(expression, wrt, consider_constant=None, disconnected_inputs="raise"):
    """Row i is the gradient of expression[i]: a loop over the rows where their number is known only at run time."""
    if not isinstance(expression, Variable):
        raise TypeError("Tensor type field must be a Variable")
    if expression.ndim > 1:
        raise ValueError("jacobian expects a 1 dimensional variable as `expression`. If not use flatten to make it a vector")
    use_list, use_tuple, variables = _wrt_list(wrt)
    if expression.ndim == 0:
        return format_as(use_list, use_tuple, grad(expression, variables, consider_constant, disconnected_inputs))

    def row(i):
        return grad(expression[i], variables, consider_constant, disconnected_inputs)
    try:
        rows = [row(i) for i in range(basic.get_vector_length(expression))]
    except ValueError:
        rows, _ = scan(row, basic.arange(expression.shape[0]), return_list=True, name="jacobian")
    else:
        rows = [basic.stack([one[k] for one in rows]) for k in range(len(variables))]
    return format_as(use_list, use_tuple, rows)


def hessian(cost, wrt, consider_constant=None, disconnected_inputs="raise"):
    """Second derivatives of a scalar with respect to vectors."""
    use_list, use_tuple, variables = _wrt_list(wrt)
    if cost.ndim != 0:
        raise ValueError("hessian expects a 0 dimensional variable as `cost`")
    results = []
    for variable in variables:
        if variable.ndim != 1:
            raise ValueError("hessian expects a (list of) 1 dimensional variable as `wrt`")
        slope = grad(cost, variable, consider_constant, disconnected_inputs)
        results.append(jacobian(slope, variable, consider_constant, "ignore"))  # of what is linear it depends on nothing
    return format_as(use_list, use_tuple, results)


# --- identities with a gradient of their own --------------------------------------------------------------
def zero_grad(x):
    """x; its gradient is zero."""
    return _core.zero_grad(x)


def disconnected_grad(x):
    """x; the gradient stops here."""
    return _core.disconnected_grad(x)


def undefined_grad(x):
    """x; asking for its gradient is an error."""
    return _core.undefined_grad(x)


def consider_constant(x):
    """x; its gradient is zero. (Old name of zero_grad.)"""
    return _core.zero_grad(x)


consider_constant_ = consider_constant
zero_grad_ = zero_grad


def grad_clip(x, lower_bound, upper_bound):
    """x; gradients that pass are clipped to the bounds."""
    if not lower_bound <= upper_bound:
        raise ValueError("the lower bound %r is above the upper bound %r" % (lower_bound, upper_bound))
    return _core.grad_clip(x, float(lower_bound), float(upper_bound))


def grad_scale(x, multiplier):
    """x; gradients that pass are multiplied."""
    return _core.grad_scale(x, float(multiplier))


def grad_undefined(op, x_pos, x, comment=""):
    """The term of a gradient that mathematics does not define."""
    return NullType("This variable is Null because the grad method for input %s (%s) of the %s op is mathematically undefined. %s"
                    % (x_pos, x, op, comment))()


def grad_not_implemented(op, x_pos, x, comment=""):
    """The term of a gradient that nobody has written."""
    return NullType("This variable is Null because the grad method for input %s (%s) of the %s op is not implemented. %s"
                    % (x_pos, x, op, comment))()


# --- checks -----------------------------------------------------------------------------------------------
class numeric_grad:
    """Gradients of a NumPy function by finite differences."""
    type_eps = {"float64": 1e-7, "float32": 3e-4, "float16": 1e-1}

    def __init__(self, f, pt, eps=None, out_type=None):
        def value():
            return float(numpy.asarray(f(*points)).reshape(()))
        several = listed(pt)
        packed = several is not None
        points = [numpy.array(p) for p in (several if packed else [pt])]
        eps = eps or max(self.type_eps.get(str(p.dtype), 1e-7) for p in points)
        base = value()
        self.gf = []
        for point in points:
            gradient = numpy.zeros(point.shape, point.dtype)
            for index in numpy.ndindex(point.shape):
                before = point[index]
                point[index] = before + eps
                gradient[index] = (value() - base) / eps
                point[index] = before
            self.gf.append(gradient)
        if not packed:
            self.gf = self.gf[0]

    @staticmethod
    def abs_rel_err(a, b):
        absolute = abs(a - b)
        relative = absolute / numpy.maximum(abs(a) + abs(b), [1e-8])
        return absolute, numpy.asarray(relative)

    def max_err(self, others, abs_tol, rel_tol):
        """(which, where, absolute error, relative error) of the worst element."""
        worst, best = None, -1.0
        for which, (mine, other) in enumerate(zip(self.gf, others)):
            if mine.shape != other.shape:
                raise ValueError("argument %d has a gradient of shape %s, expected %s" % (which, other.shape, mine.shape))
            if mine.size == 0:
                continue
            absolute, relative = self.abs_rel_err(mine, other)
            badness = numpy.minimum(absolute / abs_tol, relative / rel_tol)
            badness = numpy.where(numpy.isfinite(badness), badness, numpy.inf)
            where = int(numpy.argmax(badness))
            if badness.flat[where] > best:
                best = float(badness.flat[where])
                worst = (which, where, float(absolute.flat[where]), float(relative.flat[where]))
        return worst or (0, 0, 0.0, 0.0)


def verify_grad(fun, pt, n_tests=2, rng=None, eps=None, out_type=None, abs_tol=None, rel_tol=None, mode=None,
                cast_to_output_type=False, no_debug_ref=True):
    """Compares the gradient of fun at the point pt with finite differences; GradientError if they differ."""
    pt = listed(pt)
    if pt is None:
        raise TypeError("pt should be a list or tuple of arrays")
    points = [numpy.array(p) for p in pt]
    for i, point in enumerate(points):
        if str(point.dtype) not in ("float16", "float32", "float64"):
            raise TypeError("verify_grad can work only with floating point inputs, but input %i has dtype '%s'." % (i, point.dtype))
    if rng is None:
        raise TypeError("rng should be a valid instance of numpy.random.RandomState. You may want to use "
                        "theano.tests.unittest_tools.verify_grad instead of theano.gradient.verify_grad.")
    tolerance = {"float16": 5e-2, "float32": 1e-2, "float64": 1e-4}
    loosest = max((tolerance[str(p.dtype)] for p in points), default=1e-4)
    abs_tol, rel_tol = abs_tol or loosest, rel_tol or loosest
    inputs = [TensorType(p.dtype, [size == 1 for size in p.shape])("input %i" % i) for i, p in enumerate(points)]
    output = fun(*inputs)
    if isinstance(output, (list, tuple)):
        raise NotImplementedError("can't (yet) autotest gradient of fun with multiple outputs")
    run = function(inputs, output, allow_input_downcast=True, mode=mode, on_unused_input="ignore", name="gradient.py fwd")
    value = numpy.asarray(run(*[p.copy() for p in points]))

    def random_projection():
        plain = numpy.asarray(rng.rand(*value.shape) + 0.5)
        return plain.astype("float32") if cast_to_output_type and output.dtype == "float32" else plain

    projection = shared(random_projection(), name="random_projection", broadcastable=output.broadcastable)
    cost = basic.sum(projection * output)
    cost_fn = function(inputs, cost, allow_input_downcast=True, mode=mode, on_unused_input="ignore", name="gradient.py cost")
    terms = grad(cost, inputs, disconnected_inputs="ignore")
    grad_fn = function(inputs, terms, allow_input_downcast=True, mode=mode, on_unused_input="ignore", name="gradient.py symbolic grad")
    for test in range(n_tests):
        if test:
            projection.set_value(random_projection())
        numeric = numeric_grad(cost_fn, [p.copy() for p in points], eps, out_type)
        analytic = grad_fn(*points)
        which, where, absolute, relative = numeric.max_err(analytic, abs_tol, rel_tol)
        if (absolute > abs_tol and relative > rel_tol) or not numpy.isfinite(absolute):
            raise GradientError(which, where, analytic[which].shape, analytic[which].flat[where], numeric.gf[which].flat[where],
                                absolute, relative, abs_tol, rel_tol)


verify_grad.E_grad = GradientError


ZeroGrad = built(__name__, "ZeroGrad", lambda: zero_grad)
ConsiderConstant = built(__name__, "ConsiderConstant", lambda: consider_constant)
DisconnectedGrad = built(__name__, "DisconnectedGrad", lambda: disconnected_grad)
UndefinedGrad = built(__name__, "UndefinedGrad", lambda: undefined_grad)
GradClip = built(__name__, "GradClip", lambda clip_lower_bound, clip_upper_bound: lambda x: grad_clip(x, clip_lower_bound, clip_upper_bound))
GradScale = built(__name__, "GradScale", lambda multiplier: lambda x: grad_scale(x, multiplier))
disconnected_type, disconnected_grad_, undefined_grad_ = DisconnectedType(), DisconnectedGrad(), UndefinedGrad()
provided.gradients.by(grad)
basic.hessian = hessian  # where Theano has it, too
