"""Random programs: each is built twice, of variables and of NumPy arrays, and must give the same values.

CROTON_PROGRAMS sets how many run (300), CROTON_SEED the first seed; a failure names its seed and shows the program.
"""
import os

import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

COUNT = int(os.environ.get("CROTON_PROGRAMS", "300"))
SEED = int(os.environ.get("CROTON_SEED", "0"))
PARTS = 10
# Merging and fusion know nothing of ops that overwrite: then the in-place rewrites give up, and what is overwritten is copied.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings("ignore:.*in-place work makes a cycle")]


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
        outputs[0][0] = {"copy": x.copy, "twice": lambda: numpy.repeat(x, 2, axis=0), "reversed": lambda: x[::-1], "halved": lambda: x}[self.how]()

    def grad(self, inputs, gradients):
        g, = gradients
        return [{"copy": lambda: g, "twice": lambda: g[::2] + g[1::2], "reversed": lambda: g[::-1], "halved": lambda: g * 0.5}[self.how]()]


class Program:
    """Values grow one by one: (symbolic, array, text)."""

    def __init__(self, seed):
        self.rng = numpy.random.RandomState(seed)
        self.values, self.inputs, self.arrays, self.lines = [], [], [], []
        self.size = [int(self.rng.randint(1, most)) for most in (5, 5, 10)]
        self.cuts = self.rng.rand() < 0.5  # has sizes that depend on values
        self.shared = []
        for _ in range(self.rng.randint(1, 4)):
            self.leaf()
        for _ in range(self.rng.randint(3, 14)):
            self.step()

    def pick(self, *options):
        return options[self.rng.randint(len(options))]

    def leaf(self):
        rng = self.rng
        shape = tuple(self.pick(*self.size) for _ in range(self.pick(0, 1, 1, 2, 2, 2, 3, 3, 4)))
        if rng.rand() < 0.06 and shape:
            shape = (0,) + shape[1:]
        dtype = self.pick("float64", "float64", "float64", "float64", "int64", "int32", "int8", "bool")
        array = rng.uniform(-3, 3, shape) if dtype == "float64" else rng.randint(0, 2, shape) if dtype == "bool" else rng.randint(-4, 5, shape)
        array = numpy.asarray(array).astype(dtype)
        pattern = [size == 1 and rng.rand() < 0.7 for size in shape]
        variable = T.TensorType(dtype, pattern)("v%d" % len(self.values))
        kind = rng.rand()
        if kind < 0.2:
            variable = theano.shared(array, name=variable.name, broadcastable=pattern)
            self.shared.append(variable)
        elif kind < 0.3:
            variable = T.constant(array)
        else:
            self.inputs.append(variable)
            laid = array
            if array.ndim and rng.rand() < 0.4:
                laid = self.pick(numpy.asfortranarray(array), numpy.repeat(array, 2, -1)[..., ::2], array[::-1].copy()[::-1])
            self.arrays.append(laid)
        self.add(variable, array, "%s %s %s" % (type(variable).__name__, dtype, shape))

    def add(self, variable, array, text):
        array = numpy.asarray(array)
        if array.size > 3000:
            return  # nothing is learned from more of the same
        wanted = numpy.dtype(variable.dtype)
        assert array.shape == tuple(array.shape) and variable.ndim == array.ndim, (text, variable.ndim, array.shape)
        array = array.astype(wanted)
        self.lines.append("%d = %s -> %s%s" % (len(self.values), text, wanted, array.shape))
        if wanted.kind == "f" and array.size and (not numpy.isfinite(array).all() or abs(array).max() > 100):
            variable, array = T.tanh(variable * 0.01), numpy.tanh(array * 0.01)
            if not numpy.isfinite(array).all():
                variable, array = T.switch(T.isnan(variable), 0.25, variable), numpy.where(numpy.isnan(array), 0.25, array)
            self.lines[-1] += ", made small"
        self.values.append((variable, array))

    def any(self, least=0, most=4, kinds="biuf"):
        fit = [i for i, (v, a) in enumerate(self.values) if least <= a.ndim <= most and a.dtype.kind in kinds]
        return fit[self.rng.randint(len(fit))] if fit else None

    def step(self):
        makers = [self.unary, self.unary, self.binary, self.binary, self.binary, self.reduction, self.reduction, self.shape, self.index, self.join, self.dot,
                  self.choose, self.write, self.rows]
        if self.cuts:
            makers += [self.masked, self.masked, self.places, self.unsized, self.unsized, self.head, self.repeated, self.written]
        makers[self.rng.randint(len(makers))]()

    def unary(self):
        i = self.any()
        v, a = self.values[i]
        name, mine, theirs = self.pick(
            ("tanh", T.tanh, numpy.tanh), ("sqr", T.sqr, numpy.square), ("exp", lambda x: T.exp(-abs(x * 1.0)), lambda x: numpy.exp(-abs(x * 1.0))),
            ("log1p", lambda x: T.log1p(abs(x * 1.0)), lambda x: numpy.log1p(abs(x * 1.0))), ("sigmoid", lambda x: T.nnet.sigmoid(x * 1.0), lambda x: 0.5 * (1 + numpy.tanh(x * 0.5))),
            ("naive sigmoid", lambda x: 1 / (1 + T.exp(-(x * 1.0))), lambda x: 0.5 * (1 + numpy.tanh(x * 0.5))),
            ("log sigmoid", lambda x: T.log(T.nnet.sigmoid(x * 1.0)), lambda x: -numpy.logaddexp(0, -(x * 1.0))),
            ("times 2 less 1", lambda x: x * 2 - 1, lambda x: x.astype("int8") * 2 - 1 if x.dtype == bool else x * 2 - 1), ("sqrt", lambda x: T.sqrt(abs(x * 1.0) + 0.01), lambda x: numpy.sqrt(abs(x * 1.0) + 0.01)),
            ("cube", lambda x: (x * 1.0) ** 3, lambda x: (x * 1.0) ** 3), ("sin", lambda x: T.sin(x * 1.0), lambda x: numpy.sin(x * 1.0)),
            ("clip", lambda x: T.clip(x * 1.0, -1, 0.5), lambda x: numpy.clip(x * 1.0, -1, 0.5)), ("floor", lambda x: T.floor(x * 1.5), lambda x: numpy.floor(x * 1.5)),
            ("cast", lambda x: T.cast(x, "float64"), lambda x: x.astype("float64")), ("neg", lambda x: -(x + 0.0), lambda x: -(x + 0.0)))
        if name == "floor" and (abs(a * 1.5 - numpy.rint(a * 1.5)) < 1e-6).any():
            return  # rounding decides
        if name in ("tanh", "sqr") and v.dtype != "float64":
            v, a = v * 1.0, a * 1.0
            v = T.cast(v, "float64")
        self.add(mine(T.cast(v, "float64") if name not in ("times 2 less 1",) and v.dtype != "float64" else v), theirs(a.astype("float64") if name != "times 2 less 1" else a), "%s(%d)" % (name, i))

    def align(self, i, j):
        """Broadcasts by the declared pattern only: unfitting axes are summed away."""
        (v, a), (w, b) = self.values[i], self.values[j]
        n = max(a.ndim, b.ndim)
        v, w = (T.shape_padleft(x, n - x.ndim) if x.ndim < n else x for x in (v, w))
        a, b = (x.reshape((1,) * (n - x.ndim) + x.shape) for x in (a, b))
        for axis in range(n):
            if a.shape[axis] == b.shape[axis]:
                continue
            for which in (0, 1):
                x, y = (v, a) if which == 0 else (w, b)
                if not x.broadcastable[axis]:
                    x, y = x.sum(axis=axis, keepdims=True), y.sum(axis=axis, keepdims=True)
                if which == 0:
                    v, a = x, y.astype(x.dtype)
                else:
                    w, b = x, y.astype(x.dtype)
        return v, a, w, b

    def binary(self):
        i, j = self.any(), self.any()
        v, a, w, b = self.align(i, j)
        name, mine, theirs = self.pick(
            ("add", T.add, numpy.add), ("sub", lambda x, y: T.cast(x, "float64") - y, lambda x, y: x.astype("float64") - y), ("mul", T.mul, numpy.multiply),
            ("mul", T.mul, numpy.multiply), ("div", lambda x, y: x / (abs(y * 1.0) + 1.5), lambda x, y: x / (abs(y * 1.0) + 1.5)), ("maximum", T.maximum, numpy.maximum),
            ("minimum", T.minimum, numpy.minimum), ("less", T.lt, numpy.less), ("eq", T.eq, numpy.equal), ("ge", T.ge, numpy.greater_equal),
            ("switch", lambda x, y: T.switch(x > 0, x, y), lambda x, y: numpy.where(x > 0, x, y)), ("mod", lambda x, y: T.mod(T.cast(x, "float64"), 2.5) + y, lambda x, y: numpy.mod(x.astype("float64"), 2.5) + y),
            ("fma", lambda x, y: x * y + x, lambda x, y: x * y + x), ("hypot", lambda x, y: T.sqrt(T.cast(x, "float64") ** 2 + T.cast(y, "float64") ** 2 + 0.01), lambda x, y: numpy.sqrt(x.astype("float64") ** 2 + y.astype("float64") ** 2 + 0.01)))
        if a.dtype.kind == "f" or b.dtype.kind == "f":
            near = abs(a.astype("float64") - b.astype("float64")) < 1e-6
            if name in ("less", "eq", "ge") and near.any() or name == "switch" and (abs(a) < 1e-6).any() or name == "mod" and \
                    (abs(numpy.mod(a + 1e-6, 2.5)) < 2e-6).any():
                return  # rounding decides
        result = mine(v, w)
        with numpy.errstate(all="ignore"):
            value = theirs(a, b)
        self.add(result, value, "%s(%d, %d)" % (name, i, j))

    def reduction(self):
        i = self.any(1)
        if i is None:
            return
        v, a = self.values[i]
        axis = self.pick(None, *range(-a.ndim, a.ndim))
        keepdims = bool(self.rng.rand() < 0.4)
        name = self.pick("sum", "sum", "mean", "max", "min", "prod", "any", "all", "var", "argmax", "logsumexp", "sum of squares")
        if a.size == 0 and name not in ("sum", "any", "all", "prod", "sum of squares"):
            name = "sum"
        if name in ("argmax", "any", "all") and a.dtype.kind == "f":
            return  # rounding decides between near ones
        if name == "prod":
            v, a = T.cast(v, "float64") * 0.5, a * 0.5
        if name in ("mean", "var", "logsumexp", "sum of squares"):
            v, a = T.cast(v, "float64"), a.astype("float64")
        if name == "logsumexp":
            wanted = numpy.logaddexp.reduce(a, axis=axis, keepdims=keepdims) if axis is not None else \
                numpy.logaddexp.reduce(a.ravel()).reshape((1,) * a.ndim if keepdims else ())
            self.add(T.log(T.sum(T.exp(v), axis=axis, keepdims=keepdims)), wanted, "log sum exp(%d, %s)" % (i, axis))
        elif name == "sum of squares":
            self.add(T.sum(v ** 2, axis=axis, keepdims=keepdims), (a ** 2).sum(axis=axis, keepdims=keepdims), "sum of squares(%d, %s)" % (i, axis))
        else:
            self.add(getattr(T, name)(v, axis=axis, keepdims=keepdims), getattr(numpy, name)(a, axis=axis, keepdims=keepdims), "%s(%d, %s, %s)" % (name, i, axis, keepdims))

    def shape(self):
        i = self.any(1)
        if i is None:
            return
        v, a = self.values[i]
        what = self.pick("T", "flatten", "newaxis", "reshape", "roll", "repeat", "cumsum", "tile", "shape")
        if what == "T":
            self.add(v.T, a.T, "T(%d)" % i)
        elif what == "flatten":
            self.add(v.flatten(), a.ravel(), "flatten(%d)" % i)
        elif what == "newaxis" and a.ndim < 4:
            at = int(self.rng.randint(a.ndim + 1))
            self.add(T.shape_padaxis(v, at), numpy.expand_dims(a, at), "new axis(%d, %d)" % (i, at))
        elif what == "reshape" and a.ndim > 1:
            self.add(v.reshape((v.shape[1], v.shape[0]) + tuple(v.shape[k] for k in range(2, a.ndim))), a.reshape((a.shape[1], a.shape[0]) + a.shape[2:]), "reshape(%d)" % i)
        elif what == "roll" and a.shape[0]:
            self.add(T.roll(v, 1, axis=0), numpy.roll(a, 1, axis=0), "roll(%d)" % i)
        elif what == "repeat":
            self.add(T.repeat(v, 2, axis=a.ndim - 1), numpy.repeat(a, 2, axis=-1), "repeat(%d)" % i)
        elif what == "cumsum" and a.dtype.kind == "f":
            self.add(T.cumsum(v, axis=0), numpy.cumsum(a, axis=0), "cumsum(%d)" % i)
        elif what == "tile" and a.ndim == 1:
            self.add(T.tile(v, (2, 1)), numpy.tile(a, (2, 1)), "tile(%d)" % i)
        elif what == "shape":
            self.add(T.cast(v.shape, "float64") * 1.5, numpy.array(a.shape) * 1.5, "shape(%d)" % i)

    def index(self):
        i = self.any(1)
        if i is None:
            return
        v, a = self.values[i]
        n = a.shape[0]
        parts = [slice(None, None, -1), slice(1, None), slice(None, -1), slice(None, None, 2), Ellipsis, None]
        if n:
            k = int(self.rng.randint(-n, n))
            parts += [k, numpy.array([k, 0, k]), slice(k, None)]
        part = self.pick(*parts)
        if isinstance(part, int) and self.rng.rand() < 0.5:
            self.add(v[T.constant(part) + v.shape[0] * 0], a[part], "[symbolic %d](%d)" % (part, i))
        elif a.ndim > 1 and a.shape[1] and part is not None and part is not Ellipsis and self.rng.rand() < 0.4:
            self.add(v[part, 0], a[part, 0], "[%s, 0](%d)" % (part, i))
        else:
            self.add(v[part], a[part], "[%s](%d)" % (part, i))

    def join(self):
        i = self.any(1)
        if i is None:
            return
        v, a = self.values[i]
        axis = int(self.rng.randint(a.ndim))
        if self.rng.rand() < 0.5 and a.ndim < 4:
            self.add(T.stack([v, v * 2], axis=axis), numpy.stack([a.astype((v * 2).dtype), (a * numpy.int8(2)).astype((v * 2).dtype)], axis), "stack(%d, %d)" % (i, axis))
        else:
            self.add(T.concatenate([v, v[::-1]], axis=axis), numpy.concatenate([a, a[::-1]], axis), "concatenate(%d, %d)" % (i, axis))

    def dot(self):
        i, j = self.any(1, 2), self.any(1, 2)
        if i is None:
            return
        (v, a), (w, b) = self.values[i], self.values[j]
        v, w, a, b = T.cast(v, "float64"), T.cast(w, "float64"), a.astype("float64"), b.astype("float64")
        if a.shape[-1] == b.shape[0]:
            self.add(T.dot(v, w), a.dot(b), "dot(%d, %d)" % (i, j))
        elif a.shape[0] == b.shape[0]:
            self.add(T.dot(v.T, w), a.T.dot(b), "dot(%d.T, %d)" % (i, j))
        elif a.shape[-1] == b.shape[-1] and b.ndim == 2:
            self.add(T.dot(v, w.T) * 0.5, a.dot(b.T) * 0.5, "dot(%d, %d.T) / 2" % (i, j))
        else:
            self.add(T.dot(v, v.T), a.dot(a.T), "dot(%d, %d.T)" % (i, i))

    def choose(self):
        i = self.any(2, 2, "f")
        if i is None:
            return
        v, a = self.values[i]
        if 0 in a.shape:
            return
        e = numpy.exp(a - a.max(1, keepdims=True))
        p = e / e.sum(1, keepdims=True)
        labels = self.rng.randint(0, a.shape[1], a.shape[0])
        what = self.pick("softmax", "log softmax", "pick")
        if what == "softmax":
            self.add(T.nnet.softmax(v), p, "softmax(%d)" % i)
        elif what == "log softmax":
            self.add(T.log(T.nnet.softmax(v)), numpy.log(p), "log softmax(%d)" % i)
        else:
            self.add(-T.log(T.nnet.softmax(v))[T.arange(v.shape[0]), labels], -numpy.log(p)[numpy.arange(len(a)), labels], "-log softmax(%d)[arange, y]" % i)

    def write(self):
        i = self.any(1, 4, "f")
        if i is None or not self.values[i][1].shape[0]:
            return
        v, a = self.values[i]
        b = a.copy()
        if self.rng.rand() < 0.5:
            b[-1] = 0.5
            self.add(T.set_subtensor(v[-1], 0.5), b, "set(%d[-1])" % i)
        else:
            rows = self.rng.randint(0, a.shape[0], 3)
            numpy.add.at(b, rows, 0.25)
            self.add(T.inc_subtensor(v[rows], 0.25), b, "inc(%d[%s])" % (i, rows))

    def rows(self):
        i = self.any(2, 2, "f")
        if i is None:
            return
        v, a = self.values[i]
        if 0 in a.shape:
            return
        self.add(v - v.mean(axis=1, keepdims=True), a - a.mean(axis=1, keepdims=True), "centred(%d)" % i)


    def mask(self, i):
        """Of the rows of value i, or of all its elements: (symbolic, array, text), None where rounding decides."""
        v, a = self.values[i]
        if self.rng.rand() < 0.5 and a.ndim > 1:
            v, a = v[(slice(None),) + (0,) * (a.ndim - 1)] if a[0:1].size else v.sum(axis=tuple(range(1, a.ndim))), \
                a[(slice(None),) + (0,) * (a.ndim - 1)] if a[0:1].size else a.sum(axis=tuple(range(1, a.ndim)))
        limit = self.pick(-0.3, 0.1, 0.5)
        if a.dtype.kind == "f" and (abs(a - limit) < 1e-6).any():
            return None
        return T.gt(v, limit), numpy.greater(a, limit), "%d %dd > %s" % (i, a.ndim, limit)

    def masked(self):
        i = self.any(1)
        found = None if i is None else self.mask(i)
        if found is None:
            return
        (v, a), (m, b, text) = self.values[i], found
        if self.rng.rand() < 0.3 and m.ndim == a.ndim:
            self.add(v[m], a[b], "[%s](%d)" % (text, i))
        else:
            self.add(v[m.nonzero()], a[b.nonzero()], "[nonzero %s](%d)" % (text, i))

    def places(self):
        i = self.any(1)
        found = None if i is None else self.mask(i)
        if found is None:
            return
        m, b, text = found
        k = int(self.rng.randint(b.ndim))
        self.add(T.nonzero(m)[k], b.nonzero()[k], "nonzero(%s)[%d]" % (text, k))

    def unsized(self):
        i = self.any(1, 4, "f")
        if i is None:
            return
        v, a = self.values[i]
        how = self.pick("copy", "twice", "reversed", "halved")
        wanted = {"copy": a, "twice": numpy.repeat(a, 2, axis=0), "reversed": a[::-1], "halved": a * 0.5}[how]
        self.add(Unsized(how)(v), wanted, "unsized %s(%d)" % (how, i))

    def head(self):
        i = self.any(1)
        found = None if i is None else self.mask(i)
        if found is None:
            return
        (v, a), (m, b, text) = self.values[i], found
        self.add(v[:T.sum(T.cast(m, "int64"))], a[:int(b.sum())], "[:count of %s](%d)" % (text, i))

    def repeated(self):
        i = self.any(1, 3)
        found = None if i is None else self.mask(i)
        if found is None or found[1].ndim != 1:
            return
        (v, a), (m, b, text) = self.values[i], found
        self.add(T.repeat(v, T.cast(m, "int64") + 1, axis=0), numpy.repeat(a, b.astype("int64") + 1, axis=0), "repeat(%d, 1 + %s)" % (i, text))

    def written(self):
        i = self.any(1, 4, "f")
        found = None if i is None else self.mask(i)
        if found is None:
            return
        (v, a), (m, b, text) = self.values[i], found
        a = a.copy()
        if self.rng.rand() < 0.5:
            a[b] = 0.25
            self.add(T.set_subtensor(v[m.nonzero()], 0.25), a, "%d with 0.25 where %s" % (i, text))
        else:
            a[b] += 0.25
            self.add(T.inc_subtensor(v[m.nonzero()], 0.25), a, "%d with 0.25 more where %s" % (i, text))


def close(result, wanted, text, single=False):
    assert result.shape == wanted.shape and result.dtype == wanted.dtype, (text, result.shape, wanted.shape, result.dtype, wanted.dtype)
    if wanted.dtype.kind == "f":
        rtol, atol = (1e-7, 1e-9) if not single else (1e-4, 1e-5)
        numpy.testing.assert_allclose(result, wanted, rtol=rtol, atol=atol, err_msg=text)
    else:
        numpy.testing.assert_array_equal(result, wanted, err_msg=text)


@pytest.mark.parametrize("part", range(PARTS))
def test_programs(part):
    for seed in range(SEED + part * COUNT // PARTS, SEED + (part + 1) * COUNT // PARTS):
        program = Program(seed)
        outputs = [v for v, _ in program.values]
        single = any(v.dtype in ("float16", "float32") for v in outputs)
        text = "\n".join(["seed %d" % seed] + program.lines)
        for mode in ("FAST_RUN", "FAST_COMPILE"):
            try:
                run = function(program.inputs, outputs, mode=mode, on_unused_input="ignore")
                results = run(*program.arrays)
                again = run(*program.arrays)
            except Exception as error:
                raise AssertionError("%s\n%s: %s" % (text, mode, error)) from error
            for number, (result, repeated, (_, wanted)) in enumerate(zip(results, again, program.values)):
                close(result, wanted, "%s\nvalue %d, %s" % (text, number, mode), single)
                numpy.testing.assert_array_equal(result, repeated, err_msg=text)


@pytest.mark.parametrize("part", range(PARTS))
def test_their_values_as_updates(part):
    for seed in range(SEED + part * COUNT // PARTS, SEED + (part + 1) * COUNT // PARTS):
        program = Program(seed)
        updates = []
        for variable in program.shared:
            fit = [(v, a) for v, a in program.values if v is not variable and v.type == variable.type and
                   a.shape == variable.get_value(borrow=True).shape]
            if fit:
                updates.append((variable,) + fit[program.rng.randint(len(fit))])
        if not updates:
            continue
        returned = [pair for pair in program.values if program.rng.rand() < 0.6]
        outputs, wanted = [v for v, _ in returned], [a for _, a in returned]
        text = "\n".join(["seed %d" % seed] + program.lines + ["%s becomes %s" % (variable, v) for variable, v, _ in updates])
        before = [variable.get_value() for variable, _, _ in updates]
        try:
            run = function(program.inputs, outputs, updates=[(variable, v) for variable, v, _ in updates], on_unused_input="ignore")
            for _ in range(2):
                for (variable, _, _), value in zip(updates, before):
                    variable.set_value(value)
                for number, (result, value) in enumerate(zip(run(*program.arrays), wanted)):
                    close(result, value, "%s\nvalue %d" % (text, number))
                for variable, _, value in updates:
                    close(variable.get_value(), value, "%s\nnew %s" % (text, variable))
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError("%s\n%s" % (text, error)) from error


@pytest.mark.parametrize("part", range(PARTS))
def test_their_gradients_agree_before_and_after_rewriting(part):
    for seed in range(SEED + part * COUNT // PARTS // 3, SEED + (part + 1) * COUNT // PARTS // 3):
        program = Program(seed)
        wrt = [v for v in program.inputs if v.dtype == "float64"]
        floats = [v for v, a in program.values if v.dtype == "float64"]
        if not wrt or not floats:
            continue
        text = "\n".join(["seed %d" % seed] + program.lines)
        cost = sum(T.sum(T.tanh(v)) for v in floats)
        try:
            gradients = T.grad(cost, wrt, disconnected_inputs="ignore")
            both = [function(program.inputs, gradients, mode=mode, on_unused_input="ignore")(*program.arrays) for mode in ("FAST_RUN", "FAST_COMPILE")]
        except Exception as error:
            raise AssertionError("%s\n%s" % (text, error)) from error
        for fast, plain, variable in zip(*both, wrt):
            numpy.testing.assert_allclose(fast, plain, rtol=1e-6, atol=1e-8, err_msg=text + "\n" + str(variable), equal_nan=True)
