"""The mode CROTON_CHECK: right results go through, and a wrong one names the apply that gave it."""
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.ifelse import ifelse

import croton.pytensor
import croton.tensor as T

v, n = pt.dvector("v"), pt.lscalar("n")
VALUE = np.array([0.5, 1.0, 2.0])


class Halved(Op):
    """An op whose conversion is wrong."""
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] / 2


class Shortened(Halved):
    """Another one, of which the shape is wrong."""


@croton.pytensor.conversion(Halved)
def halved(op, node, x):
    return T.switch(T.gt(x, 1), x / 3, x / 2)


@croton.pytensor.conversion(Shortened)
def shortened(op, node, x):
    return x[1:] / 2


def test_right_results_go_through():
    counted = pytensor.shared(np.zeros(3))
    outputs = [pt.exp(v).sum(), ifelse(n > 1, v, v * 2), (v > n).any()]
    function = pytensor.function([v, n], outputs, updates={counted: counted + v}, mode="CROTON_CHECK")
    for times in (1, 2):
        np.testing.assert_allclose(function(VALUE, times)[1], VALUE if times > 1 else VALUE * 2)
        np.testing.assert_array_equal(counted.get_value(), VALUE * times)
    assert croton.pytensor.python_applies(function) == []


def test_draws_agree():
    from pytensor.tensor.random.utils import RandomStream
    function = pytensor.function([], RandomStream(3).normal(size=3), mode="CROTON_CHECK")
    assert not np.array_equal(function(), function())


def test_a_wrong_value_names_its_apply():
    function = pytensor.function([v], pt.log(Halved()(pt.exp(v)) + 1).sum(), mode="CROTON_CHECK")
    with pytest.raises(croton.pytensor.ResultsDiffer) as caught:
        function(VALUE)
    text = str(caught.value)
    assert "Apply node that caused the error: Halved(Exp.0)" in text and "Inputs shapes: [(3,)]" in text
    assert "instead of %s at [0], and 3 of 3 elements" % (np.exp(0.5) / 2) in text and "test_check.py" in text


def test_a_wrong_shape_names_its_apply():
    function = pytensor.function([v], Shortened()(v), mode="CROTON_CHECK")
    with pytest.raises(croton.pytensor.ResultsDiffer, match=r"float64 of shape \(2,\), not float64 of shape \(3,\)"):
        function(VALUE)


def test_what_is_right_here_may_be_wrong_there():
    function = pytensor.function([v], Halved()(v), mode="CROTON_CHECK")
    np.testing.assert_array_equal(function(VALUE / 2), VALUE / 4)
    with pytest.raises(croton.pytensor.ResultsDiffer, match="1 of 3 elements"):
        function(VALUE)
