"""Convolution of images and volumes: values against plain sums, shapes, gradients, classes, errors."""
import itertools

import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor.nnet import abstract_conv, conv2d, conv3d

RNG = numpy.random.RandomState(5)


def borders(mode, kernel, dilation):
    spread = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    if mode == "valid":
        return [(0, 0)] * len(kernel)
    if mode == "full":
        return [(s - 1, s - 1) for s in spread]
    if mode == "half":
        return [(s // 2, s // 2) for s in spread]
    mode = (mode,) * len(kernel) if isinstance(mode, int) else mode
    return [(one, one) if isinstance(one, int) else one for one in mode]


def reference(x, w, mode="valid", stride=None, dilation=None, flip=True, groups=1):
    axes = x.ndim - 2
    stride, dilation = stride or (1,) * axes, dilation or (1,) * axes
    kernel = w.shape[2:]
    if flip:
        w = w[(slice(None), slice(None)) + (slice(None, None, -1),) * axes]
    x = numpy.pad(x, [(0, 0), (0, 0)] + borders(mode, kernel, dilation))
    sizes = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(x.shape[2:], kernel, dilation, stride)]
    out = numpy.zeros((x.shape[0], w.shape[0]) + tuple(sizes), numpy.result_type(x, w))
    per = w.shape[0] // groups
    for group in range(groups):
        part = x[:, group * w.shape[1]:(group + 1) * w.shape[1]]
        for place in itertools.product(*map(range, kernel)):
            window = tuple(slice(p * d, p * d + (n - 1) * s + 1, s) for p, d, n, s in zip(place, dilation, sizes, stride))
            taps = w[(slice(group * per, (group + 1) * per), slice(None)) + place]
            out[:, group * per:(group + 1) * per] += numpy.einsum("nc...,fc->nf...", part[(slice(None), slice(None)) + window], taps)
    return out


CASES = [
    dict(), dict(flip=False), dict(mode="full"), dict(mode="half"), dict(mode=2), dict(mode=(1, 0)), dict(mode=((0, 2), (1, 0))),
    dict(stride=(2, 3)), dict(stride=(2, 1), mode="half"), dict(dilation=(2, 1)), dict(dilation=(1, 2), mode="full", flip=False),
    dict(groups=2), dict(groups=2, stride=(2, 2), mode="half", dilation=(2, 2)),
]


def theirs(case):
    return dict(border_mode=case.get("mode", "valid"), filter_flip=case.get("flip", True), num_groups=case.get("groups", 1),
                **{name: case[key] for name, key in (("subsample", "stride"), ("filter_dilation", "dilation")) if key in case})


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_gradients(case, mode):
    groups = case.get("groups", 1)
    x, w = RNG.randn(3, 2 * groups, 9, 8), RNG.randn(4, 2, 3, 2)
    expected = reference(x, w, **case)
    for known in (False, True):  # a kernel that is known to be thin is taken over the image itself
        xs, ws = T.tensor4("x"), theano.shared(w, "w") if known else T.tensor4("w")
        out = conv2d(xs, ws, **theirs(case))
        weights = RNG.randn(*expected.shape)
        cost = (out * weights).sum()
        f = theano.function([xs] + [ws] * (not known), [out, out.shape] + T.grad(cost, [xs, ws]), mode=mode)
        got, shape, dx, dw = f(x, *[w] * (not known))
        assert numpy.allclose(got, expected) and list(shape) == list(expected.shape)
        at = [numpy.zeros_like(x), numpy.zeros_like(w)]
        for one, place in ((0, (1, 1, 4, 3)), (0, (2, 0, 0, 7)), (1, (3, 1, 2, 0)), (1, (0, 0, 1, 1))):
            at[one][place] = 1
            moved = reference(*(at[0], w) if one == 0 else (x, at[1]), **case)  # it is linear in each
            assert numpy.allclose((dx, dw)[one][place], (moved * weights).sum())
            at[one][place] = 0


def test_methods_are_chosen():
    def ops(f):
        return [type(node.op).__name__ + str(node.op) for node in f.maker.fgraph.toposort()]
    x = T.ftensor4("x")
    thin, thick, narrow = [theano.shared(RNG.randn(filters, channels, 3, 3).astype("float32")) for filters, channels in ((4, 3), (32, 16), (4, 16))]
    assert any("DirectConv2d{valid, (1, 1), (1, 1), 1 False}" in op for op in ops(theano.function([x], conv2d(x, thin))))
    assert any("CorrMM{half, (1, 1), (1, 1), 1 False}" in op for op in ops(theano.function([x], conv2d(x, thick, border_mode="half"))))
    assert any("DirectConv2d{valid" in op for op in ops(theano.function([x], conv2d(x, narrow))))
    for w, direct in ((thin, True), (narrow, True), (thick, False), (theano.shared(thin.get_value()[:, :1]), True)):
        slope = ops(theano.function([x], T.grad(conv2d(x, w).sum(), x)))
        assert any(("DirectConv2d_gradInputs" if direct else "CorrMM_gradInputs") in op for op in slope), slope
    assert any("CorrMM{valid, (2, 2)" in op for op in ops(theano.function([x], conv2d(x, thin, subsample=(2, 2)))))
    assert not any("Abstract" in op for op in ops(theano.function([x], conv2d(x, thin), mode="FAST_COMPILE")))
    f = theano.function([x], conv2d(x, thin), mode=theano.compile.mode.get_default_mode().excluding("specialize_device"))
    assert any("AbstractConv2d{convdim=2, border_mode='valid', subsample=(1, 1), filter_flip=True" in op for op in ops(f))
    image = RNG.randn(2, 3, 7, 7).astype("float32")
    assert numpy.allclose(f(image), reference(image, thin.get_value()), atol=1e-5)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 64, 70, 130])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_every_length(width, dtype):
    x, out = T.TensorType(dtype, [False] * 4)("x"), []
    image = RNG.randn(2, 3, 2, width).astype(dtype)
    for filters in range(1, 15):
        w = RNG.randn(filters, 3, 1, 1).astype(dtype)
        out.append((conv2d(x, theano.shared(w)), reference(image, w)))
    for got, expected in zip(theano.function([x], [one for one, _ in out])(image), (two for _, two in out)):
        assert numpy.allclose(got, expected, atol=1e-5)


def test_many_images_give_the_same_bits_on_any_number_of_threads():
    x, w = T.ftensor4("x"), theano.shared(RNG.randn(20, 16, 5, 5).astype("float32"))
    cost = (conv2d(x, w) ** 2).sum()
    f = theano.function([x], T.grad(cost, [x, w]))
    image = RNG.randn(9, 16, 20, 20).astype("float32")
    before = theano.config.openmp
    first = f(image)
    for _ in range(3):
        assert all(numpy.array_equal(one, other) for one, other in zip(first, f(image)))
    assert theano.config.openmp == before


@pytest.mark.parametrize("case", [dict(), dict(mode="full", flip=False), dict(stride=(2, 1, 2), mode="half"), dict(dilation=(1, 2, 1))], ids=str)
def test_volumes(case):
    x, w = RNG.randn(2, 3, 5, 6, 7), RNG.randn(4, 3, 2, 2, 3)
    xs, ws = T.tensor5("x"), T.tensor5("w")
    out = conv3d(xs, ws, **theirs(case))
    f = theano.function([xs, ws], [out] + T.grad(out.sum(), [xs, ws]))
    got, dx, dw = f(x, w)
    assert numpy.allclose(got, reference(x, w, **case))
    one = numpy.zeros_like(w)
    one[1, 2, 1, 0, 2] = 1
    assert numpy.allclose(dw[1, 2, 1, 0, 2], reference(x, one, **case).sum())
    one = numpy.zeros_like(x)
    one[1, 0, 2, 3, 3] = 1
    assert numpy.allclose(dx[1, 0, 2, 3, 3], reference(one, w, **case).sum())


def test_second_gradients():
    x, w = RNG.randn(2, 2, 5, 5), RNG.randn(3, 2, 3, 3)
    for options in (dict(), dict(border_mode="half", subsample=(2, 2))):
        def cost(x, w):
            g = T.grad((conv2d(x, w, **options) ** 3).sum(), [x, w])
            return (g[0] ** 2).sum() + (g[1] ** 2).sum()
        theano.gradient.verify_grad(cost, [x, w], rng=numpy.random.RandomState(1), eps=1e-5, rel_tol=1e-3)
    xs, ws, dx, dw = T.tensor4s("x", "w", "dx", "dw")
    moved = T.Rop(conv2d(xs, ws), [xs, ws], [dx, dw])
    a, b = RNG.randn(*x.shape), RNG.randn(*w.shape)
    assert numpy.allclose(theano.function([xs, ws, dx, dw], moved)(x, w, a, b), reference(a, w) + reference(x, b))


def test_gradients_by_name_and_transposed():
    x, w = RNG.randn(2, 3, 8, 8), RNG.randn(4, 3, 3, 3)
    for options in (dict(), dict(subsample=(2, 2), border_mode="half")):
        out = reference(x, w, options.get("border_mode", "valid"), options.get("subsample"))
        g = RNG.randn(*out.shape)
        xs, ws, gs = T.tensor4s("x", "w", "g")
        by_grad = theano.function([xs, ws, gs], T.grad(None, [xs, ws], known_grads={conv2d(xs, ws, **options): gs}))(x, w, g)
        inputs = abstract_conv.conv2d_grad_wrt_inputs(gs, ws, x.shape, **options)
        weights = abstract_conv.conv2d_grad_wrt_weights(xs, gs, ws.shape, **options)
        by_name = theano.function([xs, ws, gs], [inputs, weights])(x, w, g)
        assert all(numpy.allclose(one, other) for one, other in zip(by_grad, by_name))
        transposed = T.nnet.conv2d_transpose(gs, ws, (2, 3, 8, 8), border_mode=options.get("border_mode", "valid"),
                                             input_dilation=options.get("subsample", (1, 1)))
        assert numpy.allclose(theano.function([gs, ws], transposed)(g, w), by_grad[0])


def test_old_names_and_classes():
    x, w = RNG.randn(2, 3, 7, 6), RNG.randn(4, 3, 3, 2)
    xs, ws = T.tensor4("x"), T.tensor4("w")
    from theano.tensor.nnet import conv
    from theano.tensor.signal import conv as signal
    made = [conv.conv2d(input=xs, filters=ws, filter_shape=(4, 3, 3, 2), image_shape=(2, 3, 7, 6)),
            abstract_conv.AbstractConv2d(border_mode="valid")(xs, ws)]
    for one in theano.function([xs, ws], made)(x, w):
        assert numpy.allclose(one, reference(x, w))
    a, b = T.matrix("a"), T.matrix("b")
    plain = theano.function([a, b], signal.conv2d(a, b, border_mode="full"))(x[0, 0], w[0, 0])
    assert numpy.allclose(plain, reference(x[:1, :1], w[:1, :1], "full")[0, 0])
    c = T.tensor3("c")
    assert numpy.allclose(theano.function([c, b], signal.conv2d(c, b))(x[0], w[0, 0]), reference(x[0][:, None], w[:1, :1])[:, 0])


def test_separable_causal_and_upsampled():
    x, deep, point = RNG.randn(2, 3, 6, 6), RNG.randn(6, 1, 3, 3), RNG.randn(4, 6, 1, 1)
    xs = T.tensor4("x")
    got = theano.function([xs], T.nnet.separable_conv2d(xs, deep, point, 3))(x)
    assert numpy.allclose(got, reference(reference(x, deep, groups=3), point))
    line, taps = RNG.randn(2, 3, 9), RNG.randn(4, 3, 3)
    c = T.tensor3("c")
    got = theano.function([c], T.nnet.causal_conv1d(c, taps, (4, 3, 3), filter_dilation=2))(line)
    assert got.shape == (2, 4, 9)
    later = line.copy()
    later[:, :, 5:] = 0
    assert numpy.allclose(theano.function([c], T.nnet.causal_conv1d(c, taps, (4, 3, 3), filter_dilation=2))(later)[:, :, :5], got[:, :, :5])
    flat = numpy.ones((1, 2, 4, 5))
    for ratio in (2, 3):
        up = theano.function([xs], T.nnet.bilinear_upsampling(xs, ratio))(flat)
        assert up.shape == (1, 2, 4 * ratio, 5 * ratio) and numpy.allclose(up, 1)
    ramp = numpy.arange(6.) * numpy.ones((1, 1, 3, 1))
    up = theano.function([xs], T.nnet.bilinear_upsampling(xs, 2))(ramp)[0, 0, 2]
    assert numpy.allclose(numpy.diff(up)[1:-1], 0.5, atol=1e-12)


def test_shapes_by_themselves():
    xs, ws = T.tensor4("x"), T.tensor4("w")
    f = theano.function([xs, ws], conv2d(xs, ws, border_mode="half", subsample=(2, 1), filter_dilation=(1, 2)).shape)
    assert not any("Conv" in str(node.op) or "Corr" in str(node.op) for node in f.maker.fgraph.toposort())
    for size in ((1, 2, 9, 9), (4, 2, 6, 11), (0, 2, 5, 5)):
        x, w = numpy.zeros(size), numpy.zeros((3, 2, 4, 3))
        expected = reference(x, w, "half", (2, 1), (1, 2)).shape
        assert tuple(f(x, w)) == expected
        assert abstract_conv.get_conv_output_shape(size, (3, 2, 4, 3), "half", (2, 1), (1, 2)) == expected
    assert abstract_conv.get_conv_output_shape((None, 2, 9, None), (3, 2, 4, 3), (1, 0), (1, 1)) == (None, 3, 8, None)


def test_nothing_in_nothing_out():
    xs, ws = T.tensor4("x"), T.tensor4("w")
    out = conv2d(xs, ws)
    f = theano.function([xs, ws], [out] + T.grad(out.sum(), [xs, ws]))
    for x, w in (((0, 2, 5, 5), (3, 2, 2, 2)), ((2, 2, 5, 5), (0, 2, 2, 2)), ((2, 0, 5, 5), (3, 0, 2, 2))):
        got, dx, dw = f(numpy.ones(x), numpy.ones(w))
        assert got.shape == (x[0], w[0], 4, 4) and not got.any() and dx.shape == x and dw.shape == w and not dx.any() and not dw.any()


def test_half_floats_and_mixed_ones():
    x, w = RNG.randn(2, 2, 5, 5).astype("float16"), RNG.randn(3, 2, 3, 3).astype("float32")
    xs, ws = T.TensorType("float16", [False] * 4)("x"), T.ftensor4("w")
    out = conv2d(xs, ws)
    assert out.dtype == "float32" and [g.dtype for g in T.grad(out.sum(), [xs, ws])] == ["float16", "float32"]
    assert numpy.allclose(theano.function([xs, ws], out)(x, w), reference(x.astype("float32"), w), atol=1e-5)


@pytest.mark.parametrize("case", [case for case in CASES if "groups" not in case], ids=str)
@pytest.mark.parametrize("axes", [2, 3])
def test_many_channels_in_single_precision(case, axes):
    """What a library may compute, against products in double precision: every pass, with all kinds of borders and steps."""
    case = {key: value + value[-1:] if axes == 3 and isinstance(value, tuple) else value for key, value in case.items()}
    size, function = ((13, 11), conv2d) if axes == 2 else ((5, 6, 7), conv3d)
    x, w = RNG.randn(5, 16, *size).astype("float32"), RNG.randn(18, 16, *(3,) * axes).astype("float32")
    found = {}
    for dtype in ("float32", "float64"):
        xs, ws = (T.TensorType(dtype, (False,) * (axes + 2))(name) for name in "xw")
        out = function(xs, ws, **theirs(case))
        f = theano.function([xs, ws], [out] + T.grad(T.sum(out * T.sin(T.arange(out.shape[-1], dtype=dtype))), [xs, ws]))
        found[dtype] = f(x.astype(dtype), w.astype(dtype))
        repeated = f(x.astype(dtype), w.astype(dtype))
        assert all((one == two).all() for one, two in zip(found[dtype], repeated))
    for single, double in zip(found["float32"], found["float64"]):
        assert single.dtype == "float32" and single.shape == double.shape
        numpy.testing.assert_allclose(single, double, atol=1e-5 * abs(double).max())


def test_errors_name_the_argument():
    xs, ws = T.tensor4("x"), T.tensor4("w")
    for bad, words in ((dict(border_mode="same"), "invalid border_mode same"), (dict(border_mode=(1, 2, 3)), "tuple of length 2"),
                       (dict(subsample=(1, 0)), "at least 1"), (dict(num_groups=0), "num_groups"), (dict(input_shape=(1, 2)), "input_shape"),
                       (dict(border_mode=(-1, 0)), "at least 0")):
        with pytest.raises(ValueError, match=words):
            conv2d(xs, ws, **bad)
    with pytest.raises(TypeError, match="4 axes"):
        conv2d(T.matrix(), ws)
    with pytest.raises(TypeError, match="floats"):
        conv2d(T.itensor4(), ws.astype("int32"))
    with pytest.raises(TypeError, match="filters of 6"):
        conv2d(xs, ws, unshared=True)
    with pytest.raises(NotImplementedError, match="take T.grad of conv2d"):
        abstract_conv.conv2d_grad_wrt_weights(xs, xs, (2, 2, 3, 3), unshared=True)
    with pytest.raises(ValueError, match="several of them"):
        abstract_conv.conv2d_grad_wrt_inputs(xs, ws, (None, None, None, 5))
    f = theano.function([xs, ws], conv2d(xs, ws))
    with pytest.raises(ValueError, match="larger than the image"):
        f(numpy.ones((1, 2, 2, 5)), numpy.ones((1, 2, 3, 3)))
    with pytest.raises(ValueError):
        f(numpy.ones((1, 2, 5, 5)), numpy.ones((1, 3, 3, 3)))
    with theano.configparser.change_flags(**{"conv.assert_shape": True}):
        g = theano.function([xs, ws], conv2d(xs, ws, input_shape=(None, 2, 6, 6)))
    with pytest.raises(AssertionError, match="shape of input"):
        g(numpy.ones((1, 2, 5, 5)), numpy.ones((1, 2, 3, 3)))


def test_a_convolution_survives_a_pickle():
    import pickle
    xs, ws = T.tensor4("x"), T.tensor4("w")
    out = conv2d(xs, ws, border_mode=((0, 1), (2, 0)), subsample=(2, 1), input_shape=(None, 2, 7, 7))
    f = theano.function([xs, ws], T.grad((out ** 2).sum(), [xs, ws]))
    x, w = RNG.randn(2, 2, 7, 7), RNG.randn(3, 2, 3, 3)
    for one, other in zip(f(x, w), pickle.loads(pickle.dumps(f))(x, w)):
        assert numpy.array_equal(one, other)


def test_the_old_name_of_the_images_shape():
    images, filters = T.tensor4("images"), T.tensor4("filters")
    made = T.nnet.conv2d(images, filters, image_shape=(2, 1, 5, 5), filter_shape=(3, 1, 2, 2))
    assert made.owner.op == T.nnet.conv2d(images, filters, input_shape=(2, 1, 5, 5), filter_shape=(3, 1, 2, 2)).owner.op
    with pytest.raises(ValueError, match="at the same time"):
        T.nnet.conv2d(images, filters, image_shape=(2, 1, 5, 5), input_shape=(2, 1, 5, 5))


@pytest.mark.parametrize("border", ["valid", "full", "half", (1, 1), ((1, 2), (0, 1))])
@pytest.mark.parametrize("dilation", [1, 2])
def test_shapes_from_one_another(border, dilation):
    image, one, dilations = (2, 6, 8, 9), (1, 1), (dilation, dilation)
    for size in (2, 3):
        kernels = (5, 3, size, size)
        out = abstract_conv.get_conv_output_shape(image, kernels, border, one, dilations)
        assert abstract_conv.get_conv_gradinputs_shape(kernels, out, border, one, dilations, num_groups=2) == image
        wanted = kernels[:2] + ((None, None) if border == "half" else kernels[2:])
        assert abstract_conv.get_conv_gradweights_shape(image, out, border, one, dilations, num_groups=2) == wanted
        assert abstract_conv.check_conv_gradinputs_shape(image, kernels, out, border, one, dilations)
        assert abstract_conv.check_conv_gradinputs_shape((None,) * 4, kernels, out, border, one, dilations)
        assert not abstract_conv.check_conv_gradinputs_shape(image, kernels, out[:3] + (99,), border, one, dilations)
        assert not abstract_conv.check_conv_gradinputs_shape(image[:3], kernels, out, border, one, dilations)
    assert abstract_conv.get_conv_gradinputs_shape((5, 3, 2, 2), out, border, (2, 2)) == (2, 3, None, None)
    assert abstract_conv.get_conv_gradweights_shape(image, out, border, (2, 2)) == (5, 6, None, None)
    pads = {"valid": ((0, 0), (0, 0)), "full": ((2, 2), (3, 3)), "half": ((1, 1), (2, 2)), (1, 1): ((1, 1), (1, 1))}
    assert abstract_conv.border_mode_to_pad(border, 2, (3, 4)) == pads.get(border, border)


def test_correlations_of_volumes_as_ops():
    from theano.tensor.nnet import corr3d
    x, w = T.tensor5("x"), T.tensor5("w")
    image, kernels = numpy.random.RandomState(1).normal(size=(2, 3, 6, 5, 7)), numpy.random.RandomState(2).normal(size=(4, 3, 2, 3, 2))
    applied = corr3d.Corr3dMM("valid", (2, 1, 1))(x, w)
    plain = T.nnet.conv3d(x, w, subsample=(2, 1, 1), filter_flip=False)
    grad = T.ones_like(applied)
    of_kernels = corr3d.Corr3dMM_gradWeights("valid", (2, 1, 1))(x, grad, w.shape[2:])
    of_image = corr3d.Corr3dMM_gradInputs("valid", (2, 1, 1))(w, grad, x.shape[2:])
    f = theano.function([x, w], [applied, plain, of_kernels, of_image] + T.grad(plain.sum(), [w, x]))
    one, other, by_weights, by_inputs, dw, dx = f(image, kernels)
    for mine, wanted in [(one, other), (by_weights, dw), (by_inputs, dx)]:
        numpy.testing.assert_allclose(mine, wanted, rtol=1e-12)
    assert corr3d.Corr3dMM(num_groups=1)(x, w).ndim == 5
