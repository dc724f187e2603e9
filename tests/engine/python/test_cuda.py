"""Programs of Theano's time on CUDA, on the simulated one, and each fault that it knows: its sentence, and what comes after."""
import os
import subprocess
import sys
import textwrap

import pytest
import theano

SIMULATION = os.environ.get("CROTON_CUDA_SIMULATION", "")
pytestmark = pytest.mark.skipif(not os.path.exists(SIMULATION + "/libcudart.so.13"),
                                reason="there is no simulated CUDA: CROTON_CUDA_SIMULATION names its folder")


def python(code, flags="device=cuda0,floatX=float32", **env):
    env = dict(os.environ, THEANO_FLAGS=flags, CROTON_CUDA_LIBRARIES=SIMULATION, **env)
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env={k: v for k, v in env.items() if v is not None},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def printed(code, **kwargs):
    done = python(code, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# --- programs ---

CHECK = """
    from theano import function, config, shared, sandbox
    import theano.sandbox.cuda.basic_ops
    import theano.tensor as T
    import numpy
    rng = numpy.random.RandomState(22)
    x = shared(numpy.asarray(rng.rand(10 * 30 * 768), config.floatX))
    f = function([], %s)
    print(f.maker.fgraph.toposort())
    for i in range(3):
        r = f()
    print(type(r).__name__, numpy.allclose(numpy.asarray(r), numpy.exp(x.get_value())))
    if numpy.any([isinstance(x.op, T.Elemwise) for x in f.maker.fgraph.toposort()]):
        print('Used the cpu')
    else:
        print('Used the gpu')
"""


def test_check1_uses_the_gpu():
    lines = printed(CHECK % "T.exp(x)")
    assert "HostFromGpu" in lines[0] and lines[1:] == ["ndarray True", "Used the gpu"]


def test_check2_leaves_the_result_there():
    lines = printed(CHECK % "sandbox.cuda.basic_ops.gpu_from_host(T.exp(x))")
    assert "HostFromGpu" not in lines[0] and lines[1:] == ["GpuArray True", "Used the gpu"]


SOLUTION = """
    import numpy, theano, theano.tensor as T
    rng = numpy.random
    N, feats = 400, 784
    rng.seed(5)
    D = (rng.randn(N, feats).astype(theano.config.floatX), rng.randint(size=N, low=0, high=2).astype(theano.config.floatX))
    x = theano.shared(D[0], name="x")
    y = theano.shared(D[1], name="y")
    w = theano.shared(rng.randn(feats).astype(theano.config.floatX), name="w")
    b = theano.shared(numpy.asarray(0., dtype=theano.config.floatX), name="b")
    p_1 = 1 / (1 + T.exp(-T.dot(x, w) - b))
    prediction = p_1 > 0.5
    xent = -y * T.log(p_1) - (1 - y) * T.log(1 - p_1)
    cost = T.cast(xent.mean(), theano.config.floatX) + 0.01 * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    train = theano.function([], [prediction, xent], updates=[(w, w - 0.01 * gw), (b, b - 0.01 * gb)], name="train")
    predict = theano.function([], prediction, name="predict")
    names = {type(node.op).__name__ for node in train.maker.fgraph.toposort()}
    if names & {"Gemv", "CGemv", "Gemm", "CGemm"}:
        print("Used the cpu")
    elif names & {"GpuGemm", "GpuGemv"}:
        print("Used the gpu")
    for i in range(5):
        pred, err = train()
    print(numpy.concatenate([w.get_value()[:50], err[:50]]).astype("float64").tolist())
"""


def test_the_solution_of_using_the_gpu_learns_the_same():
    import numpy
    there, here = printed(SOLUTION), printed(SOLUTION, flags="floatX=float32")
    assert (there[0], here[0]) == ("Used the gpu", "Used the cpu")
    numpy.testing.assert_allclose(eval(there[1]), eval(here[1]), rtol=2e-4, atol=2e-4)


def test_arrays_are_taken_by_others_without_a_copy():
    lines = printed("""
        import numpy, theano, theano.tensor as T
        from theano.sandbox import cuda
        z = cuda.CudaNdarray.zeros((2, 3))
        face = z.__cuda_array_interface__
        print(type(z).__name__, z.shape, numpy.asarray(z).sum())
        print(face["shape"], face["strides"], face["typestr"], face["data"] == (z.gpudata, False), face["version"])
        x = theano.shared(numpy.ones(4, "float32"))
        inside = x.get_value(borrow=True, return_internal_type=True)
        print(inside.__cuda_array_interface__["data"][0] == inside.gpudata, x.get_value().tolist())
        x.set_value(numpy.arange(4, dtype="float32"))
        print(x.get_value(borrow=True, return_internal_type=True).gpudata == inside.gpudata, x.get_value(borrow=True).tolist())
    """)
    assert lines[:3] == ["GpuArray (2, 3) 0.0", "(2, 3) (12, 4) <f4 True 3", "True [1.0, 1.0, 1.0, 1.0]"], lines
    assert lines[3].endswith("[0.0, 1.0, 2.0, 3.0]"), lines


# --- what is not there ---

LOAD = "import theano; print(theano.config.device)"


@pytest.mark.parametrize("settings, sentence", [
    ("driver=12040", "the CUDA driver is too old: it knows CUDA 12.4, and this build has 13."),
    ("driver=0", "the CUDA driver is missing: libcuda.so.1 was not found"),
    ("devices=0", "the CUDA driver finds no card"),
])
def test_a_driver_that_cannot_do_it_says_why(settings, sentence):
    done = python(LOAD, CROTON_CUDA_SIM=settings)
    assert done.stdout == "cpu\n" and "the device cuda0 cannot be had: " + sentence in done.stderr, done.stderr
    forced = python(LOAD, flags="device=cuda0,force_device=True", CROTON_CUDA_SIM=settings)
    assert forced.returncode != 0 and sentence in forced.stderr


def without(tmp_path, library):
    for name in os.listdir(SIMULATION):
        if library not in name:
            os.symlink(os.path.join(SIMULATION, name), tmp_path / name)
    return str(tmp_path)


MULTIPLY = """
    import numpy, theano, theano.tensor as T
    x = theano.shared(numpy.ones((2, 2), "float32"))
    y = T.fmatrix("y")
    try:
        print(theano.function([y], T.dot(x, y))(numpy.ones((2, 2), "float32")).tolist())
    except Exception as error:
        print(str(error))
    print(theano.function([y], T.exp(y))(numpy.zeros((1, 2), "float32")).tolist())
"""


@pytest.mark.parametrize("library, sentence", [
    ("libcudart", "CUDA's runtime is missing"),
    ("libnvrtc", "CUDA's compiler NVRTC is missing"),
    ("libcublas", "cuBLAS is missing"),
])
def test_a_library_that_is_missing_is_a_sentence(tmp_path, library, sentence):
    env = dict(os.environ, THEANO_FLAGS="device=cuda0,floatX=float32", CROTON_CUDA_LIBRARIES=without(tmp_path, library))
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(MULTIPLY)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = done.stdout + done.stderr
    way = "`pip install 'croton[cuda]'`" if os.sep + "_home" + os.sep in theano.__file__ else "`app/run --cuda"  # of a wheel, or of a build
    assert sentence in said and way in said, said
    if library == "libcublas":
        assert done.stdout.endswith("[[1.0, 1.0]]\n"), "what needs no products runs"


CONVOLVE = """
    import numpy, theano, theano.tensor as T
    from theano.gpuarray import dnn
    x, k = T.ftensor4("x"), T.ftensor4("k")
    f = theano.function([x, k], T.nnet.conv2d(x, k))
    ones = numpy.ones((1, 1, 3, 3), "float32"), numpy.ones((1, 1, 2, 2), "float32")
    print(type(f.maker.fgraph.outputs[0].owner.inputs[0].owner.op).__name__, dnn.dnn_available(), dnn.dnn_available.msg)
    for call in range(2):
        try:
            print(f(*ones).tolist())
        except Exception as error:
            print(str(error).splitlines()[0])
"""


def test_without_cudnn_convolutions_are_products(tmp_path):
    env = dict(os.environ, THEANO_FLAGS="device=cuda0,floatX=float32", CROTON_CUDA_LIBRARIES=without(tmp_path, "libcudnn"))
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(CONVOLVE)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("GpuCorrMM False cuDNN is missing"), done.stdout + done.stderr
    assert lines[1:] == ["[[[[4.0, 4.0], [4.0, 4.0]]]]"] * 2
    env["THEANO_FLAGS"] += ",dnn.enabled=True"
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(CONVOLVE)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0 and "dnn.enabled=True asks for cuDNN, and there is none: cuDNN is missing" in done.stderr, done.stderr


# --- what fails ---

@pytest.mark.parametrize("fault, sentence", [
    ("cudnn=1", "cuda0 opens no cuDNN: CUDNN_STATUS_NOT_INITIALIZED"),
    ("cudnn-algorithm=1", "cuda0 has no algorithm of cuDNN for a convolution: CUDNN_STATUS_NOT_SUPPORTED; dnn.enabled=False"),
])
def test_cudnn_that_fails_is_a_sentence_and_the_next_call_works(fault, sentence):
    lines = printed(CONVOLVE, CROTON_CUDA_SIM=fault)
    assert lines[0] == "GpuDnnConv True " and sentence in lines[1] and lines[2] == "[[[[4.0, 4.0], [4.0, 4.0]]]]", lines


def test_no_memory_names_what_is_taken_and_the_next_call_works():
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = T.fvector("x")
        f = theano.function([x], T.exp(x) * 2)
        try:
            f(numpy.zeros(2000000, "float32"))
        except MemoryError as error:
            print(str(error).splitlines()[0])
        print(f(numpy.zeros(3, "float32")).tolist())
    """, CROTON_CUDA_SIM="memory=4000000")
    assert "cuda0 has no room for" in lines[0] and "are taken by" in lines[0], lines
    assert lines[-1] == "[2.0, 2.0, 2.0]"


LOST = """
    import numpy, theano, theano.tensor as T
    x = T.fvector("x")
    f = theano.function([x], T.exp(x) * 2, name="f")
    g = theano.function([x], x + 1, mode=theano.compile.mode.get_default_mode())
    for i in range(2):
        try:
            print(f(numpy.zeros(3, "float32")).tolist())
        except Exception as error:
            print(str(error))
            print("--")
"""


@pytest.mark.parametrize("blocking", ["0", "1"])
def test_a_kernel_that_reads_where_nothing_is_ends_the_card_with_a_sentence(blocking):
    text = "\n".join(printed(LOST, CROTON_CUDA_SIM="kernel=1", CUDA_LAUNCH_BLOCKING=blocking))
    first, second = text.split("--")[:2]
    assert "GpuElemwise" in first and "cudaErrorIllegalAddress (an illegal memory access was encountered)" in first, text
    assert "nothing more can be done on cuda0 in this process: start it again, or set device=cpu" in first, text
    assert "Apply node that caused the error: GpuElemwise" in first, text
    assert "cuda0" in second and "cudaErrorIllegalAddress" in second, text


def test_cublas_that_does_not_open_is_a_sentence():
    text = "\n".join(printed(MULTIPLY, CROTON_CUDA_SIM="cublas=1"))
    assert "cuda0 opens no cuBLAS: CUBLAS_STATUS_NOT_INITIALIZED" in text and text.endswith("[[1.0, 1.0]]"), text
