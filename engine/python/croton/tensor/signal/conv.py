"""Convolution of images without channels."""
from croton.tensor import basic
from croton.tensor.nnet import abstract_conv


def conv2d(input, filters, image_shape=None, filter_shape=None, border_mode="valid", subsample=(1, 1), **kargs):
    """Each image (one matrix, or a stack of them) with each filter (likewise)."""
    input, filters = basic.as_tensor_variable(input), basic.as_tensor_variable(filters)
    if input.ndim not in (2, 3) or filters.ndim not in (2, 3):
        raise Exception("signal.conv.conv2d wants matrices or stacks of matrices, got %s and %s" % (input.type, filters.type))

    def planes(x):
        return x.dimshuffle(0, "x", 1, 2) if x.ndim == 3 else x.dimshuffle("x", "x", 0, 1)

    def plane_shape(shape):
        return None if shape is None else (shape[0], 1) + tuple(shape[1:]) if len(shape) == 3 else (1, 1) + tuple(shape)

    result = abstract_conv.conv2d(planes(input), planes(filters), plane_shape(image_shape), plane_shape(filter_shape), border_mode, subsample)
    if input.ndim == 2 and filters.ndim == 2:
        return result[0, 0]
    if input.ndim == 3 and filters.ndim == 3:
        return result
    return result[:, 0] if input.ndim == 3 else result[0]
