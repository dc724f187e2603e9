"""A row of the benchmark: a name, what goes in, and the program as people write it. `row()` adds one."""
import inspect
import os
import re

import numpy

DTYPES = {"f2": "float16", "f4": "float32", "f8": "float64", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "b": "bool"}
ROWS = []


class Input:
    """"x f4 1000x784 T pos": a name, a dtype, a shape (or `scalar`), and words about its layout and values.

    Layouts: T (a transposed view), F (Fortran order), step2 (every second element of the last axis), back (the first axis backwards).
    Values: pos (0.1 to 1.1), unit (0 to 1), small (normal / 10), <K (integers below K), spd (a symmetric, positive definite matrix),
    lower (a triangle that is far from singular). Without a word they are normal; integers are below 100.
    reads=N: the program reads only N of the elements (`reads=512x300`), for the roof.
    """

    def __init__(self, text):
        name, dtype, shape, *words = text.split()
        self.name, self.dtype, self.words = name, DTYPES[dtype], words
        self.shape = () if shape == "scalar" else tuple(int(float(size)) for size in shape.split("x"))
        below = [word[1:] for word in words if word.startswith("<")]
        self.below = int(float(below[0])) if below else None
        read = [word[6:] for word in words if word.startswith("reads=")]
        self.read = int(numpy.prod([float(size) for size in read[0].split("x")])) if read else None

    def bytes(self):
        """Those that the program reads."""
        return (self.count() if self.read is None else self.read) * numpy.dtype(self.dtype).itemsize

    def resized(self, sizes):
        copy = Input("%s f4 scalar" % self.name)
        copy.dtype, copy.words, copy.read = self.dtype, self.words, self.read
        copy.shape = tuple(sizes.get(size, size) for size in self.shape)
        copy.below = sizes.get(self.below, self.below)
        return copy

    def count(self):
        return int(numpy.prod(self.shape, dtype=numpy.int64))

    def array(self, seed):
        """The same values for everybody who asks with one seed."""
        random = numpy.random.RandomState(seed)
        layout = [word for word in self.words if word in ("T", "F", "step2", "back")]
        shape = self.shape
        if "T" in layout:
            shape = shape[::-1]
        if "step2" in layout:
            shape = shape[:-1] + (2 * shape[-1],)
        values = self._values(random, shape)
        if "T" in layout:
            values = values.T
        if "F" in layout:
            values = numpy.asfortranarray(values)
        if "step2" in layout:
            values = values[..., ::2]
        if "back" in layout:
            values = values[::-1]
        return values

    def _values(self, random, shape):
        words = self.words
        if self.dtype == "bool":
            return random.rand(*shape) < 0.5
        if numpy.dtype(self.dtype).kind in "iu":
            return random.randint(0, self.below or 100, shape).astype(self.dtype)
        if "spd" in words:
            half = random.randn(*shape)
            return (numpy.matmul(half, numpy.swapaxes(half, -1, -2)) / shape[-1] + numpy.eye(shape[-1])).astype(self.dtype)
        if "lower" in words:
            return (numpy.tril(random.randn(*shape)) / shape[-1] + numpy.eye(shape[-1])).astype(self.dtype)
        values = random.rand(*shape) if "pos" in words or "unit" in words else random.randn(*shape)
        if "pos" in words:
            values += 0.1
        if "small" in words:
            values /= 10
        return numpy.asarray(values, self.dtype)


class Row:
    """`ours` and `theirs` are texts, or functions of the words (words.py) and the inputs; a text that is the same for all is written once.

    gradient: names of inputs by which the (scalar) value is derived, too. state: names of inputs that the program returns new values of, after
    its other results; they are shared variables in Theano. close: the largest relative difference. small: sizes for checks of values that
    depend on one another ({64: 4, 192: 12}).
    """

    def __init__(self, name, inputs, ours, theirs, theme, gradient="", state="", close=None, small=None):
        self.name, self.theme = name, theme
        self.inputs = [Input(one) for one in inputs.split(";")] if isinstance(inputs, str) else inputs
        self.ours, self.theirs = ours, theirs
        self.gradient, self.state = gradient.split(), state.split()
        self.close, self._small = close, small or {}

    def arrays(self):
        return {one.name: one.array(number) for number, one in enumerate(self.inputs)}

    def resized(self, sizes):
        """The same row with other sizes (a dictionary of old ones to new ones)."""
        return Row(self.name, [one.resized(sizes) for one in self.inputs], self.ours, self.theirs, self.theme, " ".join(self.gradient),
                   " ".join(self.state), self.close)

    def with_layout(self, place, layout):
        """The same row with one of its inputs laid otherwise."""
        copy = self.resized({})
        copy.inputs[place].words = copy.inputs[place].words + [layout]
        return copy

    def sizes(self):
        return sorted({size for one in self.inputs for size in one.shape + ((one.below,) if one.below else ())})

    def small(self):
        """A few elements each: sizes over 6 become 8, 12, 16 ... in their order, so that those that are equal stay so."""
        large = [size for size in self.sizes() if size > 6]
        return self.resized({size: 8 + 4 * place for place, size in enumerate(large)} | self._small)

    def tolerance(self):
        dtypes = {one.dtype for one in self.inputs}
        return self.close or (3e-2 if "float16" in dtypes else 1e-3 if "float32" in dtypes else 1e-7)


def expand(text):
    """"x f4 {100|1e6}; y f4 {100|1e6}" stands for two rows: braces take their first choices, then their second ones."""
    braces = re.findall(r"{(.*?)}", text)
    count = len(braces[0].split("|")) if braces else 1
    return [re.sub(r"{(.*?)}", lambda found: found.group(1).split("|")[place], text) for place in range(count)]


def row(name, inputs, ours, theirs=None, **more):
    """Adds a row, or one for each of the sizes in braces; `theirs` is what NumPy and JAX write where it differs."""
    theme = os.path.basename(inspect.stack()[1].filename).rsplit(".", 1)[0]
    for text in expand(inputs):
        shapes = ", ".join(" ".join(part.split()[1:]) for part in text.split(";")[:2])
        ROWS.append(Row("%s (%s)" % (name, shapes), text, ours, theirs or ours, theme, **more))
