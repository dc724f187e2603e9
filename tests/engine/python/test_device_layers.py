"""Layers, lookups and loops on a device: training steps that learn what the CPU learns, with what stays there and what is told."""
import os
import subprocess
import sys
import textwrap

import numpy
import pytest

from test_device import SIMULATION, device, printed, python  # noqa: F401


LENET = """
    import numpy, theano, theano.tensor as T
    from theano.tensor.nnet import conv2d
    from theano.tensor.signal.pool import pool_2d
    rng = numpy.random.RandomState(4)
    def weights(*shape):
        return theano.shared((rng.randn(*shape) * 0.2).astype("float32"))
    images, labels = rng.rand(6, 1, 12, 12).astype("float32"), rng.randint(0, 3, 6)
    k1, k2, w, b = weights(4, 1, 3, 3), weights(5, 4, 2, 2), weights(20, 3), weights(3)
    x, y = T.ftensor4(), T.lvector()
    first = T.tanh(pool_2d(conv2d(x, k1), (2, 2), ignore_border=True))
    second = T.nnet.relu(pool_2d(conv2d(first, k2, border_mode="half"), (2, 2), ignore_border=True, mode="average_inc_pad"))
    p = T.nnet.softmax(T.dot(second.flatten(2)[:, :20], w) + b)
    cost = T.nnet.categorical_crossentropy(p, y).mean()
    params = [k1, k2, w, b]
    train = theano.function([x, y], [cost, T.argmax(p, axis=1)], updates=[(v, v - 0.3 * g) for v, g in zip(params, T.grad(cost, params))])
    print(sorted({type(node.op).__name__ for node in train.maker.fgraph.toposort()}))
    costs = [float(train(images, labels)[0]) for step in range(8)]
    print(costs + [float(v) for p in params for v in p.get_value().ravel()])
    print(train(images, labels)[1].tolist())
"""


@pytest.mark.parametrize("flags", ["", ",dnn.enabled=False"])
def test_a_network_of_convolutions_learns_the_same(printed, device, flags):
    there, here = printed(LENET, "device=%s,floatX=float32%s" % (device, flags)), printed(LENET, "floatX=float32")
    names = eval(there[0])
    if device == "cuda0" and SIMULATION and not flags:
        assert {"GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"} <= set(names), names
    else:
        assert {"GpuCorrMM", "GpuCorrMM_gradWeights", "GpuCorrMM_gradInputs"} <= set(names), names
    assert {"GpuPool", "GpuMaxPoolGrad", "GpuAveragePoolGrad", "GpuArgmax"} & set(names) >= {"GpuPool", "GpuMaxPoolGrad", "GpuAveragePoolGrad"}
    assert not {name for name in names if "Corr" in name or "Conv" in name or "Pool" in name} & {name for name in names if not name.startswith("Gpu")}
    numpy.testing.assert_allclose(eval(there[1]), eval(here[1]), rtol=2e-4, atol=2e-5)
    assert there[2] == here[2]


def test_old_names_of_cudnn(printed, device):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        from theano.gpuarray import dnn
        from theano.sandbox.cuda import dnn as old
        from theano.sandbox.cuda.dnn import dnn_conv
        rng = numpy.random.RandomState(1)
        x, k = rng.rand(2, 3, 6, 5).astype("float32"), rng.rand(4, 3, 3, 2).astype("float32")
        a, b = T.ftensor4(), T.ftensor4()
        out = dnn_conv(a, b, border_mode=(1, 0), subsample=(2, 1), conv_mode="cross")
        same = T.nnet.conv2d(a, b, border_mode=(1, 0), subsample=(2, 1), filter_flip=False)
        f = theano.function([a, b], [out, same, dnn.dnn_pool(a, (2, 2), stride=(2, 2), mode="average"),
                                     old.GpuDnnSoftmax("accurate", "channel")(a).sum(axis=1)])
        p, q, pooled, ones = f(x, k)
        print(numpy.abs(p - q).max() < 1e-5, pooled.shape, numpy.allclose(ones, 1))
        print(dnn.dnn_available(), dnn.dnn_available.msg)
        i, w = theano.function([a, b], [dnn.dnn_gradinput(b, dnn_conv(a, b), a.shape), dnn.dnn_gradweight(a, dnn_conv(a, b), b.shape)])(x, k)
        print(i.shape, w.shape)
        try:
            dnn_conv(a, b, conv_mode="corr")
        except ValueError as error:
            print(error)
    """)
    assert lines[0] == "True (2, 3, 3, 2) True"
    if device == "cuda0":
        assert lines[1].startswith("True")
    else:
        assert lines[1] == "False it has no library of convolutions"
    assert lines[2:] == ["(2, 3, 6, 5) (4, 3, 3, 2)", "conv_mode is 'conv' or 'cross', not 'corr'"]


@pytest.mark.parametrize("flags", ["", ",dnn.enabled=False"])
def test_versions_of_cudnn_are_those_of_the_library(printed, device, flags):
    lines = printed("""
        import theano
        from theano.gpuarray import dnn
        from theano.sandbox import cuda
        print(dnn.dnn_present(), dnn.dnn_present.avail, cuda.dnn_available(), cuda.dnn_available.avail)
        print(dnn.version(raises=False), cuda.dnn_version(raises=False))
        try:
            print(dnn.version() == cuda.dnn.version()[1])
        except RuntimeError as error:
            print(error)
    """, "device=%s,floatX=float32%s" % (device, flags))
    if device == "cuda0" and SIMULATION and not flags:
        number = int(lines[1].split()[0])
        assert lines[0] == "True True True True" and lines[2] == "True"
        assert number >= 9000 and lines[1] == "%d (%d, %d)" % (number, number, number)  # built against the headers of the library that is there
    else:
        reason = "it has no library of convolutions" if device != "cuda0" else "the flag dnn.enabled=False leaves it out"
        assert lines == ["False False False False", "-1 -1", "there is no version of cuDNN, as there is none: " + reason]


def test_convolutions_that_are_written_as_for_cudnn(printed):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        from theano.sandbox.cuda.basic_ops import gpu_alloc_empty, gpu_contiguous
        from theano.sandbox.cuda.dnn import (GpuDnnConv, GpuDnnConvDesc, GpuDnnConvGradI, GpuDnnConvGradW, GpuDnnPool, GpuDnnSoftmax,
                                             dnn_batch_normalization_test, dnn_batch_normalization_train, dnn_conv, dnn_pool)
        from theano.tensor.nnet import abstract_conv, bn
        rng = numpy.random.RandomState(2)
        values = [rng.rand(*shape).astype("float32") for shape in ((2, 4, 3, 3), (4, 3, 5, 5), (2, 3, 6, 6))]
        top, kernels, image = T.ftensor4s("top", "kernels", "image")

        def deconvolved(X, w, subsample=(2, 2), border_mode=(2, 2), conv_mode="conv"):
            img, kerns = gpu_contiguous(X), gpu_contiguous(w)
            shape = img.shape[0], kerns.shape[1], img.shape[2] * subsample[0], img.shape[3] * subsample[1]
            desc = GpuDnnConvDesc(border_mode=border_mode, subsample=subsample, conv_mode=conv_mode)(gpu_alloc_empty(*shape).shape, kerns.shape)
            return GpuDnnConvGradI()(kerns, img, gpu_alloc_empty(*shape), desc)

        options = dict(border_mode=(2, 2), subsample=(2, 2))
        desc = GpuDnnConvDesc(conv_mode="conv", **options)(image.shape, kernels.shape)
        ones, zeros = T.ones((3, 1, 1), "float32").dimshuffle("x", 0, 1, 2), T.zeros((3, 1, 1), "float32").dimshuffle("x", 0, 1, 2)
        pairs = [
            (deconvolved(top, kernels), abstract_conv.conv2d_grad_wrt_inputs(top, kernels, image.shape, **options)),
            (GpuDnnConv()(image, kernels, top, desc, 2, 0.5), 2 * dnn_conv(image, kernels, **options) + 0.5 * top),
            (GpuDnnConvGradW()(image, top, kernels, desc), abstract_conv.conv2d_grad_wrt_weights(image, top, kernels.shape, **options)),
            (GpuDnnPool("max")(image, (2, 2), (2, 2), (0, 0)), dnn_pool(image, (2, 2), (2, 2))),
            (GpuDnnSoftmax("bc01", "log", "channel")(image), T.log(T.exp(image) / T.exp(image).sum(axis=1, keepdims=True))),
            (dnn_batch_normalization_train(image, ones, zeros, "spatial")[0], bn.batch_normalization_train(image, ones, zeros, "spatial")[0]),
            (dnn_batch_normalization_test(image, ones, zeros, zeros, ones, "spatial"), image / numpy.sqrt(numpy.float32(1 + 1e-4))),
        ]
        for one, other in zip(*[iter(theano.function([top, kernels, image], [v for pair in pairs for v in pair])(*values))] * 2):
            print(numpy.asarray(one).shape == numpy.asarray(other).shape, numpy.abs(numpy.asarray(one) - numpy.asarray(other)).max() < 1e-4)
    """)
    assert lines == ["True True"] * 7


LOOP = """
    import numpy, theano, theano.tensor as T
    rng = numpy.random.RandomState(2)
    W, U = [theano.shared((rng.randn(*s) * 0.3).astype("float32")) for s in ((5, 5), (3, 5))]
    xs, h0 = T.ftensor3(), T.fmatrix()
    hs, _ = theano.scan(lambda x, h: T.tanh(T.dot(h, W) + T.dot(x, U)), sequences=xs, outputs_info=h0)
    cost = (hs[-1] ** 2).sum() + hs.mean()
    grads = T.grad(cost, [W, U])
    f = theano.function([xs, h0], [cost, hs], updates=[(v, v - 0.1 * g) for v, g in zip([W, U], grads)])
    loops = [node for node in f.maker.fgraph.toposort() if type(node.op).__name__ == "Scan"]
    print(["gpu" if "gpu," in str(node.op) else "cpu" for node in loops])
    values = rng.rand(7, 2, 3).astype("float32"), rng.rand(2, 5).astype("float32")
    out = [f(*values) for step in range(3)]
    print([float(v) for v in numpy.concatenate([numpy.ravel(out[-1][0]), out[-1][1].ravel(), W.get_value().ravel(), U.get_value().ravel()])])
"""


def test_a_recurrent_network_runs_there(printed, device):
    there, here = printed(LOOP), printed(LOOP, "floatX=float32")
    loops = eval(there[0])
    assert loops == ["gpu"] * len(loops) and len(loops) >= 2, loops
    assert set(eval(here[0])) == {"cpu"}
    numpy.testing.assert_allclose(eval(there[1]), eval(here[1]), rtol=2e-4, atol=2e-5)


def test_steps_transfer_nothing(printed, device):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = T.fmatrix()
        ys, _ = theano.scan(lambda y: T.tanh(T.dot(y, y)) * 0.5, outputs_info=x, n_steps=30)
        f = theano.function([x], ys[-1], profile=True)
        value = numpy.eye(4, dtype="float32")
        r = f(value)
        e = value
        for step in range(30):
            e = numpy.tanh(e.dot(e)) * 0.5
        print(numpy.allclose(r, e, atol=1e-6))
        print([type(node.op).__name__ for node in f.maker.fgraph.toposort()].count("GpuFromHost"))
    """)
    assert lines == ["True", "1"]


def test_loops_that_need_the_host_stay_there(printed, device):
    lines = printed("""
        import numpy, theano, theano.tensor as T
        x = T.fmatrix()
        grid = T.constant(numpy.arange(5, dtype="float32"))
        ys, _ = theano.scan(lambda row: theano.tensor.extra_ops.searchsorted(grid, row), sequences=x)
        f = theano.function([x], ys)
        print([str(node.op).count("gpu,") for node in f.maker.fgraph.toposort() if type(node.op).__name__ == "Scan"])
        print(f(numpy.array([[3, 1, 2]], "float32")).tolist())
        v = T.fvector()
        zs, _ = theano.scan(lambda a, b: a + 2 * b, sequences=v, outputs_info=numpy.float32(0))
        g = theano.function([v], zs)
        print([str(node.op).count("gpu,") for node in g.maker.fgraph.toposort() if type(node.op).__name__ == "Scan"])
        print(g(numpy.ones(4, "float32")).tolist())
        i = T.lvector()
        E = theano.shared(numpy.arange(12, dtype="float32").reshape(4, 3))
        es, _ = theano.scan(lambda k, s: s + E[k], sequences=i, outputs_info=T.zeros((3,), "float32"))
        h = theano.function([i], es[-1])
        print(h(numpy.array([0, 2, 3])).tolist())
        n = T.fscalar()
        ws, _ = theano.scan(lambda s: (s * 2, theano.scan_module.until(s.sum() > n)), outputs_info=T.ones((3,), "float32"), n_steps=20)
        print(theano.function([n], ws[-1])(numpy.float32(10)).tolist())
    """)
    assert lines == ["[0]", "[[3, 1, 2]]", "[0]", "[1.0, 3.0, 7.0, 15.0]", "[15.0, 18.0, 21.0]", "[8.0, 8.0, 8.0]"]


LOOKUP = """
    import numpy, theano, theano.tensor as T
    rng = numpy.random.RandomState(5)
    E = theano.shared(rng.randn(6, 4).astype("float32"))
    i, j = T.lmatrix(), T.lvector()
    picked = E[i]
    elements = T.nnet.softmax(E)[T.arange(j.shape[0]), j]
    cost = (picked ** 2).mean() - T.log(elements).mean()
    f = theano.function([i, j], [cost, T.argmax(E, axis=0), T.max_and_argmax(E, axis=1)[1]], updates=[(E, E - 0.5 * T.grad(cost, E))])
    print(sorted({type(node.op).__name__ for node in f.maker.fgraph.toposort()}))
    out = [f(numpy.array([[0, 1, 1], [5, 0, -1]]), numpy.array([3, 0, 1, 1, 2, 3])) for step in range(4)]
    print([float(v) for v in numpy.concatenate([numpy.ravel(out[-1][0]), out[-1][1], out[-1][2], E.get_value().ravel()])])
"""


def test_lookups_learn_the_same(printed, device):
    there, here = printed(LOOKUP), printed(LOOKUP, "floatX=float32")
    assert not {"AdvancedSubtensor", "AdvancedSubtensor1", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "Argmax"} & set(eval(there[0])), there[0]
    numpy.testing.assert_allclose(eval(there[1]), eval(here[1]), rtol=1e-5, atol=1e-5)


def test_devices_by_names_of_contexts(device):
    if device != "cuda0" or not SIMULATION:
        pytest.skip("it wants two cards")
    env = dict(os.environ, THEANO_FLAGS="device=cuda0,contexts=dev0->cuda0;dev1->cuda1,floatX=float32", CROTON_CUDA_SIM="devices=2")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import numpy, theano, theano.tensor as T
        v0 = theano.shared(numpy.ones((4, 4), "float32"), target="dev0")
        v1 = theano.shared(numpy.full((4, 4), 2, "float32"), target="dev1")
        print(v0.type, v1.type)
        f = theano.function([], [T.dot(v0, v0).transfer("cpu"), T.exp(v1), (v1 * 2).transfer("dev0")])
        nodes = f.maker.fgraph.toposort()
        print(sorted("%s on %s" % (type(node.op).__name__, node.outputs[0].type) for node in nodes if "Elemwise" in type(node.op).__name__))
        a, b, c = f()
        print(float(a[0, 0]), round(float(b[0, 0]), 3), c.device, float(numpy.asarray(c)[0, 0]))
        try:
            v0.transfer("dev7")
        except ValueError as error:
            print(error)
    """)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    assert "Mapped name dev1 to device cuda1: simulated CUDA" in done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "GpuArrayType<cuda0>(float32, matrix) GpuArrayType<cuda1>(float32, matrix)"
    assert lines[1].count("GpuElemwise on GpuArrayType<cuda1>") == lines[1].count("Elemwise on") > 0, lines[1]
    assert lines[2] == "4.0 7.389 cuda0 4.0"
    assert lines[3].startswith("there is no device 'dev7' in this process to transfer")


@pytest.mark.parametrize("contexts, sentence", [
    ("dev0", "they are pairs as dev0->cuda0, apart by ';'"),
    ("a->cuda0;a->cuda0", "each name has one device"),
    ("a->cuda7", "cuda7 cannot be had"),
])
def test_contexts_that_cannot_be_had_say_why(device, contexts, sentence):
    if device != "cuda0" or not SIMULATION:
        pytest.skip("one device is enough")
    env = dict(os.environ, THEANO_FLAGS="contexts=" + contexts)
    done = subprocess.run([sys.executable, "-c", "import theano"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode != 0 and sentence in done.stderr, done.stderr
