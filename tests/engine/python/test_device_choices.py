"""What hands an array on, as it is or not at all: choices, checks, prints and views with a gradient of their own work where the array lies.
Numbers that follow from sizes are given to kernels, not sent."""
import numpy
import pytest

from test_device import device, printed, python  # noqa: F401

START = """
    import numpy, theano, theano.tensor as T
    from theano.ifelse import IfElse, ifelse
    rng = numpy.random.RandomState(4)
    def weights(*shape):
        return theano.shared((rng.randn(*shape) * 0.2).astype("float32"))
    def numbers(*shape):
        return rng.randn(*shape).astype("float32")
    def names(f):
        return [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    def transfers(f):
        return [names(f).count(name) for name in ("GpuFromHost", "HostFromGpu")]
    def on_host(f):
        return [node for node in f.maker.fgraph.toposort()
                if any(v.ndim and not all(v.broadcastable) and "Gpu" not in str(v.type) for v in node.inputs + node.outputs)
                and type(node.op).__name__ not in ("GpuFromHost", "HostFromGpu", "Shape_i", "MakeVector")]
"""


@pytest.fixture
def both(printed, device):
    """The lines of a script there and here, which are the same but for rounding where they are numbers."""
    def run(code):
        code = START + code
        there, here = printed(code), printed(code, "floatX=float32,device=cpu")
        return there, here
    return run


def as_numbers(lines):
    return [float(word) for line in lines for word in line.strip("[]").split(", ")]


def test_a_network_that_trains_or_predicts_by_a_flag_stays_there(both):
    there, here = both("""
    x, y, training = T.matrix(), T.matrix(), T.scalar(dtype="uint8")
    w, v = weights(6, 5), weights(5, 3)
    h = T.nnet.relu(T.dot(x, w))
    h = ifelse(training, h * theano.shared(numbers(5)), h)
    p = T.nnet.softmax(T.dot(h, v))
    cost = T.nnet.categorical_crossentropy(p, y).mean()
    f = theano.function([x, y, training], cost, updates=[(p, p - 0.5 * g) for p, g in zip((w, v), T.grad(cost, [w, v]))])
    print(transfers(f), len(on_host(f)))
    print([str(node.op) for node in f.maker.fgraph.toposort() if isinstance(node.op, IfElse)])
    given, wanted = numbers(7, 6), numpy.eye(3, dtype="float32")[numpy.arange(7) % 3]
    print([float(f(given, wanted, phase)) for phase in (1, 0, 1, 1, 0)])
    print(w.get_value().ravel().tolist())
    """)
    assert there[0] == "[2, 1] 0"
    choices = eval(there[1])
    assert choices and all(name in ("if{gpu}", "if{inplace,gpu}") for name in choices), choices
    numpy.testing.assert_allclose(as_numbers(there[2:]), as_numbers(here[2:]), rtol=1e-5, atol=1e-6)


def test_choices_of_any_sizes_layouts_and_types(both):
    there, here = both("""
    x, flag, i = T.matrix(), T.scalar(), T.lscalar()
    w, k = weights(4, 3), theano.shared(numpy.arange(12).reshape(4, 3))
    f = theano.function([flag, x], ifelse(flag > 0, w * 2, x))
    g = theano.function([flag], [a + 1 for a in ifelse(flag > 0, [w.T, w.sum(), k * 2], [T.exp(w).reshape((3, 4)), w[0, 0] * 1, k[::-1]])])
    h = theano.function([flag], ifelse(flag > 0, T.exp(w)[:2], T.exp(w).T) + 1)
    u = theano.function([flag], updates=[(w, ifelse(flag > 0, w * 3, w))])
    deep = theano.function([flag, i], ifelse(flag > 0, ifelse(i > 0, w + 1, w + 2), ifelse(i > 0, w + 3, w[::-1])) * 2)
    for value in (1, -1, 0.5, -2):
        for a in [f(value, numbers(5, 2)), h(value), deep(value, 1), deep(value, 0)] + g(value):
            print(list(a.shape) if a.ndim else [0], a.ravel().astype("float64").tolist())
        u(value)
        print([0], w.get_value().ravel().tolist())
    """)
    assert len(there) == len(here)
    for line, wanted in zip(there, here):
        assert line.split("]")[0] == wanted.split("]")[0]
        numpy.testing.assert_allclose(as_numbers([line.split("] ")[1]]), as_numbers([wanted.split("] ")[1]]), rtol=1e-5, atol=1e-6)


def test_only_the_branch_that_is_chosen_is_sent(printed):
    assert printed(START + """
    from theano.compile.ops import as_op
    asked = []
    @as_op([T.fmatrix], [T.fmatrix], infer_shape=lambda node, shapes: shapes)
    def noted(a):
        asked.append(a.shape)
        return a
    x, flag = T.matrix(), T.scalar()
    w = weights(2, 3)
    f = theano.function([x, flag], T.exp(ifelse(flag > 0, w * 2, noted(x))))
    f(numbers(2, 3), 1)
    print(asked)
    f(numbers(2, 3), 0)
    print(asked)
    """) == ["[]", "[(2, 3)]"]


def test_views_with_a_gradient_of_their_own_stay_there(both):
    there, here = both("""
    from theano.gradient import disconnected_grad, grad_clip, grad_scale, zero_grad
    w, x = weights(4, 4), T.tensor3()
    y = grad_clip(w ** 3, -0.05, 0.05).sum() + (disconnected_grad(w) * w).sum() + grad_scale(w ** 2, 3).sum() + (zero_grad(w) * w).sum()
    f = theano.function([], [T.grad(y, w), y])
    def step(a, h):
        return T.tanh(grad_clip(T.dot(a, w) + h, -0.01, 0.01))
    h, _ = theano.scan(step, sequences=x, outputs_info=T.zeros((2, 4)))
    cost = h[-1].sum()
    g = theano.function([x], cost, updates=[(w, w - T.grad(cost, w))])
    print(transfers(f), len(on_host(f)), transfers(g), len(on_host(g)))
    print(numpy.asarray(f()[0]).ravel().tolist())
    print([float(g(numbers(5, 2, 4))) for step in range(3)])
    print(w.get_value().ravel().tolist())
    """)
    assert there[0] == "[0, 1] 0 [1, 1] 0"
    numpy.testing.assert_allclose(as_numbers(there[1:]), as_numbers(here[1:]), rtol=1e-5, atol=1e-6)


def test_what_is_asserted_is_asked_in_every_call(printed):
    lines = printed(START + """
    w, n = weights(3, 4), T.lscalar()
    check = T.opt.Assert("n is too big")
    f = theano.function([n], T.exp(check(T.exp(w) * 2, n < 3)) + 1)
    print(transfers(f), len(on_host(f)), names(f).count("Assert"))
    for value in (1, 1, 2, 5, 2, 7):
        try:
            print(abs(f(value) - numpy.exp(numpy.exp(w.get_value()) * 2) - 1).max() < 1e-4)
        except AssertionError as error:
            print(str(error).splitlines()[0])
    g = theano.function([], check(w, T.all(w > 5)) * 2)
    print(transfers(g))
    try:
        g()
    except AssertionError as error:
        print(str(error).splitlines()[0])
    """)
    assert lines == ["[0, 1] 0 1", "True", "True", "True", "n is too big", "True", "n is too big", "[0, 2]", "n is too big"]


def test_what_is_printed_is_printed_in_every_call(printed):
    lines = printed(START + """
    w = theano.shared(numpy.arange(6, dtype="float32").reshape(2, 3))
    f = theano.function([], theano.printing.Print("w", attrs=["__str__", "shape"])((w + 1).T) * 2, updates=[(w, w + 1)])
    print(transfers(f), len(on_host(f)))
    for call in range(3):
        print(f().ravel().tolist())
    """)
    assert lines[0] == "[0, 1] 0"
    text = "\n".join(lines[1:])
    for first in (1, 2, 3):
        assert "[%d." % first in text and str([2.0 * (first + k) for k in (0, 3, 1, 4, 2, 5)]) in text
    assert text.count("shape = ") == 3 and text.count("(3, 2)") == 3


def test_a_shared_array_is_updated_by_what_is_no_variable(printed):
    assert printed(START + """
    w, k = weights(2, 3), theano.shared(numpy.arange(3))
    constant = w.type.make_constant(numpy.full((2, 3), 5, "float32"))
    print(w.type == constant.type, numpy.asarray(constant.data).tolist())
    f = theano.function([], updates=[(w, numpy.full((2, 3), 7, "float32")), (k, numpy.array([4, 5, 6]))])
    f()
    print(w.get_value().tolist(), k.get_value().tolist())
    print(theano.function([], w + constant)().tolist())
    """) == ["True [[5.0, 5.0, 5.0], [5.0, 5.0, 5.0]]", "[[7.0, 7.0, 7.0], [7.0, 7.0, 7.0]] [4, 5, 6]",
             "[[12.0, 12.0, 12.0], [12.0, 12.0, 12.0]]"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_gradient_of_a_mean_is_given_as_a_number(both, dtype):
    there, here = both("""
    x, y = T.TensorType("DTYPE", (False, False))(), T.ivector()
    w, b = theano.shared(rng.randn(5, 3).astype("DTYPE")), theano.shared(numpy.zeros(3, "DTYPE"))
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, w) + b), y).mean()
    f = theano.function([x, y], cost, updates=[(p, p - T.cast(0.1, "DTYPE") * T.grad(cost, p)) for p in (w, b)])
    print(transfers(f))
    for rows in (4, 9, 4, 1):
        print(float(f(rng.randn(rows, 5).astype("DTYPE"), rng.randint(0, 3, rows).astype("int32"))))
    print(w.get_value().ravel().tolist())
    try:
        f(numpy.zeros((2, 5), "DTYPE"), numpy.array([1, 3], "int32"))
    except ValueError as error:
        print([0])
    """.replace("DTYPE", dtype))
    assert there[0] == "[2, 1]"
    exact = dict(rtol=1e-5, atol=1e-6) if dtype == "float32" else dict(rtol=1e-12, atol=1e-13)
    numpy.testing.assert_allclose(as_numbers(there[1:]), as_numbers(here[1:]), **exact)


def test_the_gradient_of_normalization_is_made_there(both):
    there, here = both("""
    x = T.tensor4()
    shape, pattern = (1, 3, 1, 1), (True, False, True, True)
    gamma, beta = (theano.shared(numpy.full(shape, start, "float32"), broadcastable=pattern) for start in (1, 0))
    y = T.nnet.bn.batch_normalization_train(x, gamma, beta, axes="spatial")[0]
    f = theano.function([x], T.grad((y ** 3).sum(), [gamma, beta, x]))
    print(transfers(f))
    for rows in (2, 5):
        for a in map(numpy.asarray, f(numbers(rows, 3, 4, 4))):
            print(a.ravel().tolist())
    """)
    assert there[0] == "[1, 1]"
    numpy.testing.assert_allclose(as_numbers(there[1:]), as_numbers(here[1:]), rtol=1e-3, atol=1e-3)


def test_one_hot_of_labels_that_are_given_is_made_there(both):
    there, here = both("""
    x, y = T.matrix(), T.ivector()
    w = weights(6, 4)
    p = T.nnet.softmax(T.dot(x, w))
    cost = ((p - T.extra_ops.to_one_hot(y, 4, dtype="float32")) ** 2).sum()
    f = theano.function([x, y], cost, updates=[(w, w - T.grad(cost, w))])
    print([node.op.__class__.__name__ for node in f.maker.fgraph.toposort() if "IncSubtensor" in type(node.op).__name__])
    for rows in (5, 2):
        print(float(f(numbers(rows, 6), rng.randint(0, 4, rows).astype("int32"))))
    print(w.get_value().ravel().tolist())
    """)
    assert there[0] == "['GpuAdvancedIncSubtensor']" and here[0] == "['AdvancedIncSubtensor']"
    numpy.testing.assert_allclose(as_numbers(there[1:]), as_numbers(here[1:]), rtol=1e-5, atol=1e-6)


def test_modes_that_go_apply_by_apply_watch_what_lies_there(both):
    there, here = both("""
    x, w = T.matrix(), weights(6, 3)
    product = T.dot(x, w)
    f = theano.function([x], T.tanh(product * 2 + 1).sum(), mode="NanGuardMode")  # one of its applies works in place
    print(float(f(numbers(2, 6))))
    g = theano.function([x], T.log(abs(product)), mode="NanGuardMode")
    try:
        g(numpy.zeros((2, 6), "float32"))
    except AssertionError as error:
        print("Inf detected" in str(error))
    """)
    assert there[-1] == here[-1] == "True"
    numpy.testing.assert_allclose(as_numbers(there[-2:-1]), as_numbers(here[-2:-1]), rtol=1e-5)
