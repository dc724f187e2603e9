"""Signal processing: pooling and convolution."""
from croton.tensor.signal import conv, downsample, pool  # noqa: F401
