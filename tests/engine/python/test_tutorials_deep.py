"""Larger programs of tutorials, written anew and small. The reference is the forward program in NumPy; its slopes come from steps along the
imaginary axis, which are exact to the last digits and share nothing with the engine."""
import numpy
import pytest

import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.shared_randomstreams import RandomStreams
from theano.tensor.signal.pool import pool_2d

pytestmark = pytest.mark.filterwarnings("error:the rewrite")
MODES = ["FAST_RUN", "DebugMode"]


def slopes(cost, values, *data):
    """(cost, its slope by each of the values)"""
    result = {}
    for name, value in values.items():
        found = numpy.zeros(value.shape)
        for place in numpy.ndindex(value.shape):
            moved = {other: one.astype("complex128") for other, one in values.items()}
            moved[name][place] += 1e-30j
            found[place] = cost(moved, *data).imag / 1e-30
        result[name] = found
    return cost({name: one.astype("complex128") for name, one in values.items()}, *data).real, result


def descend(values, by, rate):
    return {name: one - rate * by[name] for name, one in values.items()}


def shared_of(values):
    return {name: theano.shared(value, name) for name, value in values.items()}


def updates_of(cost, parameters, rate):
    every = list(parameters.values())
    return [(one, one - rate * slope) for one, slope in zip(every, T.grad(cost, every))]


def compare(costs, expected, parameters, values, mode, fall=0.7):
    numpy.testing.assert_allclose(costs, expected, rtol=1e-8)
    for name, one in parameters.items():
        numpy.testing.assert_allclose(one.get_value(), values[name], rtol=1e-6, atol=1e-9, err_msg=name)
    if mode != "DebugMode":
        assert costs[-1] < fall * costs[0], costs


def sigmoid(z):
    return 1 / (1 + numpy.exp(-z))


def softmax(z, axis=-1):
    e = numpy.exp(z - z.real.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def larger(a, b):
    return numpy.where(a.real > numpy.real(b), a, b)


# --- LeNet ---------------------------------------------------------------------------------------------

def convolved(images, filters):
    n, _, rows, columns = images.shape
    out, _, r, c = filters.shape
    flipped = filters[:, :, ::-1, ::-1]
    found = numpy.zeros((n, out, rows - r + 1, columns - c + 1), "complex128")
    for i in range(found.shape[2]):
        for j in range(found.shape[3]):
            found[:, :, i, j] = numpy.tensordot(images[:, :, i:i + r, j:j + c], flipped, ((1, 2, 3), (1, 2, 3)))
    return found


def pooled(images):
    blocks = images[:, :, :images.shape[2] // 2 * 2, :images.shape[3] // 2 * 2]
    n, k, rows, columns = blocks.shape
    blocks = blocks.reshape(n, k, rows // 2, 2, columns // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, k, rows // 2, columns // 2, 4)
    return numpy.take_along_axis(blocks, blocks.real.argmax(-1)[..., None], -1)[..., 0]


def lenet_in_numpy(v, x, y):
    first = numpy.tanh(pooled(convolved(x, v["F"])) + v["f"][:, None, None])
    second = numpy.tanh(pooled(convolved(first, v["G"])) + v["g"][:, None, None])
    hidden = numpy.tanh(second.reshape(len(x), -1).dot(v["W"]) + v["w"])
    p = softmax(hidden.dot(v["V"]) + v["v"])
    return -numpy.log(p[range(len(y)), y]).mean()


@pytest.mark.parametrize("mode", MODES)
def test_lenet(mode):
    rng = numpy.random.RandomState(1)
    x = rng.rand(8, 1, 9, 9)
    y = numpy.arange(8) % 2
    x[y == 1, :, 2:7, 4] += 1.5
    values = {"F": rng.uniform(-.5, .5, (2, 1, 3, 3)), "f": numpy.zeros(2), "G": rng.uniform(-.5, .5, (3, 2, 2, 2)), "g": numpy.zeros(3),
              "W": rng.uniform(-.7, .7, (3, 4)), "w": numpy.zeros(4), "V": rng.uniform(-.7, .7, (4, 2)), "v": numpy.zeros(2)}
    p = shared_of(values)
    X, Y = T.matrix("x"), T.ivector("y")
    layer0 = X.reshape((8, 1, 9, 9))
    layer1 = T.tanh(pool_2d(conv2d(layer0, p["F"], input_shape=(8, 1, 9, 9), filter_shape=(2, 1, 3, 3)), (2, 2), ignore_border=True)
                    + p["f"].dimshuffle("x", 0, "x", "x"))
    layer2 = T.tanh(pool_2d(conv2d(layer1, p["G"]), ws=(2, 2), ignore_border=True) + p["g"].dimshuffle("x", 0, "x", "x"))
    layer3 = T.tanh(T.dot(layer2.flatten(2), p["W"]) + p["w"])
    answer = T.nnet.softmax(T.dot(layer3, p["V"]) + p["v"])
    cost = -T.mean(T.log(answer)[T.arange(Y.shape[0]), Y])
    train = theano.function([X, Y], cost, updates=updates_of(cost, p, 0.5), mode=mode)
    costs, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 25):
        costs.append(float(train(x.reshape(8, 81), y.astype("int32"))))
        value, by = slopes(lenet_in_numpy, values, x, y)
        expected.append(value)
        values = descend(values, by, 0.5)
    compare(costs, expected, p, values, mode)


# --- stacked autoencoder -------------------------------------------------------------------------------

def autoencoder_in_numpy(v, x, noise):
    h = sigmoid((x * noise).dot(v["W"]) + v["b"])
    z = sigmoid(h.dot(v["W"].T) + v["c"])
    return -(x * numpy.log(z) + (1 - x) * numpy.log(1 - z)).sum(1).mean()


def stack_in_numpy(v, x, y):
    h = sigmoid(sigmoid(x.dot(v["W0"]) + v["b0"]).dot(v["W1"]) + v["b1"])
    return -numpy.log(softmax(h.dot(v["V"]) + v["v"])[range(len(y)), y]).mean()


@pytest.mark.parametrize("mode", MODES)
def test_stacked_autoencoder(mode):
    rng = numpy.random.RandomState(2)
    y = numpy.arange(12) % 2
    x = (0.3 * rng.rand(12, 6) + 0.6 * numpy.eye(2, 6)[y]).clip(0.02, 0.98)
    sizes, epochs = [6, 5, 3], 1 if mode == "DebugMode" else 20
    streams = RandomStreams(rng.randint(2 ** 30))
    layers, X, Y = [], T.matrix("x"), T.ivector("y")
    below = X
    for k in range(2):
        values = {"W": rng.uniform(-.6, .6, sizes[k:k + 2]), "b": numpy.zeros(sizes[k + 1]), "c": numpy.zeros(sizes[k])}
        layers.append((values, shared_of(values), below))
        below = T.nnet.sigmoid(T.dot(below, layers[k][1]["W"]) + layers[k][1]["b"])
    data, index, rate = theano.shared(x, borrow=True), T.lscalar("index"), T.scalar("corruption")
    state, final = numpy.random.RandomState(), {}
    represented = x
    for k, (values, p, source) in enumerate(layers):
        noise = streams.binomial(size=source.shape, n=1, p=1 - rate, dtype=theano.config.floatX)
        hidden = T.nnet.sigmoid(T.dot(noise * source, p["W"]) + p["b"])
        z = T.nnet.sigmoid(T.dot(hidden, p["W"].T) + p["c"])
        cost = T.mean(-T.sum(source * T.log(z) + (1 - source) * T.log(1 - z), axis=1))
        pretrain = theano.function([index, theano.In(rate, value=0.2)], cost, updates=updates_of(cost, p, 0.4),
                                   givens={X: data[index * 6:(index + 1) * 6]}, mode=mode)
        state.set_state(streams.state_updates[k][0].get_value().get_state())
        costs, expected = [], []
        for _ in range(epochs):
            for i in range(2):
                costs.append(float(pretrain(index=i, corruption=0.3) if i else pretrain(i)))
                part = represented[i * 6:(i + 1) * 6]
                value, by = slopes(autoencoder_in_numpy, values, part, state.binomial(1, 0.7 if i else 0.8, part.shape))
                expected.append(value)
                values = descend(values, by, 0.4)
        compare(costs, expected, p, values, "DebugMode")
        if mode != "DebugMode":
            assert numpy.mean(costs[-4:]) < numpy.mean(costs[:4])
        final["W%d" % k], final["b%d" % k] = values["W"], values["b"]
        represented = sigmoid(represented.dot(values["W"]) + values["b"])
    final["V"], final["v"] = rng.uniform(-.5, .5, (3, 2)), numpy.zeros(2)
    top = shared_of({"V": final["V"], "v": final["v"]})
    parameters = {"W0": layers[0][1]["W"], "b0": layers[0][1]["b"], "W1": layers[1][1]["W"], "b1": layers[1][1]["b"], **top}
    cost = -T.mean(T.log(T.nnet.softmax(T.dot(below, top["V"]) + top["v"]))[T.arange(Y.shape[0]), Y])
    finetune = theano.function([X, Y], cost, updates=updates_of(cost, parameters, 4.0), mode=mode)
    costs, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 80):
        costs.append(float(finetune(x, y.astype("int32"))))
        value, by = slopes(stack_in_numpy, final, x, y)
        expected.append(value)
        final = descend(final, by, 4.0)
    compare(costs, expected, parameters, final, mode)


# --- GRU with masks and attention ----------------------------------------------------------------------

def gru_step_in_numpy(v, prefix, x, h):
    both = sigmoid(x.dot(v[prefix + "W"]) + h.dot(v[prefix + "U"]))
    n = h.shape[1]
    r, u = both[:, :n], both[:, n:]
    new = numpy.tanh(x.dot(v[prefix + "Wx"]) + (r * h).dot(v[prefix + "Ux"]))
    return u * h + (1 - u) * new


def translation_in_numpy(v, x, mask, y, y_mask):
    h = numpy.zeros((x.shape[1], 2), "complex128")
    encoded = []
    for t in range(len(x)):
        h = mask[t][:, None] * gru_step_in_numpy(v, "e", v["E"][x[t]], h) + (1 - mask[t])[:, None] * h
        encoded.append(h)
    encoded = numpy.array(encoded)
    s = numpy.tanh((encoded * mask[:, :, None]).sum(0) / mask.sum(0)[:, None])
    total = 0
    for t in range(len(y)):
        energy = numpy.tanh(encoded + s.dot(v["A"])).dot(v["a"])
        weight = numpy.exp(energy) * mask
        weight = weight / weight.sum(0)
        context = (encoded * weight[:, :, None]).sum(0)
        before = v["E"][y[t - 1]] if t else numpy.zeros((x.shape[1], 2))
        s = y_mask[t][:, None] * gru_step_in_numpy(v, "d", numpy.concatenate([before, context], 1), s) + (1 - y_mask[t])[:, None] * s
        p = softmax(s.dot(v["O"]))
        total = total - (numpy.log(p[range(len(s)), y[t]]) * y_mask[t]).sum()
    return total / y_mask.sum()


@pytest.mark.parametrize("mode", MODES)
def test_gru_with_masks_and_attention(mode):
    rng = numpy.random.RandomState(4)
    words, n = 4, 2
    shapes = {"E": (words, n), "eW": (n, 2 * n), "eU": (n, 2 * n), "eWx": (n, n), "eUx": (n, n), "dW": (2 * n, 2 * n), "dU": (n, 2 * n),
              "dWx": (2 * n, n), "dUx": (n, n), "A": (n, n), "a": (n,), "O": (n, words)}
    values = {name: rng.uniform(-0.8, 0.8, shape) for name, shape in shapes.items()}
    x = rng.randint(0, words, (4, 3))
    mask = numpy.array([[1, 1, 1], [1, 1, 1], [1, 1, 0], [1, 0, 0]], "float64")
    y, y_mask = x[:3][::-1].copy(), mask[1:].copy()
    p = shared_of(values)
    X, M, Y, YM = T.lmatrix("x"), T.matrix("x_mask"), T.lmatrix("y"), T.matrix("y_mask")

    def gru(prefix, x_, h_):
        gates = T.nnet.sigmoid(T.dot(x_, p[prefix + "W"]) + T.dot(h_, p[prefix + "U"]))
        r, u = gates[:, :n], gates[:, n:2 * n]
        new = T.tanh(T.dot(x_, p[prefix + "Wx"]) + T.dot(r * h_, p[prefix + "Ux"]))
        return u * h_ + (1. - u) * new

    def encode(m_, x_, h_):
        return m_[:, None] * gru("e", x_, h_) + (1. - m_)[:, None] * h_

    emb = p["E"][X.flatten()].reshape([X.shape[0], X.shape[1], n])
    encoded, _ = theano.scan(encode, sequences=[M, emb], outputs_info=[T.alloc(numpy.asarray(0., theano.config.floatX), X.shape[1], n)], name="encoder", n_steps=X.shape[0])
    start = T.tanh((encoded * M[:, :, None]).sum(0) / M.sum(0)[:, None])

    def decode(m_, y_, s_, encoded_, mask_, A, a):
        energy = T.dot(T.tanh(encoded_ + T.dot(s_, A)[None, :, :]), a)
        weight = T.exp(energy) * mask_
        weight = weight / weight.sum(0, keepdims=True)
        context = (encoded_ * weight[:, :, None]).sum(0)
        s = gru("d", T.concatenate([y_, context], axis=1), s_)
        return m_[:, None] * s + (1. - m_)[:, None] * s_, weight

    embedded = p["E"][Y.flatten()].reshape([Y.shape[0], Y.shape[1], n])
    shifted = T.set_subtensor(T.zeros_like(embedded)[1:], embedded[:-1])
    (states, weights), _ = theano.scan(decode, sequences=[YM, shifted], outputs_info=[start, None],
                                       non_sequences=[encoded, M, p["A"], p["a"]])
    logit = T.dot(states, p["O"])
    probs = T.nnet.softmax(logit.reshape([logit.shape[0] * logit.shape[1], logit.shape[2]]))
    flat = Y.flatten()
    nll = -T.log(probs.flatten()[T.arange(flat.shape[0]) * words + flat]).reshape([Y.shape[0], Y.shape[1]])
    cost = (nll * YM).sum() / YM.sum()
    train = theano.function([X, M, Y, YM], [cost, weights], updates=updates_of(cost, p, 0.7), mode=mode)
    costs, expected = [], []
    for _ in range(1 if mode == "DebugMode" else 25):
        value, attention = train(x, mask, y, y_mask)
        costs.append(float(value))
        assert attention.shape == (3, 4, 3) and numpy.allclose(attention.sum(1), 1) and not attention[:, 3, 1:].any()
        value, by = slopes(translation_in_numpy, values, x, mask, y, y_mask)
        expected.append(value)
        values = descend(values, by, 0.7)
    compare(costs, expected, p, values, mode, 0.9)


# --- word embedding ------------------------------------------------------------------------------------

def tagger_in_numpy(v, windows, y):
    h = sigmoid(v["E"][windows].reshape(len(windows), -1).dot(v["W"]) + v["b"])
    return -numpy.log(softmax(h.dot(v["V"]))[range(len(y)), y]).mean()


@pytest.mark.parametrize("mode", MODES)
def test_word_embedding(mode):
    rng = numpy.random.RandomState(5)
    words, dim, context = 7, 3, 3
    values = {"E": rng.uniform(-1, 1, (words + 1, dim)), "W": rng.uniform(-.5, .5, (dim * context, 4)), "b": numpy.zeros(4),
              "V": rng.uniform(-.5, .5, (4, 2))}
    sentence = rng.randint(0, words, 8)
    padded = numpy.concatenate([[-1], sentence, [-1]])
    windows = numpy.array([padded[i:i + context] for i in range(len(sentence))], "int32")
    y = (sentence % 2).astype("int32")
    p = shared_of(values)
    idxs, Y = T.imatrix("idxs"), T.ivector("y")
    rows = p["E"][idxs]
    x = rows.reshape((idxs.shape[0], dim * context))
    h = T.nnet.sigmoid(T.dot(x, p["W"]) + p["b"])
    nll = -T.mean(T.log(T.nnet.softmax(T.dot(h, p["V"])))[T.arange(x.shape[0]), Y])
    others = [p["W"], p["b"], p["V"]]
    row_slope, *by_others = T.grad(nll, [rows] + others)
    updates = [(one, one - 0.8 * slope) for one, slope in zip(others, by_others)]
    updates.append((p["E"], T.inc_subtensor(rows, -0.8 * row_slope)))
    train = theano.function([idxs, Y], nll, updates=updates, mode=mode)
    normalize = theano.function([], updates={p["E"]: p["E"] / T.sqrt((p["E"] ** 2).sum(axis=1)).dimshuffle(0, "x")}, mode=mode)
    costs, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 40):
        costs.append(float(train(windows, y)))
        normalize()
        value, by = slopes(tagger_in_numpy, values, windows, y)
        expected.append(value)
        values = descend(values, by, 0.8)
        values["E"] = values["E"] / numpy.sqrt((values["E"] ** 2).sum(1))[:, None]
    compare(costs, expected, p, values, mode)


# --- transformer block ---------------------------------------------------------------------------------

def normalized(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / numpy.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def block_in_numpy(v, x, y):
    # Not with dot: NumPy has OpenBLAS read beyond the end of columns of complex numbers then.
    batch, time, d = x.shape
    h = normalized(x, v["g1"], v["b1"])
    q, k, w = ((h @ v[name]).reshape(batch, time, 2, d // 2).transpose(0, 2, 1, 3) for name in "QKV")
    scores = q @ k.transpose(0, 1, 3, 2) / numpy.sqrt(d // 2)
    scores = numpy.where(numpy.tril(numpy.ones((time, time))) > 0, scores, -1e9)
    mixed = (softmax(scores) @ w).transpose(0, 2, 1, 3).reshape(batch, time, d)
    x = x + mixed @ v["O"]
    h = normalized(x, v["g2"], v["b2"])
    x = x + larger(h @ v["F"] + v["f"], 0) @ v["G"]
    return ((x - y) ** 2).mean()


@pytest.mark.parametrize("mode", MODES)
def test_transformer_block(mode):
    rng = numpy.random.RandomState(7)
    batch, time, d = 2, 3, 4
    values = {name: rng.uniform(-.6, .6, (d, d)) for name in "QKVO"}
    values.update(F=rng.uniform(-.6, .6, (d, 6)), f=numpy.full(6, 0.1), G=rng.uniform(-.6, .6, (6, d)))
    values.update(g1=numpy.ones(d), b1=numpy.zeros(d), g2=numpy.ones(d), b2=numpy.zeros(d))
    x = rng.randn(batch, time, d)
    y = x.cumsum(1) * 0.5
    p = shared_of(values)
    X, Y = T.tensor3("x"), T.tensor3("y")

    def norm(h, gain, bias):
        mean = h.mean(axis=-1, keepdims=True)
        var = h.var(axis=-1, keepdims=True)
        return (h - mean) / T.sqrt(var + 1e-5) * gain + bias

    def heads(h, w):
        return T.dot(h, w).reshape((X.shape[0], X.shape[1], 2, d // 2)).dimshuffle(0, 2, 1, 3).reshape((X.shape[0] * 2, X.shape[1], d // 2))

    h = norm(X, p["g1"], p["b1"])
    q, k, v = (heads(h, p[name]) for name in "QKV")
    scores = T.batched_dot(q, k.dimshuffle(0, 2, 1)) / numpy.sqrt(d // 2)
    seen = T.tri(X.shape[1], X.shape[1], 0)
    scores = T.switch(seen.dimshuffle("x", 0, 1), scores, -1e9)
    weights = T.nnet.softmax(scores.reshape((scores.shape[0] * scores.shape[1], scores.shape[2]))).reshape(scores.shape, ndim=3)
    mixed = T.batched_dot(weights, v).reshape((X.shape[0], 2, X.shape[1], d // 2)).dimshuffle(0, 2, 1, 3).reshape(X.shape, ndim=3)
    out = X + T.dot(mixed, p["O"])
    out = out + T.dot(T.nnet.relu(T.dot(norm(out, p["g2"], p["b2"]), p["F"]) + p["f"]), p["G"])
    cost = T.sqr(out - Y).mean()
    train = theano.function([X, Y], cost, updates=updates_of(cost, p, 0.2), mode=mode)
    costs, expected = [], []
    for _ in range(1 if mode == "DebugMode" else 20):
        costs.append(float(train(x, y)))
        value, by = slopes(block_in_numpy, values, x, y)
        expected.append(value)
        values = descend(values, by, 0.2)
    compare(costs, expected, p, values, mode)


# --- variational autoencoder, with Adam ----------------------------------------------------------------

def adam(cost, parameters, rate=0.05, b1=0.9, b2=0.999, epsilon=1e-8):
    updates, t = [], theano.shared(numpy.float64(0.0), "t")
    step = t + 1
    for one, slope in zip(parameters, T.grad(cost, parameters)):
        m, v = (theano.shared(one.get_value() * 0.0) for _ in range(2))
        new_m, new_v = b1 * m + (1 - b1) * slope, b2 * v + (1 - b2) * T.sqr(slope)
        scaled = rate * T.sqrt(1 - b2 ** step) / (1 - b1 ** step)
        updates += [(m, new_m), (v, new_v), (one, one - scaled * new_m / (T.sqrt(new_v) + epsilon))]
    return updates + [(t, step)]


def variational_in_numpy(v, x, eps):
    h = numpy.tanh(x.dot(v["A"]) + v["a"])
    mean, log_var = h.dot(v["M"]), h.dot(v["L"])
    z = mean + numpy.exp(0.5 * log_var) * eps
    again = sigmoid(numpy.tanh(z.dot(v["B"])).dot(v["C"]) + v["c"])
    kl = 0.5 * (1 + log_var - mean ** 2 - numpy.exp(log_var)).sum(1)
    return ((-(x * numpy.log(again) + (1 - x) * numpy.log(1 - again))).sum(1) - kl).mean()


@pytest.mark.parametrize("mode", MODES)
def test_variational_autoencoder_with_adam(mode):
    rng = numpy.random.RandomState(8)
    x = (numpy.eye(3, 5)[numpy.arange(9) % 3] * 0.8 + 0.1)
    shapes = {"A": (5, 4), "a": (4,), "M": (4, 2), "L": (4, 2), "B": (2, 4), "C": (4, 5), "c": (5,)}
    values = {name: rng.uniform(-.5, .5, shape) for name, shape in shapes.items()}
    p = shared_of(values)
    X = T.matrix("x")
    streams = RandomStreams(rng.randint(2 ** 30))
    h = T.tanh(T.dot(X, p["A"]) + p["a"])
    mean, log_var = T.dot(h, p["M"]), T.dot(h, p["L"])
    eps = streams.normal(size=mean.shape, dtype=theano.config.floatX)
    z = mean + T.exp(0.5 * log_var) * eps
    again = T.nnet.sigmoid(T.dot(T.tanh(T.dot(z, p["B"])), p["C"]) + p["c"])
    kl = 0.5 * T.sum(1 + log_var - mean ** 2 - T.exp(log_var), axis=1)
    cost = T.mean(T.nnet.binary_crossentropy(again, X).sum(axis=1) - kl)
    train = theano.function([X], cost, updates=adam(cost, list(p.values())), mode=mode)
    state = numpy.random.RandomState()
    state.set_state(streams.state_updates[0][0].get_value().get_state())
    costs, expected = [], []
    m, v = ({name: numpy.zeros(one.shape) for name, one in values.items()} for _ in range(2))
    for t in range(1, 2 if mode == "DebugMode" else 61):
        costs.append(float(train(x)))
        value, by = slopes(variational_in_numpy, values, x, state.normal(0.0, 1.0, (9, 2)))
        expected.append(value)
        for name in values:
            m[name], v[name] = 0.9 * m[name] + 0.1 * by[name], 0.999 * v[name] + 0.001 * by[name] ** 2
            values[name] = values[name] - 0.05 * numpy.sqrt(1 - 0.999 ** t) / (1 - 0.9 ** t) * m[name] / (numpy.sqrt(v[name]) + 1e-8)
    numpy.testing.assert_allclose(costs, expected, rtol=1e-6)
    if mode != "DebugMode":
        assert numpy.mean(costs[-10:]) < 0.9 * numpy.mean(costs[:5])


# --- ways to descend -----------------------------------------------------------------------------------

def momentum(one, slope):
    velocity = theano.shared(one.get_value() * 0.)
    return [(one, one + 0.9 * velocity - 0.1 * slope), (velocity, 0.9 * velocity - 0.1 * slope)]


def nesterov(one, slope):
    velocity = theano.shared(one.get_value() * 0.)
    new = 0.9 * velocity - 0.1 * slope
    return [(velocity, new), (one, one + 0.9 * new - 0.1 * slope)]


def adagrad(one, slope):
    total = theano.shared(numpy.zeros_like(one.get_value(borrow=True)), broadcastable=one.broadcastable)
    new = total + slope ** 2
    return [(total, new), (one, one - 0.2 * slope / T.sqrt(new + 1e-6))]


def rmsprop(one, slope):
    total = theano.shared(one.get_value() * 0.)
    new = 0.9 * total + 0.1 * slope ** 2
    return [(total, new), (one, one - 0.03 * (slope / T.sqrt(new + 1e-6)))]


def adadelta(one, slope):
    grads, steps = (theano.shared(one.get_value() * numpy.asarray(0., "float64")) for _ in range(2))
    new = 0.95 * grads + 0.05 * slope ** 2
    step = -T.sqrt(steps + 1e-3) / T.sqrt(new + 1e-3) * slope
    return [(grads, new), (steps, 0.95 * steps + 0.05 * step ** 2), (one, one + step)]


def in_numpy(name, value, slope, state):
    if name == "momentum":
        state[:] = [0.9 * state[0] - 0.1 * slope]
        return value + state[0]
    if name == "nesterov":
        state[:] = [0.9 * state[0] - 0.1 * slope]
        return value + 0.9 * state[0] - 0.1 * slope
    if name == "adagrad":
        state[:] = [state[0] + slope ** 2]
        return value - 0.2 * slope / numpy.sqrt(state[0] + 1e-6)
    if name == "rmsprop":
        state[:] = [0.9 * state[0] + 0.1 * slope ** 2]
        return value - 0.03 * slope / numpy.sqrt(state[0] + 1e-6)
    grads = 0.95 * state[0] + 0.05 * slope ** 2
    step = -numpy.sqrt(state[1] + 1e-3) / numpy.sqrt(grads + 1e-3) * slope
    state[:] = [grads, 0.95 * state[1] + 0.05 * step ** 2]
    return value + step


def regression_in_numpy(v, x, y):
    return ((numpy.tanh(x.dot(v["W"]) + v["b"]).dot(v["u"]) - y) ** 2).mean()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rule", [momentum, nesterov, adagrad, rmsprop, adadelta], ids=lambda one: one.__name__)
def test_ways_to_descend(rule, mode):
    rng = numpy.random.RandomState(9)
    x = rng.uniform(-1, 1, (10, 3))
    y = numpy.sin(2 * x[:, 0]) + x[:, 1]
    values = {"W": rng.uniform(-.5, .5, (3, 4)), "b": numpy.zeros(4), "u": rng.uniform(-.5, .5, 4)}
    p = shared_of(values)
    X, Y = T.matrix("x"), T.vector("y")
    cost = T.mean((T.dot(T.tanh(T.dot(X, p["W"]) + p["b"]), p["u"]) - Y) ** 2)
    updates = [pair for one, slope in zip(p.values(), T.grad(cost, list(p.values()))) for pair in rule(one, slope)]
    train = theano.function([X, Y], cost, updates=updates, mode=mode)
    state = {name: [numpy.zeros(one.shape), numpy.zeros(one.shape)] for name, one in values.items()}
    costs, expected = [], []
    for _ in range(2 if mode == "DebugMode" else 40):
        costs.append(float(train(x, y)))
        value, by = slopes(regression_in_numpy, values, x, y)
        expected.append(value)
        values = {name: in_numpy(rule.__name__, one, by[name], state[name]) for name, one in values.items()}
    compare(costs, expected, p, values, mode)
