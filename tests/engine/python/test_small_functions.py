"""Functions of theano.tensor in the corners that few scripts reach."""
import numpy
import pytest
import theano
import theano.tensor as T


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choices_are_broadcast(mode):
    which, b, c = T.ltensor3("which"), *T.tensor3s("b", "c")
    given = numpy.array([0, 1]).reshape(2, 1, 1), numpy.random.rand(1, 6, 1), numpy.random.rand(1, 1, 5)
    numpy.testing.assert_array_equal(theano.function([which, b, c], T.choose(which, (b, c), mode=mode))(*given),
                                     numpy.choose(given[0], given[1:], mode=mode))
    number, column = T.lscalar("number"), T.col("column")
    chosen = T.choose(number, column, mode=mode)
    assert chosen.broadcastable == (True,)
    values = numpy.random.rand(4, 1)
    numpy.testing.assert_array_equal(theano.function([number, column], chosen)(3, values), numpy.choose(3, values, mode=mode))


def test_choices_that_are_not_there():
    f = theano.function([], T.choose(T.constant([0, 2]), [T.constant([1.0, 2.0]), T.constant([3.0, 4.0])]))
    with pytest.raises(AssertionError, match="not smaller than the number of choices"):
        f()
    with pytest.raises(ValueError, match="at least one choice"):
        T.choose(T.lvector(), [])


def test_products_of_batches_with_numbers():
    many, numbers = T.tensor4("many"), T.vector("numbers")
    given = numpy.random.rand(3, 5, 7, 2), numpy.random.rand(3)
    for product in (T.batched_dot(many, numbers), T.batched_dot(numbers, many)):
        numpy.testing.assert_allclose(theano.function([many, numbers], product)(*given), given[0] * given[1][:, None, None, None])


def test_hessians_of_what_is_linear_are_zero():
    a, b = T.dvectors("a", "b")
    of_a, of_b = theano.function([a, b], T.hessian(T.stack([a, b]).sum(), [a, b]))(numpy.ones(3), numpy.ones(3))
    assert (of_a == 0).all() and of_b.shape == (3, 3)


x = T.matrix("x")


@pytest.mark.parametrize("name, build", {
    "join": lambda: T.join(-3, x, x), "concatenate": lambda: T.concatenate([x, x], 2), "swapaxes": lambda: T.swapaxes(x, 0, 3),
    "sum": lambda: x.sum(3), "split": lambda: T.split(x, [1, 1], 2, 5)}.items())
def test_axes_that_are_not_there(name, build):
    for error in (IndexError, ValueError):  # which of them Theano raises depends on the function
        with pytest.raises(error, match="axis -?[0-9] is out of range for 2 dimensions"):
            build()


def test_known_values():
    known, constant = T.get_scalar_constant_value, T.constant(numpy.arange(6.0).reshape(2, 3))
    assert known(constant[1, 2]) == 5 and known(constant[-1, 0]) == 3
    assert known(T.Shape_i(1)(constant)) == 3 and known(T.Shape_i(0)(T.row())) == 1
    assert known(T.opt.Assert()(T.constant(2), T.constant(3) > 1)) == 2
    for unknown in (constant[0], T.opt.Assert()(T.constant(2), T.constant(0) > 1), T.opt.Assert()(T.constant(2), T.scalar() > 1),
                    constant[T.lscalar(), 0], T.Shape_i(0)(x)):
        with pytest.raises(T.NotScalarConstantError):
            known(unknown)


def test_the_old_form_of_stack_says_so():
    with pytest.warns(DeprecationWarning, match="stack"):
        assert T.stack(T.vector(), T.vector()).ndim == 2


def test_types_compare_values_without_an_object():
    nan = numpy.array([numpy.nan, numpy.inf, 1])
    assert T.TensorType.values_eq_approx(nan, nan) and not T.TensorType.values_eq_approx(nan, -nan)
    assert T.dvector.values_eq(nan, nan) and not T.dvector.values_eq(nan, nan + 1)
    assert T.max_and_argmax(x, T.NoneConst.clone())[0].ndim == 0


@pytest.mark.parametrize("ignore_border", [True, False])
def test_sizes_of_pooling(ignore_border):
    from theano.tensor.signal.pool import Pool
    image, size = T.tensor4("image"), T.lscalar("size")
    for given in range(3, 9):
        for window in (1, 2, 3):
            for step in (1, 2, 3, 4):
                told = Pool.out_shape((1, 2, given, given), (window, window), ignore_border, (step, step))
                pooled = T.signal.pool.pool_2d(image, (window, window), ignore_border=ignore_border, stride=(step, step))
                assert told == list(pooled.shape.eval({image: numpy.zeros((1, 2, given, given))}))
                symbolic = Pool.out_shape((size, size), (window, window), ignore_border, (step, step))[1]
                assert symbolic.eval({size: given}) == told[2]
    assert Pool.out_shape((7, 8), ds=2, ignore_border=True, padding=(1, 0)) == [4, 4]
    with pytest.raises(ValueError, match="window size"):
        Pool.out_shape((7, 8))
    with pytest.raises(TypeError, match="at least 2 dimensions"):
        Pool.out_shape((7,), (2, 2))


def test_what_no_step_of_a_loop_reads_is_still_an_input():
    v, unused = T.vector("v"), T.matrix("unused")
    doubled, _ = theano.scan(lambda one, other: one * 2, sequences=v, non_sequences=unused)
    f = theano.function([v, unused], doubled)
    assert list(f([1.0, 2.0], [[3.0]])) == [2, 4]
    assert "unused" not in theano.printing.debugprint(f, file="str")  # rewriting drops it


def test_assert_by_its_instance():
    v = T.vector("v")
    for function in (T.opt.assert_, T.opt.assert_op):
        f = theano.function([v], function(v, T.gt(v.sum(), 0)))
        assert list(f([1.0])) == [1]
        with pytest.raises(AssertionError):
            f([-1.0])


def test_many_choices_are_taken_from_one_array():
    which, rows = T.lvector("which"), [T.constant(numpy.arange(3.0) + k) for k in range(2000)]
    chosen = T.choose(which, rows)
    assert not any("switch" in str(one.owner) for one in theano.gof.graph.ancestors([chosen]))  # no chain of as many
    assert list(theano.function([which], chosen)([5, 1999, 0])) == [5, 2000, 2]


def test_a_scalar_function_without_its_constructor():
    class Product(theano.scalar.ScalarOp):
        def __init__(self):
            self.output_types_preference = theano.scalar.upgrade_to_float

        def impl(self, n, x):
            return x * n

        def grad(self, inputs, output_grads):
            return [theano.gradient.grad_not_implemented(self, 0, inputs[0]), output_grads[0] * inputs[0]]
    product, v = T.Elemwise(Product()), T.dscalar("v")
    assert T.grad(product(2, v), v).eval({v: 3.0}) == 2
    with pytest.raises(theano.gradient.NullTypeGradError):
        T.grad(product(v, 2), v)
