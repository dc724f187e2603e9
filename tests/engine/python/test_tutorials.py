"""The classic programs of tutorials, written anew and small: what they learn is what the same program in NumPy learns."""
import numpy
import pytest

import mrg31k3p
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams


def sigmoid(z):
    return 1 / (1 + numpy.exp(-z))


def softmax(z):
    e = numpy.exp(z - z.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def blobs(n, d, classes, seed):
    rng = numpy.random.RandomState(seed)
    y = rng.randint(0, classes, n)
    return 0.4 * rng.rand(n, d) + numpy.eye(classes, d)[y], y.astype("int32")


def shared(value, name):
    return theano.shared(numpy.asarray(value, theano.config.floatX), name)


def falls(costs):
    assert all(numpy.isfinite(costs)) and costs[-1] < 0.7 * costs[0], costs


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_logistic_regression_with_minibatches_by_givens(mode):
    x, y = blobs(120, 8, 3, 0)
    data, labels, size = theano.shared(x), theano.shared(y), 20
    W, b = shared(numpy.zeros((8, 3)), "W"), shared(numpy.zeros(3), "b")
    X, Y, index = T.matrix("x"), T.ivector("y"), T.lscalar("index")
    p = T.nnet.softmax(T.dot(X, W) + b)
    cost = -T.mean(T.log(p)[T.arange(Y.shape[0]), Y])
    errors = T.mean(T.neq(T.argmax(p, axis=1), Y))
    updates = [(one, one - 0.5 * slope) for one, slope in zip((W, b), T.grad(cost, [W, b]))]
    part = {X: data[index * size:(index + 1) * size], Y: labels[index * size:(index + 1) * size]}
    train = theano.function([index], cost, updates=updates, givens=part, mode=mode)
    test = theano.function([index], errors, givens=part, mode=mode)
    w, bias, costs, expected = numpy.zeros((8, 3)), numpy.zeros(3), [], []
    for _ in range(3 if mode == "DebugMode" else 15):
        for i in range(6):
            costs.append(float(train(i)))
            part_x, part_y = x[i * size:(i + 1) * size], y[i * size:(i + 1) * size]
            q = softmax(part_x.dot(w) + bias)
            expected.append(-numpy.log(q[range(size), part_y]).mean())
            d = (q - numpy.eye(3)[part_y]) / size
            w, bias = w - 0.5 * part_x.T.dot(d), bias - 0.5 * d.sum(0)
    assert numpy.allclose(costs, expected, rtol=1e-9) and numpy.allclose(W.get_value(), w, rtol=1e-9, atol=1e-12)
    falls(costs)
    if mode != "DebugMode":
        assert numpy.mean([test(i) for i in range(6)]) < 0.05


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_mlp_with_dropout(mode):
    x, y = blobs(40, 6, 2, 1)
    rng = numpy.random.RandomState(2)
    W1, b1 = rng.uniform(-0.5, 0.5, (6, 10)), numpy.zeros(10)
    W2, b2 = rng.uniform(-0.5, 0.5, (10, 2)), numpy.zeros(2)
    parameters = [shared(one, "p%d" % k) for k, one in enumerate((W1, b1, W2, b2))]
    srng = MRG_RandomStreams(seed=77)
    X, Y = T.matrix("x"), T.ivector("y")
    hidden = T.tanh(T.dot(X, parameters[0]) + parameters[1])
    mask = srng.binomial(n=1, p=0.8, size=hidden.shape, dtype=theano.config.floatX, nstreams=50, ndim=2)
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(hidden * mask / 0.8, parameters[2]) + parameters[3]), Y).mean()
    updates = [(one, one - 0.5 * slope) for one, slope in zip(parameters, T.grad(cost, parameters))]
    train = theano.function([X, Y], cost, updates=updates, mode=mode)
    streams = mrg31k3p.Streams(77).take(50)
    costs, expected = [], []
    for _ in range(3 if mode == "DebugMode" else 40):
        costs.append(float(train(x, y)))
        h = numpy.tanh(x.dot(W1) + b1)
        m = (mrg31k3p.uniform(streams, (40, 10)) < 0.8) / 0.8
        q = softmax((h * m).dot(W2) + b2)
        expected.append(-numpy.log(q[range(40), y]).mean())
        d = (q - numpy.eye(2)[y]) / 40
        back = d.dot(W2.T) * m * (1 - h ** 2)
        W2, b2, W1, b1 = W2 - 0.5 * (h * m).T.dot(d), b2 - 0.5 * d.sum(0), W1 - 0.5 * x.T.dot(back), b1 - 0.5 * back.sum(0)
    assert numpy.allclose(costs, expected, rtol=1e-8)
    if mode != "DebugMode":
        falls(costs)


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_denoising_autoencoder(mode):
    rng = numpy.random.RandomState(3)
    x = (rng.rand(30, 4) > 0.5).dot(rng.rand(4, 12) > 0.5).clip(0, 1) * 0.9 + 0.05
    W, b, c = rng.uniform(-0.5, 0.5, (12, 8)), numpy.zeros(8), numpy.zeros(12)
    weights, hidden_bias, visible_bias = shared(W, "W"), shared(b, "b"), shared(c, "c")
    streams = RandomStreams(rng.randint(2 ** 30))
    X = T.matrix("x")
    corrupted = streams.binomial(size=X.shape, n=1, p=0.7, dtype=theano.config.floatX, ndim=2) * X
    code = T.nnet.sigmoid(T.dot(corrupted, weights) + hidden_bias)
    again = T.nnet.sigmoid(T.dot(code, weights.T) + visible_bias)
    cost = T.mean(-T.sum(X * T.log(again) + (1 - X) * T.log(1 - again), axis=1))
    parameters = [weights, hidden_bias, visible_bias]
    updates = [(one, one - 0.3 * slope) for one, slope in zip(parameters, T.grad(cost, parameters))]
    train = theano.function([X], cost, updates=updates, mode=mode)
    state = numpy.random.RandomState()
    state.set_state(streams.state_updates[0][0].get_value().get_state())
    costs, expected = [], []
    for _ in range(3 if mode == "DebugMode" else 60):
        costs.append(float(train(x)))
        noisy = state.binomial(1, 0.7, x.shape) * x
        h = sigmoid(noisy.dot(W) + b)
        z = sigmoid(h.dot(W.T) + c)
        expected.append(-(x * numpy.log(z) + (1 - x) * numpy.log(1 - z)).sum(1).mean())
        d = (z - x) / len(x)
        back = d.dot(W) * h * (1 - h)
        W, b, c = W - 0.3 * (noisy.T.dot(back) + d.T.dot(h)), b - 0.3 * back.sum(0), c - 0.3 * d.sum(0)
    assert numpy.allclose(costs, expected, rtol=1e-8)
    if mode != "DebugMode":
        falls(costs)


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_boltzmann_machine_with_contrastive_divergence(mode):
    rng = numpy.random.RandomState(5)
    x = numpy.repeat(numpy.eye(2), 5, axis=1)[rng.randint(0, 2, 20)]
    W, b, c = rng.uniform(-0.1, 0.1, (10, 4)), numpy.zeros(4), numpy.zeros(10)
    weights, hidden_bias, visible_bias = shared(W, "W"), shared(b, "b"), shared(c, "c")
    srng = MRG_RandomStreams(9)
    X = T.matrix("x")

    def up(visible):
        mean = T.nnet.sigmoid(T.dot(visible, weights) + hidden_bias)
        return mean, srng.binomial(size=mean.shape, p=mean, dtype=theano.config.floatX, nstreams=16, ndim=2)

    def down(hidden):
        mean = T.nnet.sigmoid(T.dot(hidden, weights.T) + visible_bias)
        return mean, srng.binomial(size=mean.shape, p=mean, dtype=theano.config.floatX, nstreams=16, ndim=2)

    def gibbs(hidden):
        visible_mean, visible = down(hidden)
        hidden_mean, hidden = up(visible)
        return [visible_mean, visible, hidden_mean, hidden]

    def free_energy(visible):
        return -T.dot(visible, visible_bias) - T.sum(T.nnet.softplus(T.dot(visible, weights) + hidden_bias), axis=1)

    first = up(X)[1]
    (means, visibles, _, _), updates = theano.scan(gibbs, outputs_info=[None, None, None, first], n_steps=2)
    last = visibles[-1]
    cost = T.mean(free_energy(X)) - T.mean(free_energy(last))
    parameters = [weights, hidden_bias, visible_bias]
    for one, slope in zip(parameters, T.grad(cost, parameters, consider_constant=[last])):
        updates[one] = one - 0.2 * slope
    monitor = T.mean(T.sum((X - means[-1]) ** 2, axis=1))
    train = theano.function([X], [monitor, cost], updates=updates, mode=mode)
    source = mrg31k3p.Streams(9)
    begin, below, above = (source.take(16) for _ in range(3))
    seen, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 40):
        seen.append([float(one) for one in train(x)])
        h = mrg31k3p.uniform(begin, (20, 4)) < sigmoid(x.dot(W) + b)
        for _ in range(2):
            mean = sigmoid(h.dot(W.T) + c)
            v = (mrg31k3p.uniform(below, mean.shape) < mean) * 1.0
            hidden = sigmoid(v.dot(W) + b)
            h = mrg31k3p.uniform(above, hidden.shape) < hidden
        energy = lambda u: (-u.dot(c) - numpy.log1p(numpy.exp(u.dot(W) + b)).sum(1)).mean()  # noqa: E731
        expected.append([((x - mean) ** 2).sum(1).mean(), energy(x) - energy(v)])
        positive, negative = sigmoid(x.dot(W) + b), sigmoid(v.dot(W) + b)
        W, b, c = (W + 0.2 * (x.T.dot(positive) - v.T.dot(negative)) / 20, b + 0.2 * (positive - negative).mean(0), c + 0.2 * (x - v).mean(0))
    assert numpy.allclose(seen, expected, rtol=1e-7, atol=1e-9)
    if mode != "DebugMode":
        falls([error for error, _ in seen])


def lstm_step(x, h, c, W, U, b):
    n = len(b) // 4
    gates = x @ W + h @ U + b
    i, f, o, g = sigmoid(gates[:n]), sigmoid(gates[n:2 * n]), sigmoid(gates[2 * n:3 * n]), numpy.tanh(gates[3 * n:])
    return i, f, o, g, f * c + i * g


@pytest.mark.parametrize("truncate", [-1, 3])
@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_lstm_with_truncated_gradient(mode, truncate):
    rng = numpy.random.RandomState(6)
    n, steps = 4, 8
    x = rng.uniform(-1, 1, (steps, 2))
    y = numpy.cumsum(x[:, 0]) / 3
    W, U, b, v = rng.uniform(-0.6, 0.6, (2, 4 * n)), rng.uniform(-0.6, 0.6, (n, 4 * n)), numpy.zeros(4 * n), rng.uniform(-0.6, 0.6, n)
    parameters = [shared(one, name) for one, name in zip((W, U, b, v), "WUbv")]
    weights, recurrent, bias, readout = parameters
    X, Y = T.matrix("x"), T.vector("y")

    def step(x_t, h, c):
        gates = T.dot(x_t, weights) + T.dot(h, recurrent) + bias
        i, f, o = (T.nnet.sigmoid(gates[k * n:(k + 1) * n]) for k in range(3))
        c = f * c + i * T.tanh(gates[3 * n:])
        return o * T.tanh(c), c

    zero = T.zeros((n,))
    (hs, _), _ = theano.scan(step, sequences=X, outputs_info=[zero, zero], truncate_gradient=truncate)
    cost = T.mean((T.dot(hs, readout) - Y) ** 2)
    updates = [(one, one - 0.5 * slope) for one, slope in zip(parameters, T.grad(cost, parameters))]
    train = theano.function([X, Y], cost, updates=updates, mode=mode)
    costs, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 60):
        costs.append(float(train(x, y)))
        h, c, kept = numpy.zeros(n), numpy.zeros(n), []
        for t in range(steps):
            i, f, o, g, new = lstm_step(x[t], h, c, W, U, b)
            kept.append((h, c, i, f, o, g, new))
            h, c = o * numpy.tanh(new), new
        hidden = numpy.array([one[4] * numpy.tanh(one[6]) for one in kept])
        error = hidden @ v - y
        expected.append((error ** 2).mean())
        d = 2 * error / steps
        dv, dW, dU, db = hidden.T @ d, numpy.zeros_like(W), numpy.zeros_like(U), numpy.zeros_like(b)
        dh, dc = numpy.zeros(n), numpy.zeros(n)
        for t in reversed(range(0 if truncate < 0 else steps - truncate, steps)):
            h, c, i, f, o, g, new = kept[t]
            dh = dh + d[t] * v
            dc = dc + dh * o * (1 - numpy.tanh(new) ** 2)
            back = numpy.concatenate([dc * g * i * (1 - i), dc * c * f * (1 - f), dh * numpy.tanh(new) * o * (1 - o), dc * i * (1 - g ** 2)])
            dW, dU, db = dW + numpy.outer(x[t], back), dU + numpy.outer(h, back), db + back
            dh, dc = U @ back, dc * f
        W, U, b, v = W - 0.5 * dW, U - 0.5 * dU, b - 0.5 * db, v - 0.5 * dv
    assert numpy.allclose(costs, expected, rtol=1e-7)
    if mode != "DebugMode":
        falls(costs)
