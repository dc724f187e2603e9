"""Convolution and pooling, against loops in NumPy."""
import itertools

import numpy
import pytest
import theano
import theano.tensor as T
import theano.tensor.signal.pool
from items import item, run, same

RNG = numpy.random.RandomState(8)
X, W = RNG.uniform(-1, 1, (2, 3, 7, 6)), RNG.uniform(-1, 1, (4, 3, 3, 2))
x, w = T.dtensor4("x"), T.dtensor4("w")
abstract = T.nnet.abstract_conv


def correlated(images, filters, step=(1, 1)):
    """Each filter laid at each place, not turned."""
    out = [(n - k) // s + 1 for n, k, s in zip(images.shape[2:], filters.shape[2:], step)]
    found = numpy.zeros((len(images), len(filters), *out))
    for place in itertools.product(*map(range, out)):
        part = images[(slice(None), slice(None), *(slice(p * s, p * s + k) for p, s, k in zip(place, step, filters.shape[2:])))]
        found[(slice(None), slice(None), *place)] = numpy.tensordot(part, filters, [list(range(1, part.ndim))] * 2)
    return found


def turned(filters):
    return filters[(slice(None), slice(None)) + (slice(None, None, -1),) * (filters.ndim - 2)]


def padded(images, *sides):
    return numpy.pad(images, ((0, 0), (0, 0)) + tuple((p, p) for p in sides))


def wide(filters, dilation):
    found = numpy.zeros(filters.shape[:2] + tuple((k - 1) * d + 1 for k, d in zip(filters.shape[2:], dilation)))
    found[:, :, ::dilation[0], ::dilation[1]] = filters
    return found


def conv(**keywords):
    return run([x, w], T.nnet.conv2d(x, w, **keywords), X, W)


@item(119, "T.nnet.conv2d")
def test_conv2d():
    """Images (batch, channels, rows, columns) with filters (filters, channels, rows, columns), turned: true convolution."""
    same(conv(), correlated(X, turned(W)))
    T.verify_grad(lambda a, b: T.nnet.conv2d(a, b), [X, W], rng=RNG)


@item(199, "T.nnet.conv2d(border_mode=)")
def test_conv2d_border_mode():
    """'valid', 'full', 'half', a number or a pair: zeros around."""
    for mode, sides in (("full", (2, 1)), ("half", (1, 1)), (2, (2, 2)), ((0, 1), (0, 1))):
        same(conv(border_mode=mode), correlated(padded(X, *sides), turned(W)))
    with pytest.raises(ValueError, match="border_mode"):
        conv(border_mode="same")


@item(200, "T.nnet.conv2d(subsample=)")
def test_conv2d_subsample():
    """Only every so many places."""
    same(conv(subsample=(2, 3)), correlated(X, turned(W), (2, 3)))


@item(143, "T.nnet.conv2d(filter_shape=)")
def test_conv2d_filter_shape():
    """A hint, with None for what is not known."""
    same(conv(filter_shape=(4, 3, None, 2)), correlated(X, turned(W)))


@item(153, "T.nnet.conv2d(input_shape=)")
def test_conv2d_input_shape():
    """A hint, as filter_shape."""
    same(conv(input_shape=(None, 3, 7, 6)), correlated(X, turned(W)))


@item(296, "T.nnet.conv2d(image_shape=)")
def test_conv2d_image_shape():
    """input_shape under its older name."""
    same(conv(image_shape=(2, 3, 7, 6)), correlated(X, turned(W)))


@item(175, "T.nnet.conv2d(filters=)")
def test_conv2d_filters():
    """By keyword; channels that do not fit are an error."""
    same(run([x, w], T.nnet.conv2d(x, filters=w), X, W), correlated(X, turned(W)))
    with pytest.raises(ValueError):
        run([x, w], T.nnet.conv2d(x, filters=w), X, W[:, :2])


@item(176, "T.nnet.conv2d(input=)")
def test_conv2d_input():
    """By keyword."""
    same(run([x, w], T.nnet.conv2d(input=x, filters=w), X, W), correlated(X, turned(W)))


@item(294, "T.nnet.conv2d(filter_dilation=)")
def test_conv2d_filter_dilation():
    """Filters with holes."""
    same(conv(filter_dilation=(2, 3)), correlated(X, turned(wide(W, (2, 3)))))


@item(295, "T.nnet.conv2d(filter_flip=)")
def test_conv2d_filter_flip():
    """False does not turn the filters: correlation."""
    same(conv(filter_flip=False), correlated(X, W))


@item(297, "T.nnet.conv2d(num_groups=)")
def test_conv2d_num_groups():
    """Each group of filters sees its own channels."""
    images, filters = RNG.uniform(-1, 1, (2, 4, 5, 5)), RNG.uniform(-1, 1, (6, 2, 3, 3))
    wanted = numpy.concatenate([correlated(images[:, :2], turned(filters[:3])), correlated(images[:, 2:], turned(filters[3:]))], 1)
    same(run([x, w], T.nnet.conv2d(x, w, num_groups=2), images, filters), wanted)


@item(298, "T.nnet.conv3d")
def test_conv3d():
    """The same with three axes of places."""
    images, filters = RNG.uniform(-1, 1, (2, 2, 4, 5, 6)), RNG.uniform(-1, 1, (3, 2, 2, 3, 2))
    a, b = (T.TensorType("float64", (False,) * 5)() for _ in range(2))
    same(run([a, b], T.nnet.conv3d(a, b), images, filters), correlated(images, turned(filters), (1, 1, 1)))


@item(270, "T.nnet.abstract_conv")
def test_abstract_conv():
    """The module of the convolution ops and their gradients."""
    import theano.tensor.nnet.abstract_conv as module
    assert module is abstract and isinstance(T.nnet.conv2d(x, w).owner.op, abstract.AbstractConv2d)


def wrt_inputs(shape=(7, 6), **settings):
    """The gradient by the op's class, and by T.grad of the same convolution."""
    g = T.dtensor4("g")
    forward = {name: value for name, value in settings.items() if name not in ("imshp", "kshp")}
    y = T.nnet.conv2d(x, w, **forward)
    G = RNG.uniform(-1, 1, run([x, w], y.shape, X, W))
    op, slope = abstract.AbstractConv2d_gradInputs(**settings), T.grad(None, x, known_grads={y: g})
    same(run([w, g], op(w, g, T.constant(numpy.array(shape))), W, G), run([x, w, g], slope, X, W, G))
    same(run([x, w, g], op(w, g, [x.shape[2], shape[1]]), X, W, G), run([x, w, g], slope, X, W, G))


def wrt_weights(shape=(3, 2), **settings):
    g = T.dtensor4("g")
    forward = {name: value for name, value in settings.items() if name not in ("imshp", "kshp")}
    y = T.nnet.conv2d(x, w, **forward)
    G = RNG.uniform(-1, 1, run([x, w], y.shape, X, W))
    op, slope = abstract.AbstractConv2d_gradWeights(**settings), T.grad(None, w, known_grads={y: g})
    same(run([x, g], op(x, g, T.constant(numpy.array(shape))), X, G), run([x, w, g], slope, X, W, G))
    same(run([x, w, g], op(x, g, (shape[0], w.shape[3])), X, W, G), run([x, w, g], slope, X, W, G))


@item(271, "T.nnet.abstract_conv.AbstractConv2d_gradInputs")
def test_grad_inputs():
    """The op that a transposed convolution is: filters, gradient, and the size of the images."""
    wrt_inputs()


@item(272, "T.nnet.abstract_conv.AbstractConv2d_gradInputs(border_mode=)")
def test_grad_inputs_border_mode():
    """As in conv2d."""
    for mode in ("full", "half", (1, 2)):
        wrt_inputs(border_mode=mode)


@item(273, "T.nnet.abstract_conv.AbstractConv2d_gradInputs(filter_flip=)")
def test_grad_inputs_filter_flip():
    """As in conv2d."""
    wrt_inputs(filter_flip=False)


@item(274, "T.nnet.abstract_conv.AbstractConv2d_gradInputs(imshp=)")
def test_grad_inputs_imshp():
    """A hint, with None for what is not known."""
    wrt_inputs(imshp=(None, 3, 7, 6))


@item(275, "T.nnet.abstract_conv.AbstractConv2d_gradInputs(kshp=)")
def test_grad_inputs_kshp():
    """A hint, with None for what is not known."""
    wrt_inputs(kshp=(4, 3, None, None))


@item(276, "T.nnet.abstract_conv.AbstractConv2d_gradInputs(subsample=)")
def test_grad_inputs_subsample():
    """As in conv2d: an image larger than the gradient by so much."""
    wrt_inputs(subsample=(2, 2))


@item(277, "T.nnet.abstract_conv.AbstractConv2d_gradWeights")
def test_grad_weights():
    """The op of the gradient of filters: images, gradient, and the size of the filters."""
    wrt_weights()


@item(278, "T.nnet.abstract_conv.AbstractConv2d_gradWeights(border_mode=)")
def test_grad_weights_border_mode():
    """As in conv2d."""
    for mode in ("full", "half", (1, 2)):
        wrt_weights(border_mode=mode)


@item(279, "T.nnet.abstract_conv.AbstractConv2d_gradWeights(filter_flip=)")
def test_grad_weights_filter_flip():
    """As in conv2d."""
    wrt_weights(filter_flip=False)


@item(280, "T.nnet.abstract_conv.AbstractConv2d_gradWeights(imshp=)")
def test_grad_weights_imshp():
    """A hint."""
    wrt_weights(imshp=(2, 3, None, None))


@item(281, "T.nnet.abstract_conv.AbstractConv2d_gradWeights(kshp=)")
def test_grad_weights_kshp():
    """A hint."""
    wrt_weights(kshp=(4, 3, 3, 2))


@item(282, "T.nnet.abstract_conv.AbstractConv2d_gradWeights(subsample=)")
def test_grad_weights_subsample():
    """As in conv2d."""
    wrt_weights(subsample=(2, 2))


def wrt_volumes(**settings):
    images, filters = RNG.uniform(-1, 1, (2, 2, 5, 5, 6)), RNG.uniform(-1, 1, (3, 2, 2, 3, 2))
    a, b, g = (T.TensorType("float64", (False,) * 5)() for _ in range(3))
    forward = {name: value for name, value in settings.items() if name not in ("imshp", "kshp")}
    y = T.nnet.conv3d(a, b, **forward)
    G = RNG.uniform(-1, 1, run([a, b], y.shape, images, filters))
    for sizes in (T.constant(numpy.array(images.shape[2:])), list(images.shape[2:])):
        by_class = abstract.AbstractConv3d_gradInputs(**settings)(b, g, sizes)
        same(run([b, g], by_class, filters, G), run([a, b, g], T.grad(None, a, known_grads={y: g}), images, filters, G))


@item(283, "T.nnet.abstract_conv.AbstractConv3d_gradInputs")
def test_grad_volumes():
    """The same with three axes of places."""
    wrt_volumes()


@item(284, "T.nnet.abstract_conv.AbstractConv3d_gradInputs(border_mode=)")
def test_grad_volumes_border_mode():
    """As in conv3d."""
    for mode in ("full", "half", (1, 0, 2)):
        wrt_volumes(border_mode=mode)


@item(285, "T.nnet.abstract_conv.AbstractConv3d_gradInputs(filter_flip=)")
def test_grad_volumes_filter_flip():
    """As in conv3d."""
    wrt_volumes(filter_flip=False)


@item(286, "T.nnet.abstract_conv.AbstractConv3d_gradInputs(imshp=)")
def test_grad_volumes_imshp():
    """A hint."""
    wrt_volumes(imshp=(None, 2, 5, 5, 6))


@item(287, "T.nnet.abstract_conv.AbstractConv3d_gradInputs(kshp=)")
def test_grad_volumes_kshp():
    """A hint."""
    wrt_volumes(kshp=(3, 2, 2, 3, 2))


@item(288, "T.nnet.abstract_conv.AbstractConv3d_gradInputs(subsample=)")
def test_grad_volumes_subsample():
    """As in conv3d."""
    wrt_volumes(subsample=(1, 2, 2))


def upward(shape=(2, 3, 7, 6), filter_shape=None, **settings):
    g = T.dtensor4("g")
    y = T.nnet.conv2d(x, w, **settings)
    G = RNG.uniform(-1, 1, run([x, w], y.shape, X, W))
    back = abstract.conv2d_grad_wrt_inputs(g, w, input_shape=shape, filter_shape=filter_shape, **settings)
    same(run([w, g], back, W, G), run([x, w, g], T.grad(None, x, known_grads={y: g}), X, W, G))


@item(289, "T.nnet.abstract_conv.conv2d_grad_wrt_inputs")
def test_wrt_inputs():
    """The gradient with respect to the images, as a function."""
    upward()


@item(290, "T.nnet.abstract_conv.conv2d_grad_wrt_inputs(border_mode=)")
def test_wrt_inputs_border_mode():
    """As in conv2d."""
    upward(border_mode="half")


@item(291, "T.nnet.abstract_conv.conv2d_grad_wrt_inputs(filter_shape=)")
def test_wrt_inputs_filter_shape():
    """A hint."""
    upward(filter_shape=(4, 3, 3, 2))


@item(292, "T.nnet.abstract_conv.conv2d_grad_wrt_inputs(input_shape=)")
def test_wrt_inputs_input_shape():
    """The size of the result: numbers, or what comes from the graph."""
    upward((None, None, 7, 6))
    upward((2, 3, T.constant(7), T.constant(6)))


@item(293, "T.nnet.abstract_conv.conv2d_grad_wrt_inputs(subsample=)")
def test_wrt_inputs_subsample():
    """As in conv2d: transposed convolution with a stride."""
    upward(subsample=(2, 2))


D, P = RNG.uniform(-1, 1, (6, 1, 3, 3)), RNG.uniform(-1, 1, (2, 6, 1, 1))


def separable(channels=3, deep=D, point=P, given=X, **keywords):
    d, p = T.dtensor4("d"), T.dtensor4("p")
    return run([x, d, p], T.nnet.separable_conv2d(x, d, p, channels, **keywords), given, deep, point)


def apart(images, deep=D, step=(1, 1)):
    each = len(deep) // images.shape[1]
    parts = [correlated(images[:, k:k + 1], turned(deep[k * each:(k + 1) * each]), step) for k in range(images.shape[1])]
    return correlated(numpy.concatenate(parts, 1), P)


@item(302, "T.nnet.separable_conv2d")
def test_separable():
    """Each channel by filters of its own, then all together place by place."""
    same(separable(), apart(X))


@item(303, "T.nnet.separable_conv2d(border_mode=)")
def test_separable_border_mode():
    """As in conv2d."""
    same(separable(border_mode="half"), apart(padded(X, 1, 1)))


@item(304, "T.nnet.separable_conv2d(depthwise_filter_shape=)")
def test_separable_depthwise_shape():
    """A hint."""
    same(separable(depthwise_filter_shape=(6, 1, 3, 3)), apart(X))


@item(305, "T.nnet.separable_conv2d(filter_dilation=)")
def test_separable_dilation():
    """Filters with holes."""
    same(separable(filter_dilation=(2, 2)), apart(X, wide(D, (2, 2))))


@item(306, "T.nnet.separable_conv2d(input_shape=)")
def test_separable_input_shape():
    """A hint."""
    same(separable(input_shape=(2, 3, 7, 6)), apart(X))


@item(307, "T.nnet.separable_conv2d(num_channels=)")
def test_separable_channels():
    """How many channels the images have."""
    same(separable(channels=2, given=X[:, :2]), apart(X[:, :2]))


@item(308, "T.nnet.separable_conv2d(pointwise_filter_shape=)")
def test_separable_pointwise_shape():
    """A hint."""
    same(separable(pointwise_filter_shape=(2, 6, 1, 1)), apart(X))


@item(309, "T.nnet.separable_conv2d(subsample=)")
def test_separable_subsample():
    """Only every so many places."""
    same(separable(subsample=(2, 2)), apart(X, step=(2, 2)))


def pooled(images, size, rule, step=None):
    """Whole windows, and where step says nothing, side by side."""
    step = step or size
    out = [(n - k) // s + 1 for n, k, s in zip(images.shape[-len(size):], size, step)]
    found = numpy.zeros(images.shape[:-len(size)] + tuple(out))
    for place in itertools.product(*map(range, out)):
        part = images[(Ellipsis, *(slice(p * s, p * s + k) for p, s, k in zip(place, step, size)))]
        found[(Ellipsis, *place)] = rule(part, tuple(range(-len(size), 0)))
    return found


@item(313, "T.signal.pool")
def test_pool_module():
    """Under theano.tensor.signal, once that is imported; downsample is its older name."""
    from theano.tensor.signal import downsample, pool
    assert T.signal.pool is pool
    same(run([x], downsample.max_pool_2d(x, (2, 2), ignore_border=True), X), pooled(X, (2, 2), numpy.max))


@item(156, "T.signal.pool.pool_2d")
def test_pool_2d():
    """Windows over the last two axes: max, sum, or an average; stride and pad; ds and st are older names."""
    pool_2d = T.signal.pool.pool_2d
    for mode, rule in (("max", numpy.max), ("sum", numpy.sum), ("average_inc_pad", numpy.mean), ("average_exc_pad", numpy.mean)):
        same(run([x], pool_2d(x, ws=(2, 3), ignore_border=True, mode=mode), X), pooled(X, (2, 3), rule))
    same(run([x], pool_2d(x, ws=(3, 3), stride=(2, 1), ignore_border=True), X), pooled(X, (3, 3), numpy.max, (2, 1)))
    same(run([x], pool_2d(x, ds=(2, 2), st=(1, 1), ignore_border=True), X), pooled(X, (2, 2), numpy.max, (1, 1)))
    same(run([x], pool_2d(x, ws=(2, 2), pad=(1, 1), ignore_border=True, mode="sum"), X), pooled(padded(X, 1, 1), (2, 2), numpy.sum))


@item(178, "T.signal.pool.pool_2d(ignore_border=)")
def test_pool_2d_ignore_border():
    """False keeps windows that are cut off at the border."""
    found = run([x], T.signal.pool.pool_2d(x, ws=(2, 2), ignore_border=False), X)
    same(found, pooled(numpy.pad(X, ((0, 0), (0, 0), (0, 1), (0, 0)), constant_values=-9), (2, 2), numpy.max))


@item(179, "T.signal.pool.pool_2d(input=)")
def test_pool_2d_input():
    """By keyword."""
    same(run([x], T.signal.pool.pool_2d(input=x, ws=(2, 2), ignore_border=True), X), pooled(X, (2, 2), numpy.max))


@item(314, "T.signal.pool.pool_3d")
def test_pool_3d():
    """Windows over the last three axes."""
    t = T.TensorType("float64", (False,) * 5)()
    images = RNG.uniform(-1, 1, (1, 2, 4, 4, 6))
    same(run([t], T.signal.pool.pool_3d(t, ws=(2, 2, 3), ignore_border=True), images), pooled(images, (2, 2, 3), numpy.max))
