"""Convolutions by Fourier transforms in the old GPU back end. Which way a convolution is computed is the engine's choice here."""
from croton.tensor.nnet.abstract_conv import conv2d


def conv2d_fft(input, filters, image_shape=None, filter_shape=None, border_mode="valid", pad_last_dim=False):
    """conv2d; rows of any length are taken, so nothing needs a pad_last_dim."""
    if border_mode not in ("valid", "full"):
        raise ValueError("invalid mode %r: it is 'valid' or 'full'" % (border_mode,))
    return conv2d(input, filters, image_shape, filter_shape, border_mode)
