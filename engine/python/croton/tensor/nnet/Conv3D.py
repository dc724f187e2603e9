"""Convolution of volumes under its oldest name: channels come last, kernels are applied forwards."""
from croton.tensor import basic
from croton.tensor.nnet.abstract_conv import conv3d


def channels_first(x):
    return basic.as_tensor_variable(x).dimshuffle(0, 4, 1, 2, 3)


def steps_of(d):
    """Three numbers, of a list or of a constant vector."""
    return tuple(int(basic.get_scalar_constant_value(one)) for one in (d if isinstance(d, (tuple, list)) else [d[k] for k in range(3)]))


def conv3D(V, W, b, d):
    """V: batch × rows × columns × times × channels, W the same of filters, b a bias a filter, d the steps."""
    out = conv3d(channels_first(V), channels_first(W), subsample=steps_of(d), filter_flip=False)
    return out.dimshuffle(0, 2, 3, 4, 1) + basic.as_tensor_variable(b)


def Conv3D():
    return conv3D
