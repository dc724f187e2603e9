"""Whole scripts as people wrote them, run by `croton run`, against the same training in NumPy."""
import os
import pickle
import subprocess
import sys
from pathlib import Path

import croton
import numpy
import pytest

HERE = Path(__file__).parent / "programs"


def run(script, *arguments, **flags):
    env = dict(os.environ)
    env["THEANO_FLAGS"] = ",".join("%s=%s" % pair for pair in flags.items())
    command = Path(croton.__path__[0]).parent.parent / "bin" / "croton"
    launcher = [str(command), "run"] if command.exists() else [sys.executable, "-m", "croton.worker", "run"]
    env["CROTON_PYTHON"] = sys.executable
    done = subprocess.run(launcher + [str(HERE / script)] + [str(a) for a in arguments], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def softmax(z):
    e = numpy.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def sigmoid(z):
    return 0.5 * (1 + numpy.tanh(0.5 * z))


def blobs(n, d, classes, seed):
    rng = numpy.random.RandomState(seed)
    y = rng.randint(0, classes, n)
    return rng.rand(n, d) * 0.5 + numpy.eye(classes, d)[y], y


@pytest.mark.parametrize("floatX", ["float64", "float32"])
def test_softmax_regression(tmp_path, floatX):
    x, y = blobs(200, 10, 4, 0)
    y[:4] = range(4)
    with open(tmp_path / "data.pkl", "wb") as stream:
        pickle.dump(((x[:160], y[:160]), (x[160:], y[160:])), stream, protocol=2)
    done = run("softmax_regression.py", tmp_path / "data.pkl", tmp_path / "out.npz", floatX=floatX)
    out = numpy.load(tmp_path / "out.npz")
    assert done.stdout.count("epoch") == 15 and "best" in done.stderr and out["W"].dtype == floatX
    w, b, costs, errors = numpy.zeros((10, 4)), numpy.zeros(4), [], []
    for _ in range(15):
        batch_costs = []
        for i in range(8):
            bx, by = x[i * 20:(i + 1) * 20], y[i * 20:(i + 1) * 20]
            p = softmax(bx.dot(w) + b)
            batch_costs.append(-numpy.log(p[range(20), by]).mean())
            d = (p - numpy.eye(4)[by]) / 20
            w, b = w - 0.13 * bx.T.dot(d), b - 0.13 * d.sum(0)
        costs.append(numpy.mean(batch_costs))
        errors.append(numpy.mean([(softmax(x[160 + i * 20:180 + i * 20].dot(w) + b).argmax(1) != y[160 + i * 20:180 + i * 20]).mean() for i in range(2)]))
    tolerance = dict(rtol=1e-9, atol=1e-10) if floatX == "float64" else dict(rtol=1e-4, atol=1e-4)
    numpy.testing.assert_allclose(out["W"], w, **tolerance)
    numpy.testing.assert_allclose(out["b"], b, **tolerance)
    numpy.testing.assert_allclose(out["history"][:, 0], costs, **tolerance)
    numpy.testing.assert_allclose(out["history"][:, 1], errors, atol=1e-6)


@pytest.mark.parametrize("floatX", ["float64", "float32"])
def test_autoencoder(tmp_path, floatX):
    x = (numpy.random.RandomState(5).rand(40, 9) > 0.6).astype("float64")
    numpy.savez(tmp_path / "data.npz", x=x)
    done = run("autoencoder.py", tmp_path / "data.npz", tmp_path / "out.npz", floatX=floatX)
    assert "code: (40, 12) %s out.npz" % floatX in done.stdout
    out = numpy.load(tmp_path / "out.npz")
    rng = numpy.random.RandomState(123)
    bound = 4 * numpy.sqrt(6.0 / (12 + 9))
    w, vb, hb, costs = rng.uniform(-bound, bound, (9, 12)), numpy.zeros(9), numpy.zeros(12), []
    for _ in range(8):
        c = []
        for start in range(0, 40, 10):
            batch = x[start:start + 10]
            masked = (rng.uniform(size=batch.shape) > 0.3) * batch
            h = sigmoid(masked.dot(w) + hb)
            a = h.dot(w.T) + vb
            c.append((batch * numpy.logaddexp(0, -a) + (1 - batch) * numpy.logaddexp(0, a)).sum(1).mean())
            da = (sigmoid(a) - batch) / 10
            dh = da.dot(w) * h * (1 - h)
            w, hb, vb = w - 0.1 * (masked.T.dot(dh) + da.T.dot(h)), hb - 0.1 * dh.sum(0), vb - 0.1 * da.sum(0)
        costs.append(numpy.mean(c))
    tolerance = dict(rtol=1e-9, atol=1e-10) if floatX == "float64" else dict(rtol=2e-4, atol=2e-4)
    numpy.testing.assert_allclose(out["costs"], costs, **tolerance)
    numpy.testing.assert_allclose(out["W"], w, **tolerance)
    numpy.testing.assert_allclose(out["code"], sigmoid(x.dot(w) + hb), **tolerance)


def mlp(x, y, method):
    rng = numpy.random.RandomState(7)
    w1, w2 = rng.randn(x.shape[1], 16) * numpy.sqrt(2.0 / x.shape[1]), rng.randn(16, 3) * numpy.sqrt(2.0 / 16)
    params = [w1, numpy.zeros(16), w2, numpy.zeros(3)]
    state, log = [numpy.zeros_like(p) for p in params], []
    for _ in range(6):
        for k in range(len(x) // 15):
            where = slice(k * 15, (k + 1) * 15)
            keep = rng.binomial(1, 0.8, size=(15, 16)) / 0.8
            w1, b1, w2, b2 = params
            z = x[where].dot(w1) + b1
            h = numpy.maximum(z, 0) * keep
            p = softmax(h.dot(w2) + b2)
            cost = -numpy.log(p[range(15), y[where]]).mean() + 0.001 * ((w1 ** 2).sum() + (w2 ** 2).sum())
            d = (p - numpy.eye(3)[y[where]]) / 15
            dz = d.dot(w2.T) * keep * (z >= 0)
            grads = [x[where].T.dot(dz) + 0.002 * w1, dz.sum(0), h.T.dot(d) + 0.002 * w2, d.sum(0)]
            norm = numpy.sqrt(sum((g ** 2).sum() for g in grads))
            grads = [g / norm if norm >= 1 else g for g in grads]
            if method == "momentum":
                state = [0.9 * v - 0.1 * g for v, g in zip(state, grads)]
                params = [p_ + v for p_, v in zip(params, state)]
            else:
                state = [s + g ** 2 for s, g in zip(state, grads)]
                params = [p_ - 0.1 * g / numpy.sqrt(s + 1e-6) for p_, g, s in zip(params, grads, state)]
            log.append([cost, norm])
    right = (numpy.maximum(x.dot(params[0]) + params[1], 0).dot(params[2]) + params[3]).argmax(1) == y
    return params, numpy.array(log), right.mean()


@pytest.mark.parametrize("method, mode", [("momentum", "FAST_RUN"), ("adagrad", "FAST_RUN"), ("momentum", "FAST_COMPILE")])
def test_mlp(tmp_path, method, mode):
    x, y = blobs(90, 6, 3, 2)
    numpy.savez(tmp_path / "data.npz", x=x, y=y)
    done = run("mlp.py", tmp_path / "data.npz", tmp_path / "out.npz", method, mode=mode)
    assert done.stdout.count("epoch") == 6 and "2 layers kept" in done.stdout
    out = numpy.load(tmp_path / "out.npz")
    params, log, right = mlp(x, y, method)
    numpy.testing.assert_allclose(out["log"], log, rtol=1e-7, atol=1e-9)
    for name, wanted in zip(("W16", "b16", "W3", "b3"), params):
        numpy.testing.assert_allclose(out[name], wanted, rtol=1e-6, atol=1e-8)
    assert out["right"] == right
