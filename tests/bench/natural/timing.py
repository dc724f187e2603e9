"""The least time of a call, in turns, and what this machine copies and multiplies at most."""
import time

import numpy


def spent(action, count):
    start = time.perf_counter()
    for _ in range(count):
        action()
    return (time.perf_counter() - start) / count


def count_of(action, seconds=1e-3):
    """How many calls make a measurement of about so many seconds; warms up."""
    action()
    once = spent(action, 1)
    if once < seconds:
        once = min(once, spent(action, max(1, int(0.3 * seconds / max(once, 1e-7)))))
    return max(1, int(seconds / max(once, 1e-7)))


def copy_speed(bytes_):
    """Bytes read and written a second by a copy whose two ends together have so many bytes."""
    source = numpy.ones(max(1, bytes_ // 16))
    target = numpy.empty_like(source)
    action = lambda: numpy.copyto(target, source)
    count = count_of(action)
    return 16 * source.size / min(spent(action, count) for _ in range(15))


class Machine:
    """What is measured once and bounds each row: copies at several sizes, products in two dtypes."""

    def __init__(self):
        self.copies = [(1 << power, copy_speed(1 << power)) for power in range(14, 29, 2)]
        self.flops = {dtype: self._product_speed(dtype) for dtype in ("float32", "float64")}

    @staticmethod
    def _product_speed(dtype, size=768):
        a = numpy.ones((size, size), dtype)
        b, c = a.copy(), numpy.empty_like(a)
        action = lambda: numpy.dot(a, b, out=c)
        action()
        return 2.0 * size ** 3 / min(spent(action, 1) for _ in range(15))

    def copying(self, bytes_):
        """Seconds that moving so many bytes takes at least, all of them once."""
        speed = max((speed for size, speed in self.copies if size >= bytes_), default=self.copies[-1][1])
        return bytes_ / speed

    def roof(self, bytes_, flops, dtype):
        """Seconds of a call that no program for this machine goes under."""
        return max(self.copying(bytes_), flops / self.flops["float64" if dtype == "float64" else "float32"])
