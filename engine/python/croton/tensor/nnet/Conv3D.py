"""Convolution of volumes under its oldest name: channels come last, kernels are applied forwards."""
from croton.tensor import basic
from croton.tensor.nnet.abstract_conv import conv3d


def _channels_first(x):
    return x.dimshuffle(0, 4, 1, 2, 3)


def conv3D(V, W, b, d):
    """V: batch × rows × columns × times × channels, W the same of filters, b a bias a filter, d the steps."""
    V, W, b = (basic.as_tensor_variable(one) for one in (V, W, b))
    steps = tuple(int(basic.get_scalar_constant_value(one)) for one in (d if isinstance(d, (tuple, list)) else [d[i] for i in range(3)]))
    out = conv3d(_channels_first(V), _channels_first(W), subsample=steps, filter_flip=False)
    return out.dimshuffle(0, 2, 3, 4, 1) + b


def Conv3D():
    return conv3D
