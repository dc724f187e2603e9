"""Batch normalization."""
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
    return inputs, tuple(normal_axes(axes, inputs.ndim))


def _spread(parameter, axes, ndim):
    parameter = basic.as_tensor_variable(parameter)
    if parameter.ndim == ndim:
        return basic.addbroadcast(parameter, *axes)
    order = ["x"] * ndim
    for position, axis in enumerate(axis for axis in range(ndim) if axis not in axes):
        order[axis] = position
    return parameter.dimshuffle(order)


def batch_normalization_train(inputs, gamma, beta, axes="per-activation", epsilon=1e-4, running_average_factor=0.1,
                              running_mean=None, running_var=None):
    """(normalized, mean, 1/std[, new running mean, new running variance]) with the statistics of this batch."""
    inputs, axes = _prepared(inputs, axes)
    mean = inputs.mean(axes, keepdims=True)
    variance = inputs.var(axes, keepdims=True)
    invstd = 1 / basic.sqrt(variance + epsilon)
    gamma, beta = _spread(gamma, axes, inputs.ndim), _spread(beta, axes, inputs.ndim)
    out = (inputs - mean) * gamma * invstd + beta
    results = [out, mean, invstd]
    if running_mean is not None:
        running = _spread(running_mean, axes, inputs.ndim)
        results.append(basic.patternbroadcast(running * (1 - running_average_factor) + mean * running_average_factor,
                                              running_mean.broadcastable))
    if running_var is not None:
        count = basic.cast(basic.prod(inputs.shape) / basic.prod(mean.shape), inputs.dtype)
        running = _spread(running_var, axes, inputs.ndim)
        unbiased = (count / (count - 1)) * variance
        results.append(basic.patternbroadcast(running * (1 - running_average_factor) + unbiased * running_average_factor,
                                              running_var.broadcastable))
    return tuple(results)


def batch_normalization_test(inputs, gamma, beta, mean, var, axes="per-activation", epsilon=1e-4):
    """Normalized with given statistics."""
    inputs, axes = _prepared(inputs, axes)
    gamma, beta, mean, var = (_spread(parameter, axes, inputs.ndim) for parameter in (gamma, beta, mean, var))
    return (inputs - mean) * gamma / basic.sqrt(var + epsilon) + beta
