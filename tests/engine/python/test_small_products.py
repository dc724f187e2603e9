"""Many small products against NumPy: sizes, layouts and dtypes; sums of spread products, which are products of matrices."""
import numpy
import pytest
import theano
import theano.tensor as T


def numbers(shape, dtype):
    return (numpy.arange(numpy.prod(shape)) * 37 % 23 - 11).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes_and_layouts(dtype):
    x, y = T.TensorType(dtype, (False,) * 3)("x"), T.TensorType(dtype, (False,) * 3)("y")
    f = theano.function([x, y], T.batched_dot(x, y))
    for rows, depth, columns in ((1, 1, 1), (2, 3, 4), (4, 4, 4), (3, 5, 1), (1, 8, 7), (8, 8, 8), (9, 1, 16), (16, 16, 16), (17, 4, 4), (5, 0, 3), (0, 2, 3), (3, 2, 0)):
        for count in (0, 1, 2, 50):
            a, b = numbers((count, rows, depth), dtype), numbers((count, depth, columns), dtype)
            wanted = numpy.matmul(a, b)
            turned = a.transpose(0, 2, 1).copy().transpose(0, 2, 1), b.transpose(0, 2, 1).copy().transpose(0, 2, 1)
            for left, right in ((a, b), (turned[0], b), (a, turned[1]), turned, (a[::-1].copy()[::-1], b), (numpy.repeat(a, 2, 2)[:, :, ::2], b)):
                numpy.testing.assert_array_equal(f(left, right), wanted)
            if count:
                one = numpy.broadcast_to(b[:1], b.shape)
                numpy.testing.assert_array_equal(f(a, one), numpy.matmul(a, one))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
def test_sums_of_spread_products(dtype):
    a, b = T.TensorType(dtype, (False, False))("a"), T.TensorType(dtype, (False, False))("b")
    x, y = numbers((7, 5), dtype), numbers((5, 9), dtype)
    wanted = x.astype("float64") @ y.astype("float64")
    spread = [((a[:, :, None] * b[None]).sum(1), x, y, wanted), ((b[None] * a[:, :, None]).sum(1), x, y, wanted),
              ((a.T[:, :, None] * b[:, None, :]).sum(0), x, y, wanted), ((a[:, None, :] * b.T[None]).sum(2), x, y, wanted),
              ((a[None] * b.T[:, None, :]).sum(2), x, y, wanted.T)]
    for expression, left, right, result in spread:
        f = theano.function([a, b], expression)
        numpy.testing.assert_array_equal(f(left, right), result)
        assert any(node.op.__class__.__name__ in ("Dot", "Dot22", "Gemm") for node in f.maker.fgraph.apply_nodes) == (dtype in ("float32", "float64"))
        with pytest.raises(ValueError):
            f(left, right[:4])
