"""Convolution under its oldest name."""
from croton.tensor.nnet import abstract_conv


def conv2d(input, filters, image_shape=None, filter_shape=None, border_mode="valid", subsample=(1, 1), **kargs):
    """Images (batch, channels, rows, columns) with filters, turned round; "valid" or "full"."""
    if border_mode not in ("valid", "full"):
        raise Exception("this conv2d knows border_mode 'valid' and 'full', got %r: use theano.tensor.nnet.conv2d" % (border_mode,))
    kargs.pop("imshp_logical", None), kargs.pop("kshp_logical", None)
    return abstract_conv.conv2d(input, filters, image_shape, filter_shape, border_mode, subsample)
