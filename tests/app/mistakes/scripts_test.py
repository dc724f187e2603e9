"""Scripts with a mistake, run by `croton run`."""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])
HEAD = "import numpy\nimport theano\nimport theano.tensor as T\n"

# sentence: what the message has to match
Mistake = collections.namedtuple("Mistake", "name cls sentence script")

MISTAKES = [
    # --- arguments of a function ---------------------------------------------------------------------------
    Mistake("rank of an argument", "TypeError", r"Wrong number of dimensions: expected 2, got 1 with shape \(3,\)", """
x = T.dmatrix('x')
f = theano.function([x], x + 1, name='f')
f([1.0, 2.0, 3.0])  # here
"""),
    Mistake("dtype of an argument", "TypeError", r"allow_input_downcast=True", """
x = T.fmatrix('x')
f = theano.function([x], x + 1)
f(numpy.ones((2, 2)) * 0.1)  # here
"""),
    Mistake("too many arguments", "TypeError", r"Too many parameter passed to theano function: it takes 1, got 2", """
x = T.dscalar('x')
f = theano.function([x], x + 1)
f(1, 2)  # here
"""),
    Mistake("an argument is missing", "TypeError", r"Missing required input: y", """
x, y = T.dscalars('x', 'y')
f = theano.function([x, y], x + y)
f(1)  # here
"""),
    Mistake("unknown keyword", "TypeError", r"has no input called 'z'", """
x = T.dscalar('x')
f = theano.function([x], x + 1)
f(z=1)  # here
"""),
    Mistake("an argument twice", "TypeError", r"Multiple values for input: x", """
x = T.dscalar('x')
f = theano.function([x], x + 1)
f(1, x=2)  # here
"""),
    Mistake("a variable as argument", "TypeError", r"found a Variable", """
x = T.dvector('x')
f = theano.function([x], x + 1)
f(x)  # here
"""),
    Mistake("rows of different lengths", "TypeError", r"rows have different lengths|Wrong number", """
x = T.dmatrix('x')
f = theano.function([x], x + 1)
f([[1.0, 2.0], [3.0]])  # here
"""),
    Mistake("text as argument", "TypeError", r"cannot hold a value of type str", """
x = T.dscalar('x')
f = theano.function([x], x + 1)
f('one')  # here
"""),
    Mistake("a row with two rows", "TypeError", r"Non-unit value on shape on a broadcastable dimension", """
x = T.drow('x')
f = theano.function([x], x + 1)
f(numpy.ones((2, 3)))  # here
"""),

    # --- making a function ---------------------------------------------------------------------------------
    Mistake("missing input", "MissingInputError", r"the graph needs the input y \(made at .*script\.py:4\)", """
x, y = T.dscalars('x', 'y')
f = theano.function([x], x + y)  # here
"""),
    Mistake("unused input", "UnusedInputError", r"index 1 is not part of the computational graph", """
x, y = T.dscalars('x', 'y')
f = theano.function([x, y], x)  # here
"""),
    Mistake("inputs are no list", "Exception", r"should be contained in a list, even when there is a single input", """
x = T.dscalar('x')
f = theano.function(x, x + 1)  # here
"""),
    Mistake("input twice", "UnusedInputError", r"Variable x is used twice in inputs to theano.function, at indices 0 and 1", """
x = T.dscalar('x')
f = theano.function([x, x], x + 1)  # here
"""),
    Mistake("shared variable as input", "TypeError", r"Cannot use a shared variable \(w\) as explicit input.*givens", """
w = theano.shared(1.0, name='w')
f = theano.function([w], w + 1)  # here
"""),
    Mistake("constant as input", "TypeError", r"Constants not allowed in param list", """
f = theano.function([T.constant(1.0)], T.constant(2.0))  # here
"""),
    Mistake("number as input", "TypeError", r"inputs of a function are variables or theano.In", """
f = theano.function([3], T.constant(2.0))  # here
"""),
    Mistake("function as output", "TypeError", r"Outputs must be theano Variable or Out instances", """
x = T.dscalar('x')
f = theano.function([x], x + 1)
g = theano.function([x], f)  # here
"""),
    Mistake("key of a dictionary of outputs", "AssertionError", r"must be strings, got 1", """
x = T.dscalar('x')
f = theano.function([x], {1: x})  # here
"""),
    Mistake("cyclic givens", "AssertionError", r"you can not have a new_v variable depend on an old_v one", """
a, b = T.dscalars('a', 'b')
f = theano.function([], a + b, givens={a: b, b: a + 1})  # here
"""),
    Mistake("givens of another type", "TypeError", r"Cannot convert Type TensorType\(float64, matrix\)", """
x, m = T.dvector('x'), T.dmatrix('m')
f = theano.function([m], x + 1, givens={x: m})  # here
"""),
    Mistake("updates twice", "ValueError", r"this shared variable already has an update expression", """
w = theano.shared(1.0, name='w')
f = theano.function([], [], updates=[(w, w + 1), (w, w + 2)])  # here
"""),
    Mistake("update of an input", "TypeError", r"update target must be a SharedVariable", """
x = T.dscalar('x')
f = theano.function([x], x, updates=[(x, x + 1)])  # here
"""),
    Mistake("update of another dtype", "TypeError", r"use update_val.astype\('float32'\)", """
w = theano.shared(numpy.ones(3, 'float32'), name='w')
x = T.dvector('x')
f = theano.function([x], [], updates=[(w, w + x)])  # here
"""),
    Mistake("update of another rank", "TypeError", r"shared_var=w.*number of dimensions differs", """
w = theano.shared(numpy.ones(3), name='w')
f = theano.function([], [], updates=[(w, w.sum())])  # here
"""),
    Mistake("unknown mode", "ValueError", r"FAST_RUNN", """
x = T.dscalar('x')
f = theano.function([x], x, mode='FAST_RUNN')  # here
"""),
    Mistake("on_unused_input", "ValueError", r"Valid values are 'raise', 'warn', and 'ignore'", """
x = T.dscalar('x')
f = theano.function([x], x, on_unused_input='no')  # here
"""),

    # --- building expressions ------------------------------------------------------------------------------
    Mistake("bool of a symbolic", "TypeError", r"T\.switch", """
x = T.dscalar('x')
if x > 0:  # here
    y = x
"""),
    Mistake("len of a symbolic", "TypeError", r"shape\[0\]", """
x = T.dvector('x')
n = len(x)  # here
"""),
    Mistake("iterating a symbolic", "ValueError", r"does not support iteration.*T\.sum", """
x = T.dvector('x')
for v in x:  # here
    pass
"""),
    Mistake("float of a symbolic", "TypeError", r"eval|function", """
x = T.dscalar('x')
y = float(x)  # here
"""),
    Mistake("range of a symbolic", "TypeError", r"T\.arange", """
n = T.lscalar('n')
for i in range(n):  # here
    pass
"""),
    Mistake("assignment to elements", "TypeError", r"set_subtensor", """
x = T.dvector('x')
x[0] = 1.0  # here
"""),
    Mistake("index that is no integer", "(TypeError|IndexError)", r"index|integer", """
x = T.dvector('x')
y = x[0.5]  # here
"""),
    Mistake("too many indices", "(ValueError|IndexError)", r"too many indices|1 dimension", """
x = T.dvector('x')
y = x[0, 0]  # here
"""),
    Mistake("dropping an axis", "ValueError", r"broadcastable", """
x = T.dmatrix('x')
y = x.dimshuffle(0)  # here
"""),
    Mistake("axis that is not there", "AxisError", r"axis 2.*2 dimensions|axis", """
x = T.dmatrix('x')
y = x.sum(axis=2)  # here
"""),
    Mistake("joining different ranks", "(TypeError|ValueError)", r"join.*dimension|rank|dimensions", """
x, m = T.dvector('x'), T.dmatrix('m')
y = T.concatenate([x, m])  # here
"""),
    Mistake("concatenate of one variable", "TypeError", r"list|tuple", """
x = T.dmatrix('x')
y = T.concatenate(x)  # here
"""),
    Mistake("stack of nothing", "(ValueError|Exception)", r"stack|at least one|empty", """
y = T.stack([])  # here
"""),
    Mistake("text in an expression", "(TypeError|AsTensorError)", r"str|'a'", """
y = T.exp('a')  # here
"""),
    Mistake("unknown dtype", "TypeError", r"float65", """
x = T.matrix('x', dtype='float65')  # here
"""),
    Mistake("minus of a truth value", "TypeError", r"bool", """
x = T.dvector('x')
y = -(x > 0)  # here
"""),
    Mistake("cast of a complex", "TypeError", r"real\(\)", """
z = T.zscalar('z')
y = T.cast(z, 'float64')  # here
"""),
    Mistake("a name that does not exist", "AttributeError", r"nosuchfunction", """
y = T.nosuchfunction(3)  # here
"""),
    Mistake("list in a shared variable", "TypeError", r"numpy\.asarray", """
w = theano.shared([1.0, 2.0])
y = w[0]  # here
"""),
    Mistake("value of another rank", "TypeError", r"Wrong number of dimensions: expected 1, got 2", """
w = theano.shared(numpy.ones(3), name='w')
w.set_value(numpy.ones((3, 3)))  # here
"""),
    Mistake("value of another dtype", "TypeError", r"without risking loss of precision", """
w = theano.shared(numpy.ones(3, 'float32'), name='w')
w.set_value(numpy.ones(3) * 0.1)  # here
"""),
    Mistake("symbolic value", "TypeError", r"needs numeric values and not symbolic variables", """
w = theano.shared(T.dscalar('x'))  # here
"""),
    Mistake("eval without a value", "MissingInputError", r"needs the input x", """
x = T.dscalar('x')
print((x + 1).eval())  # here
"""),

    # --- gradients -----------------------------------------------------------------------------------------
    Mistake("gradient of a vector", "TypeError", r"cost must be a scalar.*(mean|sum)", """
x = T.dvector('x')
g = T.grad(x ** 2, x)  # here
"""),
    Mistake("disconnected gradient", "DisconnectedInputError", r"does not depend on the elements of y \(made at .*script\.py:4\).*disconnected_inputs='ignore'", """
x, y = T.dscalars('x', 'y')
g = T.grad(x ** 2, y)  # here
"""),
    Mistake("gradient of an integer", "DisconnectedInputError", r"does not depend on the elements of i \(made at .*script\.py:4\)", """
x, i = T.dvector('x'), T.lscalar('i')
g = T.grad(x[i], i)  # here
"""),
    Mistake("gradient of a size", "DisconnectedInputError", r"x", """
x = T.dvector('x')
g = T.grad(x.shape[0] * 1.0, x)  # here
"""),
    Mistake("gradient for a number", "TypeError", r"Expected Variable, got 3", """
x = T.dscalar('x')
g = T.grad(x ** 2, 3)  # here
"""),
    Mistake("op without a gradient", "(NullTypeGradError|NotImplementedError)", r"Plain", """
class Plain(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + 1
x = T.dscalar('x')
g = T.grad(Plain()(x), x)  # here
"""),

    # --- while a function runs -----------------------------------------------------------------------------
    Mistake("shapes that differ", "ValueError", r"Input dimension mis-match\. \(input\[0\]\.shape\[0\] = 2, input\[1\]\.shape\[0\] = 3\)", """
x, y = T.dvectors('x', 'y')
z = x + y  # made
f = theano.function([x, y], z)
f([1.0, 2.0], [1.0, 2.0, 3.0])  # here
"""),
    Mistake("a size of 1 that does not stretch", "ValueError", r"Input dimension mis-match(.|\n)*(addbroadcast|broadcastable)", """
x, y = T.dmatrices('x', 'y')
z = x * y  # made
f = theano.function([x, y], z)
f(numpy.ones((3, 1)), numpy.ones((3, 16)))  # here
"""),
    Mistake("sizes of a product", "ValueError", r"Shape mismatch: x has 3 cols \(and 2 rows\) but y has 4 rows \(and 2 cols\)", """
x, y = T.dmatrices('x', 'y')
z = T.dot(x, y)  # made
f = theano.function([x, y], z)
f(numpy.ones((2, 3)), numpy.ones((4, 2)))  # here
"""),
    Mistake("index out of range", "IndexError", r"index 5 is out of bounds for axis 0 with size 3", """
x, i = T.dvector('x'), T.lscalar('i')
z = x[i]  # made
f = theano.function([x, i], z)
f([1.0, 2.0, 3.0], 5)  # here
"""),
    Mistake("list of indices out of range", "IndexError", r"out of bounds", """
x, i = T.dmatrix('x'), T.lvector('i')
z = x[i]  # made
f = theano.function([x, i], z)
f(numpy.ones((3, 2)), [0, 3])  # here
"""),
    Mistake("reshape to another size", "ValueError", r"reshape", """
x = T.dvector('x')
z = x.reshape((2, 2))  # made
f = theano.function([x], z)
f([1.0, 2.0, 3.0])  # here
"""),
    Mistake("joining other sizes", "ValueError", r"join|size", """
x, y = T.dmatrices('x', 'y')
z = T.concatenate([x, y], axis=0)  # made
f = theano.function([x, y], z)
f(numpy.ones((2, 3)), numpy.ones((2, 4)))  # here
"""),
    Mistake("an assertion", "AssertionError", r"too short", """
x = T.dvector('x')
z = T.opt.Assert('too short')(x, x.shape[0] > 2)  # made
f = theano.function([x], z)
f([1.0])  # here
"""),
    Mistake("specify_shape", "(AssertionError|ValueError)", r"shape|size", """
x = T.dvector('x')
z = T.specify_shape(x, (4,)) * 2  # made
f = theano.function([x], z)
f([1.0])  # here
"""),
    Mistake("negative size", "ValueError", r"negative dimensions are not allowed: size -2", """
n = T.lscalar('n')
z = T.zeros((n,))  # made
f = theano.function([n], z)
f(-2)  # here
"""),
    Mistake("maximum of nothing", "ValueError", r"zero-size|empty|no elements|size 0", """
x = T.dvector('x')
z = x.max()  # made
f = theano.function([x], z)
f([])  # here
"""),
    Mistake("label out of range", "(ValueError|IndexError)", r"label|class|out of bounds|index", """
x, y = T.dmatrix('x'), T.lvector('y')
z = T.nnet.categorical_crossentropy(T.nnet.softmax(x), y).mean()  # made
f = theano.function([x, y], z)
f(numpy.ones((2, 3)), [0, 7])  # here
"""),
    Mistake("op that raises", "KeyError", r"no such sensor", """
@theano.as_op([T.dvector], [T.dvector])
def read(x):
    raise KeyError('no such sensor')
x = T.dvector('x')
z = read(x)  # made
f = theano.function([x], z)
f([1.0])  # here
"""),
    Mistake("op that gives another dtype", "TypeError", r"gave dtype float32 for output 0, its type says float64", """
@theano.as_op([T.dvector], [T.dvector])
def narrow(x):
    return x.astype('float32')
x = T.dvector('x')
z = narrow(x)  # made
f = theano.function([x], z)
f([1.0])  # here
"""),
    Mistake("test value of another shape", "ValueError", r"mis-match", """
theano.config.compute_test_value = 'raise'
x, y = T.dvectors('x', 'y')
x.tag.test_value, y.tag.test_value = numpy.ones(2), numpy.ones(3)
z = x + y  # here
"""),
    Mistake("not a number", "AssertionError", r"NaN|nan", """
x = T.dvector('x')
z = T.log(x)  # made
f = theano.function([x], z, mode='NanGuardMode')
f([-1.0])  # here
"""),

    # --- flags and the script itself -----------------------------------------------------------------------
    Mistake("flag that does not exist", "AttributeError", r"there is no flag called floatx", """
theano.config.floatx = 'float32'  # here
"""),
    Mistake("value of a flag", "ValueError", r"Invalid value \(float33\) for configuration variable floatX. Legal options are", """
theano.config.floatX = 'float33'  # here
"""),
    Mistake("syntax error", "(SyntaxError|IndentationError)", r"", """
x = T.dvector('x'
y = x + 1
"""),
    Mistake("indentation", "IndentationError", r"", """
x = 1
  y = 2  # here
"""),
    Mistake("a mistake behind a print of Python 2", "SyntaxError", r"invalid syntax", """
print "a statement"
x = 3 +  # here
y = 4
"""),
    Mistake("a block of Python 2 that does not end where it began", "IndentationError", r"", """
print "a statement"
if x:
        y = 2
    z = 3  # here
"""),
    Mistake("module that is missing", "ModuleNotFoundError", r"no_such_module", """
import no_such_module  # here
"""),
    Mistake("file that is missing", "FileNotFoundError", r"no_such_file", """
numpy.load('no_such_file.npy')  # here
"""),
]


def run(mistake, folder):
    folder.mkdir()
    script = folder / "script.py"
    # The heads stand on the first lines, the blank line of the table's text is the end of the third.
    script.write_text(HEAD + mistake.script.lstrip("\n"))
    return subprocess.run([str(BUILD / "bin" / "croton"), "run", str(script)], capture_output=True, text=True, timeout=120,
                          cwd=folder)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    base = tmp_path_factory.mktemp("mistakes")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = {m.name: pool.submit(run, m, base / ("m%02d" % i)) for i, m in enumerate(MISTAKES)}
        return {name: future.result() for name, future in waiting.items()}


def line_with(mistake, mark):
    for number, line in enumerate((HEAD + mistake.script.lstrip("\n")).split("\n"), 1):
        if line.endswith("# " + mark):
            return number
    return None


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_mistake(mistake, results):
    done = results[mistake.name]
    text = done.stderr
    assert done.returncode == 1, text
    found = re.search(r"^(?:[\w.]+\.)?%s: ?(.*)" % mistake.cls, text, re.MULTILINE | re.DOTALL)
    assert found, text
    message = text[found.start():]
    assert re.search(mistake.sentence, message, re.DOTALL), text
    assert len(message.split("\n")[0]) < 600, "the first line is too long to read:\n" + text
    assert "fault of Croton" not in text and "internal" not in text.lower(), text
    here = line_with(mistake, "here")
    if here:
        assert re.search(r'File ".*script\.py", line %d\b' % here, text), "the place is missing (line %d):\n%s" % (here, text)
    made = line_with(mistake, "made")
    if made:
        assert re.search(r'Backtrace when the node is created(?:.|\n)*File ".*script\.py", line %d\b' % made, message), \
            "the line that made the expression is missing (line %d):\n%s" % (made, text)
    assert not re.search(r'File "[^"]*[/\\]croton[/\\][^"]*\.py"', text), "frames of the package are shown:\n" + text


def test_there_are_sixty():
    assert len(MISTAKES) >= 60 and len({m.name for m in MISTAKES}) == len(MISTAKES)
