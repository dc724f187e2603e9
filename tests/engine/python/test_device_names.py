"""Each name of Theano's GPU family on a running program: the op is in the graph, nothing but transfers is on the host, and the values are
those of the CPU."""
import numpy
import pytest

from test_device import device, printed, python  # noqa: F401

PROLOGUE = """
    import json, numpy, theano, theano.tensor as T
    from theano.tensor.signal.pool import pool_2d
    gpu_contiguous = (lambda x: x) if theano.config.device == 'cpu' else __import__('theano').gpuarray.basic_ops.gpu_contiguous
    rng = numpy.random.RandomState(7)
    def shared(*shape):
        return theano.shared(rng.rand(*shape).astype("float32"))
    A, B, C, v, w, t, k = shared(5, 4), shared(4, 3), shared(5, 3), shared(4), shared(5), shared(2, 3, 6, 6), shared(4, 3, 3, 3)
    rows = T.cast(theano.shared(numpy.array([2, 0, 3], "float32")), "int64")
    x = T.fvector("x")
    given = numpy.arange(4, dtype="float32")
    def tell(outputs, inputs=(), values=(), updates=()):
        f = theano.function(list(inputs), outputs, updates=list(updates), on_unused_input="ignore")
        names, reasons = [], []
        for node in f.maker.fgraph.toposort():
            names.append(type(node.op).__name__)
        results = [numpy.asarray(r, "float64").tolist() for r in (lambda r: r if isinstance(r, list) else [r])(f(*values))]
        results += [variable.get_value().astype("float64").tolist() for variable, new in updates]
        print(json.dumps([names, results]))
"""

# name → what asks for it; two names: the second where the device has a library of it.
PROGRAMS = {
    "GpuFromHost": "tell([T.exp(x)], [x], [given])",
    "HostFromGpu": "tell([T.exp(v)])",
    "GpuElemwise": "tell([T.exp(v) * 2 + v])",
    "GpuCAReduce": "tell([A.sum(axis=0), A.max(axis=1), A.prod()])",
    "GpuDimShuffle": "tell([T.exp(A.dimshuffle(1, 'x', 0))])",
    "GpuAlloc": "tell([T.dot(T.alloc(v, 3, 4), B)])",
    "GpuGemv": "tell([T.dot(A, v) + w])",
    "GpuGemm": "tell([T.dot(A, B) + C])",
    "GpuDot22": "tell([T.dot(A, B)])",
    "GpuGer": "tell([], updates=[(A, A + T.outer(w, v))])",
    "GpuSubtensor": "tell([T.exp(A[1:4, ::-1])])",
    "GpuIncSubtensor": "tell([T.inc_subtensor(A[1:3], 2), T.set_subtensor(A[:, 1], w)])",
    "GpuAdvancedSubtensor1": "tell([A[rows] * 2])",
    "GpuAdvancedIncSubtensor1": "tell([T.inc_subtensor(A[rows], v)])",
    "GpuJoin": "tell([T.join(0, A, A * 2)])",
    "GpuSplit": "tell(T.split(T.exp(A), [2, 3], 2))",
    "GpuReshape": "tell([T.exp(A).reshape((2, 10)) * 2, A.T.reshape((10, 2))])",
    "GpuSoftmax": "tell([T.nnet.softmax(A)])",
    "GpuSoftmaxGrad": "tell([T.grad((T.nnet.softmax(A) ** 2).sum(), A)])",
    "GpuSoftmaxWithBias": "tell([T.nnet.softmax(A + v)])",
    "GpuLogSoftmax": "tell([T.nnet.logsoftmax(A)])",
    "GpuCrossentropySoftmaxArgmax1HotWithBias":
        "tell([T.nnet.categorical_crossentropy(T.nnet.softmax(A + v), T.cast(w * 4, 'int64')).mean()])",
    "GpuCrossentropySoftmax1HotWithBiasDx":
        "tell([T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(A + v), T.cast(w * 4, 'int64')).mean(), A)])",
    "GpuContiguous": "tell([gpu_contiguous(A.T)])",
    "GpuCorrMM or GpuDnnConv": "tell([T.nnet.conv2d(t, k)])",
    "GpuCorrMM_gradWeights or GpuDnnConvGradW": "tell([T.grad((T.nnet.conv2d(t, k) ** 2).sum(), k)])",
    "GpuCorrMM_gradInputs or GpuDnnConvGradI": "tell([T.grad((T.nnet.conv2d(t, k) ** 2).sum(), t)])",
    "GpuPool": "tell([pool_2d(t, (2, 2), ignore_border=True)])",
    "GpuMaxPoolGrad": "tell([T.grad((pool_2d(t, (2, 2), ignore_border=True) ** 2).sum(), t)])",
    "GpuArgmax": "tell([T.argmax(A, axis=1)])",
    "GpuBatchedDot": "tell([T.batched_dot(t[:, 0], t[:, 1])])",
    "Scan": "tell([theano.scan(lambda s: T.tanh(s * v), outputs_info=[v], n_steps=5)[0]])",
}
HALVES = {
    "GpuDot": "tell([T.dot(h, g), T.dot(h, g[:, 0]) * s + h[:, 0]], updates=[(h, h + T.outer(h[:, 0], h[0]))])",
    "GpuSoftmax": "tell([T.nnet.softmax(h)])",
    "GpuCrossentropySoftmax1HotWithBiasDx":
        "tell([T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(h + h[0]), T.cast(w * 4, 'int64')).mean(), h)])",
    "GpuAdvancedIncSubtensor1": "tell([T.inc_subtensor(h[rows], h[0]), T.set_subtensor(h[rows], 2)])",
    "GpuCAReduce": "tell([h.sum(axis=0), h.max()])",
    "GpuJoin": "tell([T.join(0, h, h * 2)])",
}
HALF_PROLOGUE = PROLOGUE + """
    def half(*shape):
        return theano.shared((rng.rand(*shape)).astype("float16"))
    h, g, s = half(5, 4), half(4, 3), numpy.float16(2)
"""
# What computes sizes, and the parts of results that the host hands on.
OF_THE_HOST = {"HostFromGpu", "GpuFromHost", "Shape_i", "MakeVector", "ScalarFromTensor", "TensorFromScalar", "Elemwise", "Shape", "Scan", "DeepCopyOp"}


@pytest.fixture(scope="module")
def told():
    return {}


def told_by(printed, told, device, prologue, programs):
    """One process for all of them, on the device and on the CPU."""
    for name, flags in ((device, None), ("cpu", "floatX=float32")):
        if (name, prologue) not in told:
            code = prologue + "".join("    %s\n" % program for program in programs.values())
            told[name, prologue] = [eval(line.replace("NaN", "numpy.nan")) for line in printed(code, flags)]
    return told[device, prologue], told["cpu", prologue]


def check(name, there, here, rtol, atol):
    names, results = there
    assert set(names) & set(name.split(" or ")), names
    others = [one for one in names if not one.startswith("Gpu") and one not in OF_THE_HOST]
    assert not others, names
    assert len(results) == len(here[1])
    for one, other in zip(results, here[1]):
        numpy.testing.assert_allclose(one, other, rtol=rtol, atol=atol)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_name_is_in_the_graph_and_its_values_are_right(printed, device, told, name):
    there, here = told_by(printed, told, device, PROLOGUE, PROGRAMS)
    place = list(PROGRAMS).index(name)
    check(name, there[place], here[place], 2e-5, 2e-6)


@pytest.mark.parametrize("name", HALVES)
def test_float16_is_stored_there_and_computed_in_more_digits(printed, device, told, name):
    there, here = told_by(printed, told, device, HALF_PROLOGUE, HALVES)
    place = list(HALVES).index(name)
    check(name, there[place], here[place], 2e-3, 1e-3)
