"""Where nodes were made: the line with all calls that led to it, of which errors show as many as traceback.limit says."""
import sys

import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core


def deep(depth, make):
    return deep(depth - 1, make) if depth else make()


def lines_of(variable):
    return _core.trace_lines(_core.variable_trace(variable))


@pytest.fixture
def limit():
    before = theano.config.traceback.limit
    yield lambda lines: setattr(theano.config.traceback, "limit", lines)
    theano.config.traceback.limit = before


def test_the_limit_is_of_what_is_shown(limit):
    made = []
    for lines in (3, 200, 3):
        limit(lines)
        made.append(deep(50, T.vector))
    short, whole, again = [[line[2] for line in lines_of(x)] for x in made]
    assert short == again == ["deep"] * 3
    assert whole[:52] == ["deep"] * 51 + ["test_the_limit_is_of_what_is_shown"]


def test_the_same_place_has_the_same_trace():
    first, again = [deep(5, T.vector) for _ in range(2)]
    assert _core.variable_trace(first) == _core.variable_trace(again)
    assert _core.variable_trace(deep(5, T.vector)) != _core.variable_trace(first), "called from another line"
    assert _core.variable_trace(deep(6, T.vector)) != _core.variable_trace(first), "reached otherwise"


def test_of_a_very_deep_stack_only_the_innermost_lines_are_kept(limit):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        limit(4)
        x, y = deep(1500, T.vector), deep(2500, T.vector)
    finally:
        sys.setrecursionlimit(before)
    assert [line[2] for line in lines_of(x)] == ["deep"] * 4
    assert _core.variable_trace(x) == _core.variable_trace(y)


def test_generators_and_lambdas_stand_where_they_are_written():
    def each():
        yield T.vector()
        yield T.vector()

    first, second = each()
    assert [line[2] for line in lines_of(first)][:2] == ["each", "test_generators_and_lambdas_stand_where_they_are_written"]
    assert lines_of(first)[0][1] + 1 == lines_of(second)[0][1]
    inner = (lambda: T.vector())()
    assert lines_of(inner)[0][2] == "<lambda>"


class Halved(theano.Op):
    """An op whose methods call one another."""
    __props__ = ()

    def __call__(self, x):
        return super().__call__(self._prepared(x))

    def apply_to(self, x):
        return self(x)

    def _prepared(self, x):
        return T.as_tensor_variable(x) + 1

    def make_node(self, x):
        return _apply_of(self, x)

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] / 2

    def grad(self, inputs, gradients):
        return [gradients[0] * 0.5]  # grad


def _apply_of(op, x):
    return theano.Apply(op, [x], [x.type()])


def line_of(variable):
    return lines_of(variable)[0][3]


def test_an_op_of_a_script_belongs_to_the_line_that_uses_it():
    x = T.dmatrix("x")
    y = Halved()(x)  # first
    z = Halved().apply_to(y)  # second
    assert line_of(y).endswith("# first") and line_of(z).endswith("# second")
    assert line_of(y.owner.inputs[0]).endswith("# first"), "what it is given besides"
    (slope,) = T.grad(y.sum(), [x])
    made = [node for node in theano.gof.graph.ancestors([slope]) if node.owner]
    assert any(line_of(node).endswith("# grad") for node in made), "what a gradient computes is work of its own"


def test_an_array_in_an_expression_belongs_to_its_line():
    x = T.dvector("x")
    x.sum()
    y = x * numpy.ones(3)  # here
    constant, = [leaf for leaf in theano.gof.graph.inputs([y]) if isinstance(leaf, theano.Constant)]
    assert line_of(constant).endswith("# here")
