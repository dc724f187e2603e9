"""The words that programs of rows are written in, for Croton, for JAX and for NumPy alone."""
import math

import numpy


class Words:
    """Attribute access for rows that are functions: `m.exp`."""

    def __init__(self, names):
        self.__dict__.update(names)

    def run(self, program, values):
        """The results of a program, as a list."""
        result = eval(program, dict(self.__dict__), values) if isinstance(program, str) else program(self, *values.values())
        return list(result) if isinstance(result, (list, tuple)) else [result]


def ours():
    import theano
    import theano.tensor as T

    def scan(step, state, sequences=None, length=None):
        """Every state after each step. `step` gets the states, then the elements of the sequences."""
        states = list(state) if isinstance(state, (list, tuple)) else [state]
        sequences = list(sequences or [])
        count = len(sequences)

        def theano_step(*arguments):
            new = step(*arguments[count:], *arguments[:count])
            return list(new) if isinstance(new, (list, tuple)) else new

        return theano.scan(theano_step, sequences=sequences or None, outputs_info=states, n_steps=length)[0]

    def value_and_grad(loss, *of):
        value = loss(*of)
        return value, T.grad(value, list(of))

    names = {name: getattr(T, name) for name in dir(T) if not name.startswith("_")}
    names.update(
        T=T, theano=theano, where=T.switch, arctan2=T.arctan2, logical_and=T.and_, logical_or=T.or_, logical_not=T.invert, matmul=T.dot,
        sigmoid=T.nnet.sigmoid, softplus=T.nnet.softplus, relu=T.nnet.relu, elu=T.nnet.elu, digamma=T.psi,
        softmax=T.nnet.softmax, log_softmax=T.nnet.logsoftmax, conv2d=T.nnet.conv2d,
        set_at=lambda a, index, value: T.set_subtensor(a[index], value), add_at=lambda a, index, value: T.inc_subtensor(a[index], value),
        cholesky=T.slinalg.cholesky, inv=T.nlinalg.matrix_inverse, det=T.nlinalg.det, solve=T.slinalg.solve,
        solve_lower=T.slinalg.solve_lower_triangular, eigh=lambda a: list(T.nlinalg.eigh(a)), svd=lambda a: list(T.nlinalg.svd(a, False)),
        cast=T.cast, scan=scan, value_and_grad=value_and_grad)
    return Words(names)


def jax_words():
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.scipy import linalg, special

    def scan(step, state, sequences=None, length=None):
        several = isinstance(state, (list, tuple))

        def jax_step(carry, elements):
            new = step(*(carry if several else (carry,)), *(elements or ()))
            new = tuple(new) if several else new
            return new, new

        return lax.scan(jax_step, tuple(state) if several else state, tuple(sequences) if sequences else None, length)[1]

    def value_and_grad(loss, *of):
        value, gradients = jax.value_and_grad(loss, tuple(range(len(of))))(*of)
        return value, list(gradients)

    names = {name: getattr(jnp, name) for name in dir(jnp) if not name.startswith("_")}
    names.update(
        jnp=jnp, jax=jax, lax=lax, np=jnp, sigmoid=jax.nn.sigmoid, softplus=jax.nn.softplus, relu=jax.nn.relu, elu=jax.nn.elu, digamma=special.digamma,
        gammaln=special.gammaln, erf=special.erf, erfc=special.erfc, softmax=lambda a: jax.nn.softmax(a, axis=-1),
        log_softmax=lambda a: jax.nn.log_softmax(a, axis=-1),
        conv2d=lambda a, b, border_mode="valid": lax.conv(a, b[:, :, ::-1, ::-1], (1, 1), {"valid": "VALID", "half": "SAME"}[border_mode]),
        set_at=lambda a, index, value: a.at[index].set(value), add_at=lambda a, index, value: a.at[index].add(value),
        cholesky=jnp.linalg.cholesky, inv=jnp.linalg.inv, det=jnp.linalg.det, solve=jnp.linalg.solve,
        solve_lower=lambda a, b: linalg.solve_triangular(a, b, lower=True), eigh=lambda a: list(jnp.linalg.eigh(a)),
        svd=lambda a: list(jnp.linalg.svd(a, False)), cast=lambda a, dtype: a.astype(dtype), max=jnp.max, min=jnp.min, abs=jnp.abs, sum=jnp.sum,
        batched_dot=jnp.matmul, scan=scan, value_and_grad=value_and_grad)
    return Words(names)


def _scan(step, state, sequences=None, length=None):
    several = isinstance(state, (list, tuple))
    states, kept = (tuple(state) if several else (state,)), []
    for place in range(length if length is not None else len(sequences[0])):
        new = step(*states, *(one[place] for one in sequences or ()))
        states = tuple(new) if several else (new,)
        kept.append(states)
    stacked = [numpy.stack(part) for part in zip(*kept)]
    return stacked if several else stacked[0]


def _at(add):
    def changed(a, index, value):
        result = numpy.array(a)
        if add:
            numpy.add.at(result, index, value)
        else:
            result[index] = value
        return result
    return changed


def _value_and_grad(loss, *of):
    """By central differences in float64, for checks of values at small sizes."""
    wide = [numpy.array(one, "float64") for one in of]
    gradients = [numpy.zeros_like(one) for one in wide]
    for one, gradient in zip(wide, gradients):
        for place in numpy.ndindex(one.shape):
            kept, ends = one[place], []
            for shift in (1e-6, -1e-6):
                one[place] = kept + shift
                ends.append(numpy.float64(loss(*wide)))
            one[place] = kept
            gradient[place] = (ends[0] - ends[1]) / 2e-6
    return loss(*of), gradients


def _digamma(x):
    """By the recurrence up to 10, then the asymptotic series."""
    x, result = numpy.array(x, "float64"), 0.0
    for _ in range(10):
        result, x = result - 1 / x, x + 1
    square = 1 / (x * x)
    return result + numpy.log(x) - 0.5 / x - square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))


def _conv2d(a, b, border_mode="valid"):
    """A convolution as the sum over the places of its filter."""
    height, width = b.shape[2:]
    if border_mode == "half":
        a = numpy.pad(a, ((0, 0), (0, 0), (height // 2, height // 2), (width // 2, width // 2)))
    rows, columns = a.shape[2] - height + 1, a.shape[3] - width + 1
    return sum(numpy.einsum("nchw,oc->nohw", a[:, :, i:i + rows, j:j + columns], b[:, :, height - 1 - i, width - 1 - j])
               for i in range(height) for j in range(width))


def numpy_words():
    names = {name: getattr(numpy, name) for name in dir(numpy) if not name.startswith("_")}

    def softmax(a):
        powers = numpy.exp(a - a.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    def log_softmax(a):
        a = a - a.max(axis=-1, keepdims=True)
        return a - numpy.log(numpy.exp(a).sum(axis=-1, keepdims=True))

    def each(function):
        return lambda a: numpy.vectorize(function, otypes=[numpy.float64])(a).astype(numpy.result_type(a))

    special = dict(gammaln=each(math.lgamma), erf=each(math.erf), erfc=each(math.erfc), digamma=_digamma,
                   solve_lower=lambda a, b: numpy.linalg.solve(a, b))
    try:
        import scipy.linalg
        import scipy.special
        special = {name: getattr(scipy.special, name) for name in ("gammaln", "erf", "erfc", "digamma")}
        special["solve_lower"] = lambda a, b: scipy.linalg.solve_triangular(a, b, lower=True)
    except ImportError:
        pass
    names.update(
        special, np=numpy, max=numpy.max, min=numpy.min, abs=numpy.abs, sum=numpy.sum, sigmoid=lambda a: 1 / (1 + numpy.exp(-a)),
        softplus=lambda a: numpy.logaddexp(a, 0), relu=lambda a: numpy.maximum(a, 0),
        elu=lambda a: numpy.where(a > 0, a, numpy.expm1(numpy.minimum(a, 0))), softmax=softmax, log_softmax=log_softmax, conv2d=_conv2d,
        set_at=_at(False), add_at=_at(True), cholesky=numpy.linalg.cholesky, inv=numpy.linalg.inv, det=numpy.linalg.det,
        solve=numpy.linalg.solve, eigh=lambda a: list(numpy.linalg.eigh(a)), svd=lambda a: list(numpy.linalg.svd(a, False)),
        cast=lambda a, dtype: a.astype(dtype), batched_dot=numpy.matmul, scan=_scan, value_and_grad=_value_and_grad)
    return Words(names)
