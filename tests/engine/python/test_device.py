"""Scripts on a device: what the flag device=… makes of them. PoCL is one, CUDA the other, on a card or
simulated; without one its tests are skipped."""
import os
import subprocess
import sys
import textwrap

import numpy
import pytest
from croton import _core

OFFERED = {name: reason for name, hardware, reason in _core.offered_devices()}
# Where it is named, the simulated CUDA stands in for a card; tests/cuda_sim says what it is.
SIMULATION = os.environ.get("CROTON_CUDA_SIMULATION", "")


def problem_of(device):
    if device == "cuda0" and SIMULATION:
        return "" if os.path.exists(SIMULATION + "/libcudart.so.13") else "there is no simulated CUDA in " + SIMULATION
    return OFFERED.get(device, "; ".join(reason for reason in OFFERED.values() if reason) or "there is no " + device)


@pytest.fixture(params=["opencl0:0", "cuda0"], autouse=True)
def device(request, monkeypatch):
    if problem_of(request.param):
        pytest.skip(problem_of(request.param))
    if SIMULATION:
        monkeypatch.setenv("CROTON_CUDA_LIBRARIES", SIMULATION if request.param == "cuda0" else "/nonexistent")
    return request.param


@pytest.fixture
def python(device):
    def run(code, flags=None, **env):
        env = dict(os.environ, THEANO_FLAGS=flags or "device=%s,floatX=float32" % device, **env)
        code = textwrap.dedent(code).replace("DEVICE", device)
        return subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return run


@pytest.fixture
def printed(python):
    def run(code, flags=None):
        done = python(code, flags)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
    return run


def test_exp_of_a_shared_vector_uses_the_gpu(printed, device):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = theano.shared(numpy.linspace(-1, 1, 1000).astype("float32"))
        f = theano.function([], T.exp(x))
        nodes = f.maker.fgraph.toposort()
        print([type(node.op).__name__ for node in nodes])
        print(nodes)
        print(numpy.abs(f() - numpy.exp(x.get_value().astype("float64"))).max() < 1e-5)
        print(any(isinstance(node.op, T.Elemwise) and "Gpu" not in type(node.op).__name__ for node in nodes))
        print(x.type, type(x.get_value()).__name__)
    """)
    assert lines[0] == "['GpuElemwise', 'HostFromGpu']"
    assert lines[1].startswith("[GpuElemwise{exp,no_inplace}(<GpuArrayType<%s>(float32, vector)>), HostFromGpu(gpuarray)(" % device)
    assert lines[2:] == ["True", "False", "GpuArrayType<%s>(float32, vector) ndarray" % device]


def test_results_stay_there_with_gpu_from_host(printed, device):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        from theano import sandbox
        x = theano.shared(numpy.linspace(-1, 1, 6).astype("float32").reshape(2, 3))
        f = theano.function([], sandbox.gpuarray.basic_ops.gpu_from_host(T.exp(x)))
        print([type(node.op).__name__ for node in f.maker.fgraph.toposort()])
        r = f()
        r.sync()
        print(type(r).__name__, r.shape, r.dtype, r.ndim, r.size, len(r), r.device)
        print(numpy.abs(numpy.asarray(r) - numpy.exp(x.get_value())).max() < 1e-6, float(r.copy()[1, 2]) == float(numpy.asarray(r)[1, 2]))
        g = theano.function([], theano.Out(T.exp(x).transfer(None), borrow=True))
        print(type(g()).__name__)
        y = theano.gpuarray.type.GpuArrayType("float32", (False, False))("y")
        h = theano.function([y], y.transfer("cpu") * 2)
        print(numpy.allclose(h(r), 2 * numpy.asarray(r)), numpy.allclose(h(numpy.asarray(r)), 2 * numpy.asarray(r)))
    """)
    assert lines == ["['GpuElemwise']", "GpuArray (2, 3) float32 2 6 2 " + device, "True True", "GpuArray", "True True"]


def test_shared_values_go_there_and_back(printed):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        given = numpy.arange(6, dtype="float32").reshape(2, 3)
        x = theano.shared(given)
        given[:] = 7
        print(x.get_value().tolist())
        inside = x.get_value(borrow=True, return_internal_type=True)
        print(type(inside).__name__, type(x.get_value(borrow=True)).__name__)
        x.set_value(numpy.ones((4, 3), "float32").T[::-1])
        print(x.get_value().shape, float(x.get_value().sum()), inside.shape)
        x.set_value(inside)
        print(x.get_value().tolist())
        x.zero()
        print(float(x.get_value().sum()), float(numpy.asarray(inside).sum()))
        n = theano.shared(3)
        c = theano.shared(numpy.ones(2, "complex64"))
        h = theano.shared(numpy.ones(2, "float32"), target="cpu")
        print(n.type, c.type, h.type)
    """)
    assert lines == ["[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]", "GpuArray ndarray", "(3, 4) 12.0 (2, 3)", "[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]",
                     "0.0 15.0", "TensorType(int64, scalar) TensorType(complex64, vector) TensorType(float32, vector)"]


LOGISTIC = """
    import numpy, theano, theano.tensor as T
    rng = numpy.random.RandomState(1)
    data = rng.randn(40, 78).astype("float32"), rng.randint(size=40, low=0, high=2).astype("float32")
    x, y = theano.shared(data[0], name="x"), theano.shared(data[1], name="y")
    w = theano.shared(rng.randn(78).astype("float32"), name="w")
    b = theano.shared(numpy.asarray(0., dtype="float32"), name="b")
    p_1 = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p_1) - (1 - y) * T.log(1 - p_1)
    cost = T.cast(xent.mean(), "float32") + 0.01 * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    train = theano.function([], [p_1 > 0.5, xent], updates={w: w - 0.01 * gw, b: b - 0.01 * gb}, name="train")
    predict = theano.function([], p_1 > 0.5)
    print(sorted({type(node.op).__name__ for node in train.maker.fgraph.toposort()}))
    for step in range(50):
        prediction, error = train()
    print(numpy.concatenate([w.get_value(), [b.get_value()], error]).astype("float64").tolist())
    print(prediction.astype(int).tolist(), predict().dtype)
"""


def test_logistic_regression_learns_the_same(printed):
    there, here = printed(LOGISTIC), printed(LOGISTIC, "floatX=float32")
    names = eval(there[0])
    assert "GpuGemv" in names and not {"Gemv", "CGemv", "Gemm", "CGemm"} & set(names), names
    numpy.testing.assert_allclose(eval(there[1]), eval(here[1]), rtol=1e-5, atol=1e-5)
    assert there[2] == here[2]


def test_minibatches_of_a_layer_learn_the_same(printed):
    code = """
        import numpy, theano, theano.tensor as T
        rng = numpy.random.RandomState(3)
        data = theano.shared(rng.randn(60, 20).astype("float32"))
        labels = T.cast(theano.shared(rng.randint(0, 5, 60).astype("float32")), "int32")
        W = theano.shared((rng.randn(20, 5) * 0.1).astype("float32"))
        b = theano.shared(numpy.zeros(5, "float32"))
        i = T.lscalar()
        x, y = T.matrix(), T.ivector()
        p = T.nnet.softmax(T.dot(x, W) + b)
        cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
        train = theano.function([i], cost, updates=[(v, v - 0.5 * g) for v, g in zip([W, b], T.grad(cost, [W, b]))],
                                givens={x: data[i * 20:(i + 1) * 20], y: labels[i * 20:(i + 1) * 20]})
        costs = [float(train(k % 3)) for k in range(12)]
        print(costs + W.get_value().ravel().astype("float64").tolist())
    """
    there, here = printed(code), printed(code, "floatX=float32")
    numpy.testing.assert_allclose(eval(there[0]), eval(here[0]), rtol=1e-5, atol=1e-5)


def test_what_cannot_go_there_stays_with_its_values(printed):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = T.fvector()
        z = T.zvector()
        f = theano.function([x, z], [T.sort(T.exp(x)), z * 2, T.exp(x).sum()])
        print([type(node.op).__name__ for node in f.maker.fgraph.toposort()].count("GpuFromHost"))
        a, b, c = f(numpy.array([1, 0, 2], "float32"), numpy.array([1j]))
        print(numpy.allclose(a, numpy.exp([0, 1, 2])), b.tolist(), abs(c - numpy.exp([0, 1, 2]).sum()) < 1e-5)
    """)
    assert lines == ["1", "True [2j] True"]


def test_errors_name_the_apply_and_the_line(python):
    done = python("""
        import numpy, theano, theano.tensor as T
        x = theano.shared(numpy.ones((2, 3), "float32"))
        y = T.fmatrix("y")
        f = theano.function([y], T.exp(x) + y)
        try:
            f(numpy.ones((2, 4), "float32"))
        except ValueError as error:
            print(str(error))
        print(f(numpy.zeros((2, 3), "float32")).shape)
    """)
    assert done.returncode == 0, done.stderr
    assert "Apply node that caused the error: " in done.stdout and "Inputs shapes: [(2, 3), (2, 4)]" in done.stdout
    assert done.stdout.endswith("(2, 3)\n")


def test_an_index_that_was_computed_there_is_read_there(printed):
    """Embeddings and their gradient: rows by numbers that lie on the device."""
    lines = printed("""
        import numpy, theano, theano.tensor as T
        table = theano.shared(numpy.arange(12, dtype="float32").reshape(4, 3))
        words = theano.shared(numpy.asarray([3, 0, 3, -2], "float32"))
        rows = table[T.cast(words, "int32")]
        cost = T.sqr(rows).sum()
        f = theano.function([], [rows, cost], updates=[(table, table - 0.5 * T.grad(cost, table))])
        rows, cost = f()
        print(rows[:, 0].tolist(), float(cost), table.get_value()[:, 0].tolist())
        print([type(node.op).__name__ for node in f.maker.fgraph.toposort()].count("HostFromGpu"))
    """)
    assert lines == ["[9.0, 0.0, 9.0, 6.0] 758.0 [0.0, 3.0, 0.0, -9.0]", "1"]


def test_an_index_out_of_bounds_there_names_the_apply_and_the_line(python):
    done = python("""
        import numpy, theano, theano.tensor as T
        p = theano.shared(numpy.ones((4, 3), "float32"))
        y = theano.shared(numpy.asarray([0, 2, 1, 3], "float32"))
        picked = T.exp(p)[T.arange(4), T.cast(y, "int32")]
        f = theano.function([], picked)
        for call in range(2):
            try:
                f()
            except IndexError as error:
                print(str(error))
        y.set_value(numpy.asarray([0, 2, 1, -3], "float32"))
        print(f().shape)
    """)
    assert done.returncode == 0, done.stderr
    said = "[subtensor] index 3 is out of bounds for axis 1 with size 3\nApply node that caused the error: GpuAdvancedSubtensor("
    assert done.stdout.count(said) == 2 and 'in <module>' in done.stdout and done.stdout.endswith("(4,)\n"), done.stdout


def test_what_is_out_of_bounds_is_told_when_somebody_waits(python):
    done = python("""
        import numpy, theano, theano.tensor as T
        p = theano.shared(numpy.ones((4, 3), "float32"), name="p")
        y = theano.shared(numpy.asarray([0, 9], "float32"))
        f = theano.function([], [], updates=[(p, T.inc_subtensor(p[T.cast(y, "int32")], 1))])
        f()
        try:
            p.get_value()
        except IndexError as error:
            print(str(error))
        print(p.get_value().sum())
    """)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[inc_subtensor] index 9 is out of bounds for axis 0 with size 4\nApply node that caused the error: ")
    assert done.stdout.endswith("\n12.0\n"), done.stdout


def test_the_old_names_mean_the_best_there_is(python, device):
    done = python("import theano; print(theano.config.device)", "device=gpu")
    assert done.stdout == device + "\n"
    assert done.stderr.startswith("Mapped name None to device %s: " % device)
    quiet = python("import theano; print(theano.config.device)", "device=gpu0,print_active_device=False")
    assert quiet.stdout == device + "\n" and quiet.stderr == ""


def test_a_device_that_is_not_there_says_why(python, device):
    done = python("import theano; print(theano.config.device)", "device=opencl7:3")
    assert done.stdout == "cpu\n" and "the device opencl7:3 cannot be had: this machine has only " in done.stderr
    forced = python("import theano", "device=opencl7:3,force_device=True")
    assert forced.returncode != 0 and "force_device=True forbids the CPU (set in THEANO_FLAGS)" in forced.stderr


def test_without_a_loader_functions_run_on_the_host(tmp_path, device):
    if device != "opencl0:0":
        pytest.skip("the loader is OpenCL's")
    # An empty list of drivers.
    env = dict(os.environ, THEANO_FLAGS="device=opencl0:0", OCL_ICD_VENDORS=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", "import theano; print(theano.config.device)"], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.stdout == "cpu\n" and "no OpenCL driver is installed" in done.stderr
    assert "on disk): sudo apt-get install pocl-opencl-icd" in done.stderr


def test_debug_mode_runs_each_op_on_both(printed):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = theano.shared(numpy.linspace(0, 1, 12).astype("float32").reshape(3, 4))
        w = theano.shared(numpy.ones(4, "float32"))
        f = theano.function([], T.exp(T.dot(x, w)).sum(), updates=[(w, w * 2)], mode="DebugMode")
        print(round(float(f()), 3), w.get_value().tolist())
    """)
    wanted = numpy.exp(numpy.linspace(0, 1, 12).astype("float32").reshape(3, 4).sum(1)).sum()
    number, values = lines[0].split(" ", 1)
    assert abs(float(number) - wanted) < 1e-3 and values == "[2.0, 2.0, 2.0, 2.0]"
