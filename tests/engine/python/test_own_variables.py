"""Classes of variables that scripts derive: their constructors take what they like and hand the rest on."""
import gc
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano.compile import SharedVariable
from theano.tensor.basic import _tensor_py_operators


class Drawn(T.TensorVariable):
    """A variable that knows what it is drawn from."""

    def __init__(self, type=None, owner=None, index=None, name=None, source=None):
        self.source = source
        super().__init__(type or T.dvector, owner, index, name)


class Weights(_tensor_py_operators, SharedVariable):
    def __init__(self, value, name=None):
        super().__init__(name, T.TensorType(value.dtype, (False,) * value.ndim), value, strict=False, allow_downcast=True, container=None)
        self.velocity = numpy.zeros_like(value)


def test_an_input_of_an_own_class():
    x = Drawn(name="x", source="here")
    assert (x.name, x.type, x.source, x.owner) == ("x", T.dvector, "here", None)
    numpy.testing.assert_array_equal(theano.function([x], x * 2)([0.0, 1.0]), [0, 2])
    assert isinstance(T.grad((x ** 2).sum(), x), T.TensorVariable)


def test_an_apply_computes_one():
    d, x = T.dvector("d"), Drawn(name="x")
    made = theano.Apply(theano.compile.view_op, inputs=[d * 2], outputs=[x])
    assert x.owner == made and made.outputs[0] is x and x.name == "x"
    numpy.testing.assert_array_equal(theano.function([d], x + 1)([1.0, 2.0]), [3, 5])
    numpy.testing.assert_array_equal(T.grad(x.sum(), d).eval({d: [1.0]}), [2])


def test_the_class_is_that_of_the_node():
    total = Drawn(name="x", source=3) + T.dvector("y")
    gc.collect()
    found = {leaf.name: leaf for leaf in theano.gof.graph.inputs([total])}
    assert type(found["x"]) is Drawn and found["x"].source == 3
    assert type(found["y"]) is T.TensorVariable


def test_pickled_with_the_class():
    total = Drawn(name="x", source=3) + T.dvector("y")
    found = {leaf.name: leaf for leaf in theano.gof.graph.inputs([pickle.loads(pickle.dumps(total))])}
    assert type(found["x"]) is Drawn and found["x"].source == 3
    computed = Drawn(name="z", source=4)
    theano.Apply(theano.compile.view_op, [T.dvector("y") * 2], [computed])
    again = pickle.loads(pickle.dumps(computed))
    assert type(again) is Drawn and again.source == 4 and again.owner.op == theano.compile.view_op
    shared = pickle.loads(pickle.dumps(Weights(numpy.ones(2), "w")))
    assert type(shared) is Weights and shared.name == "w"
    numpy.testing.assert_array_equal(shared.get_value(), [1, 1])


def test_a_shared_variable_of_an_own_class():
    w = Weights(numpy.ones(3), "w")
    step = theano.function([], (w * 2).sum(), updates=[(w, w + 1)])
    assert [float(step()), float(step())] == [6, 12]
    numpy.testing.assert_array_equal(w.get_value(), [3, 3, 3])
    assert isinstance(w, SharedVariable) and w.velocity.shape == (3,)
    w.set_value(numpy.zeros(3))
    assert step() == 0


def test_set_up_wrongly():
    class Forgets(T.TensorVariable):
        def __init__(self):
            pass

    with pytest.raises(RuntimeError, match="must call __init__ of its base"):
        Forgets().type
    with pytest.raises(TypeError, match="must call __init__ of its base"):
        Forgets() + 1
    with pytest.raises(TypeError, match="needs a Type, got int"):
        T.TensorVariable(3)
    with pytest.raises(TypeError, match="give a Variable no owner"):
        Drawn(owner=(T.dvector() * 2).owner)


def test_an_apply_of_an_identity_has_the_type_that_a_script_gave_its_output():
    """PyMC3's observed variables: made by hand, of the type of the data, and owned by a ViewOp of what was cast."""
    flags, matrix = theano.shared(numpy.array([1, 0, 2])), T.dmatrix("m")
    for given, type_, data, wanted in ((flags, T.TensorType("bool", (False,)), None, [True, False, True]), (matrix, T.dcol, [[1.], [2.]], [[1.], [2.]]),
                                       (matrix, T.fmatrix, [[1.5]], [[1.5]])):
        made = type_("made")
        theano.Apply(theano.compile.view_op, [given], [made])
        assert made.owner.op == theano.compile.view_op and made.type == type_
        values = theano.function([matrix], made, on_unused_input="ignore")(numpy.zeros((1, 1)) if data is None else data)
        assert values.dtype == type_.dtype and values.tolist() == wanted
    with pytest.raises(TypeError, match="its Apply was given"):
        theano.Apply(theano.compile.view_op, [matrix], [T.dvector()])
