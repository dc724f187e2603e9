"""Runs a whole program in several modes, compares it with NumPy and with its own slopes, and makes a failing one small."""
import warnings

import numpy
import theano
import theano.tensor as T
from whole_programs import Leaf, Step

MODES = ("FAST_COMPILE", "FAST_RUN", "DebugMode")
VALUES, SLOPES, CURVATURES = 0, 1, 2  # what is compared: values, first derivatives, second ones
TOLERATED = 20  # times the noise
H = 2e-5  # a step along an input, for derivatives by differences


class Failure(AssertionError):
    """kind: what two runs of one fault have in common."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Trial:
    """The program with what is returned of it (numbers), what shared variables become (number of the variable: number of the value), and
    how often it is differentiated."""

    def __init__(self, program, outputs, updates, order, modes=MODES, with_kernels=False):
        self.program, self.outputs, self.updates, self.order, self.modes = program, list(outputs), dict(updates), order, modes
        self.with_kernels = with_kernels  # DebugMode waits for a compiler, and compares what it makes
        self.did = set()  # what was compared

    # --- the function ----------------------------------------------------------------------------------

    def cost_terms(self):
        """Of every float that is returned: one number that depends on all of it."""
        forms = ("M.sum(@%d)", "M.sum(@%d ** 2)", "M.sum(M.tanh(@%d))", "M.sum(@%d * M.tanh(@%d)) * 0.5")
        terms = []
        for place, number in enumerate(self.outputs):
            kind = self.program.array(number).dtype.kind
            if kind == "f":
                terms.append((forms[(number + self.program.seed) % 4].replace("%d", str(place))))
            elif kind == "c":
                terms.append("M.sum(M.real(@%d) + M.imag(@%d) * 0.5)" % (place, place))
        return terms

    def cost_step(self):
        terms = self.cost_terms()
        return Step(10000, self.outputs, " + ".join(terms), dtype="float64") if terms else None

    def expressions(self):
        """Texts of what the function returns, and the lines that they need."""
        if self.order == VALUES:
            return [], ["t%d" % number for number in self.outputs]
        cost = self.cost_step()
        wrt = self.wrt()
        lines = [cost.in_theano(), "wrt = [%s]" % ", ".join("t%d" % number for number in wrt),
                 "slopes = T.grad(t10000, wrt, disconnected_inputs='ignore')"]
        if self.order == CURVATURES:
            lines += ["along = [%s]" % ", ".join("numpy.array(%r, %r).reshape(%r)" % (self.direction(number).ravel().tolist(), str(self.program.array(number).dtype),
                                                                                      self.program.array(number).shape) for number in wrt),
                      "slope = sum(T.sum(g * v) for g, v in zip(slopes, along))",
                      "curvatures = T.grad(slope, wrt, disconnected_inputs='ignore')"]
        return lines, ["*slopes"] + (["*curvatures"] if self.order == CURVATURES else [])

    def wrt(self):
        needed = {line.number for line in self.program.ancestors(self.outputs)}
        return [number for number in self.program.wrt() if number in needed]

    def direction(self, number):
        rng = numpy.random.RandomState(number)
        array = self.program.array(number)
        return rng.choice([-1.0, -0.5, 0.5, 1.0], array.shape).astype(array.dtype)

    def compiled(self, mode):
        program = self.program
        lines, outputs = self.expressions()
        names = dict(program.symbols, theano=theano, T=T, numpy=numpy)
        for line in self.settings() + lines:
            exec(line, names)
        updates = [(program.variable(k), program.variable(v)) for k, v in self.updates.items()] if self.order == VALUES else []
        return theano.function(program.inputs(), eval("[%s]" % ", ".join(outputs), names), updates=updates, mode=mode, on_unused_input="ignore")

    def settings(self):
        """Means of nothing are no numbers, and no fault."""
        return ["theano.config.DebugMode.check_finite = False", "theano.config.DebugMode.check_c = %r" % self.with_kernels]

    def script(self):
        """What a person runs to see the fault."""
        program = self.program
        lines, outputs = self.expressions()
        text = [program.text(), ""] + self.settings() + lines + ["", "for mode in %r:" % (self.modes,)]
        for leaf in program.leaves("shared"):
            text.append("    t%d.set_value(n%d)" % (leaf.number, leaf.number))
        updates = ", ".join("(t%d, t%d)" % pair for pair in self.updates.items()) if self.order == VALUES else ""
        text += ["    run = theano.function([%s], [%s], updates=[%s], mode=mode, on_unused_input='ignore')" % (
                     ", ".join("t%d" % leaf.number for leaf in program.leaves("input")), ", ".join(outputs), updates),
                 "    print(mode, *run(%s), sep='\\n')" % ", ".join(leaf.layout % ("n%d" % leaf.number) for leaf in program.leaves("input"))]
        text += ["    print('and then', t%d.get_value())" % number for number in (self.updates if self.order == VALUES else ())]
        if self.order == VALUES:
            text.append("print('NumPy', %s, sep='\\n')" % ", ".join("n%d" % number for number in self.outputs + list(self.updates.values())))
        return "\n".join(text)

    def start(self, copy=0, by=0.0):
        """Arguments of a call, after shared variables were set; `by` moves what is differentiated along its direction."""
        program = self.program
        wrt = self.wrt() if by else []

        def value(leaf):
            array = program.copies[copy]["n%d" % leaf.number]
            return array + by * self.direction(leaf.number) if leaf.number in wrt else array
        for leaf in program.leaves("shared"):
            program.variable(leaf.number).set_value(value(leaf))
        if by:
            return [value(leaf) for leaf in program.leaves("input")]
        return program.arguments(copy)

    # --- comparing -------------------------------------------------------------------------------------

    def run(self):
        if self.order != VALUES and (not self.cost_terms() or not self.wrt()):
            return
        with numpy.errstate(all="ignore"):
            (self.compare_values if self.order == VALUES else self.compare_derivatives)()

    def called(self, mode, run, copy=0, by=0.0):
        arguments = self.start(copy, by)
        try:
            return [numpy.asarray(result) for result in run(*arguments)]
        except Exception as error:
            raise self.failed("runs not", mode, error) from error

    def made(self, mode):
        try:
            return self.compiled(mode)
        except theano.gradient.NullTypeGradError:
            raise
        except Exception as error:
            raise self.failed("is not compiled", mode, error) from error

    def failed(self, what, mode, error=None, detail=""):
        text = "%s %s: %s%s" % (mode, what, "%s: %s" % (type(error).__name__, error) if error else "", detail)
        kind = (what, mode, type(error).__name__, str(error).split("\n")[0][:40] if error else "")
        return Failure(kind, text)

    def compare_values(self):
        program = self.program
        for mode in self.modes:
            run = self.made(mode)
            for call in range(2):
                for number, result in zip(self.outputs, self.called(mode, run)):
                    self.compare(mode, "differs from NumPy", result, program.array(number), program.noise[number], "value %d, call %d" % (number, call))
                for variable, number in self.updates.items():
                    self.compare(mode, "updates with something else", program.variable(variable).get_value(), program.array(number),
                                 program.noise[number], "shared %d" % variable)
        self.did.add("values")

    def compare(self, mode, what, result, wanted, noise, where):
        if result.shape != wanted.shape or result.dtype != wanted.dtype:
            raise self.failed(what, mode, detail="%s is %s%s instead of %s%s" % (where, result.dtype, result.shape, wanted.dtype, wanted.shape))
        if result.dtype.kind not in "fc":
            differs = result != wanted
        else:
            wide = "complex128" if result.dtype.kind == "c" else "float64"
            differs = ~(abs(result.astype(wide) - wanted.astype(wide)) <= TOLERATED * noise) & numpy.isfinite(wanted)
        if differs.any():
            raise self.failed(what, mode, detail="%s is\n%s\ninstead of\n%s\n(noise %g)" % (where, result, wanted, noise))

    def compare_derivatives(self):
        try:
            plain = self.made(self.modes[0])
        except theano.gradient.NullTypeGradError:  # some functions of complex numbers have none
            return
        wanted = self.called(self.modes[0], plain)
        copies = [self.called(self.modes[0], plain, copy) for copy in (1, 2)]
        noises = []
        for place, array in enumerate(wanted):
            finite = numpy.isfinite(array)
            apart = [numpy.abs(copy[place].astype("complex128") - array)[finite] for copy in copies if copy[place].shape == array.shape]
            size = 1 + float(numpy.abs(array[finite]).max(initial=0))
            noise = max([float(one[numpy.isfinite(one)].max(initial=0)) for one in apart] + [0.0]) * 10 + size * self.least_exact() * 20 * self.largest()
            noises.append(noise)
        for mode in self.modes[1:]:
            run = self.made(mode)
            for place, result in enumerate(self.called(mode, run)):
                if noises[place] < 0.01 * (1 + float(numpy.abs(wanted[place]).max(initial=0))):  # else rounding decides
                    self.compare(mode, "has another derivative", result, wanted[place], noises[place], "derivative %d" % place)
                    self.did.add("derivatives in modes")
        self.compare_with_differences(plain, wanted)

    def largest(self):
        """What slopes may have been multiplied with."""
        return max(1.0, max(float(numpy.abs(self.program.array(line.number)).max(initial=0)) for line in self.program.lines))

    def least_exact(self):
        return max(self.program.exact.values())

    def compare_with_differences(self, plain, wanted):
        """The derivative along a direction, beside differences of NumPy's values, or of first derivatives."""
        kinds = {str(self.program.array(line.number).dtype) for line in self.program.lines if self.program.array(line.number).dtype.kind in "fc"}
        if kinds != {"float64"}:
            return
        wrt = self.wrt()
        if self.order == SLOPES:
            at = self.cost_at
            found = sum(float((g * self.direction(k)).sum()) for g, k in zip(wanted, wrt))
        else:
            def at(by):
                slopes = self.called(self.modes[0], plain, by=by)[:len(wrt)]
                return sum(float((g * self.direction(k)).sum()) for g, k in zip(slopes, wrt))
            found = sum(float((g * self.direction(k)).sum()) for g, k in zip(wanted[len(wrt):], wrt))
        here, right, left, near_right, near_left = at(0.0), at(H), at(-H), at(H / 4), at(-H / 4)
        slope, near = (right - left) / (2 * H), (near_right - near_left) / (H / 2)
        size, rounding = 1 + abs(slope), abs(here) / H * 1e-14
        smooth = numpy.isfinite([here, slope, near, found]).all() and abs(slope - near) < 1e-6 * size + rounding and \
            abs((right - here) / H - (here - left) / H) < 2e-2 * size and abs((near_right - here) / H * 4 - (here - near_left) / H * 4) < 5e-3 * size
        if not smooth:
            return
        self.did.add("derivatives by differences")
        if abs(found - slope) > 1e-5 * size + rounding:
            raise self.failed("has a derivative that differences do not have", self.modes[0],
                              detail="%.9g along a direction, differences give %.9g" % (found, slope))

    def cost_at(self, by):
        names = dict(self.program.copies[0])
        cost = self.cost_step()
        wrt = self.wrt()
        for line in self.program.ancestors(self.outputs) + [cost]:
            if not isinstance(line, Leaf):
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # of means of nothing
                        exec(line.in_numpy(), names)
                except (ValueError, IndexError, AssertionError):
                    return numpy.nan
            elif line.number in wrt:
                names["n%d" % line.number] = line.array + by * self.direction(line.number)
        return float(names["n10000"])


# --- making it small -----------------------------------------------------------------------------------

def failure_of(trial):
    try:
        trial.run()
    except Failure as failure:
        return failure
    return None


def smaller(trial, failure):
    """A trial with fewer lines that fails in the same way."""
    def try_(outputs, updates, order, lines=None):
        program = trial.program
        kept = program.ancestors(list(outputs) + list(updates) + list(updates.values())) if lines is None else lines
        try:
            other = Trial(program.rebuilt(kept), outputs, updates, order, trial.modes, trial.with_kernels)
            found = failure_of(other)
        except Exception:
            return None
        return other if found and found.kind == failure.kind else None
    if trial.order == CURVATURES:
        trial = try_(trial.outputs, {}, SLOPES) or trial
    for modes in [(trial.modes[0], mode) for mode in trial.modes[1:]]:
        before, trial.modes = trial.modes, modes
        found = try_(trial.outputs, trial.updates, trial.order)
        if found:
            trial = found
            break
        trial.modes = before
    trial = try_(trial.outputs, {}, trial.order) or trial
    for number in list(trial.outputs):
        rest = [k for k in trial.outputs if k != number]
        if rest:
            trial = try_(rest, trial.updates, trial.order) or trial
    for number in [line.number for line in reversed(trial.program.lines) if isinstance(line, Step)]:
        lines = trial.program.ancestors(trial.outputs + list(trial.updates) + list(trial.updates.values()))
        if number not in [line.number for line in lines] or number in trial.outputs:
            continue
        variable = trial.program.variable(number)
        leaf = Leaf(number, numpy.array(trial.program.array(number)), variable.broadcastable, "input")
        cut = [leaf if line.number == number else line for line in lines]
        needed = set(trial.outputs) | set(trial.updates) | set(trial.updates.values())
        for line in reversed(cut):
            if line.number in needed:
                needed.update(line.uses)
        trial = try_(trial.outputs, trial.updates, trial.order, [line for line in cut if line.number in needed]) or trial
    return trial
