"""What the programs of many fields share: modes they run in, and functions of NumPy."""
import numpy as np

close = np.testing.assert_allclose
MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]


def softmax(z, axis=-1):
    e = np.exp(z - z.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def logsumexp(z, axis):
    top = z.max(axis, keepdims=True)
    return np.log(np.exp(z - top).sum(axis)) + top.squeeze(axis)


def sigmoid(z):
    return 0.5 * (1 + np.tanh(0.5 * z))


def slope(function, at, place, step=1e-6):
    """The derivative of a function of an array by its element there."""
    up, down = at.copy(), at.copy()
    up[place] += step
    down[place] -= step
    return (function(up) - function(down)) / (2 * step)


class Programs(dict):
    """Collects the programs of a file, and is asked for them in an order."""

    def __call__(self, build):
        self[build.__name__] = build
        return build

    def run(self, name, mode):
        self[name](mode, np.random.RandomState(len(name)))
