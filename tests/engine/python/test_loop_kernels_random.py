"""Loops over small arrays as one kernel: random bodies have the values and gradients of the same loop step by step."""
import os

os.environ["CROTON_COMPILE_WAIT"] = "1"  # the first call has its kernel

import numpy
import pytest

import theano
import theano.tensor as T

KERNEL = theano.Mode(optimizer="fast_run")
STEPS = theano.Mode(linker="py", optimizer="fast_run").excluding("croton_loop_in_one_kernel")
BODIES, PARTS = 120, 12
SHAPES = [(), (), (1,), (2,), (5,), (3, 4), (20,)]
DTYPES = ["float64", "float64", "float32", "int64", "int32", "int8", "uint8", "bool"]


class Body:
    """A random loop: inputs, outputs and values. A step works on pairs of a variable and its shape."""

    def __init__(self, seed):
        self.random = numpy.random.RandomState(seed)
        self.inputs, self.values = [], []
        self.is_float = self.pick([True, True, False])
        steps, shape = self.pick([1, 2, 3, 17, 40]), self.pick(SHAPES)
        states = [(self.pick([shape, ()]), self.dtype(), self.pick([[-1], [-1], [-2, -1], [-3]])) for _ in range(self.pick([1, 1, 2, 3]))]
        rows = [self.pick([shape, ()]) for _ in range(self.pick([0, 1, 2]))]
        taps = [self.pick([[0], [0, 1]]) for _ in rows]
        sizes = [row for row, each in zip(rows, taps) for _ in each] + [own for own, _, back in states for _ in back]
        sequences = [dict(input=self.given((steps + 1,) + row, self.dtype()), taps=each) for row, each in zip(rows, taps)]
        begins = [dict(initial=self.given(own if back == [-1] else (-min(back),) + own, dtype), taps=back) for own, dtype, back in states]
        others = [self.pick([shape, ()]) for _ in range(self.pick([0, 1, 2]))]
        fixed = [self.given(other, self.dtype()) for other in others]
        has_condition = self.pick([False, False, True])
        self.has_gradient = self.is_float and not has_condition and seed % 3 == 0

        def step(*variables):
            pool = list(zip(variables, sizes + others))
            for _ in range(self.random.randint(2, 9)):
                pool.append(self.work(pool))
            made = [self.fit(self.pick(pool[-4:]), own, dtype) for own, dtype, _ in states] + [self.fit(pool[-1], shape, self.dtype())]
            condition = self.fit(pool[-2], (), "float64") > self.random.rand() * 2
            return (made, theano.scan_module.until(condition)) if has_condition else made

        outputs, _ = theano.scan(step, sequences, begins + [None], fixed, n_steps=steps, go_backwards=self.pick([False, False, True]))
        self.outputs = [self.pick([one, one[-1], one[-2:]]) for one in outputs]
        if self.has_gradient:
            loss = sum(T.cast(one, "float64").sum() for one in self.outputs)
            self.outputs += T.grad(loss, self.inputs, disconnected_inputs="ignore")

    def pick(self, choices):
        return choices[self.random.randint(len(choices))]

    def dtype(self):
        return self.pick(DTYPES[:3] if self.is_float else DTYPES)

    def given(self, shape, dtype):
        """An input; its value may be strided or backwards."""
        variable = T.TensorType(dtype, [False] * len(shape))("i%d" % len(self.inputs))
        value = self.random.randn(*[2 * size for size in shape])
        value = numpy.asarray(value > 0 if dtype == "bool" else value if self.is_float else value * 3).astype(dtype)
        value = value[tuple(self.pick([slice(None, None, 2), slice(size)]) for size in shape)]
        self.inputs.append(variable)
        self.values.append(value[::-1] if shape and self.random.rand() < 0.3 else value)
        return variable

    def fit(self, pair, shape, dtype):
        """The variable as one of a shape and dtype; numbers that grow are brought back."""
        value, own = pair
        while len(own) > len(shape):
            value, own = self.pick([T.sum, T.max, T.min])(value, axis=0), own[1:]
        if own != shape:
            value = T.alloc(value.flatten()[0] if own else value, *shape)
        if value.dtype.startswith("float"):
            value = T.tanh(value) if dtype.startswith("float") else T.clip(value, 0, 100)
        elif value.dtype != "bool" and dtype.startswith("float"):
            value = T.cast(value % 7, dtype) / 4
        return value > 0 if dtype == "bool" and value.dtype != "bool" else T.cast(value, dtype)

    def work(self, pool):
        (x, size), (y, other) = self.pick(pool), self.pick(pool)
        if size != other and size and other:
            y = y.flatten()[0]
        size = size or other
        x, y = (one if one.dtype != "bool" else T.cast(one, "int8") for one in (x, y))
        if x.ndim < len(size):
            x = x + T.zeros_like(y)
        choices = [(x + y, size), (x * y - x, size), (T.switch(x > y, x, y), size), (T.maximum(x, y), size), (T.minimum(x, 1) + y, size),
                   (abs(x) + 1, size), (T.eq(x, y), size), (T.cast(x, "float32") * 0.5, size)]
        if x.dtype.startswith("float"):
            choices += [(T.tanh(x) * y, size), (T.exp(-x * x), size), (T.nnet.sigmoid(x) + y, size), (T.log1p(abs(x)), size), (T.log(abs(x) + 0.5), size), (T.sin(x), size),
                        (T.sqrt(abs(x) + 1), size), (x / (abs(y) + 1), size)]
        elif y.dtype.startswith("int") and x.dtype.startswith("int"):
            choices += [(x // (T.cast(y, "int64") % 5 + 1), size), (x % (T.cast(y, "int64") % 5 + 2), size), (T.bitwise_xor(x, y), size)]
        if size:
            choices += [(x.sum(), ()), (x.max(), ()), (x[::-1], size), (T.set_subtensor(x[0], T.cast(1, x.dtype)), size), (x.min(axis=0), size[1:]),
                        (T.inc_subtensor(x[-1:], T.ones_like(x[-1:])), size), (T.concatenate([x[1:], x[:1]]), size), (x.prod(axis=-1), size[:-1]),
                        (T.stack([x.flatten()[0], x.flatten()[-1]]), (2,)), (T.all(x > 0), ()), (T.outer(x.flatten()[:2], x.flatten()[-1:]).flatten()[0], ())]
            if not self.has_gradient:
                choices.append((T.sort(x, axis=0), size))
        if len(size) == 1 and self.is_float:
            choices.append((T.dot(x, x), ()))
        if len(size) == 2 and self.is_float:
            choices += [(T.dot(x, x.T).sum(axis=1), size[:1]), (T.dot(x.T, x)[:, 0], size[1:]), (x.T.sum(axis=1), size[1:])]
        return self.pick(choices)


def difference(got, wanted):
    """Products and gradients may add in another order."""
    for number, (one, other) in enumerate(zip(got, wanted)):
        if one.dtype != other.dtype or one.shape != other.shape:
            return "output %d is %s %s, not %s %s" % (number, one.dtype, one.shape, other.dtype, other.shape)
        close = numpy.allclose(one, other, rtol=1e-9 if one.dtype == numpy.float64 else 1e-4, atol=1e-9 if one.dtype == numpy.float64 else 1e-5,
                               equal_nan=True) if one.dtype.kind == "f" else numpy.array_equal(one, other)
        if not close:
            return "output %d is %s, not %s" % (number, one, other)
    return None


@pytest.mark.parametrize("part", range(PARTS))
def test_values_and_gradients(part):
    for seed in range(part, BODIES, PARTS):
        body = Body(seed)
        with_kernel, by_steps = (theano.function(body.inputs, body.outputs, mode=mode, on_unused_input="ignore") for mode in (KERNEL, STEPS))
        wanted = by_steps(*body.values)
        for _ in range(2):
            found = difference(with_kernel(*body.values), wanted)
            assert not found, "body %d: %s" % (seed, found)
    assert not theano.compile.kernels.failures()
