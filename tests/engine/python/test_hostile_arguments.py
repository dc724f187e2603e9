"""Arguments that no script means; each is an error in Python, none ends the process."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_sizes_beyond_any_memory(mode):
    n = T.lscalar("n")
    for expression in (T.eye(n), T.zeros((n, n)), T.exp(T.zeros((n, n)) + n), T.tri(n, n), T.repeat(T.zeros(3) + n, n)):
        run = function([n], expression, mode=mode)
        for size in (2 ** 31 + 1 if expression.ndim == 2 else 2 ** 50, 2 ** 55):
            with pytest.raises(MemoryError, match="memory|alloc"):
                run(size)
        for size in (-1, -2 ** 40):
            with pytest.raises(ValueError):
                run(size)
        assert run(2).size in (4, 6)


def test_an_apply_needs_an_op_and_its_types():
    x = T.dmatrix("x")
    for op in (None, 3, "exp", T.dmatrix, x):
        with pytest.raises(TypeError, match="Op"):
            theano.gof.Apply(op, [x], [x.type()])
    with pytest.raises(TypeError, match="was given"):
        theano.gof.Apply(T.exp, [x], [T.dvector()])
    with pytest.raises(TypeError, match="outputs"):
        theano.gof.Apply(T.exp, [x], [x.type(), x.type()])
    made = theano.gof.Apply(T.exp, [x], [x.type()])
    assert function([x], made.outputs[0])(numpy.zeros((1, 1))).tolist() == [[1]]


def test_sizes_of_reshape_are_numbers():
    x = T.dmatrix("x")
    for sizes in ((2, ()), ([], 3), (numpy.zeros((2, 2)), 1), (2.5, 1), (T.dscalar(), 1), (T.ivector(), 1)):
        with pytest.raises(TypeError):
            x.reshape(sizes)
