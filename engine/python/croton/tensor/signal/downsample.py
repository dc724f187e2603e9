"""Pooling under its older name."""
from croton.tensor.signal.pool import max_pool_2d_same_size, pool_2d  # noqa: F401
from croton.tensor.signal.pool import Pool as DownsampleFactorMax  # noqa: F401


def max_pool_2d(input, ds, ignore_border=None, st=None, padding=(0, 0), mode="max"):
    """pool_2d with its older arguments."""
    return pool_2d(input, ds, ignore_border, st, padding, mode)


max_pool_2D = max_pool_2d
