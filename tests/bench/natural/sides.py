"""Programs made ready to be called: by Croton, by JAX, by NumPy and by numexpr."""
import ast

import numpy

from natural import words

NUMEXPR = {"exp", "expm1", "log", "log1p", "log10", "sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "abs",
           "where", "floor", "ceil", "maximum", "minimum"}


class Croton:
    """`call()` runs it once; `values()` are the results of the first call, new states after the others."""

    def __init__(self, row):
        import theano
        import theano.tensor as T
        theano.config.floatX = "float64" if any(one.dtype == "float64" for one in row.inputs) else "float32"
        arrays = row.arrays()
        self._states, variables, inputs = [], {}, []
        for one in row.inputs:
            array = arrays[one.name]
            if one.name in row.state:
                variables[one.name] = theano.shared(array, one.name)
                self._states.append(variables[one.name])
                continue
            variables[one.name] = T.TensorType(one.dtype, [size == 1 for size in one.shape])(one.name)
            inputs.append(one.name)
        results = words.ours().run(row.ours, variables)
        if row.gradient:
            results += T.grad(results[0], [variables[name] for name in row.gradient])
        count = len(results) - len(self._states)
        results, new = results[:count], results[count:]
        self.function = theano.function([variables[name] for name in inputs], results, on_unused_input="ignore",
                                        updates=[(old, value) for old, value in zip(self._states, new)])
        self._arrays = [arrays[name] for name in inputs]

    def call(self):
        return self.function(*self._arrays)

    def values(self):
        return [numpy.asarray(value) for value in self.call()] + [state.get_value() for state in self._states]


class Jax:
    def __init__(self, row):
        import jax
        language = words.jax_words()
        arrays = row.arrays()
        names = [one.name for one in row.inputs]

        def program(*values):
            return language.run(row.theirs, dict(zip(names, values)))

        run = program
        if row.gradient:
            places = tuple(names.index(name) for name in row.gradient)
            derived = jax.value_and_grad(lambda *values: program(*values)[0], places)

            def run(*values):
                value, gradients = derived(*values)
                return [value] + list(gradients)

        self._run = jax.jit(run)
        self._places = [names.index(name) for name in row.state]
        self._arrays = [jax.device_put(numpy.ascontiguousarray(arrays[name]) if arrays[name].ndim else arrays[name]) for name in names]

    def flops(self):
        """As XLA counts them for what it compiled, or 0."""
        try:
            analysis = self._run.lower(*self._arrays).compile().cost_analysis()
            analysis = analysis[0] if isinstance(analysis, list) else analysis
            return float(analysis.get("flops", 0))
        except Exception:  # JAX promises no such numbers
            return 0

    def call(self):
        results = self._run(*self._arrays)
        for place, new in zip(self._places, results[len(results) - len(self._places):]):
            self._arrays[place] = new
        for result in results:
            result.block_until_ready()
        return results

    def values(self):
        return [numpy.asarray(value) for value in self.call()]


class NumPy:
    def __init__(self, row):
        if row.gradient or row.state:
            raise ValueError("NumPy has no gradients")
        language, arrays = words.numpy_words(), row.arrays()
        program = row.theirs
        self._arrays = list(arrays.values())
        if isinstance(program, str):
            self._run = eval("lambda %s: (%s)" % (", ".join(arrays), program), dict(vars(language)))
        else:
            self._run = lambda *values: program(language, *values)

    def call(self):
        result = self._run(*self._arrays)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    values = call


class Numexpr:
    """A text in words that numexpr has, too."""

    def __init__(self, row):
        import numexpr
        if row.gradient or row.state or not isinstance(row.theirs, str) or not self._is_natural(row):
            raise ValueError("not written in the words of numexpr")
        self._evaluate, self._text, self._arrays = numexpr.evaluate, row.theirs, row.arrays()

    @staticmethod
    def _is_natural(row):
        names, called = {one.name for one in row.inputs}, set()
        for node in ast.walk(ast.parse(row.theirs)):
            if isinstance(node, (ast.Attribute, ast.Subscript, ast.MatMult, ast.Tuple, ast.List, ast.keyword)):
                return False
            if isinstance(node, ast.Call):
                called.add(getattr(node.func, "id", "?"))
            elif isinstance(node, ast.Name):
                names.discard(node.id)
        return called <= NUMEXPR

    def call(self):
        return [self._evaluate(self._text, self._arrays)]

    values = call


PEERS = {"jax": Jax, "numpy": NumPy, "numexpr": Numexpr}


def reference(row):
    """The row's values by NumPy alone; gradients by central differences, so at small sizes only."""
    language, arrays = words.numpy_words(), row.arrays()
    run = lambda values: [numpy.asarray(value) for value in language.run(row.theirs, values)]
    results = run(arrays)
    if not row.gradient:
        return results

    def loss(*values):
        wide = {name: array.astype("float64") if array.dtype.kind == "f" else array for name, array in arrays.items()}
        return run(dict(wide, **dict(zip(row.gradient, values))))[0]

    return results + language.value_and_grad(loss, *[arrays[name] for name in row.gradient])[1]


def difference(row, ours, theirs):
    """Why values differ, or nothing."""
    if len(ours) != len(theirs):
        return "%d results against %d" % (len(ours), len(theirs))
    for place, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape:
            return "result %d has shape %s against %s" % (place, a.shape, b.shape)
        if a.dtype.kind not in "fc":
            if not numpy.array_equal(a, b):
                return "result %d differs" % place
            continue
        scale = numpy.max(numpy.abs(b[numpy.isfinite(b)]), initial=1e-30)
        if not numpy.allclose(a, b, rtol=row.tolerance(), atol=row.tolerance() * scale, equal_nan=True):
            return "result %d differs by up to %.2g of %.2g" % (place, numpy.nanmax(numpy.abs(a.astype(float) - b)), scale)
    return None
