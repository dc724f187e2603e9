"""Profiles of programs on CUDA, on the simulated one: what CUPTI tells, what launches that wait tell, and each way to go without."""
import os
import pathlib
import sqlite3

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])
SIMULATION = BUILD / "cuda_sim"
pytestmark = pytest.mark.skipif(not (SIMULATION / "libcudart.so.13").exists(), reason="there is no simulated CUDA in this build")

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
def profiled(croton, tmp_path):
    def run(*options, settings="", libraries=SIMULATION):
        script = tmp_path / "s.py"
        script.write_text(SCRIPT)
        path = tmp_path / "s.croton"
        croton("profile", "--device", "cuda0", *options, script, "-o", path,
               env={"CROTON_CUDA_LIBRARIES": str(libraries), "CROTON_CUDA_SIM": settings, "THEANO_FLAGS": "floatX=float32"})
        return path
    return run


def rows(session, sql):
    with sqlite3.connect(f"file:{session}?mode=ro", uri=True) as database:
        return database.execute(sql).fetchall()


def test_work_of_the_card_is_joined_to_applies(profiled, croton):
    session = profiled()
    transfers = rows(session, "SELECT direction, device, count, bytes FROM transfers ORDER BY direction")
    assert transfers == [("DtoH", "cuda0", 20, 20 * 1200), ("HtoD", "cuda0", 20, 20 * 1200)], transfers
    kernels = {name: rest for name, *rest in rows(session, "SELECT symbol, launches, grid, block, registers FROM device_kernels")}
    assert any(name.startswith("GpuElemwise") and rest == [20, "(2, 1, 1)", "(256, 1, 1)", 16] for name, rest in kernels.items()), kernels
    assert any(name.startswith("GpuGemv") and rest[0] == 20 for name, rest in kernels.items()), kernels
    hosts = rows(session, "SELECT count(*) FROM apply_stats WHERE blocking_ns IS NOT NULL")
    assert hosts == [(0,)], "launches did not wait"
    assert "simulated CUDA on the processor (not a GPU)" in croton("sessions", session, check=False).stdout + str(
        rows(session, "SELECT * FROM devices")), "times of a simulation are not a card's"


def test_both_sets_three_times_side_by_side(profiled, croton):
    session = profiled("--both")
    times = rows(session, "SELECT total_ns, blocking_ns, device_ns FROM apply_stats WHERE device_ns > 0")
    assert times and all(blocking > 0 and host > 0 for host, blocking, device in times), times
    report = croton("report", session).stdout
    lines = report[report.index("Times of ops on devices"):].splitlines()
    assert lines[1].split() == ["host", "blocking", "simulated", "calls", "op"]
    assert any("GpuGemv" in line and "-" not in line.split()[:3] for line in lines), report
    assert "They differ because the host only gives the work and goes on" in report
    assert not os.path.exists(str(session) + ".blocking")


def test_what_the_driver_tells_beside_work_is_summed(profiled, croton):
    session = profiled()
    work = {what: (count, bytes_) for device, what, count, bytes_ in rows(session, "SELECT device, what, count, bytes FROM device_work")}
    assert work["taken"][0] >= 1 and work["taken"][1] >= 4096, work
    assert work["wait"][0] >= 20, "each result is waited for"
    assert work["overhead"][0] >= 1, work
    occupancy = rows(session, "SELECT DISTINCT occupancy FROM device_kernels WHERE symbol LIKE 'GpuElemwise%'")
    assert occupancy == [(1.0,)], "256 threads with 16 registers each fill a card of compute capability 9.0"
    report = croton("report", "--style", "summary", session).stdout
    assert "Kernels\n  launches" in report and "100%  GpuElemwise" in report, report
    assert "cuda0: memory was taken of the driver" in report and "cuda0: the host waited" in report, report


def test_times_of_the_simulation_are_marked_wherever_they_are_told(profiled, croton):
    session = profiled()
    sentence = "cuda0 is a simulation on the processor: its times say nothing of a card"
    for style in ("summary", "lines", "theano", "profilemode"):
        assert sentence in croton("report", "--style", style, session).stdout, style
    assert sentence in croton("report", "--json", session).stdout
    assert rows(session, "SELECT count(*) FROM messages WHERE text LIKE 'cuda0 is a simulation%'") == [(1,)]
    assert rows(session, "SELECT name FROM lanes WHERE device = 'cuda0' ORDER BY id") == [("kernels (simulated)",), ("copies (simulated)",)]


def test_launches_that_wait_are_said(profiled):
    session = profiled("--launch-blocking")
    assert rows(session, "SELECT count(*) > 0, count(*) = count(blocking_ns) FROM apply_stats") == [(1, 1)]


@pytest.mark.parametrize("settings, sentence", [
    ("cupti-refused=1", "CUPTI refuses (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)"),
    ("cupti-old=1", "CUPTI is too old: its version is 120600, and 130000 is needed"),
    ("", "CUPTI is missing"),
])
def test_without_cupti_the_session_says_why(profiled, croton, tmp_path, settings, sentence):
    libraries = SIMULATION
    if not settings:
        libraries = tmp_path / "libraries"
        libraries.mkdir()
        for one in SIMULATION.iterdir():
            if "cupti" not in one.name:
                (libraries / one.name).symlink_to(one)
    session = profiled(settings=settings, libraries=libraries)
    assert rows(session, "SELECT count(*) FROM apply_stats WHERE device_ns IS NOT NULL") == [(0,)]
    report = croton("report", "--style", "summary", session).stdout
    assert sentence in report and "times are the host's" in report, report


FAULTY = """
import numpy, theano, theano.tensor as T
x, k = T.ftensor4("x"), T.ftensor4("k")
f = theano.function([x, k], T.exp(T.dot(T.nnet.conv2d(x, k)[0, 0], T.eye(2, dtype="float32") * x[0, 0, 0, 0])), name="f")
for i in range(3):
    f(numpy.ones((1, 1, 3, 3), "float32"), numpy.ones((1, 1, 2, 2), "float32"))
"""


@pytest.mark.parametrize("fault, sentence", [
    ("launch=2", "cuda0 could not launch the kernel"),
    ("kernel=2", "nothing more can be done on cuda0 in this process"),
    ("cublas=1", "cuda0 opens no cuBLAS"),
    ("cudnn=1", "cuda0 opens no cuDNN"),
    ("memory=2000", "cuda0 has no room for"),
])
def test_the_session_of_a_run_that_a_fault_ended_opens(croton, tmp_path, fault, sentence):
    script, path = tmp_path / "faulty.py", tmp_path / "faulty.croton"
    script.write_text(FAULTY)
    done = croton("profile", "--device", "cuda0", script, "-o", path, check=False,
                  env={"CROTON_CUDA_LIBRARIES": str(SIMULATION), "CROTON_CUDA_SIM": fault, "THEANO_FLAGS": "floatX=float32"})
    assert done.returncode == 1 and sentence in done.stderr, done.stdout + done.stderr
    report = croton("report", "--style", "summary", path).stdout
    assert report.startswith("The script ended with status 1: ") and "cuda0" in report.splitlines()[0], report
    assert rows(path, "SELECT count(*) FROM functions") == [(1,)]


def test_records_that_were_dropped_are_counted(profiled, croton):
    report = croton("report", "--style", "summary", profiled(settings="record=3")).stdout
    assert "Left out: 1 device records (the driver dropped them: device times lack their share)" in report, report


OLD_PROGRAM = """
import pycuda.autoinit
import pycuda.driver as drv
import numpy
from pycuda.compiler import SourceModule
half = SourceModule('''
__global__ void half_of(double *to, const double *from)
{
  to[threadIdx.x] = from[threadIdx.x] / 2;
}
''').get_function("half_of")
a = numpy.arange(300.)
to = numpy.zeros_like(a)
half(drv.Out(to), drv.In(a), block=(300, 1, 1), grid=(1, 1))
print numpy.array_equal(to, a / 2), to[299]
"""


def test_a_program_for_pycuda_runs_as_it_is(croton, tmp_path):
    script = tmp_path / "half.py"
    script.write_text(OLD_PROGRAM)
    done = croton("run", script, env={"CROTON_CUDA_LIBRARIES": str(SIMULATION)})
    assert done.stdout == "True 149.5\n", done.stderr
    done = croton("run", script, check=False, env={"CROTON_CUDA_LIBRARIES": str(SIMULATION), "CROTON_CUDA_SIM": "devices=0"})
    assert done.returncode == 1 and "PyCUDA programs run on a card of CUDA, and there is none: the CUDA driver finds no card" in done.stderr


BY_HAND = """
import numpy, theano, theano.tensor as T
import pycuda.autoinit
import pycuda.driver as drv
class Sent(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        there, back = drv.mem_alloc(inputs[0].nbytes), numpy.empty_like(inputs[0])
        drv.memcpy_htod(there, inputs[0])
        drv.memcpy_dtoh(back, there)
        outputs[0][0] = back * 2
class SentWithShape(Sent):
    def infer_shape(self, node, shapes):
        return shapes
x = T.fvector("x")
f = theano.function([x], [Sent()(T.exp(x)) + 1, SentWithShape()(T.cos(x)) + 1], name="f")
for k in range(3):
    f(numpy.zeros(1000, "float32"))
"""


def test_what_an_op_has_the_card_do_by_itself_is_its_own(croton, tmp_path):
    script, path = tmp_path / "sent.py", tmp_path / "sent.croton"
    script.write_text(BY_HAND)
    croton("profile", "--device", "cuda0", "--floatX", "float32", script, "-o", path, env={"CROTON_CUDA_LIBRARIES": str(SIMULATION)})
    copies = rows(path, "SELECT op, direction, count, bytes FROM transfers JOIN graph_applies USING (graph, apply) ORDER BY op, direction")
    assert {(op, direction) for op, direction, _, _ in copies} == {
        ("Sent", "DtoH"), ("Sent", "HtoD"), ("SentWithShape", "DtoH"), ("SentWithShape", "HtoD"), ("GpuFromHost<cuda0>", "HtoD"),
        ("HostFromGpu(gpuarray)", "DtoH")}, copies
    assert all(0 < count <= 3 and size == 4000 * count for _, _, count, size in copies), "three calls, and nothing of another op"


LOOP = """
import numpy, theano, theano.tensor as T
W = theano.shared(numpy.full((20, 20), 0.01, "float32"), name="W")
x, start = T.fmatrix("x"), T.fvector("start")
h, _ = theano.scan(lambda row, h: T.tanh(row + T.dot(h, W)), sequences=x, outputs_info=start, name="loop")
f = theano.function([x, start], h[-1].sum(), name="f")
for k in range(5):
    f(numpy.ones((30, 20), "float32"), numpy.zeros(20, "float32"))
"""


def test_a_loop_there_has_its_steps_told_and_its_own_copies(croton, tmp_path):
    script, path = tmp_path / "loop.py", tmp_path / "loop.croton"
    script.write_text(LOOP)
    croton("profile", "--device", "cuda0", "--floatX", "float32", script, "-o", path, env={"CROTON_CUDA_LIBRARIES": str(SIMULATION)})
    inside = dict(rows(path, "SELECT op, launches FROM device_kernels JOIN graph_applies USING (graph, apply) JOIN graphs ON graphs.id = graph "
                             "WHERE parent_graph IS NOT NULL"))
    assert {name.split("{")[0]: count for name, count in inside.items()} == {"GpuElemwise": 150, "GpuGemv": 300}, inside
    between = rows(path, "SELECT op_class FROM transfers JOIN graph_applies USING (graph, apply) WHERE direction = 'DtoD'")
    assert between == [("theano.scan_module.scan_op.Scan",)], "what goes from step to step is the loop's, not its last op's"
    loop, steps = rows(path, "SELECT sum(CASE WHEN op_class LIKE '%.Scan' THEN device_ns END), "
                             "sum(CASE WHEN parent_graph IS NOT NULL THEN device_ns END) "
                             "FROM apply_stats JOIN graph_applies USING (graph, apply) JOIN graphs ON graphs.id = graph")[0]
    assert loop >= steps > 0, "the loop's time is that of its steps and of its copies"
    report = croton("report", path).stdout
    assert "Scan Op profiling ( loop )" in report and "theano.gpuarray.blas.GpuGemv" in report[report.index("Scan Op profiling"):]
    spent = next(line for line in report.splitlines() if line.startswith("Spent "))
    assert float(spent.split("(")[1].split("%")[0]) < 50, spent
