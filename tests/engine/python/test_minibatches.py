"""Training on slices of shared data, as most scripts write it: their sizes stay simple, and known rewrites see through them."""
import numpy
import pytest
import theano
import theano.tensor as T

ROWS, FEATURES, CLASSES, BATCH = 50, 7, 4, 12


def data():
    random = numpy.random.RandomState(5)
    return random.randn(ROWS, FEATURES), random.randint(CLASSES, size=ROWS), random.randn(FEATURES, CLASSES)


def loss_of(x, y, w):
    p = T.nnet.softmax(T.dot(x, w))
    return -T.mean(T.log(p)[T.arange(y.shape[0]), y])


def numpy_step(x, y, w, rate):
    z = x.dot(w)
    z -= z.max(axis=1, keepdims=True)
    p = numpy.exp(z) / numpy.exp(z).sum(axis=1, keepdims=True)
    places = numpy.arange(len(y))
    loss = -numpy.log(p[places, y]).mean()
    p[places, y] -= 1
    return loss, w - rate * x.T.dot(p) / len(y)


def names(f):
    return [str(node.op) for node in f.maker.fgraph.toposort()]


def by_slices(x, y, w, i):
    return loss_of(x[i * BATCH:(i + 1) * BATCH], y[i * BATCH:(i + 1) * BATCH], w), {}


def by_givens(x, y, w, i):
    batch, labels = T.dmatrix("batch"), T.lvector("labels")
    return loss_of(batch, labels, w), {batch: x[i * BATCH:(i + 1) * BATCH], labels: y[i * BATCH:(i + 1) * BATCH]}


def by_length(x, y, w, i):
    rows = T.minimum(BATCH, x.shape[0] - i * BATCH)
    return loss_of(x[i * BATCH:][:rows], y[i * BATCH:][:rows], w), {}


@pytest.mark.parametrize("write", [by_slices, by_givens, by_length])
def test_the_cross_entropy_is_one_op(write):
    x, y, w = data()
    shared = [theano.shared(value) for value in (x, y, w)]
    i = T.lscalar("i")
    loss, givens = write(*shared, i)
    step = theano.function([i], loss, updates=[(shared[2], shared[2] - 0.5 * T.grad(loss, shared[2]))], givens=givens)
    for _ in range(2):
        for at in range((ROWS + BATCH - 1) // BATCH):  # the last one is shorter
            rows = slice(at * BATCH, (at + 1) * BATCH)
            wanted, w = numpy_step(x[rows], y[rows], w, 0.5)
            numpy.testing.assert_allclose(step(at), wanted, rtol=1e-12)
            numpy.testing.assert_allclose(shared[2].get_value(), w, rtol=1e-12)
    if write is not by_length:
        assert sum("CrossentropySoftmaxArgmax1HotWithBias" in name for name in names(step)) == 1
        assert sum("CrossentropySoftmax1HotWithBiasDx" in name for name in names(step)) == 1
        assert not any("Advanced" in name or "ARange" in name for name in names(step))


def test_labels_that_are_cast_are_seen_through():
    x, y, w = data()
    bias = numpy.random.RandomState(6).randn(CLASSES)
    samples, labels = theano.shared(x), T.cast(theano.shared(y.astype("float64")), "int32")
    i, batch, classes = T.lscalar("i"), T.dmatrix("batch"), T.ivector("classes")
    shared = theano.shared(w)
    p = T.nnet.softmax(T.dot(batch, shared) + theano.shared(bias))
    loss = -T.mean(T.log(p)[T.arange(classes.shape[0]), classes])
    wrong = T.mean(T.neq(T.argmax(p, axis=1), classes))
    rows = slice(i * BATCH, (i + 1) * BATCH)
    f = theano.function([i], [loss, wrong, T.grad(loss, shared)], givens={batch: samples[rows], classes: labels[rows]})
    ops = names(f)
    assert sum("CrossentropySoftmaxArgmax1HotWithBias" in name for name in ops) == 1, ops
    assert not any(name.startswith(("Advanced", "Softmax", "LogSoftmax", "Argmax", "ARange")) for name in ops), ops
    z = x[BATCH:2 * BATCH].dot(w) + bias
    own = numpy.exp(z) / numpy.exp(z).sum(axis=1, keepdims=True)
    numpy.testing.assert_allclose(f(1)[0], -numpy.log(own[numpy.arange(BATCH), y[BATCH:2 * BATCH]]).mean())
    assert f(1)[1] == (z.argmax(axis=1) != y[BATCH:2 * BATCH]).mean()


def test_sizes_of_slices_are_not_written_out():
    x = theano.shared(numpy.zeros((10, 3)))
    i = T.lscalar("i")
    batch = x[i:i + 4]
    f = theano.function([i], (batch * 2).shape[0])
    assert not any("Switch" in name or "minimum" in name for name in names(f))
    for at, wanted in ((0, 4), (8, 2), (10, 0), (50, 0), (-3, 0), (-4, 0), (-14, 0), (-7, 4)):
        assert f(at) == wanted == len(numpy.zeros((10, 3))[at:at + 4]), at


def test_a_size_does_not_keep_what_it_was_computed_from():
    x = T.dmatrix("x")
    i = T.lscalar("i")
    f = theano.function([x, i], T.exp(x)[i:i + 4].shape[0])
    assert not any("exp" in name for name in names(f))
    assert f(numpy.zeros((6, 2)), 4) == 2


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "int64"])
def test_a_bound_wraps_where_its_dtype_does(dtype):
    x = T.dvector("x")
    i = T.lscalar("i")
    f = theano.function([x, i], T.exp(x[:T.cast(i, dtype)]) * 2, mode=theano.Mode(linker="cvm", optimizer="fast_run"))
    for value in (3, 260, 65540, -2):
        wanted = numpy.zeros(300)[:numpy.array(value).astype(dtype)]
        assert f(numpy.zeros(300), value).shape == wanted.shape
