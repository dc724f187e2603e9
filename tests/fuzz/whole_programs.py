"""Whole programs that nobody wrote: each step is one text that is read twice, in Theano's words and in NumPy's.

A program is its leaves and steps; value k is `tk` in Theano and `nk` in NumPy. While it grows, NumPy computes it three times:
as written, and twice with every float moved by a few units in the last place. How far the three lie apart tells how exact an
answer can be; a step whose result is decided by rounding, is not finite or is too large is not taken.
"""
import inspect
import re
import warnings

import numpy
import program_words
import theano
import theano.tensor as T

COPIES = 3  # the program as written, and moved twice
MOST_ELEMENTS = 2000
LARGEST = 100.0


class Rejected(Exception):
    """A step that NumPy cannot do, or that would teach nothing."""


def epsilon(dtype):
    return float(numpy.finfo(dtype).eps) if numpy.dtype(dtype).kind in "fc" else 0.0


def moved(array, exact, rng):
    """Every number moved by up to four units in the last place, whose worth is `exact`."""
    if array.dtype.kind not in "fc":
        return array
    by = rng.uniform(-4, 4, array.shape) * exact
    return (array * (1 + by)).astype(array.dtype)


def literal(array):
    """The text that makes this array."""
    flat = [complex(v) if array.dtype.kind == "c" else v.item() for v in numpy.ravel(array)]
    return "numpy.array(%r, %r).reshape(%r)" % (flat, str(array.dtype), array.shape)


class Leaf:
    """What the program is given. kind: input, shared or constant; layout: how the array lies in memory."""

    def __init__(self, number, array, pattern, kind, layout="%s"):
        self.number, self.array, self.pattern, self.kind, self.layout = number, array, tuple(pattern), kind, layout
        self.uses = ()

    def in_theano(self):
        name = "t%d" % self.number
        if self.kind == "input":
            return "%s = T.TensorType(%r, %r)(%r)" % (name, str(self.array.dtype), self.pattern, name)
        if self.kind == "shared":
            return "%s = theano.shared(n%d.copy(), name=%r, broadcastable=%r)" % (name, self.number, name, self.pattern)
        return "%s = T.patternbroadcast(T.constant(n%d), %r)" % (name, self.number, self.pattern)

    def in_numpy(self):
        return "n%d = %s" % (self.number, literal(self.array))


class Step:
    """A line: `@0` is its first operand, M is theano.tensor or numpy. `numpy_text` where NumPy says it another way:
    there, #D is the dtype of the result."""

    def __init__(self, number, uses, text, numpy_text=None, dtype=None):
        self.number, self.uses, self.text, self.numpy_text, self.dtype = number, tuple(uses), text, numpy_text or text, dtype

    def filled(self, text, letter, module):
        text = re.sub(r"@(\d+)", lambda found: "%s%d" % (letter, self.uses[int(found[1])]), text)
        return re.sub(r"\bM\b", module, text)

    def in_theano(self):
        return "t%d = %s" % (self.number, self.filled(self.text, "t", "T"))

    def in_numpy(self):
        text = self.filled(self.numpy_text.replace("#D", repr(self.dtype)), "n", "numpy")
        return "n%d = numpy.asarray(%s).astype(%r)" % (self.number, text, self.dtype)


class Program:
    def __init__(self, seed):
        self.seed = seed
        self.rng = numpy.random.RandomState(seed)
        self.lines = []  # leaves and steps, in order
        self.hidden = set()  # values that no further step reads
        self.symbols = dict(vars(program_words))  # t0, t1 ...
        self.copies = [dict(vars(program_words)) for _ in range(COPIES)]  # n0, n1 ... each
        self.noise = {}  # by number: how far the copies lie apart, at most
        self.exact = {}  # by number: the last place of the least exact float that it was made of

    # --- growing ---------------------------------------------------------------------------------------

    def next_number(self):
        return self.lines[-1].number + 1 if self.lines else 0

    def variable(self, number):
        return self.symbols["t%d" % number]

    def array(self, number):
        return self.copies[0]["n%d" % number]

    def add_leaf(self, leaf):
        for copy in self.copies:
            copy["n%d" % leaf.number] = leaf.array
        exec(leaf.in_theano(), {**self.symbols, "n%d" % leaf.number: leaf.array}, self.symbols)
        exact = self.exact[leaf.number] = epsilon(leaf.array.dtype)
        for copy in self.copies[1:]:
            copy["n%d" % leaf.number] = moved(leaf.array, exact, self.rng)
        self.noise[leaf.number] = exact * (1 + numpy.abs(leaf.array).max(initial=0))
        self.lines.append(leaf)
        return leaf.number

    def add_step(self, uses, text, numpy_text=None, is_hidden=False):
        """The number of the new value. What Rejected leaves behind has a number that the next step takes."""
        step = Step(self.next_number(), uses, text, numpy_text)
        name, refused = "n%d" % step.number, None
        try:
            exec(step.in_theano(), self.symbols)
            step.dtype = self.variable(step.number).dtype
        except Exception as error:  # right only where NumPy refuses, too
            refused, step.dtype = error, "float64"
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # A mean of nothing is nan, also where it stands inside of a step whose own result has no elements.
            warnings.filterwarnings("error", message="(Mean of empty slice|Degrees of freedom)")
            try:
                for copy in self.copies:
                    exec(step.in_numpy(), copy)
            except (RuntimeWarning, AssertionError, IndexError, ValueError, ZeroDivisionError, numpy.linalg.LinAlgError) as error:
                raise Rejected(str(error)) from error
        if refused:
            raise AssertionError("seed %d: %s is not built: %s\n%s" % (self.seed, step.in_theano(), refused, self.text())) from refused
        # NumPy computes float32 with a constant in float32, Theano may in float64.
        exact = max([epsilon(step.dtype)] + [self.exact[number] for number in uses])
        self.noise[step.number] = self.measured([copy[name] for copy in self.copies], exact)
        self.exact[step.number] = exact
        for copy in self.copies[1:]:
            copy[name] = moved(copy[name], exact, self.rng)
        self.lines.append(step)
        if is_hidden:
            self.hidden.add(step.number)
        return step.number

    @staticmethod
    def measured(arrays, exact):
        first = arrays[0]
        if first.size > MOST_ELEMENTS:
            raise Rejected("large")
        if any(a.shape != first.shape for a in arrays):
            raise Rejected("rounding decides the shape")
        if first.dtype.kind not in "fc":
            if any((a != first).any() for a in arrays):
                raise Rejected("rounding decides")
            # uint64 and a constant of int8 make a float64, which does not hold larger integers.
            if first.dtype.kind in "iu" and max(int(first.max(initial=0)), -int(first.min(initial=0))) > 2 ** 53:
                raise Rejected("large")
            return 0.0
        if first.size == 0:
            return 0.0
        if not all(numpy.isfinite(a).all() for a in arrays) or abs(first).max() > LARGEST:
            raise Rejected("large or not finite")
        apart = max(float(abs(a.astype("complex128") - first).max()) for a in arrays)
        if apart > 0.02 * (1 + float(abs(first).max())) or apart > 1e6 * exact:
            raise Rejected("rounding decides")
        return apart + exact * (1 + float(abs(first).max()))

    # --- asking ----------------------------------------------------------------------------------------

    def leaves(self, *kinds):
        return [line for line in self.lines if isinstance(line, Leaf) and line.kind in kinds]

    def ancestors(self, numbers):
        """The lines that these values need, in order."""
        wanted = set(numbers)
        for line in reversed(self.lines):
            if line.number in wanted:
                wanted.update(line.uses)
        return [line for line in self.lines if line.number in wanted]

    def sinks(self):
        used = {number for line in self.lines for number in line.uses}
        return [line.number for line in self.lines if isinstance(line, Step) and line.number not in used]

    def inputs(self):
        return [self.variable(leaf.number) for leaf in self.leaves("input")]

    def arguments(self, copy=0):
        return [eval(leaf.layout % ("n%d" % leaf.number), self.copies[copy]) for leaf in self.leaves("input")]

    def wrt(self):
        return [leaf.number for leaf in self.leaves("input", "shared") if leaf.array.dtype.kind == "f"]

    # --- as text ---------------------------------------------------------------------------------------

    def rebuilt(self, lines):
        """A program of these lines alone."""
        other = Program(self.seed)
        for line in lines:
            if isinstance(line, Leaf):
                other.add_leaf(line)
                continue
            exec(line.in_theano(), other.symbols)
            other.noise[line.number], other.exact[line.number] = self.noise[line.number], self.exact[line.number]
            for i, copy in enumerate(other.copies):
                exec(line.in_numpy(), copy)
                if i:
                    copy["n%d" % line.number] = moved(copy["n%d" % line.number], other.exact[line.number], other.rng)
            other.lines.append(line)
        return other

    def text(self):
        """The program as a script: the words that it uses, then each value in both worlds."""
        body = "\n".join("%s\n%s" % (line.in_numpy(), line.in_theano()) for line in self.lines)
        names = [name for name, value in vars(program_words).items() if getattr(value, "__module__", None) == "program_words"]
        used = {name for name in names if re.search(r"\b%s\b" % name, body)}
        if "unsized" in used:
            used.add("Unsized")
        imports = "\n".join(line for line in inspect.getsource(program_words).split("\n") if line.startswith("import "))
        return "\n\n\n".join([imports] + [inspect.getsource(getattr(program_words, name)).rstrip() for name in names if name in used] + [body])
