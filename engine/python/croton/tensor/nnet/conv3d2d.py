"""Convolution of films: (batch, times, channels, rows, columns), where nnet.conv3d has channels before times."""
from croton.tensor import basic
from croton.tensor.nnet import abstract_conv


def _swapped(shape):
    return None if shape is None else tuple(shape[k] for k in (0, 2, 1, 3, 4))


def conv3d(signals, filters, signals_shape=None, filters_shape=None, border_mode="valid"):
    """Films with filters (filters, times, channels, rows, columns), turned along all three axes."""
    signals, filters = (basic.as_tensor_variable(one).dimshuffle(0, 2, 1, 3, 4) for one in (signals, filters))
    if isinstance(border_mode, (tuple, list)) and all(isinstance(mode, str) for mode in border_mode):
        if len(set(border_mode)) > 1:
            raise ValueError("border_mode %r: give one word for all axes, or a number of zeros for each" % (border_mode,))
        border_mode = border_mode[0]
    found = abstract_conv.conv3d(signals, filters, _swapped(signals_shape), _swapped(filters_shape), border_mode)
    return found.dimshuffle(0, 2, 1, 3, 4)
