"""Arrays from files, and messages between processes by MPI (over mpi4py, where it is installed)."""
import numpy

from croton.gof.graph import Apply, Constant
from croton.gof.op import Op
from croton.gof.type import Generic, generic
from croton.tensor.basic import as_tensor_variable
from croton.tensor.type import TensorType

_comm = None


def _world():
    """The communicator of all processes; ImportError with the way out where there is none."""
    global _comm
    if _comm is None:
        try:
            from mpi4py import MPI
        except ImportError as problem:
            raise ImportError("messages between processes need the module mpi4py: install the Debian package python3-mpi4py") from problem
        _comm = MPI.COMM_WORLD
    return _comm


class LoadFromDisk(Op):
    """The array in an .npy file whose path is an input."""
    __props__ = ("dtype", "broadcastable", "mmap_mode")

    def __init__(self, dtype, broadcastable, mmap_mode=None):
        if mmap_mode not in (None, "c"):
            raise ValueError("The only supported values for mmap_mode are None and 'c', got %s" % mmap_mode)
        self.dtype, self.broadcastable, self.mmap_mode = str(numpy.dtype(dtype)), tuple(broadcastable), mmap_mode

    def make_node(self, path):
        if isinstance(path, str):
            path = Constant(Generic(), path)
        return Apply(self, [path], [TensorType(self.dtype, self.broadcastable)()])

    def perform(self, node, inputs, outputs):
        path = inputs[0]
        if path.split(".")[-1] == "npz":
            raise ValueError("Expected a .npy file, got %s instead" % path)
        result = numpy.load(path, mmap_mode=self.mmap_mode)
        if str(result.dtype) != self.dtype:
            raise TypeError("Expected an array of type %s, got %s instead" % (self.dtype, result.dtype))
        outputs[0][0] = numpy.array(result) if self.mmap_mode else result

    def do_constant_folding(self, node):
        return False

    def __str__(self):
        return "Load{dtype: %s, broadcastable: %s, mmep: %s}" % (self.dtype, self.broadcastable, self.mmap_mode)


def load(path, dtype, broadcastable, mmap_mode=None):
    """The array in a file that is read in each call; `path` is a string, or a variable of type Generic."""
    return LoadFromDisk(dtype, broadcastable, mmap_mode)(path)


class _Message(Op):
    """Something that happens outside: never folded, and not merged with another."""

    def do_constant_folding(self, node):
        return False


class MPIRecv(_Message):
    """Begins to receive: (request, the array that will be there)."""
    __props__ = ("source", "tag", "shape", "dtype")

    def __init__(self, source, tag, shape, dtype):
        self.source, self.tag = source, tag
        self.shape, self.dtype = tuple(shape), str(numpy.dtype(dtype))
        self.broadcastable = (False,) * len(self.shape)

    def make_node(self):
        return Apply(self, [], [generic(), TensorType(self.dtype, self.broadcastable)()])

    def perform(self, node, inputs, outputs):
        data = numpy.zeros(self.shape, dtype=self.dtype)
        outputs[0][0], outputs[1][0] = _world().Irecv(data, self.source, self.tag), data

    def infer_shape(self, node, shapes):
        return [None, [as_tensor_variable(size) for size in self.shape]]


class MPIRecvWait(_Message):
    """Waits for what MPIRecv began; the array."""
    __props__ = ("tag",)
    view_map = {0: [1]}

    def __init__(self, tag):
        self.tag = tag

    def make_node(self, request, data):
        return Apply(self, [request, data], [data.type()])

    def perform(self, node, inputs, outputs):
        request, data = inputs
        request.wait()
        outputs[0][0] = data

    def infer_shape(self, node, shapes):
        return [shapes[1]]


class MPISend(_Message):
    """Begins to send: (request, the array, which must stay as it is meanwhile)."""
    __props__ = ("dest", "tag")
    view_map = {1: [0]}

    def __init__(self, dest, tag):
        self.dest, self.tag = dest, tag

    def make_node(self, data):
        data = as_tensor_variable(data)
        return Apply(self, [data], [generic(), data.type()])

    def perform(self, node, inputs, outputs):
        data = numpy.asarray(inputs[0], order="C")
        outputs[0][0], outputs[1][0] = (_world().Isend(data, self.dest, self.tag), data), inputs[0]


class MPISendWait(_Message):
    """Waits until what MPISend began has left."""
    __props__ = ("tag",)

    def __init__(self, tag):
        self.tag = tag

    def make_node(self, request, data):
        return Apply(self, [request, data], [generic()])

    def perform(self, node, inputs, outputs):
        request, _ = inputs[0]
        request.wait()
        outputs[0][0] = True


class AllReduce(_Message):
    """The sum (mean, maximum, minimum) of an array over all processes: in each of them the same."""
    __props__ = ("kind",)

    def __init__(self, kind="sum"):
        if kind not in ("sum", "mean", "max", "min"):
            raise ValueError("all processes together give a sum, mean, max or min, got %r" % (kind,))
        self.kind = kind

    def make_node(self, data):
        data = as_tensor_variable(data)
        return Apply(self, [data], [data.type()])

    def perform(self, node, inputs, outputs):
        comm = _world()
        from mpi4py import MPI
        given = numpy.asarray(inputs[0], order="C")
        result = numpy.empty_like(given)
        comm.Allreduce(given, result, op={"max": MPI.MAX, "min": MPI.MIN}.get(self.kind, MPI.SUM))
        if self.kind == "mean":
            result /= comm.Get_size()
        outputs[0][0] = result

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_gradients):
        if self.kind not in ("sum", "mean"):
            raise NotImplementedError("the %s over all processes has no gradient" % self.kind)
        return [AllReduce(self.kind)(output_gradients[0])]


def isend(var, dest, tag):
    """(request, the same array): begins to send it."""
    return MPISend(dest, tag)(var)


def send(var, dest, tag):
    """Sends an array; a variable to be computed by a function that shall wait until it has left."""
    return MPISendWait(tag)(*isend(var, dest, tag))


def irecv(shape, dtype, source, tag):
    """(request, the array): begins to receive it."""
    return MPIRecv(source, tag, shape, dtype)()


def recv(shape, dtype, source, tag):
    """An array that another process sends."""
    return MPIRecvWait(tag)(*irecv(shape, dtype, source, tag))


def allreduce(var, kind="sum"):
    """The sum of an array over all processes; for the slopes of a step on data that is spread over them."""
    return AllReduce(kind)(var)


def mpi_send_wait_key(a):
    """Wait as late as possible on Send requests, begin them as early as possible."""
    op = a.op if isinstance(a, Apply) else a
    return 1 if isinstance(op, (MPIRecvWait, MPISendWait)) else -1 if isinstance(op, (MPIRecv, MPISend)) else 0


def mpi_tag_key(a):
    """By tag, where there is one."""
    op = a.op if isinstance(a, Apply) else a
    return op.tag if isinstance(op, (MPISend, MPIRecv, MPIRecvWait, MPISendWait)) else 0


def _compared(key):
    return lambda a, b: key(a) - key(b)


mpi_cmps = (_compared(mpi_send_wait_key), _compared(mpi_tag_key))
