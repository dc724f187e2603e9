"""Convolutions and their gradients, as they are written; rewrites choose how they are computed."""
import numpy

from croton import _core
from croton.configparser import config
from croton.tensor import basic
from croton.tensor.opclasses import (AbstractConv2d, AbstractConv2d_gradInputs, AbstractConv2d_gradWeights, AbstractConv3d,  # noqa: F401
                                     AbstractConv3d_gradInputs, AbstractConv3d_gradWeights)
from croton.tensor.opt import Assert
from croton.tensor.subtensor import set_subtensor

_FORWARD, _WEIGHTS, _INPUTS = range(3)


def _per_axis(value, axes, name):
    if isinstance(value, (int, numpy.integer)):
        return [int(value)] * axes
    value = list(value)
    if len(value) != axes:
        raise ValueError("%s has %d entries, a %dd convolution wants %d" % (name, len(value), axes, axes))
    return [int(entry) for entry in value]


def _border(border_mode, axes):
    if isinstance(border_mode, str):
        if border_mode not in ("valid", "full", "half"):
            raise ValueError("invalid border_mode %s: it is 'valid', 'full', 'half', a number of zeros, or one (or a pair) an axis"
                             % border_mode)
        return border_mode
    if isinstance(border_mode, (int, numpy.integer)):
        border_mode = (border_mode,) * axes
    border_mode = tuple(border_mode)
    if len(border_mode) != axes:
        raise ValueError("invalid border_mode %s which must be a tuple of length %d" % (border_mode, axes))
    pairs = [(entry, entry) if isinstance(entry, (int, numpy.integer)) else tuple(entry) for entry in border_mode]
    if any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise ValueError("invalid border_mode %s: numbers of zeros are at least 0, and a pair is (before, after)" % (border_mode,))
    return [(int(before), int(after)) for before, after in pairs]


def _known(shape, rank, name):
    """Sizes that were promised, -1 where none was; [] without a promise."""
    if shape is None:
        return []
    shape = list(shape)
    if len(shape) != rank:
        raise ValueError("%s has %d entries, the array has %d axes" % (name, len(shape), rank))
    known = []
    for size in shape:
        if isinstance(size, (numpy.ndarray, _core.VariableBase)) and not isinstance(size, numpy.generic):
            try:
                size = basic.get_scalar_constant_value(size)
            except basic.NotScalarConstantError:
                size = None
        if size is not None and int(size) != size:
            raise ValueError("%s holds %r, which is no whole number" % (name, size))
        known.append(-1 if size is None else int(size))
    return known


def _promised(x, known, name):
    """x, checked against what was promised where the flag conv.assert_shape asks for it."""
    if not config.conv.assert_shape or not known:
        return x
    checks = [basic.eq(x.shape[axis], size) for axis, size in enumerate(known) if size >= 0]
    return Assert("AbstractConv shape mismatch: shape of %s does not match given %s_shape." % (name, name))(x, *checks) if checks else x


def _array(x, axes, name):
    x = basic.as_tensor_variable(x)
    if x.ndim != axes + 2:
        raise TypeError("%s of a %dd convolution has %d axes, got %s" % (name, axes, axes + 2, x.type))
    return x


def _convolve(kind, axes, first, second, sizes, image, kernels, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared):
    if unshared:
        raise NotImplementedError("the gradients of unshared convolutions are not in this version of Croton as ops of their own: "
                                  "take T.grad of conv2d(…, unshared=True)")
    names = {_FORWARD: ("input", "filters"), _WEIGHTS: ("input", "output_grad"), _INPUTS: ("filters", "output_grad")}[kind]
    first, second = (_array(x, axes, name) for x, name in zip((first, second), names))
    image, kernels = _known(image, axes + 2, "input_shape"), _known(kernels, axes + 2, "filter_shape")
    if kind != _INPUTS:
        first = _promised(first, image, "input")
    else:
        first = _promised(first, kernels, "filter")
    if kind == _FORWARD:
        second = _promised(second, kernels, "filter")
    return _core.convolve(kind, first, second, sizes, _border(border_mode, axes), _per_axis(subsample, axes, "subsample"),
                          _per_axis(filter_dilation, axes, "filter_dilation"), bool(filter_flip), int(num_groups), image, kernels)


def _forward(axes, input, filters, input_shape, filter_shape, *options):
    return _convolve(_FORWARD, axes, input, filters, None, input_shape, filter_shape, *options)


def _sizes(shape, axes, name):
    """The spatial sizes of a shape of which they are the last entries."""
    if isinstance(shape, _core.VariableBase):
        return basic.cast(shape[-axes:], "int64")
    if shape is None or any(size is None for size in list(shape)[-axes:]):
        raise ValueError("%s must hold the spatial sizes: several of them give the same output" % name)
    return basic.cast(basic.as_tensor_variable(list(shape)[-axes:]), "int64")


def _listed(shape):
    return None if shape is None or isinstance(shape, _core.VariableBase) else shape


def _unshared(input, filters, border, stride, dilation, flip):
    """One product a place: its window of the image with its filters."""
    input, filters = basic.as_tensor_variable(input), basic.as_tensor_variable(filters)
    if input.ndim != 4 or filters.ndim != 6:
        raise TypeError("an unshared convolution takes images of 4 axes and filters of 6, got %s and %s" % (input.type, filters.type))
    if flip:
        filters = filters[:, :, :, :, ::-1, ::-1]
    sizes, pads, places = list(input.shape), [], []
    for axis in (0, 1):
        reach = (filters.shape[4 + axis] - 1) * dilation[axis]
        pads.append({"valid": (0, 0), "full": (reach, reach), "half": ((reach + 1) // 2, (reach + 1) // 2)}[border] if isinstance(border, str)
                    else border[axis])
        steps = basic.arange(filters.shape[1 + axis]).dimshuffle(0, "x") * stride[axis]
        places.append(steps + basic.arange(filters.shape[4 + axis]) * dilation[axis])
    wide = basic.zeros([sizes[0], sizes[1]] + [sizes[2 + axis] + sum(pads[axis]) for axis in (0, 1)], dtype=input.dtype)
    inner = [slice(pads[axis][0], pads[axis][0] + sizes[2 + axis]) for axis in (0, 1)]
    wide = set_subtensor(wide[:, :, inner[0], inner[1]], input)
    windows = wide[:, :, places[0].dimshuffle(0, 1, "x", "x"), places[1].dimshuffle("x", "x", 0, 1)].dimshuffle(2, 4, 0, 1, 3, 5)
    count, window = filters.shape[1] * filters.shape[2], filters.shape[3] * filters.shape[4] * filters.shape[5]
    product = basic.batched_dot(basic.reshape(windows, [count, sizes[0], window], ndim=3),
                                basic.reshape(filters.dimshuffle(1, 2, 3, 4, 5, 0), [count, window, filters.shape[0]], ndim=3))
    shape = [filters.shape[1], filters.shape[2], sizes[0], filters.shape[0]]
    return basic.reshape(product, shape, ndim=4).dimshuffle(2, 3, 0, 1)


def conv2d(input, filters, input_shape=None, filter_shape=None, border_mode="valid", subsample=(1, 1), filter_flip=True, image_shape=None,
           filter_dilation=(1, 1), num_groups=1, unshared=False):
    """Images (batch, channels, rows, columns) with filters (out, channels, rows, columns); unshared: with filters of their own for each
    place that comes out (out, rows, columns, channels, rows, columns). image_shape is the old name of input_shape."""
    if image_shape is not None:
        if input_shape is not None:
            raise ValueError("input_shape and image_shape should not be provided at the same time.")
        input_shape = image_shape
    if unshared:
        if num_groups != 1:
            raise NotImplementedError("unshared convolutions in groups are not in this version of Croton: join those of the groups")
        return _unshared(input, filters, _border(border_mode, 2), _per_axis(subsample, 2, "subsample"),
                         _per_axis(filter_dilation, 2, "filter_dilation"), filter_flip)
    return _forward(2, input, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)


def conv3d(input, filters, input_shape=None, filter_shape=None, border_mode="valid", subsample=(1, 1, 1), filter_flip=True,
           filter_dilation=(1, 1, 1), num_groups=1):
    """The same for volumes."""
    return _forward(3, input, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, False)


def _gradient_of_inputs(axes, output_grad, filters, input_shape, filter_shape, *options):
    return _convolve(_INPUTS, axes, filters, output_grad, _sizes(input_shape, axes, "input_shape"), _listed(input_shape),
                     _listed(filter_shape), *options)


def _gradient_of_weights(axes, input, output_grad, filter_shape, input_shape, *options):
    return _convolve(_WEIGHTS, axes, input, output_grad, _sizes(filter_shape, axes, "filter_shape"), _listed(input_shape),
                     _listed(filter_shape), *options)


def conv2d_grad_wrt_inputs(output_grad, filters, input_shape, filter_shape=None, border_mode="valid", subsample=(1, 1), filter_flip=True,
                           filter_dilation=(1, 1), num_groups=1, unshared=False):
    """Gradient of the images; their rows and columns are not known from the output."""
    return _gradient_of_inputs(2, output_grad, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation,
                               num_groups, unshared)


def conv3d_grad_wrt_inputs(output_grad, filters, input_shape, filter_shape=None, border_mode="valid", subsample=(1, 1, 1),
                           filter_flip=True, filter_dilation=(1, 1, 1), num_groups=1):
    """The same for volumes."""
    return _gradient_of_inputs(3, output_grad, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation,
                               num_groups, False)


def conv2d_grad_wrt_weights(input, output_grad, filter_shape, input_shape=None, border_mode="valid", subsample=(1, 1), filter_flip=True,
                            filter_dilation=(1, 1), num_groups=1, unshared=False):
    """Gradient of the filters."""
    return _gradient_of_weights(2, input, output_grad, filter_shape, input_shape, border_mode, subsample, filter_flip, filter_dilation,
                                num_groups, unshared)


def conv3d_grad_wrt_weights(input, output_grad, filter_shape, input_shape=None, border_mode="valid", subsample=(1, 1, 1),
                            filter_flip=True, filter_dilation=(1, 1, 1), num_groups=1):
    """The same for volumes."""
    return _gradient_of_weights(3, input, output_grad, filter_shape, input_shape, border_mode, subsample, filter_flip, filter_dilation,
                                num_groups, False)


def conv2d_transpose(input, filters, output_shape, filter_shape=None, border_mode="valid", input_dilation=(1, 1), filter_flip=True,
                     filter_dilation=(1, 1), num_groups=1, unshared=False):
    """From what a convolution gives back to the size of its input."""
    return conv2d_grad_wrt_inputs(input, filters, output_shape, filter_shape, border_mode, input_dilation, filter_flip, filter_dilation,
                                  num_groups, unshared)


def _separable(convolve, input, depthwise_filters, pointwise_filters, num_channels, *, input_shape, depthwise_filter_shape,
               pointwise_filter_shape, border_mode, subsample, filter_flip, filter_dilation):
    by_channel = convolve(input, depthwise_filters, input_shape, depthwise_filter_shape, border_mode, subsample, filter_flip,
                          filter_dilation=filter_dilation, num_groups=num_channels)
    return convolve(by_channel, pointwise_filters, None, pointwise_filter_shape)


def separable_conv2d(input, depthwise_filters, pointwise_filters, num_channels, input_shape=None, depthwise_filter_shape=None,
                     pointwise_filter_shape=None, border_mode="valid", subsample=(1, 1), filter_flip=True, filter_dilation=(1, 1)):
    """Each channel by filters of its own, then mixed by filters of one pixel."""
    return _separable(conv2d, input, depthwise_filters, pointwise_filters, num_channels, input_shape=input_shape,
                      depthwise_filter_shape=depthwise_filter_shape, pointwise_filter_shape=pointwise_filter_shape, border_mode=border_mode,
                      subsample=subsample, filter_flip=filter_flip, filter_dilation=filter_dilation)


def separable_conv3d(input, depthwise_filters, pointwise_filters, num_channels, input_shape=None, depthwise_filter_shape=None,
                     pointwise_filter_shape=None, border_mode="valid", subsample=(1, 1, 1), filter_flip=True, filter_dilation=(1, 1, 1)):
    """The same for volumes."""
    return _separable(conv3d, input, depthwise_filters, pointwise_filters, num_channels, input_shape=input_shape,
                      depthwise_filter_shape=depthwise_filter_shape, pointwise_filter_shape=pointwise_filter_shape, border_mode=border_mode,
                      subsample=subsample, filter_flip=filter_flip, filter_dilation=filter_dilation)


def causal_conv1d(input, filters, filter_shape, input_shape=None, subsample=1, filter_flip=True, filter_dilation=1, num_groups=1,
                  unshared=False):
    """Sequences (batch, channels, time): what comes out at a time has seen nothing later."""
    input, filters = basic.as_tensor_variable(input), basic.as_tensor_variable(filters)
    if input.ndim != 3 or filters.ndim != 3:
        raise ValueError("causal_conv1d wants arrays of 3 axes, got %s and %s" % (input.type, filters.type))
    before = filter_dilation * (filter_shape[2] - 1)
    line = None if input_shape is None else (input_shape[0], input_shape[1], 1, input_shape[2])
    result = conv2d(input.dimshuffle(0, 1, "x", 2), filters.dimshuffle(0, 1, "x", 2), line,
                    (filter_shape[0], filter_shape[1], 1, filter_shape[2]), ((0, 0), (before, 0)), (1, subsample), filter_flip,
                    None, (1, filter_dilation), num_groups, unshared)
    return result[:, :, 0, :]


def get_conv_shape_1axis(image_shape, kernel_shape, border_mode, subsample, dilation=1):
    """Size of one axis of what comes out."""
    if None in (image_shape, kernel_shape, border_mode, subsample, dilation):
        return None
    spread = (kernel_shape - 1) * dilation + 1
    if border_mode == "valid":
        before = after = 0
    elif border_mode == "half":
        before = after = spread // 2
    elif border_mode == "full":
        before = after = spread - 1
    else:
        before, after = (border_mode, border_mode) if isinstance(border_mode, (int, numpy.integer)) else border_mode
        if min(before, after) < 0:
            raise ValueError("border_mode must be >= 0")
    free = image_shape + before + after - spread
    return (free + 1 if subsample == 1 else free // subsample + 1)


def get_conv_output_shape(image_shape, kernel_shape, border_mode, subsample, filter_dilation=None):
    """Shape of what comes out; None where a size is not known."""
    axes = len(subsample)
    borders = (border_mode,) * axes if isinstance(border_mode, (str, int, numpy.integer)) else tuple(border_mode)
    dilation = (1,) * axes if filter_dilation is None else filter_dilation
    return (image_shape[0], kernel_shape[0]) + tuple(
        get_conv_shape_1axis(image_shape[axis + 2], kernel_shape[axis + 2], borders[axis], subsample[axis], dilation[axis])
        for axis in range(axes))


def border_mode_to_pad(border_mode, convdim, kshp):
    """The zeros (before, after) each axis of filters of that size (dilated ones)."""
    border = _border(border_mode, convdim)
    if border == "valid":
        return ((0, 0),) * convdim
    if isinstance(border, str):
        return tuple((size - 1, size - 1) if border == "full" else (size // 2, size // 2) for size in kshp[:convdim])
    return tuple(border)


def _zeros_of(border_mode, axes):
    """None, a word, or (before, after), an axis."""
    border = _border(border_mode, axes)
    return (border,) * axes if isinstance(border, str) else border


def _dilations(filter_dilation, axes):
    return (1,) * axes if filter_dilation is None else filter_dilation


def get_conv_gradweights_shape_1axis(image_shape, top_shape, border_mode, subsample, dilation):
    """Size of one axis of the filters; None where several sizes give what came out."""
    if None in (image_shape, top_shape, border_mode, subsample, dilation) or subsample != 1 or border_mode == "half":
        return None
    if border_mode == "full":
        spread = top_shape - image_shape + 1
    else:
        zeros = 0 if border_mode == "valid" else 2 * border_mode if isinstance(border_mode, (int, numpy.integer)) else sum(border_mode)
        spread = image_shape + zeros - top_shape + 1
    return (spread - 1) // dilation + 1


def get_conv_gradinputs_shape_1axis(kernel_shape, top_shape, border_mode, subsample, dilation):
    """Size of one axis of the image; None where several sizes give what came out."""
    if None in (kernel_shape, top_shape, border_mode, subsample, dilation) or subsample != 1:
        return None
    spread = (kernel_shape - 1) * dilation + 1
    before, after = border_mode_to_pad(border_mode if isinstance(border_mode, str) else (border_mode,), 1, (spread,))[0]
    return top_shape + spread - 1 - before - after


def get_conv_gradweights_shape(image_shape, top_shape, border_mode, subsample, filter_dilation=None, num_groups=1, unshared=False):
    """Shape of the filters, from those of the images and of what came out."""
    axes = len(subsample)
    channels = None if image_shape[1] is None else image_shape[1] // num_groups
    sizes = tuple(get_conv_gradweights_shape_1axis(*one) for one in zip(
        image_shape[2:], top_shape[2:], _zeros_of(border_mode, axes), subsample, _dilations(filter_dilation, axes)))
    return (top_shape[1],) + (tuple(top_shape[2:]) if unshared else ()) + (channels,) + sizes


def get_conv_gradinputs_shape(kernel_shape, top_shape, border_mode, subsample, filter_dilation=None, num_groups=1):
    """Shape of the images, from those of the filters and of what came out."""
    axes = len(subsample)
    channels = None if kernel_shape[-axes - 1] is None else kernel_shape[-axes - 1] * num_groups
    return (top_shape[0], channels) + tuple(get_conv_gradinputs_shape_1axis(*one) for one in zip(
        kernel_shape[-axes:], top_shape[2:], _zeros_of(border_mode, axes), subsample, _dilations(filter_dilation, axes)))


def check_conv_gradinputs_shape(image_shape, kernel_shape, output_shape, border_mode, subsample, filter_dilation=None):
    """Do images and filters of these shapes give what has that shape, as far as all are known?"""
    shapes = [tuple(None if size in (None, -1) else int(size) for size in shape) for shape in (image_shape, kernel_shape, output_shape)]
    if len({len(shape) for shape in shapes}) != 1:
        return False
    found = get_conv_output_shape(shapes[0], shapes[1], border_mode, subsample, filter_dilation)
    return all(one is None or other is None or one == other for one, other in zip(found, shapes[2]))


def bilinear_kernel_1D(ratio, normalize=True):
    """Weights with which a pixel reaches those between it and its neighbours."""
    half = basic.arange(1, ratio + 1, dtype=config.floatX)
    kernel = basic.concatenate([half, half[-2::-1]])
    return kernel / basic.cast(ratio, config.floatX) if normalize else kernel


def bilinear_kernel_2D(ratio, normalize=True):
    """The product of two of them."""
    line = bilinear_kernel_1D(ratio, normalize).dimshuffle("x", 0)
    return line.T * line


def bilinear_upsampling(input, ratio=None, frac_ratio=None, batch_size=None, num_input_channels=None, use_1D_kernel=True):
    """Images `ratio` times as large, pixels in between mixed from their neighbours."""
    if frac_ratio is not None or not isinstance(ratio, (int, numpy.integer)):
        raise NotImplementedError("bilinear_upsampling by fractions is not in this version of Croton: upsample by a whole number")
    ratio = int(ratio)
    input = _array(input, 2, "input")
    rows, columns = input.shape[2], input.shape[3]
    flat = input.reshape((input.shape[0] * input.shape[1], 1, rows, columns))
    # A border that repeats the edge: outside, the nearest pixel counts.
    flat = basic.concatenate([flat[:, :, :1, :], flat, flat[:, :, -1:, :]], axis=2)
    flat = basic.concatenate([flat[:, :, :, :1], flat, flat[:, :, :, -1:]], axis=3)
    pad = 2 * ratio - (ratio - 1) // 2 - 1
    kernel = bilinear_kernel_2D(ratio).dimshuffle("x", "x", 0, 1).astype(input.dtype)
    result = conv2d_grad_wrt_inputs(flat, kernel, basic.stack([rows * ratio, columns * ratio]),
                                    (1, 1, 2 * ratio - 1, 2 * ratio - 1), (pad, pad), (ratio, ratio))
    return result.reshape((input.shape[0], input.shape[1], rows * ratio, columns * ratio))


def assert_conv_shape(shape):
    """The sizes, checked: numbers at once (ValueError), variables when they are computed (AssertionError)."""
    checked = []
    for axis, size in enumerate(shape):
        least = 0 if axis < 2 else 1
        sign = "<" if axis < 2 else "<="
        try:
            number = basic.get_scalar_constant_value(size)
        except basic.NotScalarConstantError:
            size = Assert("The convolution would produce an invalid shape (dim[%d] %s 0)." % (axis, sign))(size, basic.ge(size, least))
        else:
            if number < least:
                raise ValueError("The convolution would produce an invalid shape (dim[%d]: %d %s 0)." % (axis, number, sign))
        checked.append(size)
    return tuple(checked)


def assert_shape(x, expected_shape, msg="Unexpected shape."):
    """x, whose sizes have to be these when it runs; None is any size."""
    if expected_shape is None:
        return x
    conditions = [basic.eq(basic.shape_i(x, axis), size) for axis, size in enumerate(expected_shape) if size is not None]
    return Assert(msg)(x, *conditions) if conditions else x
