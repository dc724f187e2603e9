"""Loops by scan (the first argument of a program is its language, natural/words.py)."""
from natural.row import row


def last(states):
    return [state[-1] for state in states] if isinstance(states, list) else states[-1]


def lstm(m, x, h, c, w, u, b):
    size = h.shape[1]

    def step(h, c, x):
        g = m.dot(x, w) + m.dot(h, u) + b
        c = m.sigmoid(g[:, size:2 * size]) * c + m.sigmoid(g[:, :size]) * m.tanh(g[:, 2 * size:3 * size])
        return m.sigmoid(g[:, 3 * size:]) * m.tanh(c), c

    return m.scan(step, [h, c], [x])[0]


def gru(m, x, h, w, u):
    size = h.shape[1]

    def step(h, x):
        a, b = m.dot(x, w), m.dot(h, u)
        z, r = m.sigmoid(a[:, :size] + b[:, :size]), m.sigmoid(a[:, size:2 * size] + b[:, size:2 * size])
        return (1 - z) * h + z * m.tanh(a[:, 2 * size:] + r * b[:, 2 * size:])

    return m.scan(step, h, [x])


def lorenz(m, state, length):
    def slope(s):
        return m.stack([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]])

    def step(s):
        a = slope(s)
        b = slope(s + 0.005 * a)
        c = slope(s + 0.005 * b)
        d = slope(s + 0.01 * c)
        return s + 0.01 / 6 * (a + 2 * b + 2 * c + d)

    return m.scan(step, state, length=length)


def garch(m, y, a, b, c):
    start = m.mean(y ** 2)
    v = m.scan(lambda v, before: a ** 2 + b ** 2 * before ** 2 + c ** 2 * v, start, [y])
    return m.sum(m.log(v) + y ** 2 / v)


def forward(m, p, t, e):
    """The log-likelihood of a hidden Markov model: start, transitions, emissions of each step."""
    def step(a, e):
        a = m.log(m.dot(m.exp(a - m.max(a)), t)) + m.max(a) + e
        return a
    last = m.scan(step, m.log(p), [e])[-1]
    return m.log(m.sum(m.exp(last - m.max(last)))) + m.max(last)


def kalman(m, y, q, r):
    def step(x, p, y):
        p = p + q ** 2
        k = p / (p + r ** 2)
        return x + k * (y - x), (1 - k) * p
    return m.scan(step, [y[0], r ** 2], [y])[0]


def kalman2(m, y, a, h, x, p):
    """Four states, two of which are seen."""
    def step(x, p, y):
        x, p = m.dot(a, x), m.dot(m.dot(a, p), a.T) + 0.01 * m.eye(4)
        s = m.dot(m.dot(h, p), h.T) + 0.1 * m.eye(2)
        k = m.dot(m.dot(p, h.T), m.inv(s))
        return x + m.dot(k, y - m.dot(h, x)), p - m.dot(m.dot(k, h), p)
    return m.scan(step, [x, p], [y])[0]


def power_iteration(m, a, v, length):
    def step(v):
        w = m.dot(a, v)
        return w / m.sqrt((w ** 2).sum())
    return m.scan(step, v, length=length)[-1]


row("cumulated product by scan", "x f8 {100|1e4} unit", lambda m, x: m.scan(lambda s, x: s * (0.5 + x), m.cast(x[0] * 0 + 1, "float64"), [x]))
row("scalar recurrence", "x f8 {1000|1e5} unit", lambda m, x: m.scan(lambda s, x: 0.9 * s + x, x[0], [x]))
row("logistic map", "x f8 scalar unit", lambda m, x: m.scan(lambda s: 3.5 * s * (1 - s), x, length=1000))
row("exponential smoothing of vectors", "x f4 500x100", lambda m, x: m.scan(lambda s, x: 0.9 * s + 0.1 * x, x[0], [x]))
row("elementwise steps", "x f8 1000", lambda m, x: m.scan(lambda s: s + 0.01 * m.sin(s), x, length=200)[-1])
row("Fibonacci", "x f8 scalar", lambda m, x: m.scan(lambda a, b: (b, a * 0.5 + b * 0.5), [x, x + 1], length=1000)[0])
row("Runge-Kutta", "x f8 3", lambda m, x: lorenz(m, x, 500), close=1e-4)
row("GARCH", "y f8 1000; a f8 scalar pos; b f8 scalar unit; c f8 scalar unit", garch)
row("GARCH and gradient", "y f8 1000; a f8 scalar pos; b f8 scalar unit; c f8 scalar unit", garch, gradient="a b c")
row("hidden Markov model", "p f8 5 pos; t f8 5x5 pos; e f8 500x5", forward)
row("hidden Markov model and gradient", "p f8 5 pos; t f8 5x5 pos; e f8 200x5", forward, gradient="t e")
row("Kalman filter of a number", "y f8 1000; q f8 scalar pos; r f8 scalar pos", kalman)
row("Kalman filter of a number and gradient", "y f8 500; q f8 scalar pos; r f8 scalar pos", lambda m, y, q, r: m.sum(kalman(m, y, q, r) ** 2), gradient="q r")
row("Kalman filter", "y f8 300x2; a f8 4x4 small; h f8 2x4; x f8 4; p f8 4x4 spd", kalman2, close=1e-5)
row("power iteration", "a f8 50x50 spd; v f8 50", lambda m, a, v: power_iteration(m, a, v, 100), close=1e-5)
row("power iteration", "a f8 4x4 spd; v f8 4", lambda m, a, v: power_iteration(m, a, v, 500), close=1e-5)
row("simple recurrent network", "x f4 100x32x64; h f4 32x128 small; w f4 64x128 small; u f4 128x128 small",
    lambda m, x, h, w, u: m.scan(lambda h, x: m.tanh(m.dot(x, w) + m.dot(h, u)), h, [x]))
row("simple recurrent network and gradient", "x f4 50x16x32; h f4 16x64 small; w f4 32x64 small; u f4 64x64 small",
    lambda m, x, h, w, u: m.sum(m.scan(lambda h, x: m.tanh(m.dot(x, w) + m.dot(h, u)), h, [x])[-1] ** 2), gradient="w u")
row("LSTM", "x f4 50x32x64; h f4 32x128 small; c f4 32x128 small; w f4 64x512 small; u f4 128x512 small; b f4 512 small", lstm, small={128: 4, 512: 16})
row("LSTM of one sample", "x f4 100x1x32; h f4 1x32 small; c f4 1x32 small; w f4 32x128 small; u f4 32x128 small; b f4 128 small", lstm, small={32: 4, 128: 16})
row("LSTM and gradient", "x f4 30x16x32; h f4 16x64 small; c f4 16x64 small; w f4 32x256 small; u f4 64x256 small; b f4 256 small",
    lambda m, *inputs: m.sum(lstm(m, *inputs)[-1] ** 2), gradient="w u b", small={64: 4, 256: 16})
row("GRU", "x f4 50x16x32; h f4 16x64 small; w f4 32x192 small; u f4 64x192 small", gru, small={64: 4, 192: 12})
row("GRU and gradient", "x f4 30x16x32; h f4 16x64 small; w f4 32x192 small; u f4 64x192 small",
    lambda m, *inputs: m.sum(gru(m, *inputs)[-1] ** 2), gradient="w u", small={64: 4, 192: 12})
row("Newton for a square root", "x f8 1000 pos", lambda m, x: m.scan(lambda s: 0.5 * (s + x / s), x, length=10)[-1])
row("gradient descent inside", "x f8 200x10; y f8 200; w f8 10",
    lambda m, x, y, w: m.scan(lambda w: w - 0.001 * m.dot(x.T, m.dot(x, w) - y), w, length=50)[-1])
row("predator and prey", "x f8 scalar pos; y f8 scalar pos",
    lambda m, x, y: m.scan(lambda x, y: (x + 0.01 * (x - x * y), y + 0.01 * (x * y - y)), [x, y], length=1000)[0])
