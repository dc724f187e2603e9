"""The old GPU back end: scripts ask here whether there is a GPU."""
cuda_available = False
cuda_enabled = False
cuda_ndarray = None
default_to_move_computation_to_gpu = False


def use(device, *args, **kwargs):
    raise EnvironmentError("this process runs on the CPU: set the flag device=cuda before theano is imported")


def host_from_gpu(x):
    return x


def gpu_from_host(x):
    raise EnvironmentError("this process runs on the CPU: there is no GPU to move %s to" % (x,))


class basic_ops:
    host_from_gpu = staticmethod(host_from_gpu)
    gpu_from_host = staticmethod(gpu_from_host)
