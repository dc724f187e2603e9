"""What is checked of ops written in Python, and what the author is told."""
import unittest

import numpy
import pytest
import theano
import theano.tensor as T


class Base(theano.Op):
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + 1


def run(op, value=(1.0, 2.0), mode=None):
    x = T.dvector("x")
    return theano.function([x], op(x) * 2, mode=mode)(numpy.asarray(value))


def test_perform_that_raises_keeps_class_and_text_and_names_the_apply():
    class Odd(ValueError):
        pass

    class Fails(Base):
        def perform(self, node, inputs, outputs):
            raise Odd("the sensor is broken")

    with pytest.raises(Odd) as caught:
        run(Fails())
    text = str(caught.value)
    assert text.startswith("the sensor is broken")
    assert "Apply node that caused the error: Fails(x)" in text
    assert "Toposort index: 0" in text
    assert "Inputs shapes: [(2,)]" in text
    assert "test_user_op_checks.py" in text
    assert any("perform" == frame.name for frame in caught.traceback)


def test_exception_whose_class_wants_other_arguments():
    class Strange(Exception):
        def __init__(self, code, place):
            super().__init__("code %d at %s" % (code, place))
            self.code = code

    class Fails(Base):
        def perform(self, node, inputs, outputs):
            raise Strange(7, "gate")

    with pytest.raises(Strange) as caught:
        run(Fails())
    assert caught.value.code == 7
    assert "Apply node that caused the error" in str(caught.value.args)


def test_wrong_dtype():
    class Wrong(Base):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0].astype("float32")

    with pytest.raises(TypeError, match="gave dtype float32 for output 0, its type says float64"):
        run(Wrong())


def test_wrong_rank():
    class Wrong(Base):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0].sum()

    with pytest.raises(ValueError, match="gave 0 dimensions for output 0, its type says 1"):
        run(Wrong())


def test_no_array():
    class Wrong(Base):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = [1.0, 2.0]

    with pytest.raises(TypeError, match="has to give an array for output 0, got list"):
        run(Wrong())


def test_forgotten_output():
    class Wrong(Base):
        def perform(self, node, inputs, outputs):
            inputs[0] + 1

    with pytest.raises(ValueError, match=r"left output 0 empty: it has to write output_storage\[0\]\[0\]"):
        run(Wrong())


def test_size_of_a_broadcastable_axis():
    class Wrong(Base):
        def make_node(self, x):
            return theano.Apply(self, [x], [T.TensorType("float64", (True,))()])

    with pytest.raises(ValueError, match="broadcastable"):
        run(Wrong())


def test_size_that_infer_shape_did_not_say():
    class Wrong(Base):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][:1].copy()

        def infer_shape(self, node, shapes):
            return shapes

    with pytest.raises(ValueError, match="infer_shape"):
        run(Wrong())


def test_infer_shape_that_fails():
    class Wrong(Base):
        def infer_shape(self, node, shapes):
            return [shapes[5]]

    with pytest.warns(UserWarning, match="infer_shape of the op Wrong failed.*IndexError"):
        assert run(Wrong()).tolist() == [4, 6]
    with theano.configparser.change_flags(on_shape_error="raise"), pytest.raises(IndexError):
        run(Wrong())


def test_infer_shape_of_the_wrong_form():
    class Many(Base):
        def infer_shape(self, node, shapes):
            return shapes + shapes

    class Deep(Base):
        def infer_shape(self, node, shapes):
            return [(1, 2)]

    class Real(Base):
        def infer_shape(self, node, shapes):
            return [(T.constant(2.5),)]

    with pytest.raises(ValueError, match="one shape an output"):
        run(Many())
    with pytest.raises(ValueError, match="gave 2 sizes for output 0, which has 1 dimensions"):
        run(Deep())
    with pytest.raises(TypeError, match="whole numbers"):
        run(Real())


def test_write_to_an_input_that_is_not_declared():
    class Writes(Base):
        def perform(self, node, inputs, outputs):
            inputs[0][:] = 0
            outputs[0][0] = inputs[0] + 1

    a = numpy.asarray([1.0, 2.0])
    x = T.dvector("x")
    f = theano.function([x], Writes()(x))
    with pytest.raises(ValueError, match="read-only") as caught:
        f(a)
    assert "destroy_map" in str(caught.value)
    assert a.tolist() == [1, 2]


def test_write_around_the_guard_is_found_by_debug_mode():
    class Sneaks(Base):
        def perform(self, node, inputs, outputs):
            owner = inputs[0]
            while isinstance(owner.base, numpy.ndarray):
                owner = owner.base
            owner.flags.writeable = True
            owner[:] = 5
            outputs[0][0] = inputs[0] + 1

    x = T.dvector("x")
    f = theano.function([x], Sneaks()(T.exp(x)), mode="DebugMode")
    with pytest.raises((theano.compile.debugmode.BadDestroyMap, theano.compile.debugmode.BadOptimization, ValueError)):
        f([1.0, 2.0])


def test_output_that_is_an_input_undeclared():
    class Returns(Base):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]

    x = T.dvector("x")
    f = theano.function([x], [Returns()(x), Returns()(x) * 1])
    a = numpy.asarray([1.0, 2.0])
    first, _ = f(a)
    first[:] = 100
    assert a.tolist() == [1, 2]
    g = theano.function([x], Returns()(T.exp(x)), mode="DebugMode")
    with pytest.raises(theano.compile.debugmode.BadViewMap, match="view_map"):
        g([1.0])


def test_a_map_with_a_negative_number_is_refused():
    class Backwards(theano.Op):
        __props__ = ()
        view_map = {-1: [0]}

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]

    x = T.dvector("x")
    with pytest.raises(ValueError, match="view_map of Backwards names -1: outputs and inputs are counted from 0"):
        theano.function([x], Backwards()(x))


def test_no_perform():
    class Empty(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

    with pytest.raises(theano.gof.MethodNotDefined, match="perform"):
        run(Empty())


def test_no_make_node():
    class Empty(theano.Op):
        __props__ = ()

    with pytest.raises(NotImplementedError, match="make_node"):
        Empty()(T.dvector())


def test_make_node_that_returns_no_apply():
    class Wrong(Base):
        def make_node(self, x):
            return x

    with pytest.raises(TypeError, match="has to return an Apply"):
        Wrong()(T.dvector())


@pytest.mark.parametrize("arguments", [lambda op, x: (op, x, [x.type()]), lambda op, x: (op, [3], [x.type()]), lambda op, x: (op, [x], x.type()),
                                       lambda op, x: (op, [x], [T.dvector])], ids=["inputs", "number", "outputs", "type"])
def test_apply_checks_its_arguments(arguments):
    with pytest.raises(TypeError):
        theano.Apply(*arguments(Base(), T.dvector()))


def test_output_of_another_apply():
    x = T.dvector("x")
    y = T.exp(x)
    with pytest.raises(ValueError, match="computed by another"):
        theano.Apply(Base(), [x], [y])


def gradient(op, **settings):
    x = T.dvector("x")
    return T.grad(op(x).sum(), x, **settings)


def test_no_grad():
    with pytest.raises((theano.gradient.NullTypeGradError, NotImplementedError), match="Base"):
        gradient(Base())


def test_grad_that_returns_none():
    class Wrong(Base):
        def grad(self, inputs, grads):
            return [None]

    with pytest.raises(TypeError, match="returned None for a gradient term"):
        gradient(Wrong())


def test_grad_with_another_number_of_terms():
    class Wrong(Base):
        def grad(self, inputs, grads):
            return [grads[0], grads[0]]

    with pytest.raises(ValueError, match="wrong number of gradient terms"):
        gradient(Wrong())


def test_grad_that_returns_a_variable():
    class Wrong(Base):
        def grad(self, inputs, grads):
            return grads[0]

    with pytest.raises(TypeError, match="list or tuple"):
        gradient(Wrong())


def test_grad_that_is_an_integer():
    class Wrong(Base):
        def grad(self, inputs, grads):
            return [T.cast(grads[0], "int32")]

    with pytest.raises(TypeError, match="integer-valued"):
        gradient(Wrong())


def test_grad_of_another_rank():
    class Wrong(Base):
        def grad(self, inputs, grads):
            return [grads[0].sum()]

    with pytest.raises(ValueError, match="0 dimensions"):
        gradient(Wrong())


def test_grad_that_raises_comes_out_as_it_is():
    class Wrong(Base):
        def grad(self, inputs, grads):
            raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        gradient(Wrong())


def test_undefined_gradient():
    class Undefined(Base):
        def grad(self, inputs, grads):
            return [theano.gradient.grad_undefined(self, 0, inputs[0], "because")]

    with pytest.raises(theano.gradient.NullTypeGradError, match="because"):
        gradient(Undefined())
    assert isinstance(gradient(Undefined(), null_gradients="return").type, theano.gradient.NullType)


def test_claimed_disconnected_but_connected():
    class Wrong(Base):
        def connection_pattern(self, node):
            return [[False]]

        def grad(self, inputs, grads):
            return [grads[0]]

    with pytest.raises((TypeError, theano.gradient.DisconnectedInputError)):
        gradient(Wrong())


def test_connection_pattern_of_the_wrong_form():
    class Wrong(Base):
        def connection_pattern(self, node):
            return [[True], [True]]

        def grad(self, inputs, grads):
            return [grads[0]]

    x = T.dvector("x")
    op = theano.OpFromGraph([x], [Wrong()(x)])
    with pytest.raises(ValueError, match="connection_pattern"):
        T.grad(op(x).sum(), x)


def test_r_op_of_the_wrong_form():
    class Wrong(Base):
        def R_op(self, inputs, points):
            return points[0]

    x = T.dvector("x")
    with pytest.raises(ValueError, match="one term an output"):
        T.Rop(Wrong()(x), x, x)


def test_eq_that_raises_is_no_crash():
    class Wrong(Base):
        __props__ = ("missing",)

    x = T.dvector("x")
    with pytest.raises(AttributeError, match="missing"):
        theano.function([x], [Wrong()(x), Wrong()(x)])


def test_as_op_with_another_number_of_results():
    @theano.as_op([T.dvector], [T.dvector, T.dvector])
    def one(x):
        return x + 1

    x = T.dvector("x")
    with pytest.raises(ValueError, match="returned 1 results for 2 output types"):
        theano.function([x], one(x))([1.0])


def test_debug_mode_checks_values():
    class Good(Base):
        pass

    assert run(Good(), mode="DebugMode").tolist() == [4, 6]


def ran(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return result.testsRun, [text.strip().splitlines() for _, text in result.errors + result.failures]


class Twice(theano.Op):
    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        return eval_points if eval_points[0] is None else self.grad(inputs, eval_points)


class TwiceWithShape(Twice):
    def infer_shape(self, node, shapes):
        return shapes


class TwiceWrong(Twice):
    def R_op(self, inputs, eval_points):
        return [eval_points[0] * 3]


def test_tests_of_shapes():
    from theano.tests.unittest_tools import InferShapeTester

    class Shapes(InferShapeTester):
        def check(self, op, value):
            x = T.dmatrix()
            self._compile_and_check([x], [op(x)], [value], type(op))

        def test_inferred(self):
            self.check(TwiceWithShape(), numpy.ones((2, 3)))

        def test_not_inferred(self):
            self.check(Twice(), numpy.ones((2, 3)))

    count, failed = ran(Shapes)
    assert count == 2 and len(failed) == 1
    assert failed[0][-1].startswith("AssertionError: the shapes are not inferred: they are those of what Twice")


def test_a_square_says_little_of_shapes(caplog):
    from theano.tests.unittest_tools import InferShapeTester

    class Shapes(InferShapeTester):
        def test_square(self):
            x = T.dmatrix()
            self._compile_and_check([x], [TwiceWithShape()(x)], [numpy.ones((3, 3))], TwiceWithShape)

    assert ran(Shapes) == (1, []) and "repeated values" in caplog.text


def test_tests_of_r_op():
    from theano.tests.test_rop import RopLop_checker

    class Products(RopLop_checker):
        def test_vector(self):
            self.check_rop_lop(Twice()(self.x) * self.x, self.in_shape)

        def test_matrix(self):
            self.check_mat_rop_lop(T.dot(self.mx, T.ones((self.mx.shape[1],))), (self.mat_in_shape[0],))

        def test_wrong(self):
            self.check_rop_lop(TwiceWrong()(self.x), self.in_shape)

        def test_without(self):
            self.check_nondiff_rop(WithoutR()(self.x))

    count, failed = ran(Products)
    assert count == 4 and len(failed) == 1 and any("in test_wrong" in line for line in failed[0]), failed


class WithoutR(theano.Op):
    __props__ = ()
    make_node, perform = Twice.make_node, Twice.perform


class Pops(theano.Op):
    """Takes the last of a list, in place."""
    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type(), T.dscalar()])

    def perform(self, node, inputs, outputs):
        outputs[1][0] = numpy.asarray(inputs[0].pop())
        outputs[0][0] = inputs[0]


def test_an_object_that_others_need_is_not_overwritten():
    held = theano.gof.generic("held")
    with pytest.raises(ValueError, match="Pops.* overwrites its input 0 of type .*Generic.*, which somebody else needs: only arrays are copied"):
        theano.function([held], Pops()(held)[1])
    given = [1.0, 2.0]
    assert theano.function([held], Pops()(held)[1], accept_inplace=True)(given) == 2.0 and given == [1.0]
    state = theano.shared(numpy.random.RandomState(1))
    drawn = T.raw_random.RandomFunction("uniform", T.dvector, inplace=True)(state, (2,), 0.0, 1.0)
    with pytest.raises(ValueError, match="RandomFunction.* overwrites its input 0 of type RandomStateType"):
        theano.function([], drawn[1])
    f, stream = theano.function([], drawn[1], accept_inplace=True), numpy.random.RandomState(1)
    assert [f().tolist(), f().tolist()] == [stream.uniform(size=2).tolist(), stream.uniform(size=2).tolist()]
    after, last = Pops()(held)
    own = [1.0, 2.0]
    assert theano.function([theano.In(held, mutable=True)], [after, last], accept_inplace=True)(own) == [[1.0], 2.0] and own == [1.0]
