"""theano.gpuarray.dnn: what scripts call by cuDNN's names. Rewrites choose cuDNN where it is there, and kernels of our own elsewhere."""
from croton import _core
from croton.configparser import device_of as _device_of
from croton.tensor import basic
from croton.tensor.nnet import abstract_conv, nnet
from croton.tensor.signal import pool


def dnn_available(context_name=None):
    """Is there a cuDNN on that device? `dnn_available.msg` says why not."""
    dnn_available.msg = _problem(context_name)
    return not dnn_available.msg


dnn_available.msg = ""
dnn_present = dnn_available


def _problem(context_name=None):
    device = _device_of(context_name)
    if device == "cpu":
        return "functions run on the CPU: set the flag device=cuda before theano is imported"
    return _core.convolution_problem(device)


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
