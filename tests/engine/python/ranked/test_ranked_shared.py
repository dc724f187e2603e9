"""Shared variables."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same


@item(5, "theano.shared")
def test_shared():
    """dtype and rank of the value; Python's ints are int64 and floats float64; other objects are kept as they are."""
    assert theano.shared(1).dtype == "int64" and theano.shared(1.0).dtype == "float64"
    w = theano.shared(numpy.zeros((1, 3), "float32"))
    assert w.type == T.fmatrix and w.broadcastable == (False, False)
    assert theano.shared([1, 2]).get_value() == [1, 2]
    assert isinstance(theano.shared(numpy.random.RandomState(1)).get_value(), numpy.random.RandomState)
    with pytest.raises(TypeError):
        theano.shared(T.vector())


@item(23, "theano.shared(name=)")
def test_shared_name():
    """Shown in graphs and errors."""
    w = theano.shared(numpy.zeros(2), name="weights")
    assert w.name == "weights" and "weights" in theano.printing.debugprint(w * 2, file="str")


@item(76, "theano.shared(borrow=)")
def test_shared_borrow():
    """False copies the array; True may keep it."""
    value = numpy.zeros(3)
    copied = theano.shared(value, borrow=False)
    value[0] = 5
    same(copied.get_value(), [0, 0, 0])
    same(theano.shared(numpy.ones(3), borrow=True).get_value(), [1, 1, 1])


@item(78, "theano.shared(value=)")
def test_shared_value():
    """By keyword."""
    same(theano.shared(value=numpy.arange(3.0), name="b", borrow=True).get_value(), [0, 1, 2])


@item(239, "theano.shared(broadcastable=)")
def test_shared_broadcastable():
    """Declares axes of size one, which then stretch."""
    row = theano.shared(numpy.ones((1, 3)), broadcastable=(True, False))
    same(run([], row + numpy.zeros((2, 3))), numpy.ones((2, 3)))
    plain = theano.shared(numpy.ones((1, 3)))
    with pytest.raises(ValueError, match="[Ii]nput dimension mis-match"):
        run([], plain + theano.shared(numpy.zeros((2, 3))))


@item(367, "theano.shared(target=)")
def test_shared_target():
    """'cpu' keeps it on the host whatever the device; a device that is not there is refused with its name."""
    same(theano.shared(numpy.ones(2, "float32"), target="cpu").get_value(), [1, 1], "float32")
    with pytest.raises((ValueError, TypeError, RuntimeError), match="dev9"):
        theano.shared(numpy.ones(2, "float32"), target="dev9")


@item(14, "Var.get_value()")
def test_get_value():
    """A copy: writing into it changes nothing."""
    s = theano.shared(numpy.zeros(2))
    s.get_value()[0] = 1
    same(s.get_value(), [0, 0])


@item(67, "Var.get_value(borrow=)")
def test_get_value_borrow():
    """True gives the storage itself, to be read or written in place."""
    s = theano.shared(numpy.zeros((2, 3)))
    assert s.get_value(borrow=True).shape == (2, 3)
    s.get_value(borrow=True)[0, 0] = 4
    assert s.get_value()[0, 0] == 4 and run([], s[0, 0]) == 4


@item(50, "Var.set_value()")
def test_set_value():
    """Any size of the same dtype and rank; what would lose digits is refused."""
    s = theano.shared(numpy.zeros(2, "float32"))
    s.set_value(numpy.arange(5, dtype="float32"))
    assert run([], s.sum()) == 10
    for wrong in (numpy.zeros(2), numpy.zeros((2, 2), "float32")):
        with pytest.raises(TypeError):
            s.set_value(wrong)


@item(223, "Var.default_update")
def test_default_update():
    """Applied by every function that uses the variable, unless its updates name it or no_default_updates says so."""
    s = theano.shared(0)
    s.default_update = s + 2
    f = theano.function([], s)
    assert [int(f()) for _ in range(3)] == [0, 2, 4]
    run([], s, no_default_updates=True)
    assert s.get_value() == 6


@item(234, "theano.compile.SharedVariable")
def test_shared_variable_class():
    """For isinstance: true of every shared variable and of nothing else."""
    for value in (1, numpy.zeros(2), [1], numpy.random.RandomState(0)):
        assert isinstance(theano.shared(value), theano.compile.SharedVariable)
    assert not isinstance(T.vector(), theano.compile.SharedVariable) and not isinstance(T.constant(1), theano.compile.SharedVariable)
