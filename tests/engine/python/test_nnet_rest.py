"""Patches of images, products of chosen blocks, convolutions with filters of their own for each place, sequences without places (ctc)."""
import itertools

import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d, ctc, images2neibs, neibs2images, sparse_block_dot

random = numpy.random.RandomState(11)


def patches(x, shape, step, mode):
    r, c = shape
    if mode == "half":
        x = numpy.pad(x, ((0, 0), (0, 0), (r // 2,) * 2, (c // 2,) * 2))
    if mode == "full":
        x = numpy.pad(x, ((0, 0), (0, 0), (r - 1,) * 2, (c - 1,) * 2))
    rows, columns = x.shape[2:]
    if mode == "wrap_centered":
        return numpy.array([[image[(i + k - r // 2) % rows, (j + l - c // 2) % columns] for k in range(r) for l in range(c)]
                            for images in x for image in images for i in range(0, rows, step[0]) for j in range(0, columns, step[1])])
    return numpy.array([image[i:i + r, j:j + c].ravel() for images in x for image in images
                        for i in range(0, rows - r + 1, step[0]) for j in range(0, columns - c + 1, step[1])])


@pytest.mark.parametrize("mode, size, shape, step", [
    ("valid", (4, 6), (2, 3), (2, 3)), ("valid", (5, 6), (3, 2), (1, 2)), ("ignore_borders", (5, 7), (2, 3), (2, 3)), ("half", (5, 5), (3, 3), (2, 2)),
    ("full", (4, 4), (3, 3), (1, 1)), ("wrap_centered", (5, 4), (3, 3), (2, 1)), ("ignore_borders", (1, 1), (1, 1), (1, 1))])
def test_patches(mode, size, shape, step):
    x, value = T.dtensor4("x"), random.uniform(-1, 1, (2, 3) + size)
    f = theano.function([x], images2neibs(x, shape, step, mode=mode))
    for one in (value, value[::-1], numpy.asfortranarray(value)):
        numpy.testing.assert_array_equal(f(one), patches(one, shape, step, mode))
    T.verify_grad(lambda x: images2neibs(x, shape, step, mode=mode), [value[:1, :1]], rng=numpy.random.RandomState(1))


def test_patches_back():
    x, value = T.dtensor4("x"), random.uniform(-1, 1, (2, 3, 4, 6))
    back = neibs2images(images2neibs(x, (2, 3)), (2, 3), x.shape)
    numpy.testing.assert_array_equal(theano.function([x], back)(value), value)
    T.verify_grad(lambda m: neibs2images(m, (2, 3), (1, 2, 4, 6)), [random.uniform(-1, 1, (8, 6))], rng=numpy.random.RandomState(1))
    ragged = random.uniform(-1, 1, (1, 2, 5, 7))
    cut = neibs2images(images2neibs(x, (2, 3), mode="ignore_borders"), (2, 3), x.shape, mode="ignore_borders")
    wanted = ragged.copy()
    wanted[:, :, 4:], wanted[:, :, :, 6:] = 0, 0
    numpy.testing.assert_array_equal(theano.function([x], cut)(ragged), wanted)
    with pytest.raises(AssertionError, match="do not fill the image's rows"):
        theano.function([x], images2neibs(x, (2, 3)))(ragged)
    with pytest.raises(NotImplementedError, match="Only the mode"):
        images2neibs(x, (2, 3), mode="round")


def test_blocks():
    W, h, b = random.uniform(-1, 1, (4, 5, 3, 2)), random.uniform(-1, 1, (6, 2, 3)), random.uniform(-1, 1, (5, 2))
    ins, outs = random.randint(0, 4, (6, 2)), random.randint(0, 5, (6, 3))
    found = theano.function([], sparse_block_dot(W, h, ins, b, outs))()
    wanted = numpy.array([[b[o] + sum(h[n, i].dot(W[ins[n, i], o]) for i in range(2)) for o in outs[n]] for n in range(6)])
    numpy.testing.assert_allclose(found, wanted)
    T.verify_grad(lambda W, h, b: sparse_block_dot(W, h, ins, b, outs), [W, h, b], rng=numpy.random.RandomState(1))
    with pytest.raises(TypeError, match="must be integers"):
        sparse_block_dot(W, h, ins * 1.0, b, outs)


@pytest.mark.parametrize("options", [{}, dict(filter_flip=False), dict(subsample=(2, 1)), dict(border_mode="full"), dict(border_mode="half", filter_dilation=(1, 2)),
                                     dict(border_mode=(1, 2))], ids=str)
def test_filters_of_their_own_for_each_place(options):
    x, shared_filters = random.uniform(-1, 1, (2, 3, 6, 7)), random.uniform(-1, 1, (4, 3, 3, 2))
    wanted = conv2d(x, shared_filters, **options).eval()
    rows, columns = wanted.shape[2:]
    filters = numpy.broadcast_to(shared_filters[:, None, None], (4, rows, columns, 3, 3, 2)).copy()
    numpy.testing.assert_allclose(conv2d(x, filters, unshared=True, **options).eval(), wanted)
    scale = random.uniform(1, 2, (4, rows, columns))
    numpy.testing.assert_allclose(conv2d(x, filters * scale[:, :, :, None, None, None], unshared=True, **options).eval(), wanted * scale)
    T.verify_grad(lambda x, f: conv2d(x, f, unshared=True, **options), [x[:1], filters], rng=numpy.random.RandomState(1))


def test_old_names_of_convolutions():
    from theano.tensor.nnet.Conv3D import conv3D
    from theano.tensor.nnet.corr import CorrMM
    x, w = random.uniform(-1, 1, (2, 3, 6, 7)), random.uniform(-1, 1, (4, 3, 3, 2))
    numpy.testing.assert_allclose(CorrMM(subsample=(2, 1))(x, w).eval(), conv2d(x, w, subsample=(2, 1), filter_flip=False).eval())
    v, k, b = random.uniform(-1, 1, (1, 4, 5, 3, 2)), random.uniform(-1, 1, (3, 2, 2, 2, 2)), random.uniform(-1, 1, 3)
    wanted = sum(numpy.einsum("nrctz,fz->nrctf", v[:, i:i + 3, j:j + 4, t:t + 2], k[:, i, j, t]) for i, j, t in itertools.product((0, 1), repeat=3)) + b
    numpy.testing.assert_allclose(conv3D(v, k, b, (1, 1, 1)).eval(), wanted)


def likelihood(p, labels):
    """The sum over all sequences of classes that say the labels."""
    total = 0
    for path in itertools.product(range(p.shape[1]), repeat=len(p)):
        said = [c for i, c in enumerate(path) if c and (i == 0 or path[i - 1] != c)]
        if said == labels:
            total += numpy.prod([p[t, c] for t, c in enumerate(path)])
    return total


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ctc(dtype):
    activations = random.uniform(-2, 2, (5, 6, 3)).astype(dtype)
    labels = numpy.array([[1, 2, -1], [1, 1, -1], [2, -1, -1], [-1, -1, -1], [1, 2, 1], [2, 2, 2]], "int32")
    lengths = numpy.array([5, 4, 1, 3, 5, 4], "int32")
    a, l, n = T.TensorType(dtype, (False,) * 3)("a"), T.imatrix("l"), T.ivector("n")
    costs = ctc.ctc(a, l, n)
    weights = numpy.arange(1.0, 7).astype(dtype)
    f = theano.function([a, l, n], [costs, T.grad(T.sum((costs * weights)[:5]), a)])
    found, gradient = f(activations, labels, lengths)
    assert found.dtype == gradient.dtype == dtype
    softmax = numpy.exp(activations.astype("float64"))
    softmax /= softmax.sum(2, keepdims=True)
    for example in range(5):
        wanted = likelihood(softmax[:lengths[example], example], [label for label in labels[example] if label >= 0])
        numpy.testing.assert_allclose(found[example], -numpy.log(wanted), rtol=1e-5)
    assert found[5] == numpy.inf  # three times the same needs five steps
    for t, example, c in itertools.product(range(5), range(5), range(3)):
        step = numpy.zeros_like(activations, "float64")
        step[t, example, c] = 1e-3
        wide = theano.function([], ctc.ctc(activations + step, labels, lengths))()[example], theano.function([], ctc.ctc(activations - step, labels, lengths))()[example]
        numpy.testing.assert_allclose(gradient[t, example, c], weights[example] * (wide[0] - wide[1]) / 2e-3, rtol=1e-2, atol=1e-4)
    assert not gradient[4, 1].any() and not gradient[:, 5].any()


def test_what_ctc_refuses():
    a = numpy.zeros((4, 1, 3))
    with pytest.raises(IndexError, match="label 3 of example 0 is none of 1 to 2"):
        ctc.ctc(a, numpy.array([[3]]), numpy.array([4])).eval()
    with pytest.raises(ValueError, match="has length 5 of 4 steps"):
        ctc.ctc(a, numpy.array([[1]]), numpy.array([5])).eval()
    with pytest.raises(TypeError, match="labels are a matrix of integers"):
        ctc.ctc(a, numpy.array([1.0]), numpy.array([4]))


def test_local_response_normalization():
    """As scripts write it: squares of neighbouring channels."""
    x, value = T.dtensor4("x"), random.uniform(-1, 1, (2, 5, 3, 3))
    half = 2
    padded = T.alloc(0.0, x.shape[0], x.shape[1] + 2 * half, x.shape[2], x.shape[3])
    padded = T.set_subtensor(padded[:, half:half + x.shape[1]], T.sqr(x))
    scale = 2.0
    for i in range(5):
        scale += 1e-4 * padded[:, i:i + x.shape[1]]
    wide = numpy.pad(value ** 2, ((0, 0), (2, 2), (0, 0), (0, 0)))
    wanted = value / (2 + 1e-4 * sum(wide[:, i:i + 5] for i in range(5))) ** 0.75
    numpy.testing.assert_allclose(theano.function([x], x / scale ** 0.75)(value), wanted)
