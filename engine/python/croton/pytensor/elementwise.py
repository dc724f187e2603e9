"""Elementwise ops, reductions over axes, and what only moves axes."""
import numpy
from pytensor.scalar import basic, loop, math
from pytensor.tensor import elemwise, special
from pytensor.tensor import math as tensor_math

import croton
import croton.tensor as T
from croton.pytensor.graph import Converter
from croton.pytensor.table import NoConversion, conversion, convert

# The functions of Croton's tensors by the class of PyTensor's scalar op.
FUNCTIONS = {
    basic.LT: T.lt, basic.GT: T.gt, basic.LE: T.le, basic.GE: T.ge, basic.EQ: T.eq, basic.NEQ: T.neq,
    basic.IsNan: T.isnan, basic.IsInf: T.isinf, basic.Switch: T.switch,
    basic.OR: T.or_, basic.XOR: T.xor, basic.AND: T.and_, basic.Invert: T.invert,
    basic.Maximum: T.maximum, basic.Minimum: T.minimum,
    basic.Add: lambda *terms: _folded(T.add, terms), basic.Mul: lambda *factors: _folded(T.mul, factors),
    basic.Sub: T.sub, basic.TrueDiv: T.true_div, basic.IntDiv: T.int_div, basic.Mod: T.mod, basic.Pow: T.pow,
    basic.Clip: T.clip, basic.Second: T.fill, basic.Identity: lambda x: x,
    basic.Abs: T.abs_, basic.Sign: T.sgn, basic.Ceil: T.ceil, basic.Floor: T.floor, basic.Trunc: T.trunc,
    basic.RoundHalfToEven: T.round_half_to_even, basic.RoundHalfAwayFromZero: T.round_half_away_from_zero,
    basic.Neg: T.neg, basic.Reciprocal: T.inv, basic.Log: T.log, basic.Log2: T.log2, basic.Log10: T.log10, basic.Log1p: T.log1p,
    basic.Exp: T.exp, basic.Exp2: T.exp2, basic.Expm1: T.expm1, basic.Sqr: T.sqr, basic.Sqrt: T.sqrt,
    basic.Deg2Rad: T.deg2rad, basic.Rad2Deg: T.rad2deg,
    basic.Cos: T.cos, basic.ArcCos: T.arccos, basic.Sin: T.sin, basic.ArcSin: T.arcsin, basic.Tan: T.tan, basic.ArcTan: T.arctan,
    basic.ArcTan2: T.arctan2, basic.Cosh: T.cosh, basic.ArcCosh: T.arccosh, basic.Sinh: T.sinh, basic.ArcSinh: T.arcsinh,
    basic.Tanh: T.tanh, basic.ArcTanh: T.arctanh,
    basic.Real: T.real, basic.Imag: T.imag, basic.Angle: T.angle, basic.Complex: T.complex, basic.Conj: T.conj,
    basic.ComplexFromPolar: T.complex_from_polar,
    math.Erf: T.erf, math.Erfc: T.erfc, math.Erfcx: T.erfcx, math.Erfinv: T.erfinv, math.Erfcinv: T.erfcinv,
    math.Gamma: T.gamma, math.GammaLn: T.gammaln, math.Psi: T.psi, math.TriGamma: T.tri_gamma,
    math.GammaInc: T.gammainc, math.GammaIncC: T.gammaincc, math.GammaU: T.gammau, math.GammaL: T.gammal,
    math.Jv: T.jv, math.J1: T.j1, math.J0: T.j0, math.Iv: T.iv, math.I1: T.i1, math.I0: T.i0,
    math.Sigmoid: T.nnet.sigmoid, math.Softplus: T.nnet.softplus,
    # log(1 - exp(x)) for x < 0, without loss of digits on either side of -log(2).
    math.Log1mexp: lambda x: T.switch(T.lt(x, -0.6931471805599453), T.log1p(-T.exp(x)), T.log(-T.expm1(x))),
}


def scaled_bessel(order, x):
    """exp(-|x|) I(order, x) of a known small order: beyond 700, where I would overflow, its expansion in 1 / x."""
    try:
        known = float(T.get_scalar_constant_value(order))
    except T.NotScalarConstantError:
        known = numpy.inf
    if known != int(min(known, 11)) or abs(known) > 10:
        raise NoConversion("a scaled Bessel function of an order that is no small whole number")
    size = T.abs_(x)
    near, far = T.minimum(size, 700), T.maximum(size, 700)
    plain = (T.i0(near) if known == 0 else T.i1(near) if abs(known) == 1 else T.iv(T.constant(abs(known), dtype="float64"), near)) * T.exp(-near)
    factors = [((2 * k - 1) ** 2 - 4 * known ** 2) / (8 * k) for k in range(1, 13)]
    series = 1.0
    for factor in reversed(factors):
        series = 1 + factor / far * series
    value = T.switch(T.gt(size, 700), series / T.sqrt(2 * numpy.pi * far), plain)
    return T.switch(T.isnan(x), x, value if known % 2 == 0 else value * T.sgn(x))


# What is known by the function of SciPy that it stands for: PyMC has such ops of its own.
OF_SCIPY = {
    "scipy.special.ive": scaled_bessel, "scipy.special.i0e": lambda x: scaled_bessel(0, x), "scipy.special.i1e": lambda x: scaled_bessel(1, x),
}

# What changes more about its operands than their elements, by name.
REDUCTIONS = {basic.Add: T.sum, basic.Mul: T.prod, basic.Maximum: T.max, basic.Minimum: T.min, basic.AND: T.all, basic.OR: T.any}


def _folded(function, operands):
    return function(*operands) if len(operands) > 1 else operands[0]


@conversion(basic.ScalarOp)
def scalar_op(op, node, *inputs):
    function = FUNCTIONS.get(type(op)) or OF_SCIPY.get((getattr(op, "nfunc_spec", None) or [None])[0])
    if function is None:
        raise NoConversion(type(op).__name__)
    return function(*inputs)


@conversion(basic.Cast)
def cast(op, node, x):
    return T.cast(x, node.outputs[0].type.dtype)


@conversion(basic.ScalarInnerGraphOp)
def composite(op, node, *inputs):
    """What one fused op of PyTensor computes, in its single steps: Croton fuses them as it finds best."""
    if not isinstance(op, basic.Composite):
        raise NoConversion(type(op).__name__)
    converter = Converter()
    converter.bind(op.fgraph.inputs, inputs)
    outputs = converter.outputs(op.fgraph.outputs)
    if converter.in_python:
        raise NoConversion(str(converter.in_python[0].op))
    return outputs


@conversion(loop.ScalarLoop)
def loop_of_elements(op, node, steps, *inputs):
    """One loop over arrays, in which each element stands still after its last step: derivatives of the incomplete functions are such loops."""
    count = len(op.outputs) - op.is_while
    whole = _folded(T.add, [T.cast(T.zeros_like(one), "int8") for one in (steps, *inputs)])
    states = [T.fill(whole, T.cast(one, theirs.dtype)) for one, theirs in zip(inputs[:count], op.outputs, strict=False)]

    def step(place, *given):
        old, stopped, rest = given[:count], given[count], given[count + 1:]
        converter = Converter()
        converter.bind(op.inputs, [*old, *rest[1:]])
        made = converter.outputs(op.outputs)
        if converter.in_python:
            raise NoConversion(str(converter.in_python[0].op))
        runs = T.and_(T.lt(place, rest[0]), T.eq(stopped, 0))
        new = [T.cast(T.switch(runs, *pair), pair[1].dtype) for pair in zip(made, old, strict=False)]
        stopped = T.switch(runs, T.cast(made[-1], "int8"), stopped) if op.is_while else stopped
        return [place + 1, *new, T.cast(stopped, "int8")], croton.scan_module.until(T.all(T.or_(T.neq(stopped, 0), T.ge(place + 1, rest[0]))))
    most = T.max(T.join(0, T.reshape(T.cast(steps, "int64"), (-1,)), T.constant([1], dtype="int64")))
    results, _ = croton.scan(step, outputs_info=[T.constant(0, dtype="int64"), *states, T.fill(whole, T.cast(T.le(steps, 0), "int8"))],
                             non_sequences=[steps, *inputs[count:]], n_steps=most)
    last = [one[-1] for one in results[1:]]
    return last[:count] + ([T.cast(last[count], "bool")] if op.is_while else [])


@conversion(elemwise.Elemwise)
def elementwise(op, node, *inputs):
    return convert(op.scalar_op, node, *inputs)


@conversion(elemwise.CAReduce)
def reduction(op, node, x):
    if op.axis == ():
        return x
    function = REDUCTIONS.get(type(op.scalar_op))
    if function is None:
        raise NoConversion(type(op).__name__)
    axis = list(range(x.ndim)) if op.axis is None else list(op.axis)
    if function in (T.sum, T.prod):
        return function(x, axis=axis, dtype=node.outputs[0].type.dtype, acc_dtype=getattr(op, "acc_dtype", None))
    return function(x, axis=axis)


@conversion(tensor_math.Argmax)
def argmax(op, node, x):
    axes = list(range(x.ndim)) if op.axis is None else list(op.axis)
    if len(axes) == 1:
        return T.argmax(x, axis=axes[0])
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = x.dimshuffle(*(kept + axes))
    return T.argmax(T.reshape(moved, [moved.shape[axis] for axis in range(len(kept))] + [-1], ndim=len(kept) + 1), axis=len(kept))


@conversion(elemwise.DimShuffle)
def dimshuffle(op, node, x):
    return x.dimshuffle(*op.new_order)


def _along(axis, x, function):
    """`function` of matrices by rows, applied along one axis, or along all of them."""
    if axis is None:
        return T.reshape(function(x.reshape((1, -1))), x.shape, ndim=x.ndim)
    axis %= x.ndim
    order = [one for one in range(x.ndim) if one != axis] + [axis]
    moved = x.dimshuffle(*order)
    result = T.reshape(function(moved.reshape((-1, moved.shape[x.ndim - 1]))), moved.shape, ndim=x.ndim)
    return result.dimshuffle(*[order.index(one) for one in range(x.ndim)])


@conversion(special.Softmax)
def softmax(op, node, x):
    return _along(op.axis, x, T.nnet.softmax)


@conversion(special.LogSoftmax)
def log_softmax(op, node, x):
    return _along(op.axis, x, T.nnet.logsoftmax)


@conversion(special.SoftmaxGrad)
def softmax_gradient(op, node, dy, y):
    product = dy * y
    return product - T.sum(product, axis=op.axis, keepdims=True) * y
