"""theano.gpuarray.dnn: what scripts call by cuDNN's names. Rewrites choose cuDNN where it is there, and kernels of our own elsewhere."""
from croton import _core
from croton.compile.mode import cudnn_problem
from croton.configparser import device_of as _device_of
from croton.gpuarray.basic_ops import as_gpuarray_variable, gpu_contiguous, infer_context_name  # noqa: F401
from croton.tensor import basic
from croton.tensor.nnet import abstract_conv, bn, nnet
from croton.tensor.signal import pool


def dnn_present():
    """Does cuDNN compute on the device that functions run on? `dnn_present.msg` says why not."""
    dnn_present.msg = cudnn_problem(None)
    dnn_present.avail = not dnn_present.msg
    return dnn_present.avail


def dnn_available(context_name=None):
    """The same of the device of a context."""
    dnn_available.msg = cudnn_problem(context_name)
    dnn_available.avail = not dnn_available.msg
    return dnn_available.avail


dnn_present.avail = dnn_available.avail = None  # nobody has asked
dnn_present.msg = dnn_available.msg = ""


def _versions(raises):
    """As the headers and as the library say, or None."""
    if dnn_present():
        return _core.convolution_versions(_device_of(None))
    if raises:
        raise RuntimeError("there is no version of cuDNN, as there is none: " + dnn_present.msg)
    return None


def version(raises=True):
    """cuDNN's version as the library says it, such as 91002; without one an error, or -1."""
    found = _versions(raises)
    return found[1] if found else -1


def raise_no_cudnn(msg="cuDNN is required for convolution and pooling"):
    raise RuntimeError(msg)


def _flips(conv_mode):
    if conv_mode not in ("conv", "cross"):
        raise ValueError("conv_mode is 'conv' or 'cross', not %r" % (conv_mode,))
    return conv_mode == "conv"


def dnn_conv(img, kerns, border_mode="valid", subsample=(1, 1), dilation=(1, 1), conv_mode="conv", direction_hint=None, workmem=None,
             algo=None, precision=None, num_groups=1):
    """The convolution of images and kernels, 'conv' (kernels backwards) or 'cross'. How it is computed the device decides: direction_hint,
    workmem, algo and precision are taken and change nothing."""
    return abstract_conv.conv2d(img, kerns, border_mode=border_mode, subsample=subsample, filter_flip=_flips(conv_mode),
                                filter_dilation=dilation, num_groups=num_groups)


def dnn_conv3d(img, kerns, border_mode="valid", subsample=(1, 1, 1), dilation=(1, 1, 1), conv_mode="conv", direction_hint=None, algo=None,
               precision=None, num_groups=1):
    """The same of volumes."""
    return abstract_conv.conv3d(img, kerns, border_mode=border_mode, subsample=subsample, filter_flip=_flips(conv_mode),
                                filter_dilation=dilation, num_groups=num_groups)


def dnn_gradweight(img, topgrad, kerns_shp, border_mode="valid", subsample=(1, 1), dilation=(1, 1), conv_mode="conv", precision=None,
                   algo=None, num_groups=1):
    """The gradient of the kernels, whose shape is given."""
    return abstract_conv.conv2d_grad_wrt_weights(img, topgrad, kerns_shp, border_mode=border_mode, subsample=subsample,
                                                 filter_flip=_flips(conv_mode), filter_dilation=dilation, num_groups=num_groups)


def dnn_gradweight3d(img, topgrad, kerns_shp, border_mode="valid", subsample=(1, 1, 1), dilation=(1, 1, 1), conv_mode="conv",
                     precision=None, algo=None, num_groups=1):
    return abstract_conv.conv3d_grad_wrt_weights(img, topgrad, kerns_shp, border_mode=border_mode, subsample=subsample,
                                                 filter_flip=_flips(conv_mode), filter_dilation=dilation, num_groups=num_groups)


def dnn_gradinput(kerns, topgrad, img_shp, border_mode="valid", subsample=(1, 1), dilation=(1, 1), conv_mode="conv", precision=None,
                  algo=None, num_groups=1):
    """The gradient of the images, whose shape is given."""
    return abstract_conv.conv2d_grad_wrt_inputs(topgrad, kerns, img_shp, border_mode=border_mode, subsample=subsample,
                                                filter_flip=_flips(conv_mode), filter_dilation=dilation, num_groups=num_groups)


def dnn_gradinput3d(kerns, topgrad, img_shp, border_mode="valid", subsample=(1, 1, 1), dilation=(1, 1, 1), conv_mode="conv",
                    precision=None, algo=None, num_groups=1):
    return abstract_conv.conv3d_grad_wrt_inputs(topgrad, kerns, img_shp, border_mode=border_mode, subsample=subsample,
                                                filter_flip=_flips(conv_mode), filter_dilation=dilation, num_groups=num_groups)


def dnn_pool(img, ws, stride=None, mode="max", pad=None):
    """Windows of 2 or 3 axes; those that reach over the end are left out, as cuDNN does."""
    axes = len(ws)
    if axes not in (2, 3):
        raise ValueError("a pooling has 2 or 3 axes: ws has %d numbers" % axes)
    if mode == "average":
        mode = "average_inc_pad"
    pooled = pool.pool_2d if axes == 2 else pool.pool_3d
    return pooled(img, ws=ws, ignore_border=True, stride=stride or (1,) * axes, pad=pad or (0,) * axes, mode=mode)


def _normalized_axes(mode):
    if mode not in ("per-activation", "spatial"):
        raise ValueError("mode is 'per-activation' or 'spatial', not %r" % (mode,))
    return mode


def dnn_batch_normalization_train(inputs, gamma, beta, mode="per-activation", epsilon=1e-4, running_average_factor=0.1, running_mean=None,
                                  running_var=None):
    """(normalized, mean, 1/std[, new running mean, new running variance]) with the statistics of this batch."""
    return bn.batch_normalization_train(inputs, gamma, beta, _normalized_axes(mode), epsilon, running_average_factor, running_mean, running_var)


def dnn_batch_normalization_test(inputs, gamma, beta, mean, var, mode="per-activation", epsilon=1e-4):
    """Normalized with given statistics."""
    return bn.batch_normalization_test(inputs, gamma, beta, mean, var, _normalized_axes(mode), epsilon)


class GpuDnnConvDesc:
    """How a convolution goes. Called with shapes, which cuDNN asked for, it is itself."""

    def __init__(self, border_mode="valid", subsample=(1, 1), dilation=None, conv_mode="conv", precision="float32", num_groups=1):
        _flips(conv_mode)
        self.options = dict(border_mode=border_mode, subsample=subsample, dilation=dilation or (1,) * len(subsample), conv_mode=conv_mode,
                            num_groups=num_groups)

    def __call__(self, *shapes):
        return self

    def chosen(self, *of_axes):
        """Of the forms for 2 and 3 axes the one for this."""
        return of_axes[len(self.options["subsample"]) - 2]


class _WrittenConvolution:
    """alpha · a convolution + beta · out, as cuDNN writes it into an array that is there."""

    def __init__(self, algo=None, inplace=False):
        pass

    def __call__(self, first, second, out, desc, alpha=1, beta=0):
        result = self._made(first, second, out, desc)
        out = basic.as_tensor_variable(out)
        if alpha != 1:
            result = result * basic.cast(alpha, out.dtype)
        return result if beta == 0 else result + out * basic.cast(beta, out.dtype)


class GpuDnnConv(_WrittenConvolution):
    """Of images and kernels."""

    def _made(self, img, kerns, out, desc):
        return desc.chosen(dnn_conv, dnn_conv3d)(img, kerns, **desc.options)


class GpuDnnConvGradW(_WrittenConvolution):
    """Its gradient to the kernels, by the images and the gradient to what it gave; of the shape of `out`."""

    def _made(self, img, topgrad, out, desc):
        return desc.chosen(dnn_gradweight, dnn_gradweight3d)(img, topgrad, out.shape, **desc.options)


class GpuDnnConvGradI(_WrittenConvolution):
    """Its gradient to the images, by the kernels and the gradient to what it gave; of the shape of `out`."""

    def _made(self, kerns, topgrad, out, desc):
        return desc.chosen(dnn_gradinput, dnn_gradinput3d)(kerns, topgrad, out.shape, **desc.options)


class GpuDnnPool:
    def __init__(self, mode="max"):
        self.mode = mode

    def __call__(self, img, ws, stride=None, pad=None):
        return dnn_pool(img, ws, stride, self.mode, pad)


class GpuDnnSoftmax:
    """Over the channels of each pixel, or of each image; log, fast or accurate."""

    def __init__(self, algo="accurate", mode="channel", *_):
        if algo not in ("fast", "accurate", "log"):
            raise ValueError("algo is 'fast', 'accurate' or 'log', not %r" % (algo,))
        if mode not in ("instance", "channel"):
            raise ValueError("mode is 'instance' or 'channel', not %r" % (mode,))
        self.algo, self.mode = algo, mode

    def __call__(self, x):
        x = basic.as_tensor_variable(x)
        softmax = nnet.logsoftmax if self.algo == "log" else nnet.softmax
        if x.ndim == 2:
            return softmax(x)
        if self.mode == "instance":
            return softmax(x.flatten(2)).reshape(x.shape)
        last = x.dimshuffle(0, *range(2, x.ndim), 1)
        rows = softmax(last.reshape((-1, x.shape[1]))).reshape(last.shape)
        return rows.dimshuffle(0, x.ndim - 1, *range(1, x.ndim - 1))
