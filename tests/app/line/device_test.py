"""The whole line on a device: `croton profile --device opencl0:0`, then what the session and the report say."""
import json
import sqlite3

import pytest

SCRIPT = """
import numpy, theano, theano.tensor as T
x = theano.shared(numpy.ones((300, 200), "float32"), name="x")
w = theano.shared(numpy.ones(200, "float32"), name="w")
y = T.fvector("y")
f = theano.function([y], T.exp(T.dot(x, w) * 0.001 + y), updates=[(w, w * 0.5)], name="f")
for i in range(20):
    f(numpy.zeros(300, "float32"))
"""


@pytest.fixture
def session(croton, tmp_path):
    devices = croton("devices").stdout
    if not any(line.split()[:2] == ["opencl0:0", "yes"] for line in devices.splitlines()):
        pytest.skip(next(line for line in devices.splitlines() if line.startswith("opencl")))
    script = tmp_path / "s.py"
    script.write_text(SCRIPT)
    path = tmp_path / "s.croton"
    croton("profile", "--device", "opencl0:0", script, "-o", path)
    return path


def rows(session, sql):
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as database:
        return database.execute(sql).fetchall()


def test_kernels_and_transfers_have_bytes_and_times(session):
    transfers = rows(session, "SELECT direction, device, count, bytes, total_ns FROM transfers ORDER BY direction")
    assert {row[0] for row in transfers} == {"DtoH", "HtoD"}
    assert all(device == "opencl0:0" and count == 20 and size % (20 * 300) == 0 and ns > 0 for _, device, count, size, ns in transfers), transfers
    kernels = dict(rows(session, "SELECT symbol, launches FROM device_kernels"))
    assert any(name.startswith("GpuGemv") and count == 20 for name, count in kernels.items()), kernels
    assert any(name.startswith("GpuElemwise") and count == 20 for name, count in kernels.items()), kernels
    lanes = rows(session, "SELECT kind, device, name FROM lanes WHERE device = 'opencl0:0' ORDER BY id")
    assert [row[2] for row in lanes] == ["kernels", "copies"]
    (events,) = rows(session, "SELECT count(*) FROM events JOIN lanes ON lanes.id = events.lane WHERE device = 'opencl0:0'")[0]
    assert events >= 80


def test_the_report_tells_device_time_apart(session, croton):
    report = croton("report", session).stdout
    assert "GpuGemv{inplace}" in report and "HostFromGpu(gpuarray)" in report
    spent = next(line for line in report.splitlines() if line.startswith("Spent "))
    assert " 0.000s(0.000%) in gpu Op" not in spent


OWN_KERNEL = """
import numpy, theano, theano.tensor as T
import pyopencl as cl
from theano.gpuarray import GpuArray, as_gpuarray_variable, gpu_contiguous
context = cl.create_some_context()
queue = cl.CommandQueue(context)

class Slow(theano.Op):
    __props__ = ()
    def make_node(self, x):
        x = gpu_contiguous(as_gpuarray_variable(x))
        return theano.Apply(self, [x], [x.type()])
    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        slow = cl.Program(context, '''__kernel void slow(__global const float *x, __global float *z) {
            float sum = 0;
            for (int i = 0; i < 20000; ++i) sum = sin(sum + x[get_global_id(0)]);
            z[get_global_id(0)] = sum; }''').build().slow
        x, z = storage_map[node.inputs[0]], storage_map[node.outputs[0]]
        def thunk():
            z[0] = GpuArray.zeros(x[0].shape)
            slow(queue, (x[0].size,), None, x[0], z[0])
        return thunk
    def infer_shape(self, node, shapes):
        return shapes

x = T.fvector("x")
f = theano.function([x], Slow()(x + 1) * 2, name="f")
for i in range(3):
    f(numpy.zeros(100, "float32"))
"""


def test_a_kernel_of_ones_own_has_its_time_at_its_op(session, croton, tmp_path):
    script = tmp_path / "own.py"
    script.write_text(OWN_KERNEL)
    path = tmp_path / "own.croton"
    croton("profile", "--device", "opencl0:0", "--floatX", "float32", script, "-o", path)
    kernels = {name: (launches, ns) for name, launches, ns in rows(path, "SELECT symbol, launches, total_ns FROM device_kernels")}
    launches, ns = kernels.pop("Slow")
    assert launches == 3 and ns > 10 * sum(other for _, other in kernels.values()), (ns, kernels)


def test_its_roofs_are_measured_and_predict_a_call_there(session, croton, tmp_path):
    roofs = dict(rows(session, "SELECT name, value FROM roofs WHERE device = 'opencl0:0'"))
    assert set(roofs) >= {"flops.float32", "flops.float64", "bandwidth.memory", "bandwidth.HtoD", "bandwidth.DtoH", "launch", "copy"}
    assert all(value > 0 for value in roofs.values())
    assert "no roofs were measured" not in croton("report", "--style", "summary", session).stdout
    there = json.loads(croton("whatif", session, "--function", "f", "--device", "cpu", "--json").stdout)
    assert 0 < there["predictedNs"] and there["verifiedNs"] is None
    # Of a session of the processor they are measured when somebody asks, kept in it, and a run tells how right that was.
    here = tmp_path / "here.croton"
    croton("profile", tmp_path / "s.py", "-o", here)
    assert rows(here, "SELECT count(*) FROM roofs WHERE device <> 'cpu'") == [(0,)]
    text = croton("whatif", here, "--function", "f", "--device", "opencl0:0", "--verify").stdout
    assert "(predicted, at best)" in text and "verified by a run: " in text, text
    assert dict(rows(here, "SELECT name, value FROM roofs WHERE device = 'opencl0:0'")).keys() == roofs.keys()
    assert "nothing is predicted: " in croton("whatif", here, "--function", "f", "--device", "cuda7").stdout
