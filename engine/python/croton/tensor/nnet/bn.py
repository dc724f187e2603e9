"""Batch normalization."""
from croton import _core
from croton.tensor import basic
from croton.tensor.functions.axes import normal_axes


def batch_normalization(inputs, gamma, beta, mean, std, mode="low_mem"):
    """(inputs - mean) · gamma / std + beta"""
    if mode not in ("low_mem", "high_mem"):
        raise ValueError("mode must be either \"low_mem\", \"high_mem\"")
    return (inputs - mean) * (gamma / std) + beta


def _prepared(inputs, axes):
    inputs = basic.as_tensor_variable(inputs)
    if axes == "per-activation":
        axes = (0,)
    elif axes == "spatial":
        axes = (0,) + tuple(range(2, inputs.ndim))
    elif isinstance(axes, str):
        raise ValueError("axes are \"per-activation\", \"spatial\" or numbers, got %r" % axes)
    axes = tuple(normal_axes(axes, inputs.ndim))
    if not axes:
        raise ValueError("there should be at least one normalization axis")
    return inputs, axes


def _spread(parameter, axes, ndim):
    """The parameter as it stands beside the inputs; it has all their dimensions, or those that are not normalized."""
    parameter = basic.as_tensor_variable(parameter)
    if parameter.ndim == ndim:
        return basic.addbroadcast(parameter, *axes)
    rest = [axis for axis in range(ndim) if axis not in axes]
    if parameter.ndim != len(rest):
        raise ValueError("gamma, beta, means and variances need %d dimensions (those that are not normalized) or %d, as the inputs "
                         "have; got %s of type %s" % (len(rest), ndim, parameter, parameter.type))
    order = ["x"] * ndim
    for position, axis in enumerate(rest):
        order[axis] = position
    return parameter.dimshuffle(order)


def _small(epsilon, *variables):
    if epsilon < 1e-5:
        raise ValueError("epsilon must be at least 1e-5, got %s" % epsilon)
    return basic.constant(epsilon, dtype=_core.promote([variable.dtype for variable in variables]))


def batch_normalization_train(inputs, gamma, beta, axes="per-activation", epsilon=1e-4, running_average_factor=0.1,
                              running_mean=None, running_var=None):
    """(normalized, mean, 1/std[, new running mean, new running variance]) with the statistics of this batch."""
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be given or both be None")
    inputs, axes = _prepared(inputs, axes)
    ndim = inputs.ndim
    short = basic.as_tensor_variable(gamma).ndim != ndim
    mean = inputs.mean(axes, keepdims=True)
    variance = inputs.var(axes, keepdims=True)
    invstd = basic.inv(basic.sqrt(variance + _small(epsilon, variance)))
    gamma, beta = _spread(gamma, axes, ndim), _spread(beta, axes, ndim)
    results = [mean, invstd]
    if running_mean is not None:
        count = basic.cast(basic.prod(inputs.shape) / basic.prod(mean.shape), inputs.dtype)
        for running, new in ((running_mean, mean), (running_var, count / (count - basic.constant(1, dtype=count.dtype)) * variance)):
            running = _spread(running, axes, ndim)
            factor = basic.cast(running_average_factor, running.dtype)
            kept = running * (basic.constant(1, dtype=running.dtype) - factor)
            results.append(basic.patternbroadcast(kept + new * factor, running.broadcastable))
    if short:
        results = [result.dimshuffle([axis for axis in range(ndim) if axis not in axes]) for result in results]
    return tuple([(inputs - mean) * gamma * invstd + beta] + results)


def batch_normalization_test(inputs, gamma, beta, mean, var, axes="per-activation", epsilon=1e-4):
    """Normalized with given statistics."""
    inputs, axes = _prepared(inputs, axes)
    gamma, beta, mean, var = (_spread(parameter, axes, inputs.ndim) for parameter in (gamma, beta, mean, var))
    return (inputs - mean) * gamma / basic.sqrt(var + _small(epsilon, var)) + beta
