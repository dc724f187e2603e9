"""What one text says in two worlds: each function takes M, which is theano.tensor or numpy, and does the same in both."""
import math

import numpy
import theano
import theano.ifelse
import theano.gradient
import theano.tensor as T
import theano.tensor.fft
import theano.tensor.nlinalg
import theano.tensor.signal.pool
import theano.tensor.slinalg


def loop(M, step, sequences=(), states=(), fixed=(), n_steps=None, backwards=False):
    """The results of all steps. sequences: (array, taps); states: (initial rows, taps), or None for what is only collected."""
    if M is T:
        infos = [None if s is None else dict(initial=s[0][0] if list(s[1]) == [-1] else s[0], taps=list(s[1])) for s in states]
        return theano.scan(step, [dict(input=a, taps=list(taps)) for a, taps in sequences], infos, list(fixed), n_steps=n_steps,
                           go_backwards=backwards, return_list=True)[0]
    first = max([0] + [-tap for _, taps in sequences for tap in taps])
    lengths = [len(a) - first - max(list(taps) + [0]) for a, taps in sequences]
    count = min(lengths) if n_steps is None else n_steps
    assert all(length >= count for length in lengths)
    history = [None if s is None else [row for row in s[0][:-min(s[1])]] for s in states]
    made = [[] for _ in states]
    for t in range(count):
        places = [first + (length - 1 - t if backwards else t) for length in lengths]
        rows = [a[place + tap] for (a, taps), place in zip(sequences, places) for tap in taps]
        rows += [h[tap] for h, s in zip(history, states) if s is not None for tap in s[1]]
        results = step(*rows, *fixed)
        is_last = isinstance(results, tuple) and bool(results[1])
        results = results[0] if isinstance(results, tuple) else results
        for h, s, m, result in zip(history, states, made, results):
            result = numpy.asarray(result) if s is None else numpy.asarray(result).astype(s[0].dtype)
            m.append(result)
            if h is not None:
                h.append(result)
        if is_last:
            break
    if count == 0:  # a step on zeros tells the shapes
        rows = [numpy.zeros(a.shape[1:], a.dtype) for a, taps in sequences for _ in taps]
        rows += [numpy.zeros(s[0].shape[1:], s[0].dtype) for s in states if s is not None for _ in s[1]]
        results = step(*rows, *fixed)
        results = results[0] if isinstance(results, tuple) else results
        made = [[numpy.asarray(result)] for result in results]
        return [numpy.stack(m)[:0] for m in made]
    return [numpy.stack(m) for m in made]


def ends(M, results, condition):
    """The results of a step after which the loop may end."""
    return (results, theano.scan_module.until(condition)) if M is T else (results, condition)


def choose(M, condition, a, b):
    return theano.ifelse.ifelse(condition, a, b) if M is T else a if condition else b


def written(M, x, where, y, how):
    """x with y set or added at `where`."""
    if M is T:
        return (T.set_subtensor if how == "set" else T.inc_subtensor)(x[where], y)
    x = x.copy()
    if how == "set":
        x[where] = y
    else:
        numpy.add.at(x, where, y)
    return x


def convolved(M, x, w, border, stride=(1, 1), dilation=(1, 1), flip=True, groups=1):
    if M is T:
        return T.nnet.conv2d(x, w, border_mode=border, subsample=stride, filter_dilation=dilation, filter_flip=flip, num_groups=groups)
    size = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilation)]
    pad = {"valid": (0, 0), "full": (size[0] - 1, size[1] - 1), "half": (size[0] // 2, size[1] // 2)}.get(border, border)
    x = numpy.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in pad])
    if flip:
        w = w[:, :, ::-1, ::-1]
    rows, columns = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], size, stride)]
    assert rows > 0 and columns > 0
    out = numpy.zeros((x.shape[0], w.shape[0], rows, columns), x.dtype)
    channels, maps = w.shape[1], w.shape[0] // groups
    for i in range(rows):
        for j in range(columns):
            part = x[:, :, i * stride[0]:i * stride[0] + size[0]:dilation[0], j * stride[1]:j * stride[1] + size[1]:dilation[1]]
            for g in range(groups):
                out[:, g * maps:(g + 1) * maps, i, j] = numpy.einsum("bcij,ocij->bo", part[:, g * channels:(g + 1) * channels],
                                                                     w[g * maps:(g + 1) * maps])
    return out


def pooled(M, x, size, mode):
    """Windows side by side; what does not fill a window is left out."""
    if M is T:
        return theano.tensor.signal.pool.pool_2d(x, size, ignore_border=True, mode=mode)
    rows, columns = x.shape[-2] // size[0], x.shape[-1] // size[1]
    assert rows > 0 and columns > 0
    x = x[..., :rows * size[0], :columns * size[1]].reshape(x.shape[:-2] + (rows, size[0], columns, size[1]))
    return x.max(axis=(-3, -1)) if mode == "max" else x.sum(axis=(-3, -1)) if mode == "sum" else x.mean(axis=(-3, -1))


def softmax(M, x):
    if M is T:
        return T.nnet.softmax(x)
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def spectrum(M, x):
    """Real and imaginary parts along the last axis of rows of numbers."""
    if M is T:
        return theano.tensor.fft.rfft(x)
    found = numpy.fft.rfft(x)
    return numpy.stack([found.real, found.imag], axis=-1)


def signal(M, x):
    """Rows of numbers from their spectrum, which `x` holds as if by spectrum()."""
    if M is T:
        return theano.tensor.fft.irfft(x)
    return numpy.fft.irfft(x[..., 0] + 1j * x[..., 1])


def inside(M, f, *arguments):
    """f as an op with a graph of its own."""
    if M is not T:
        return f(*arguments)
    inputs = [a.type() for a in arguments]
    return theano.OpFromGraph(inputs, [f(*inputs)])(*arguments)


def filled_diagonal(M, x, value):
    if M is T:
        return T.fill_diagonal(x, value)
    x = x.copy()
    numpy.fill_diagonal(x, value)
    return x


def largest(M, x, k):
    """The k largest of each row, the largest first."""
    if M is T:
        return T.sort(T.topk(x, k, axis=-1), axis=-1)[..., ::-1]
    return numpy.sort(x, axis=-1)[..., ::-1][..., :k]


def normal(M, a):
    """A square matrix that can be inverted, whose root can be drawn, and whose eigenvalues lie apart."""
    return M.dot(a, a.T) * 0.1 + M.diag(M.arange(a.shape[0]) + 1.0)


def inverse(M, a):
    return T.nlinalg.matrix_inverse(a) if M is T else numpy.linalg.inv(a)


def determinant(M, a):
    return T.nlinalg.det(a) if M is T else numpy.linalg.det(a)


def pseudo_inverse(M, a):
    return T.nlinalg.pinv(a) if M is T else numpy.linalg.pinv(a)


def eigenvalues(M, a):
    return T.nlinalg.eigh(a)[0] if M is T else numpy.linalg.eigvalsh(a)


def singular_values(M, a):
    return T.nlinalg.svd(a)[1] if M is T else numpy.linalg.svd(a)[1]


def root(M, a):
    return T.slinalg.cholesky(a) if M is T else numpy.linalg.cholesky(a)


def solution(M, a, b):
    return T.slinalg.solve(a, b) if M is T else numpy.linalg.solve(a, b)


class Unsized(theano.Op):
    """Gives no shapes: what follows waits until it ran. `how`: copy, twice (every row), reversed (a view), halved (overwrites)."""
    __props__ = ("how",)

    def __init__(self, how):
        self.how = how
        if how == "reversed":
            self.view_map = {0: [0]}
        if how == "halved":
            self.destroy_map = {0: [0]}

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        pattern = x.broadcastable if self.how != "twice" else (False,) + x.broadcastable[1:]
        return theano.Apply(self, [x], [T.TensorType(x.dtype, pattern)()])

    def perform(self, node, inputs, outputs):
        x, = inputs
        if self.how == "halved":
            x *= 0.5
        made = {"copy": x.copy, "twice": lambda: numpy.repeat(x, 2, axis=0), "reversed": lambda: x[::-1], "halved": lambda: x}
        outputs[0][0] = made[self.how]()

    def grad(self, inputs, gradients):
        g, = gradients
        made = {"copy": lambda: g, "twice": lambda: g[::2] + g[1::2], "reversed": lambda: g[::-1], "halved": lambda: g * 0.5}
        return [made[self.how]()]


def unsized(M, x, how):
    if M is T:
        return Unsized(how)(x)
    return {"copy": x, "twice": numpy.repeat(x, 2, axis=0), "reversed": x[::-1], "halved": x * 0.5}[how]
