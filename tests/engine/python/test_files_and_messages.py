"""theano.tensor.io: arrays from files, and messages between processes."""
import pathlib
import shutil
import subprocess
import sys
import types

import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor import io

V = numpy.array([1.0, 2.0, 3.0])


def test_arrays_from_files(tmp_path):
    path = str(tmp_path / "a.npy")
    numpy.save(path, numpy.array([5, 6], "int32"))
    name = theano.generic("path")
    x = T.load(name, "int32", (False,))
    f = theano.function([name], x * 2)
    assert f(path).tolist() == [10, 12]
    numpy.save(path, numpy.array([7, 8], "int32"))
    assert f(path).tolist() == [14, 16] and theano.function([], T.load(path, "int32", (False,), mmap_mode="c"))().tolist() == [7, 8]
    with pytest.raises(TypeError, match="Expected an array of type float32"):
        theano.function([name], T.load(name, "float32", (False,)))(path)
    with pytest.raises(ValueError, match="mmap_mode"):
        T.load(path, "int32", (False,), mmap_mode="w")


def test_without_mpi4py_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setattr(io, "_comm", None)
    with pytest.raises(ImportError, match="python3-mpi4py"):
        theano.function([], T.recv((3,), "float64", 0, 11))()


class Request:
    def __init__(self, done):
        self.wait = done


class OneProcess:
    """A communicator that delivers to itself."""

    def __init__(self):
        self.box = {}

    def Isend(self, data, dest, tag):
        return Request(lambda: self.box.__setitem__(tag, data.copy()))

    def Irecv(self, data, source, tag):
        return Request(lambda: data.__setitem__(slice(None), self.box.pop(tag)))

    def Allreduce(self, given, result, op):
        result[...] = {"sum": given * 2, "max": given, "min": given}[op]

    def Get_size(self):
        return 2


@pytest.fixture
def one_process(monkeypatch):
    module = types.ModuleType("mpi4py")
    module.MPI = types.SimpleNamespace(COMM_WORLD=OneProcess(), SUM="sum", MAX="max", MIN="min")
    monkeypatch.setitem(sys.modules, "mpi4py", module)
    monkeypatch.setattr(io, "_comm", None)


def test_messages(one_process):
    x = T.dvector("x")
    assert theano.function([x], T.send(x * 2, 0, tag=11))(V) is True
    received = T.recv((3,), "float64", 0, tag=11)
    assert received.type == T.dvector and theano.function([], received + 1)().tolist() == [3, 5, 7]
    one, other = T.recv((3,), "float64", 0, tag=1), T.recv((3,), "float64", 0, tag=2)
    theano.function([x], [T.send(x, 0, tag=1), T.send(x + 1, 0, tag=2)])(V)
    assert theano.function([], one * other)().tolist() == [2, 6, 12]
    graph = theano.gof.FunctionGraph([x], [T.send(x, 0, tag=5), T.recv((3,), "float64", 0, tag=4)])
    order = [type(node.op).__name__ for node in theano.gof.sched.sort_schedule_fn(*T.mpi_cmps)(graph)]
    assert order.index("MPISend") < order.index("MPIRecvWait") and order.index("MPIRecv") < order.index("MPISendWait")


def test_sums_over_all_processes(one_process):
    x = T.dvector("x")
    assert theano.function([x], T.allreduce(x))(V).tolist() == [2, 4, 6]
    assert theano.function([x], T.allreduce(x, "mean"))(V).tolist() == [1, 2, 3]
    assert float(theano.function([x], T.allreduce(x.sum(), "mean"))(V)) == 6
    assert theano.function([x], T.grad(T.allreduce(x).sum(), x))(V).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="sum, mean, max or min"):
        T.allreduce(x, "product")


RANKS = """
import pathlib, numpy, theano, theano.tensor as T
from mpi4py import MPI
rank, x = MPI.COMM_WORLD.Get_rank(), T.dvector("x")
data = numpy.arange(4.0) + 10 * rank
if rank == 0:
    theano.function([x], T.send(x * 2, 1, tag=11))(data)
else:
    assert theano.function([], T.recv((4,), "float64", 0, tag=11) + 1)().tolist() == [1, 3, 5, 7]
w = theano.shared(numpy.zeros(4), "w")
slope = T.grad(((w - x) ** 2).sum(), w)
step = theano.function([x], T.allreduce(((w - x) ** 2).sum(), "mean"), updates=[(w, w - 0.5 * T.allreduce(slope, "mean"))])
costs = [float(step(data)) for _ in range(3)]
assert costs[1] < costs[0] and numpy.allclose(w.get_value(), numpy.arange(4.0) + 5), (costs, w.get_value())
pathlib.Path(__file__).with_name("rank%d" % rank).write_text(str(MPI.COMM_WORLD.Get_size())) # what ranks print is mixed on the way
"""


def test_two_ranks(tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun")
    script = pathlib.Path(tmp_path) / "ranks.py"
    script.write_text(RANKS)
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, str(script)], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert [(script.parent / name).read_text() for name in ("rank0", "rank1")] == ["2", "2"]
