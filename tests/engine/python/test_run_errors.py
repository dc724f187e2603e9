"""Errors while a function runs: Theano's layout, the user's line, the classes that scripts catch."""
import re

import numpy
import pytest
import theano
import theano.tensor as T
from theano.configparser import change_flags

HERE = "test_run_errors.py"


def failure(cls, function, *arguments):
    with pytest.raises(cls) as caught:
        function(*arguments)
    return str(caught.value)


def line_of(function, text):
    import inspect
    lines, first = inspect.getsourcelines(function)
    return next(first + i for i, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_layout(mode):
    x, y = T.dmatrices("x", "y")
    z = x + y  # made
    f = theano.function([x, y], z * 2, mode=mode)
    text = failure(ValueError, f, numpy.ones((3, 1)), numpy.ones((3, 16)))
    lines = text.split("\n")
    assert lines[0] == "Input dimension mis-match. (input[0].shape[1] = 1, input[1].shape[1] = 16)"
    order = ["Apply node that caused the error: ", "Toposort index: ", "Inputs types: [TensorType(float64, matrix), TensorType(float64, matrix)]",
             "Inputs shapes: [(3, 1), (3, 16)]", "Inputs strides: [(8, 8), (128, 8)]", "Inputs values: [", "Outputs clients: [",
             "Backtrace when the node is created(use Theano flag traceback.limit=N to make it longer):"]
    places = [text.index(part) for part in order if part in text]
    assert len(places) == len(order) or mode == "FAST_RUN", text
    assert places == sorted(places)
    assert '%s", line %d, in test_layout' % (HERE, line_of(test_layout, "# made")) in text
    assert "exception_verbosity=high" in text
    assert "addbroadcast" in text or "broadcastable" in text


def test_the_innermost_line_is_the_last():
    def build(x):
        return x[7]  # inner
    x = T.dvector("x")
    f = theano.function([x], build(x))  # outer
    text = failure(IndexError, f, [1.0])
    inner, outer = (line_of(test_the_innermost_line_is_the_last, mark) for mark in ("# inner", "# outer"))
    assert text.index('line %d, in test_the_innermost' % outer) < text.index("line %d, in build" % inner)


def test_small_values_are_shown_and_large_ones_are_not():
    x, i = T.dvector("x"), T.lscalar("i")
    f = theano.function([x, i], x[i])
    assert "Inputs values: [[1. 2.], 5]" in failure(IndexError, f, [1.0, 2.0], 5) or \
        "5" in re.search(r"Inputs values: (.*)", failure(IndexError, f, [1.0, 2.0], 5)).group(1)
    assert "'not shown'" in failure(IndexError, f, numpy.ones(100), 500)


def test_high_verbosity():
    x = T.dmatrix("x")
    w = theano.shared(numpy.ones((4, 2)), name="w")
    f = theano.function([x], T.dot(x, w))
    with change_flags(exception_verbosity="high"):
        text = failure(ValueError, f, numpy.ones((3, 5)))
    assert "Debugprint of the apply node:" in text and "[id A] <TensorType(float64, matrix)>" in text
    assert "Storage map footprint:" in text
    assert " - w, Shared Input, Shape: (4, 2), ElemSize: 8 Byte(s), TotalSize: 64 Byte(s)" in text
    assert " - x, Input, Shape: (3, 5), ElemSize: 8 Byte(s), TotalSize: 120 Byte(s)" in text
    assert " TotalSize: 184 Byte(s) 0.000 GB" in text
    assert "exception_verbosity=high" not in text
    assert "Storage map footprint:" not in failure(ValueError, f, numpy.ones((3, 5)))


def test_lines_of_what_rewrites_made():
    x, y = T.dvectors("x", "y")
    z = T.log(1 + T.exp(x)) * y  # made
    f = theano.function([x, y], z)
    text = failure(ValueError, f, [1.0], [1.0, 2.0])
    assert '%s", line %d' % (HERE, line_of(test_lines_of_what_rewrites_made, "# made")) in text


@pytest.mark.parametrize("cls, build, arguments", [
    (ValueError, lambda x, i: x.reshape((2, 2)), ([1.0], 0)),
    (IndexError, lambda x, i: x[i], ([1.0], 3)),
    (IndexError, lambda x, i: x[T.stack([i, i])], ([1.0], 3)),
    (ValueError, lambda x, i: T.zeros((i,)), ([1.0], -1)),
    (ValueError, lambda x, i: T.join(0, x.dimshuffle("x", 0), T.zeros((1, i))), ([1.0], 3)),
    (ValueError, lambda x, i: x.max(), ([], 0)),
    (AssertionError, lambda x, i: T.opt.Assert("no")(x, i > 0), ([1.0], 0)),
    (NotImplementedError, lambda x, i: theano.raise_op.Raise("no")(x), ([1.0], 0)),
], ids=["reshape", "index", "indices", "zeros", "join", "max", "assert", "raise"])
def test_classes_and_places(cls, build, arguments):
    x, i = T.dvector("x"), T.lscalar("i")
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        f = theano.function([x, i], build(x, i), mode=mode, on_unused_input="ignore")
        text = failure(cls, f, *arguments)
        assert "Apply node that caused the error: " in text and HERE in text


def test_more_memory_than_there_is():
    n = T.lscalar("n")
    f = theano.function([n], T.zeros((n, n, n)))
    failure((MemoryError, ValueError), f, 2 ** 18)
    assert f(2).shape == (2, 2, 2)


def test_shared_variables_that_may_have_changed_are_named():
    x = T.dvector("x")
    w = theano.shared(numpy.ones(3), name="w")

    class Fails(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            raise RuntimeError("in the middle")
    f = theano.function([x], Fails()(T.exp(x)), updates=[(w, w + 1)])
    text = failure(RuntimeError, f, [1.0])
    # Either nothing was written, or the text says what may have been.
    assert (w.get_value() == 1).all() or "Shared variables that may have changed before the error: w" in text


def test_a_function_works_after_an_error():
    x, y = T.dvectors("x", "y")
    f = theano.function([x, y], x + y)
    for _ in range(3):
        failure(ValueError, f, [1.0], [1.0, 2.0])
        assert f([1.0], [2.0]).tolist() == [3]


def test_the_limit_of_traces():
    def deep(x, n):
        return deep(x, n - 1) if n else T.exp(x)[3]
    with change_flags(**{"traceback.limit": 2}):
        x = T.dvector("x")
        f = theano.function([x], deep(x, 6))
    text = failure(IndexError, f, [1.0])
    assert text.count("in deep") <= 4


def test_names_of_the_error_classes():
    for name in ("MissingInputError", "InconsistencyError", "MethodNotDefined"):
        assert issubclass(getattr(theano.gof, name), Exception)
    assert issubclass(theano.gradient.DisconnectedInputError, ValueError)
    assert issubclass(theano.gradient.NullTypeGradError, TypeError)
    assert issubclass(theano.gradient.GradientError, Exception)
    assert issubclass(theano.compile.UnusedInputError, Exception)
    assert issubclass(T.AsTensorError, TypeError)
    assert issubclass(T.basic.ShapeError, Exception) and issubclass(T.basic.NotScalarConstantError, Exception)
    for name in ("BadOptimization", "BadThunkOutput", "BadDestroyMap", "BadViewMap", "InvalidValueError", "StochasticOrder"):
        assert issubclass(getattr(theano.compile.debugmode, name), theano.compile.debugmode.DebugModeError)
