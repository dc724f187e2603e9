"""Steps of training with shared variables, and networks forwards."""
from natural.row import row


def steepest(m, loss, rate, *of):
    value, gradients = m.value_and_grad(loss, *of)
    return [value] + [one - rate * gradient for one, gradient in zip(of, gradients)]


def labels_loss(m, logits, k):
    return -m.mean(m.log_softmax(logits)[m.arange(k.shape[0]), k])


def logistic(m, x, y, w, b):
    return steepest(m, lambda w, b: m.mean(m.softplus(m.dot(x, w) + b) - y * (m.dot(x, w) + b)) + 0.01 * m.sum(w ** 2), 0.01, w, b)


def perceptron(m, x, k, w, b, v, c):
    return steepest(m, lambda w, b, v, c: labels_loss(m, m.dot(m.tanh(m.dot(x, w) + b), v) + c, k), 0.001, w, b, v, c)


def relu_network(m, x, k, w, v, u):
    return steepest(m, lambda w, v, u: labels_loss(m, m.dot(m.relu(m.dot(m.relu(m.dot(x, w)), v)), u), k), 0.001, w, v, u)


def momentum(m, x, y, w, s):
    value, (g,) = m.value_and_grad(lambda w: m.mean((m.dot(x, w) - y) ** 2), w)
    s = 0.9 * s - 0.001 * g
    return [value, w + s, s]


def adam_of(m, w, g, a, b):
    a, b = 0.9 * a + 0.1 * g, 0.999 * b + 0.001 * g ** 2
    return w - 0.0001 * a / (m.sqrt(b) + 1e-8), a, b


def adam(m, x, y, w, a, b):
    value, (g,) = m.value_and_grad(lambda w: m.mean((m.tanh(m.dot(x, w)) - y) ** 2), w)
    return [value, *adam_of(m, w, g, a, b)]


def rmsprop(m, g, w, s):
    s = 0.9 * s + 0.1 * g ** 2
    return [w - 0.0001 * g / m.sqrt(s + 1e-6), s]


def autoencoder(m, x, w, b, c):
    return steepest(m, lambda w, b, c: m.mean((m.sigmoid(m.dot(m.sigmoid(m.dot(x, w) + b), w.T) + c) - x) ** 2), 0.001, w, b, c)


def attention(m, x, q, k, v):
    q, k, v = m.dot(x, q), m.dot(x, k), m.dot(x, v)
    return m.dot(m.softmax(m.dot(q, k.T) / 8.0), v)


def mixer(m, x, w, v, g):
    h = (x - x.mean(axis=1, keepdims=True)) / m.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * g
    h = m.dot(h, w)
    return x + m.dot(0.5 * h * (1 + m.erf(h * 0.70710678)), v)


def convolutions(m, x, f, g):
    return m.relu(m.conv2d(m.relu(m.conv2d(x, f)), g))


row("step of linear regression", "x f4 1000x20; y f4 1000; w f4 20",
    lambda m, x, y, w: steepest(m, lambda w: m.mean((m.dot(x, w) - y) ** 2), 0.01, w), state="w")
row("step of logistic regression", "x f4 400x784; y f4 400 unit; w f4 784 small; b f4 scalar", logistic, state="w b")
row("step of logistic regression", "x f8 100x10; y f8 100 unit; w f8 10 small; b f8 scalar", logistic, state="w b")
row("step of a perceptron", "x f4 100x784; k i8 100 <10; w f4 784x100 small; b f4 100; v f4 100x10 small; c f4 10", perceptron, state="w b v c")
row("step of a perceptron", "x f4 32x20; k i8 32 <3; w f4 20x16 small; b f4 16; v f4 16x3 small; c f4 3", perceptron, state="w b v c")
row("step of a network with relu", "x f4 128x256; k i8 128 <10; w f4 256x256 small; v f4 256x256 small; u f4 256x10 small", relu_network, state="w v u")
row("step with momentum", "x f4 500x100; y f4 500; w f4 100 small; s f4 100 small", momentum, state="w s")
row("step of Adam", "x f4 500x100; y f4 500; w f4 100 small; a f4 100 small; b f4 100 pos", adam, state="w a b")
row("Adam alone", "g f4 {1e4|1e6}; w f4 {1e4|1e6}; a f4 {1e4|1e6}; b f4 {1e4|1e6} pos", lambda m, g, w, a, b: list(adam_of(m, w, g, a, b)), state="w a b")
row("Adam alone", "g f8 1000x100; w f8 1000x100; a f8 1000x100; b f8 1000x100 pos", lambda m, g, w, a, b: list(adam_of(m, w, g, a, b)), state="w a b")
row("RMSprop alone", "g f4 1e6; w f4 1e6; s f4 1e6 pos", rmsprop, state="w s")
row("gradient descent alone", "g f4 {1e3|1e6}; w f4 {1e3|1e6}", lambda m, g, w: [w - 0.01 * g], state="w")
row("momentum alone", "g f4 1e6; w f4 1e6; s f4 1e6", lambda m, g, w, s: [w - 0.01 * (0.9 * s + g), 0.9 * s + g], state="w s")
row("clipped gradients", "g f4 1e6", lambda m, g: g * m.minimum(1.0, 5.0 / m.sqrt(m.sum(g ** 2))))
row("weight decay alone", "w f4 1e6", lambda m, w: [w * 0.9999], state="w")
row("step of an autoencoder", "x f4 100x256 unit; w f4 256x64 small; b f4 64; c f4 256", autoencoder, state="w b c")
row("attention of one head", "x f4 {64x64|256x64}; q f4 64x64 small; k f4 64x64 small; v f4 64x64 small", attention)
row("attention of one head and gradient", "x f4 128x64; q f4 64x64 small; k f4 64x64 small; v f4 64x64 small",
    lambda m, *inputs: m.sum(attention(m, *inputs) ** 2), gradient="q k v")
row("block of a transformer", "x f4 128x256; w f4 256x1024 small; v f4 1024x256 small; g f4 256", mixer)
row("block of a transformer and gradient", "x f4 64x128; w f4 128x512 small; v f4 512x128 small; g f4 128",
    lambda m, *inputs: m.mean(mixer(m, *inputs) ** 2), gradient="w v g")
row("two convolutions", "x f4 8x3x32x32; f f4 16x3x3x3 small; g f4 16x16x3x3 small", convolutions)
row("two convolutions and gradient", "x f4 8x3x32x32; f f4 16x3x3x3 small; g f4 16x16x3x3 small",
    lambda m, *inputs: m.mean(convolutions(m, *inputs) ** 2), gradient="f g")
row("convolution of an image", "x f4 1x1x256x256; f f4 1x1x5x5 small", "conv2d(x, f)")
row("convolution with many channels", "x f4 4x32x28x28; f f4 32x32x3x3 small", "conv2d(x, f, border_mode='half')")
row("dropout of a given mask", "x f4 1000x1000; k f4 1000x1000 unit", "x * (k < 0.5) * 2", "x * (k < 0.5) * 2")
row("nearest centres", "x f4 2000x16; c f4 50x16", "argmin(((x[:, None, :] - c) ** 2).sum(axis=2), axis=1)")
row("embedding and mean", "e f4 5000x64; k i8 64x20 <5000; w f4 64x10", "dot(e[k].mean(axis=1), w)")
row("one step of k-means", "x f4 2000x8; c f4 10x8",
    lambda m, x, c: centres(m, x, c))


def centres(m, x, c):
    far = (x ** 2).sum(axis=1)[:, None] + (c ** 2).sum(axis=1) - 2 * m.dot(x, c.T)
    near = m.exp(-(far - m.min(far, axis=1, keepdims=True)))
    near = near / near.sum(axis=1, keepdims=True)
    return m.dot(near.T, x) / near.sum(axis=0)[:, None]
