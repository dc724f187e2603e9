"""Reading and writing through an index."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

C = numpy.arange(24.0).reshape(2, 3, 4)
t, x, v = T.dtensor3("t"), T.dmatrix("x"), T.dvector("v")
i, n = T.lvector("i"), T.lscalar("n")


@item(25, "index: tuple of several axes")
def test_tuple():
    """Numbers, slices and variables mixed."""
    same(run([t], t[1, :, 1:3], C), C[1, :, 1:3])
    same(run([t, n], t[:, n, ::2], C, 2), C[:, 2, ::2])
    with pytest.raises((IndexError, ValueError), match="too many"):
        t[0, 0, 0, 0]


@item(28, "index: symbolic (scalar or advanced)")
def test_symbolic():
    """A scalar, a vector of rows, or a pair of vectors that picks one of each row; its gradient adds up repeated rows."""
    same(run([x, n], x[n], C[0], 2), C[0, 2])
    same(run([x, i], x[i], C[0], [2, 0, 2]), C[0][[2, 0, 2]])
    same(run([x, i], x[T.arange(i.shape[0]), i], C[0], [3, 0, 1]), [3, 4, 9])
    same(run([x, i], T.grad(x[i].sum(), x), C[0], [2, 0, 2])[:, 0], [1, 0, 2])
    with pytest.raises(IndexError):
        run([x, n], x[n], C[0], 3)


@item(54, "index: slice")
def test_slice():
    """As NumPy, also past the end."""
    for part in (slice(1, 3), slice(None, 2), slice(2, None), slice(-3, -1), slice(5, 9)):
        same(run([v], v[part], C[0, 0]), C[0, 0][part])


@item(56, "index: integer")
def test_integer():
    """One element of the first axis."""
    same(run([t], t[1], C), C[1])


@item(72, "index: negative integer")
def test_negative_integer():
    """Counted from the end: the last step of a scan."""
    same(run([t], t[-1, -2], C), C[-1, -2])


@item(85, "index: Python value")
def test_python_value():
    """Ints of loops and of NumPy."""
    same(run([x], sum(x[k] for k in range(3)), C[0]), C[0].sum(0))
    same(run([x], x[numpy.int64(1)], C[0]), C[0, 1])


@item(126, "index: slice, symbolic bounds")
def test_symbolic_bounds():
    """data[i * n:(i + 1) * n]: minibatches; the last may be shorter."""
    batch = theano.function([v, n], v[n * 3:(n + 1) * 3])
    data = numpy.arange(8.0)
    assert [batch(data, k).tolist() for k in range(4)] == [[0, 1, 2], [3, 4, 5], [6, 7], []]


@item(128, "index: None / newaxis")
def test_newaxis():
    """New axes that broadcast."""
    assert v[:, None].broadcastable == (False, True)
    same(run([v], v[:, numpy.newaxis] - v[None], [1.0, 4]), [[0, -3], [3, 0]])


@item(158, "index: slice, negative step")
def test_negative_step():
    """Backwards."""
    same(run([t], t[::-1, :, 3:0:-2], C), C[::-1, :, 3:0:-2])


@item(226, "index: slice with step")
def test_step():
    """Every second element."""
    same(run([x], x[::2, 1::2], C[0]), C[0][::2, 1::2])


@item(71, "T.set_subtensor")
def test_set_subtensor():
    """Gives a new tensor in which a part is written; the old one stays what it was."""
    wanted = C[0].copy()
    wanted[1:, 0] = 7
    before = C[0].copy()
    same(run([x], [T.set_subtensor(x[1:, 0], 7), x], before)[0], wanted)
    same(before, C[0])


@item(259, "T.inc_subtensor")
def test_inc_subtensor():
    """The same, adding; a row that is named twice gets both."""
    wanted = C[0].copy()
    numpy.add.at(wanted, [1, 1, 0], 2.0)
    same(run([x, i], T.inc_subtensor(x[i], 2.0), C[0], [1, 1, 0]), wanted)


@item(163, "Var.nonzero()")
def test_nonzero():
    """A tuple of int64 vectors that index."""
    mask = C[0] % 3 == 1
    rows, columns = run([x], list(T.eq(x % 3, 1).nonzero()), C[0])
    same(rows, mask.nonzero()[0], "int64")
    same(columns, mask.nonzero()[1], "int64")
    same(run([x], x[T.eq(x % 3, 1).nonzero()], C[0]), C[0][mask])
