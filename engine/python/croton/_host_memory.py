"""Arrays of the host as programs of devices copy them."""
import numpy


def flat(host):
    """Memory of the host in one piece, rows or columns first."""
    if isinstance(host, numpy.ndarray) or isinstance(host, numpy.generic):
        host = numpy.asarray(host)
        if not host.flags.c_contiguous and host.flags.f_contiguous:
            host = host.T
        if not host.flags.c_contiguous:
            raise ValueError("ndarray is not contiguous: numpy.ascontiguousarray() makes it so")
        return host.reshape(-1).view("uint8") if host.size else host.reshape(-1)
    return host
