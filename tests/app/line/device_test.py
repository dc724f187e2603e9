"""The whole line on a device: `croton profile --device opencl0:0`, then what the session and the report say."""
import json
import sqlite3

import pytest
from advice_programs import ON_DEVICE, PROLOGUE

SCRIPT = """
import numpy, theano, theano.tensor as T
x = theano.shared(numpy.ones((300, 200), "float32"), name="x")
w = theano.shared(numpy.ones(200, "float32"), name="w")
y = T.fvector("y")
f = theano.function([y], T.exp(T.dot(x, w) * 0.001 + y), updates=[(w, w * 0.5)], name="f")
for i in range(20):
    f(numpy.zeros(300, "float32"))
"""


@pytest.fixture(scope="module")
def problem(croton):
    devices = croton("devices").stdout.splitlines()
    return "" if any(line.split()[:2] == ["opencl0:0", "yes"] for line in devices) else next(line for line in devices if line.startswith("opencl"))


@pytest.fixture
def session(croton, tmp_path, problem):
    if problem:
        pytest.skip(problem)
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


# --- advice --------------------------------------------------------------------------------------------------

@pytest.fixture
def told(croton, tmp_path, problem):
    """What is said of a program on the device: the pieces of advice with that id."""
    def of(advice, program, edit=None):
        if problem:
            pytest.skip(problem)
        script, path = tmp_path / "advice.py", tmp_path / "advice.croton"
        script.write_text(PROLOGUE + program + "\n")
        croton("profile", "--device", "opencl0:0", "--floatX", "float32", script, "-o", path)
        if edit:
            with sqlite3.connect(path) as database:
                database.execute(edit)
        return [one for one in json.loads(croton("report", path, "--json").stdout)["advice"] if one["id"] == advice]
    return of


@pytest.mark.parametrize("advice", ON_DEVICE)
def test_advice_of_devices_speaks_and_stays_silent(told, advice):
    texts = [text for text, flags in ON_DEVICE[advice]]
    said = told(advice, texts[0]) or told(advice, texts[0])  # times of a busy machine
    assert said, "it says nothing"
    assert said[0]["evidence"] and len(said[0]["evidence"]) < 400 and 0 < said[0]["gain"] <= 1, said
    for text in texts[1:]:
        assert not told(advice, text) or not told(advice, text) or not told(advice, text), text


def test_what_stays_on_the_host_says_why(told):
    said = told("host-between", ON_DEVICE["host-between"][0][0])
    assert "stands between two transfers" in said[0]["evidence"] and "it stays on the CPU because it runs in the host language" in said[0]["evidence"], said


def test_slow_doubles_are_told_of_cards_that_have_them(told):
    program = "t = theano.shared(large.astype('float64'))\nrun([], T.exp(t).sum(axis=0), [], 60)"
    assert not told("slow-float64", program), "a processor has half the rate, as cards for computing have"
    slow = "UPDATE roofs SET value = (SELECT value / 32 FROM roofs AS other WHERE other.device = roofs.device AND other.name = 'flops.float32') WHERE name = 'flops.float64' AND device = 'opencl0:0'"
    said = told("slow-float64", program, slow)
    assert said and 0 < said[0]["gain"] < 1 and "GFLOP/s" in said[0]["evidence"] and "cast to float32" in said[0]["text"], said
    assert not told("slow-float64", program.replace("float64", "float32"), slow)


HALVES = """
import numpy, theano, theano.tensor as T
x = T.matrix("x", dtype="float16")
f = theano.function([x], T.dot(x, x), name="f")
for n in (3, 3, 4):
    f(numpy.ones((n, n), "float16"))
"""


def test_what_a_plan_does_another_way_is_a_message_of_the_session(croton, tmp_path, problem):
    if problem:
        pytest.skip(problem)
    script, path = tmp_path / "halves.py", tmp_path / "halves.croton"
    script.write_text(HALVES)
    croton("profile", "--device", "opencl0:0", script, "-o", path)
    note = "its float16 arrays are copied to float32 and back: devices compute it in float32 only"
    told = rows(path, "SELECT text, file, line FROM messages WHERE text LIKE '%float16%'")
    assert told and all(text.startswith("Gpudot: ") and text.endswith(note) for text, _, _ in told), told
    assert {(file.endswith("halves.py"), line) for _, file, line in told} == {(True, 4)}, told
    script.write_text(HALVES.replace("float16", "float32"))
    croton("profile", "--device", "opencl0:0", script, "-o", tmp_path / "singles.croton")
    assert not rows(tmp_path / "singles.croton", "SELECT text FROM messages WHERE text LIKE '%are copied to%'")


# --- what models do between two products -------------------------------------------------------------------------

MODELS = {
    "dropout": ("s = MRG_RandomStreams(3)\nout = T.dot(T.tanh(x) * s.binomial((6, 6), p=0.5, dtype='float32'), x)", 1),
    "normal": ("s = MRG_RandomStreams(3)\nout = T.exp(T.dot(x, x)) + s.normal((6, 6), dtype='float32')", 1),
    "sorted": ("out = T.dot(T.sort(T.exp(x), axis=0), x)", 1),
    "order": ("h = T.dot(x, x)\nout = h.flatten()[T.argsort(h.flatten())[-3:]]", 1),
    "running": ("out = T.dot(T.cumsum(T.exp(x), axis=1), x)", 1),
    "upsampled": ("out = T.grad(T.sqr(T.repeat(T.dot(x, x), 2, axis=1)).sum(), x)", 1),
    "causal": ("out = T.dot(T.switch(T.tril(T.ones((6, 6))) > 0, T.dot(x, x), -9), x)", 1),
    "loop": ("ys, _ = theano.scan(lambda a, h: T.tanh(a + h), sequences=x, outputs_info=T.zeros((6,)))\nout = ys[-1]", 1),
    "diagonal": ("out = T.grad(T.sqr(T.diag(T.dot(x, x))).sum(), x)", 1),
    "masked": ("h = T.dot(x, x)\nout = T.sqr(h[h > 0]) * 2", 2),  # how many there are
}


@pytest.mark.parametrize("model", MODELS)
def test_models_send_their_input_and_fetch_their_result(croton, tmp_path, problem, model):
    if problem:
        pytest.skip(problem)
    text, fetches = MODELS[model]
    script, path = tmp_path / "model.py", tmp_path / "model.croton"
    script.write_text("import numpy, theano, theano.tensor as T\nfrom theano.sandbox.rng_mrg import MRG_RandomStreams\nx = T.fmatrix('x')\n"
                      f"{text}\nf = theano.function([x], out, name='f')\n"
                      "for i in range(4):\n    f(numpy.linspace(-1, 1, 36).reshape(6, 6).astype('float32'))\n")
    croton("profile", "--device", "opencl0:0", "--floatX", "float32", script, "-o", path)
    sent = dict(rows(path, "SELECT direction, count(*) FROM transfers JOIN graph_applies USING (graph, apply) "
                           "WHERE op LIKE 'GpuFromHost%' OR op LIKE 'HostFromGpu%' GROUP BY direction"))
    assert sent == {"HtoD": 1, "DtoH": fetches}, sent
