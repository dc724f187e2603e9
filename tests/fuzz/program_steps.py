"""The steps that whole programs are made of: every maker picks operands and adds a step, or gives up (None)."""
import itertools

import numpy
from program_texts import BINARY, COMPLEX, CURVED, DISCRETE, INTEGERS, IN_THEANO, LINEAR, OF_FLOATS, TWO_BACK, UNARY
from whole_programs import Leaf, Rejected


class Maker:
    """Adds leaves and steps to a program until it has as many as it was going to have."""

    def __init__(self, program):
        self.program, self.rng = program, program.rng
        self.has_sizes_of_values = self.rng.rand() < 0.25
        self.is_plain = self.rng.rand() < 0.6  # float64 and a few integers
        self.sizes = [int(self.rng.choice([0, 1, 2, 3, 4, 5, 8], p=[0.04, 0.16, 0.2, 0.25, 0.2, 0.1, 0.05])) for _ in range(3)]
        for _ in range(self.rng.randint(1, 4)):
            self.leaf()
        for _ in range(200):
            if self.steps >= self.wanted:
                break
            self.step()

    wanted = property(lambda self: 1 + self.program.seed % 12)
    steps = property(lambda self: sum(not isinstance(line, Leaf) for line in self.program.lines))

    # --- what there is ---------------------------------------------------------------------------------

    def pick(self, *options):
        return options[self.rng.randint(len(options))]

    def array(self, k):
        return self.program.array(k)

    def any(self, least=0, most=4, kinds="biufc", fits=lambda a: True):
        """A value, young ones first."""
        numbers = [line.number for line in self.program.lines if line.number not in self.program.hidden]
        fit = [k for k in numbers if least <= self.array(k).ndim <= most and self.array(k).dtype.kind in kinds and fits(self.array(k))]
        if not fit:
            raise Rejected("no such value")
        return self.pick(*(fit[-3:] if self.rng.rand() < 0.6 else fit))

    def of_float(self, k):
        """The text of operand 0 as a float64, if it is no float."""
        return "@0" if self.array(k).dtype.kind == "f" else "@0.astype('float64')"

    def float(self, least=0, most=4, fits=lambda a: True):
        return self.any(least, most, "f", fits)

    def leaf(self, shape=None, dtype=None, low=-2, high=2):
        rng = self.rng
        if shape is None:
            shape = tuple(self.pick(*self.sizes) for _ in range(self.pick(0, 1, 1, 2, 2, 2, 3, 3, 4)))
        if dtype is None:
            mixed = ["float64"] * 2 + ["float32"] * 4 + ["float16", "bool"] + INTEGERS + COMPLEX
            dtype = self.pick(*["float64"] * 6 + ["int64", "int32", "int8", "bool"] if self.is_plain else mixed)
        kind = numpy.dtype(dtype).kind
        if kind in "fc":
            array = rng.uniform(low, high, shape) + (1j * rng.uniform(low, high, shape) if kind == "c" else 0)
        else:
            array = rng.randint(0, 2, shape) if kind == "b" else rng.randint(-3 if kind == "i" else 0, 5, shape)
        array = numpy.asarray(array).astype(dtype)
        if kind == "f":
            array = array.round(3)
        pattern = [size == 1 and bool(rng.rand() < 0.7) for size in shape]
        where = rng.rand()
        layout = "%s"
        if array.ndim and rng.rand() < 0.3:
            layout = self.pick("numpy.asfortranarray(%s)", "numpy.repeat(%s, 2, -1)[..., ::2]", "numpy.array(%s[::-1])[::-1]")
        return self.program.add_leaf(Leaf(self.program.next_number(), array, pattern, "shared" if where < 0.15 else "constant" if where < 0.22 else "input",
                                          layout))

    def add(self, uses, text, numpy_text=None, is_hidden=False):
        return self.program.add_step(uses, text, numpy_text, is_hidden)

    def step(self):
        makers = [self.unary] * 4 + [self.binary] * 6 + [self.reduction] * 4 + [self.shape] * 3 + [self.index] * 4 + [self.write] * 4 + [self.loop] * 4 + \
                 [self.join] * 2 + [self.product] * 3 + [self.cast, self.choice, self.rows, self.rows, self.image, self.square_matrix, self.order, self.made,
                                                         self.of_complex, self.running]
        if self.has_sizes_of_values:
            makers += [self.masked] * 3 + [self.unsized] * 3 + [self.head, self.repeated, self.masked_write]
        try:
            makers[self.rng.randint(len(makers))]()
        except Rejected:
            pass

    # --- element by element ----------------------------------------------------------------------------

    def unary(self):
        k = self.any()
        kind = self.array(k).dtype.kind
        if kind == "c":
            text = self.pick(("-@0",), ("@0 * @0",), ("M.exp(@0 * 0.5)",), ("abs(@0)",), ("M.real(@0)",), ("M.imag(@0)",), ("M.conj(@0)",), ("M.angle(@0 + 3)",))
        elif kind in "iu" and self.rng.rand() < 0.5:
            text = self.pick(*DISCRETE)
            if self.array(k).dtype == "uint64" and any(sign in text[0] for sign in "|&x"):
                raise Rejected("with an int8 it is a float")
        else:
            text = self.pick(*UNARY)
            text = tuple(t.replace("@0", self.of_float(k)) for t in text)
        self.add([k], *text)

    def aligned(self, i, j):
        """Texts of two operands that broadcast by their declared patterns: axes that do not fit are summed away."""
        a, b = self.array(i), self.array(j)
        patterns = [self.program.variable(k).broadcastable for k in (i, j)]
        texts, sums = ["@0", "@1"], ([], [])
        for axis in range(1, min(a.ndim, b.ndim) + 1):
            if a.shape[-axis] == b.shape[-axis]:
                continue
            for which, array in enumerate((a, b)):
                if not patterns[which][-axis]:
                    sums[which].append(array.ndim - axis)
        for which in (0, 1):
            if sums[which]:
                texts[which] = "M.sum(@%d, axis=%r, keepdims=True)" % (which, tuple(sums[which]))
        return texts

    def binary(self):
        i = self.any()
        j = self.any() if self.rng.rand() < 0.9 else i
        kinds = self.array(i).dtype.kind + self.array(j).dtype.kind
        left, right = self.aligned(i, j)
        if "c" in kinds:
            text, to = self.pick(*[("@0 + @1", "D"), ("@0 * @1", "D"), ("@0 - @1", "D")])
        else:
            text, to = self.pick(*(BINARY + OF_FLOATS * (kinds == "ff")))
        if "b" in kinds and (" - " in text or "abs" in text or "**" in text):
            raise Rejected("bool")
        if kinds == "bb" and "M." not in text:
            raise Rejected("bool")
        dtypes = [self.array(k).dtype for k in (i, j)]
        for which, side in enumerate((left, right)):
            if "sum" in side and dtypes[which].kind in "biu":  # sums of integers are wide
                dtypes[which] = numpy.dtype("uint64" if dtypes[which].kind == "u" else "int64")
        if "/" in text or "divide" in text:  # NumPy's text divides floats; integers below the line wrap, which those do not
            self.refuse_wrapping(self.array(j), dtypes[1])
        to = "#D" if to == "D" else repr(str(numpy.promote_types(*dtypes)))
        theirs = text.replace("@0", "<0>").replace("@1", "<1>").replace("<0>", "(%s).astype(%s)" % (left, to)).replace("<1>", "(%s).astype(%s)" % (right, to))
        mine = text.replace("@0", "<0>").replace("@1", "<1>").replace("<0>", left).replace("<1>", right)
        for name, own in IN_THEANO.items():
            mine = mine.replace(name, own)
        self.add([i, j], mine, theirs)

    @staticmethod
    def refuse_wrapping(array, dtype):
        """Where the square of an integer, and one more, may not fit into its dtype."""
        largest = max(abs(int(array.max(initial=0))), abs(int(array.min(initial=0)))) * max(1, array.size) if dtype.kind in "iu" else 0
        if largest and largest * largest + 1 > numpy.iinfo(dtype).max:
            raise Rejected("integers wrap")

    def cast(self):
        k = self.any(kinds="biuf")
        to = self.pick("float64", "float64", "float32", "int64", "int8", "bool") if self.is_plain else self.pick("float32", "float16", "float64", "bool", *INTEGERS)
        if to[0] == "u" and self.array(k).size and self.array(k).min() < 0:
            raise Rejected("what a negative float is as an unsigned one, nobody promises")
        self.add([k], "@0.astype(%r)" % to)

    def of_complex(self):
        if self.is_plain:
            raise Rejected("no complex numbers here")
        i = self.float(fits=lambda a: a.dtype == "float64")
        self.add([i], "T.complex(@0, @0 * 0.5)", "@0 + 0.5j * @0")

    def choice(self):
        k, c = self.float(), self.any(kinds="biuf", fits=lambda a: a.size > 0)
        other = self.pick("M.sin(@1) * 2", "@1 * 0.25 + 1", "M.tanh(@1)", "@1")
        dtype = str(self.array(k).dtype)
        self.add([c, k], "choose(M, M.sum(@0) > %r, (@1 * 1.5).astype(%r), (%s).astype(%r))" % (self.pick(-0.75, 0.25, 2.125), dtype, other, dtype))

    # --- reductions ------------------------------------------------------------------------------------

    def axes(self, ndim):
        return self.pick(None, *list(range(-ndim, ndim)), *list(itertools.combinations(range(ndim), 2)))

    @staticmethod
    def refuse_ties(a, axis):
        """Of two largest ones, each gets the whole slope: that is Theano's rule, and no derivative."""
        if a.dtype.kind == "f" and a.size:
            for extreme in (a.max(axis=axis, keepdims=True), a.min(axis=axis, keepdims=True)):
                if ((abs(a - extreme) < 1e-4).sum(axis=axis) > 1).any():
                    raise Rejected("a tie")

    def reduction(self):
        k = self.any(1)
        a = self.array(k)
        axis, keep = self.axes(a.ndim), bool(self.rng.rand() < 0.4)
        options = "axis=%r, keepdims=%r" % (axis, keep)
        if a.dtype.kind == "c":
            return self.add([k], "M.sum(@0, %s)" % options)
        name = self.pick("sum", "sum", "sum", "mean", "max", "min", "prod", "any", "all", "var", "std", "argmax", "argmin", "logsumexp", "norm", "ptp", "squares", "product")
        if name in ("max", "min", "ptp"):
            self.refuse_ties(a, axis)
        x = self.of_float(k)
        if name in ("any", "all"):
            return self.add([k], "M.%s(@0 > 0.25, %s)" % (name, options))
        if name in ("argmax", "argmin"):
            axis = axis if not isinstance(axis, tuple) else axis[0]
            return self.add([k], "M.%s(@0, axis=%r)" % (name, axis))
        if name == "logsumexp":
            return self.add([k], "M.log(M.sum(M.exp(%s), %s))" % (x, options))
        if name == "norm":
            return self.add([k], "M.sqrt(M.sum(%s ** 2, %s) + 0.1)" % (x, options))
        if name == "squares":
            return self.add([k], "M.sum(%s ** 2, %s)" % (x, options))
        if name == "product":
            return self.add([k], "M.prod(%s * 0.5 + 1, %s)" % (x, options))
        if name == "ptp":
            return self.add([k], "M.max(@0, %s) - M.min(@0, %s)" % (options, options) if a.dtype != bool else "M.max(@0, %s)" % options)
        if name in ("mean", "var", "std"):
            return self.add([k], "M.%s(%s, %s)" % (name, x, options))
        return self.add([k], "M.%s(@0, %s)" % (name, options))

    def running(self):
        k = self.float(1)
        axis = self.pick(None, *range(self.array(k).ndim))
        if axis is not None and self.rng.rand() < 0.3:
            return self.add([k], "M.diff(@0, axis=%d)" % axis)
        self.add([k], self.pick("M.cumsum(@0, axis=%r)", "M.cumprod(M.tanh(@0) + 0.5, axis=%r)") % axis)

    # --- shapes ----------------------------------------------------------------------------------------

    def shape(self):
        k = self.any(1)
        a = self.array(k)
        axis = int(self.rng.randint(a.ndim))
        order = tuple(int(i) for i in self.rng.permutation(a.ndim))
        count = self.pick(1, 2, 3)
        options = [("@0.T",), ("@0.flatten()",), ("M.transpose(@0, %r)" % (order,),), ("M.swapaxes(@0, 0, %d)" % axis,), ("M.roll(@0, %d, axis=%d)" % (count, axis),),
                   ("M.repeat(@0, %d, axis=%d)" % (count, axis),), ("M.tile(@0, %r)" % ((count,) * a.ndim,),),
                   ("M.cast(M.shape(@0), 'float64') * 1.5", "numpy.array(@0.shape) * 1.5"), ("@0.shape[%d]" % axis,), ("M.reshape(@0, %r)" % (tuple(a.shape),),),
                   ("@0.reshape((@0.shape[0], -1))",), ("@0.reshape((-1,) + (1,) * %d)" % axis,), ("M.outer(@0, @0)",)]
        if a.ndim > 1:
            options += [("M.reshape(@0, (@0.shape[1], @0.shape[0]) + tuple(@0.shape[i] for i in range(2, %d)))" % a.ndim,)] * 2
        if a.ndim < 4:
            options += [("T.shape_padaxis(@0, %d)" % axis, "numpy.expand_dims(@0, %d)" % axis), ("T.shape_padright(@0)", "@0[..., None]")]
            options += [("T.alloc(@0, %d, *[@0.shape[i] for i in range(%d)])" % (count, a.ndim), "numpy.broadcast_to(@0, (%d,) + @0.shape)" % count)]
        if a.dtype.kind == "f":
            options += [("T.unbroadcast(@0 * 1.0, %d)" % axis, "@0 * 1.0"), ("T.tensor_copy(@0)", "@0")]
            if a.shape[axis] == 1:
                options += [("T.addbroadcast(@0, %d)" % axis, "@0")] * 3
        self.add([k], *self.pick(*options))

    def join(self):
        k = self.any(1)
        a = self.array(k)
        axis = int(self.rng.randint(a.ndim))
        if a.dtype.kind == "f" and self.rng.rand() < 0.5:
            twice = "@0 * 0.5"
        else:
            twice = "@0[::-1]"
        if self.rng.rand() < 0.4 and a.ndim < 4:
            return self.add([k], "M.stack([@0, %s], axis=%d)" % (twice, axis))
        if self.rng.rand() < 0.3:
            cut = int(self.rng.randint(a.shape[axis] + 1))
            lead = (":, " * axis)
            return self.add([k], "M.concatenate([@0[%s%d:], @0[%s:%d]], axis=%d)" % (lead, cut, lead, cut, axis))
        self.add([k], "M.concatenate([@0, %s], axis=%d)" % (twice, axis))

    def made(self):
        what = self.pick("eye", "arange", "diag", "tri", "diagonal", "full")
        n = self.pick(*self.sizes) or 2
        if what == "eye":
            return self.add([], "M.eye(%d, %d, %d, dtype='float64')" % (n, n + 1, self.pick(-1, 0, 1)))
        if what == "arange":
            return self.add([], "M.arange(%d, %d, %d)" % (self.pick(0, 1, -2), n, self.pick(1, 2)))
        if what == "diag":
            return self.add([self.any(1, 1)], "M.diag(@0)")
        k = self.any(2, 2)
        if what == "tri":
            return self.add([k], "M.%s(@0, %d)" % (self.pick("tril", "triu"), self.pick(-1, 0, 1)))
        if what == "diagonal":
            return self.add([k], "M.diagonal(@0)")
        self.add([self.any(0, 0)], "T.alloc(@0, %d, 3)" % n, "numpy.broadcast_to(@0, (%d, 3))" % n)

    # --- indexing --------------------------------------------------------------------------------------

    def basic(self, size, is_first=True):
        """An index of an axis of this many elements: (text, is it advanced, how many elements it picks; None for one)."""
        k = int(self.rng.randint(1, 4))
        options = [":", "%d:" % k, ":%d" % k, "-%d:" % k, ":-%d" % k, "::-1", "::2", "%d::%d" % (k - 1, k), "-%d:-1" % (k + 1), "::-%d" % k, "-1:-%d:-1" % (k + 1)]
        if size and self.rng.rand() < 0.4:
            return str(int(self.rng.randint(-size, size)))
        return self.pick(*options)

    def place(self, a, uses, is_written=False, is_once=False):
        """The text of an index into an array; a value that it reads is appended to uses."""
        kind = self.rng.rand()
        count = int(self.rng.randint(1, a.ndim + 1))
        if kind < 0.6:
            parts = [self.basic(size) for size in a.shape[:count]]
            if self.rng.rand() < 0.1:
                parts.append("...")
            # With None among them, axes of one element that the index does not name are gone in Theano, and stay in NumPy.
            if not is_written and self.rng.rand() < 0.1 and (count == a.ndim or "..." in parts):
                parts.insert(int(self.rng.randint(len(parts) + 1)), "None")
            return ", ".join(parts)
        lengths = [size for size in a.shape[:count] if size]
        if len(lengths) < count:
            return ":"
        if kind < 0.7:  # a place that is known only when it runs
            try:
                uses.append(self.any(0, 0, "iu"))
                start, most = ("", lengths[0]) if self.rng.rand() < 0.6 else (":", lengths[0] + 1)
                return "%s(@%d %% %d).astype('int64')" % (start, len(uses) - 1, most)
            except Rejected:
                return "0"
        most = min(lengths) if is_once else 3
        picked = int(self.rng.randint(1, most + 1))

        def some(size):
            rows = self.rng.permutation(size)[:picked] if is_once else self.rng.randint(-size, size, picked)
            return repr([int(row) for row in rows])
        if kind < 0.85 or count == 1:
            return some(lengths[0])
        parts = [some(size) if self.rng.rand() < 0.6 else self.pick(":", "::-1", "1:") for size in lengths]
        return ", ".join(parts)

    def index(self):
        k = self.any(1)
        uses = [k]
        text = self.place(self.array(k), uses)
        if self.rng.rand() < 0.1 and self.array(k).dtype.kind == "f":
            text, uses = ("@0 > 0.25", [k]) if self.has_sizes_of_values else (text, uses)
        self.add(uses, "@0[%s]" % text)

    def write(self):
        k = self.any(1, 4, "iuf")
        a = self.array(k)
        uses = [k]
        how = self.pick("set", "inc")
        where = self.place(a, uses, True, how == "set" or self.rng.rand() < 0.5)
        base = self.pick("@0", "@0", "@0", "M.zeros_like(@0)")
        dtype = str(a.dtype)
        y = self.pick("constant", "part", "part", "value", "itself")
        if y == "constant":
            text = "numpy.array(%r, %r)" % (self.pick(0, 1, 2), dtype)
        elif y in ("part", "itself"):
            text = "(@0[%s] %s).astype(%r)" % (where, self.pick("* 2", "+ 1", "* 1") if y == "part" else "", dtype)
        else:
            # One element stretches only where that is declared.
            shape = eval("a[%s]" % where, {"a": a}).shape if "@" not in where else ()
            uses.append(self.any(0, a.ndim, "iuf", lambda y: y.shape == shape[len(shape) - y.ndim:]))
            text = "@%d.astype(%r)" % (len(uses) - 1, dtype)
        self.add(uses, "written(M, %s, numpy.s_[%s], %s, %r)" % (base, where, text, how) if "@" not in where and "..." not in where else
                 "written(M, %s, (%s,), %s, %r)" % (base, self.as_tuple(where), text, how))

    @staticmethod
    def as_tuple(where):
        """The same index without brackets."""
        def one(part):
            part = part.strip()
            if ":" not in part:
                return "Ellipsis" if part == "..." else part
            return "slice(%s)" % ", ".join(p.strip() or "None" for p in (part.split(":") + [""])[:3])
        return ", ".join(one(part) for part in where.split(","))

    # --- products --------------------------------------------------------------------------------------

    def product(self):
        if self.rng.rand() < 0.2:
            k = self.float(3, 3)
            return self.add([k], *self.pick(("T.batched_dot(@0, @0.dimshuffle(0, 2, 1))", "numpy.matmul(@0, @0.transpose(0, 2, 1))"),
                                            ("T.batched_dot(@0, @0[:, 0])", "numpy.einsum('bij,bj->bi', @0, @0[:, 0])"),
                                            ("M.tensordot(@0, @0, axes=[[0, 1], [0, 1]])",), ("M.tensordot(@0, @0, axes=[[2], [2]])",)))
        i, j = self.any(1, 2, "if"), self.any(1, 2, "if")
        a, b = self.array(i), self.array(j)
        x, y = ("@%d" % which if array.dtype.kind == "f" else "@%d.astype('float64')" % which for which, array in enumerate((a, b)))
        if a.shape[-1] == b.shape[0]:
            text = "M.dot(%s, %s)" % (x, y)
        elif a.shape[0] == b.shape[0]:
            text = "M.dot(%s.T, %s)" % (x, y)
        elif a.shape[-1] == b.shape[-1]:
            text = "M.dot(%s, %s.T) * 0.5" % (x, y)
        else:
            text = "M.dot(%s, %s.T)" % (x, x)
        self.add([i, j] if "@1" in text else [i], text)

    def square_matrix(self):
        k = self.float(2, 2, lambda a: a.dtype == "float64" and a.size > 0)
        self.add([k], self.pick("inverse(M, normal(M, @0))", "determinant(M, normal(M, @0))", "root(M, normal(M, @0))", "solution(M, normal(M, @0), @0)",
                                "M.log(determinant(M, normal(M, @0)))", "eigenvalues(M, normal(M, @0))",
                                "pseudo_inverse(M, normal(M, @0))", "singular_values(M, normal(M, @0))",
                                "filled_diagonal(M, @0, 0.5)", "inside(M, lambda x: M.dot(x, x.T) + 1, @0)", "M.trace(M.dot(@0, @0.T))",
                                "M.dot(inverse(M, normal(M, @0)), @0)"))

    def rows(self):
        k = self.float(2, 2)
        a = self.array(k)
        labels = [int(label) for label in self.rng.randint(0, max(a.shape[1], 1), a.shape[0])]
        self.add([k], *self.pick(("softmax(M, @0)",), ("M.log(softmax(M, @0))",), ("-M.log(softmax(M, @0))[M.arange(%d), numpy.array(%r, 'int64')]" % (a.shape[0], labels),),
                                 ("@0 - M.mean(@0, axis=1, keepdims=True)",), ("M.exp(@0) / M.sum(M.exp(@0), axis=1, keepdims=True)",),
                                 ("(@0 - M.mean(@0, axis=0)) / M.sqrt(M.var(@0, axis=0) + 0.1)",), ("@0 / (M.sum(abs(@0), axis=0, keepdims=True) + 1)",),
                                 ("T.nnet.categorical_crossentropy(T.nnet.softmax(@0), numpy.array(%r, 'int64'))" % labels,
                                  "-numpy.log(softmax(M, @0))[M.arange(%d), numpy.array(%r, 'int64')]" % (a.shape[0], labels)),
                                 ("spectrum(M, @0) + 0.375",) if a.dtype == "float64" and self.rng.rand() < 0.3 else ("softmax(M, @0 * 2) * @0",)))

    def image(self):
        k = self.float(2, 4, lambda a: a.size > 0 and min(a.shape[-2:]) > 1)
        a = self.array(k)
        x = "@0[%s]" % ", ".join(["None"] * (4 - a.ndim) + ["..."]) if a.ndim < 4 else "@0"
        if self.rng.rand() < 0.3:
            self.refuse_ties(a.ravel(), None)
            return self.add([k], "pooled(M, %s, %r, %r)" % (x, (self.pick(1, 2), 2), self.pick("max", "sum", "average_exc_pad")))
        channels = a.shape[-3] if a.ndim > 2 else 1
        groups = channels if self.rng.rand() < 0.15 else 1
        shape = (groups * self.pick(1, 2), channels // groups, int(self.rng.randint(1, min(a.shape[-2], 3) + 1)), int(self.rng.randint(1, min(a.shape[-1], 3) + 1)))
        w = self.leaf(shape, str(a.dtype), -1, 1)
        border = self.pick("valid", "full", "half", (1, 0))
        self.add([k, w], "convolved(M, %s, @1, %r, %r, %r, %r, %d)" % (x, border, (self.pick(1, 1, 2), 1), (1, self.pick(1, 1, 2)), bool(self.rng.rand() < 0.7), groups))

    def order(self):
        what = self.pick("sort", "sort", "topk", "searchsorted", "unique", "bincount", "split", "choose", "signal")
        if what == "topk":
            k = self.float(1, 3, lambda a: a.shape[-1] > 0)
            return self.add([k], "largest(M, @0, %d)" % self.rng.randint(1, self.array(k).shape[-1] + 1))
        if what == "searchsorted":
            return self.add([self.float(1, 1), self.float(0, 2)], "M.searchsorted(M.sort(@0), @1)")
        if what == "unique":
            return self.add([self.any(1, 1, "iuf")], "M.unique(@0)")
        if what == "bincount":
            return self.add([self.any(1, 1, "i")], "M.bincount(abs(@0).astype('int64'))")
        if what == "choose":
            k = self.float(0, 2)
            return self.add([k], "T.choose((@0 > 0.125).astype('int64'), [@0 * 2, @0 + 1])", "numpy.where(@0 > 0.125, @0 + 1, @0 * 2)")
        if what == "split":
            k = self.any(1, 3)
            first = int(self.rng.randint(self.array(k).shape[0] + 1))
            return self.add([k], "T.split(@0, [%d, %d], 2)[%d]" % (first, self.array(k).shape[0] - first, which := self.pick(0, 1)),
                            "numpy.split(@0, [%d])[%d]" % (first, which))
        if what == "signal":
            k = self.float(2, 2, lambda a: a.dtype == "float64" and a.shape[1] > 1)
            return self.add([k], "signal(M, M.stack([@0, 0 * @0], axis=-1))")
        k = self.any(1, 3, "iuf")
        axis = int(self.rng.randint(self.array(k).ndim))
        self.add([k], "M.%s(@0, axis=%d)" % (self.pick("sort", "sort", "argsort") if self.array(k).dtype.kind == "f" else "sort", axis))

    # --- loops -----------------------------------------------------------------------------------------

    def loop(self):
        k = self.float(1, 3, lambda a: a.dtype != "float16")
        a = self.array(k)
        uses = [k]
        row = "M.sum(@0, axis=0)"
        fixed = "@1"
        try:
            uses.append(self.float(0, 0, lambda b: b.dtype == a.dtype))
        except Rejected:
            fixed = "M.sum(@0) * 0.1"
        kind = self.pick("map", "linear", "linear", "linear", "curved", "curved", "two back", "two back", "several", "ends", "nested", "dot", "sums", "taps", "far")
        backwards = bool(self.rng.rand() < 0.2)
        steps = None
        if self.rng.rand() < 0.3 and kind != "taps":
            steps = int(self.rng.randint(0, len(a) + 1))
        sequences, states, arguments = "(@0, [0])", "(M.stack([%s * 0.1])#, [-1])" % row, "x, h, w"
        if kind == "map":
            states, arguments, body = "None", "x, w", self.pick("x * w", "M.tanh(x) + w", "M.sum(x * x) + w", "x * 2")
        elif kind == "linear":
            body = self.pick(*LINEAR)
        elif kind == "curved":
            body = self.pick(*CURVED)
        elif kind == "two back":
            states, arguments, body = "(M.stack([%s * 0.1, %s * -0.2])#, [-2, -1])" % (row, row), "x, h2, h, w", self.pick(*TWO_BACK)
        elif kind == "far":
            states, arguments, body = "(M.stack([%s * 0.1, %s * -0.2, %s])#, [-3])" % (row, row, row), "x, h, w", self.pick(*LINEAR[:5] + CURVED[:3])
        elif kind == "several":
            states = "(M.stack([%s * 0.1])#, [-1]), (M.stack([%s, %s * 0.5])#, [-2, -1]), None" % (row, row, row)
            arguments = "x, h, g2, g, w"
            body = self.pick("h * 0.5 + g2 * 0.1 + x", "M.tanh(h + g) * x") + ", " + self.pick("g * 0.5 + x", "M.tanh(g2) + h * 0.1") + ", " + self.pick("x * h", "g + w", "x * 2")
        elif kind == "ends":
            body = self.pick("h * 0.5 + x", "h + x * 0.5", "M.tanh(h) + x")
        elif kind == "nested":
            body = "0.5 * h + loop(M, lambda y, z: [y * 0.5 + z], [(M.stack([x, h, x * h]), [0])], [(M.stack([h]), [-1])])[0][-%d]" % self.pick(1, 2)
        elif kind == "dot":
            if a.ndim != 2:
                raise Rejected("rows are no vectors")
            fixed = "M.dot(@0.T, @0) * 0.1"
            body = self.pick("M.dot(x, w) + h * 0.5", "M.tanh(M.dot(h, w) + x)", "M.dot(h, w) * 0.3 + x", "M.dot(x, w) + 0 * h")
        elif kind == "sums":
            states, body = "(M.zeros_like(M.stack([M.sum(@0)]))#, [-1])", self.pick("h + M.sum(x)", "h + M.sum(x * x) * 0.1", "h * 0.5 + M.sum(x) * w")
        elif kind == "taps":
            sequences, arguments, body = "(@0, [-1, 0])", "y, x, h, w", self.pick("0.5 * h + x - y", "M.tanh(h) + x * y", "y * w + h")
        results = ", ".join("(%s).astype(%r)" % (one, str(a.dtype)) for one in self.split(body))
        result = "[%s]" % results if kind != "ends" else "ends(M, [%s], M.sum(h) > %r)" % (results, self.pick(1.25, 4.125))
        # The step is called with M's own functions: NumPy takes no symbol.
        text = "loop(M, lambda %s: %s, [%s], [%s], [%s], %r, %r)" % (arguments, result, sequences, states, "(%s).astype(%r)" % (fixed, str(a.dtype)), steps, backwards)
        text = text.replace(")#", ").astype(%r)" % str(a.dtype))
        if "@1" not in text:
            uses = uses[:1]
        which = int(self.rng.randint(3)) if kind == "several" else 0
        if self.rng.rand() < 0.25:
            return self.add(uses, text + "[%d]" % which)
        # Its last rows, or some others, are all that is read of it.
        k = self.add(uses, text + "[%d]" % which, is_hidden=True)
        try:
            rows = self.rows_read()
            if rows.startswith("[") and len(self.array(k)) < 2:
                raise Rejected("NumPy looks at no place where the rows are empty")
            self.add([k], "@0[%s]" % rows)
        except Rejected:
            self.program.lines.pop()
            self.program.hidden.discard(k)
            raise

    @staticmethod
    def split(body):
        """The results of a step: commas inside of brackets do not part them."""
        parts, depth = [""], 0
        for letter in body:
            depth += (letter in "([") - (letter in ")]")
            if letter == "," and depth == 0:
                parts.append("")
            else:
                parts[-1] += letter
        return [part.strip() for part in parts]

    def rows_read(self):
        k = int(self.rng.randint(1, 5))
        return self.pick("-%d:" % k, "-%d:" % k, "-%d:" % k, "-%d" % k, "-%d" % k, "-1", "%d:" % k, ":%d" % k, ":-%d" % k, "::-1", "::2", "%d" % (k - 1), "-%d::2" % k,
                         "-%d:-1" % (k + 1), "-%d:][0" % k, "-%d:][::-1" % k, "%d:][-1" % k, "%d:][-%d:" % (k, k), "[-1, -2]", ":-%d:-1" % k)

    # --- sizes that depend on values -------------------------------------------------------------------

    def mask(self, k):
        a = self.array(k)
        of_rows = a.ndim > 1 and self.rng.rand() < 0.5
        text = "M.sum(@0, axis=%r)" % (tuple(range(1, a.ndim)),) if of_rows else "@0"
        return "(%s > %r)" % (text, self.pick(-0.375, 0.125, 0.5))

    def masked(self):
        k = self.any(1, 4, "biuf")
        mask = self.mask(k)
        self.add([k], self.pick("@0[%s]", "@0[%s.nonzero()]", "%s.nonzero()[0]", "@0[%s.nonzero()[0]]") .replace("%s", mask))

    def unsized(self):
        k = self.float(1)
        self.add([k], "unsized(M, @0, %r)" % self.pick("copy", "twice", "reversed", "halved"))

    def head(self):
        k = self.any(1, 4, "biuf")
        self.add([k], "@0[:M.sum(%s.astype('int64'))]" % self.mask(k))

    def repeated(self):
        k = self.any(1, 1, "biuf")
        self.add([k], "M.repeat(@0, %s.astype('int64') + 1, axis=0)" % self.mask(k))

    def masked_write(self):
        k = self.float(1)
        self.add([k], "written(M, @0, %s.nonzero(), numpy.array(0.25, %r), %r)" % (self.mask(k), str(self.array(k).dtype), self.pick("set", "inc")))


def program_of(seed, make):
    """The program of a seed."""
    program = make(seed)
    Maker(program)
    return program
