"""Ops written in Python: what they may define, and what happens."""
import pickle

import numpy
import pytest
import theano
import theano.tensor as T


class Double(theano.Op):
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = numpy.asarray(inputs[0] * 2, dtype=node.outputs[0].dtype)

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        return [None if p is None else p * 2 for p in eval_points]


class Scaled(theano.Op):
    """y = x * factor, with parameters."""
    __props__ = ("factor", "name_")

    def __init__(self, factor, name_="s"):
        self.factor, self.name_ = factor, name_

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = numpy.asarray(inputs[0] * self.factor, dtype=node.outputs[0].dtype)


def test_perform_and_make_node():
    x = T.dmatrix("x")
    f = theano.function([x], Double()(x))
    a = numpy.random.rand(5, 4)
    numpy.testing.assert_array_equal(f(a), a * 2)
    assert [type(n.op) for n in f.maker.fgraph.toposort()] == [Double]
    assert f.maker.fgraph.toposort()[0].op == Double()


def test_numbers_and_arrays_are_converted_by_make_node():
    assert Double()(3).eval() == 6
    assert Double()([1.0, 2.0]).eval().tolist() == [2, 4]


def test_itypes_and_otypes():
    class Pair(theano.Op):
        __props__ = ()
        itypes = [T.dvector, T.dscalar]
        otypes = [T.dvector, T.dscalar]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * inputs[1]
            outputs[1][0] = numpy.asarray(inputs[0].sum())

    x, k = T.dvector("x"), T.dscalar("k")
    first, second = Pair()(x, k)
    a, b = theano.function([x, k], [first, second])([1.0, 2.0], 3.0)
    assert a.tolist() == [3, 6] and b == 3
    with pytest.raises(ValueError, match="expected 2 inputs"):
        Pair()(x)
    with pytest.raises(TypeError, match="expected inputs of types"):
        Pair()(k, x)


def test_gradient():
    x = T.dmatrix("x")
    theano.tests.unittest_tools.verify_grad(Double(), [numpy.random.rand(3, 2)])
    g = theano.function([x], T.grad(Double()(x).sum(), x))
    assert g(numpy.ones((2, 2))).tolist() == [[2, 2], [2, 2]]


def test_l_op_sees_outputs():
    class Exp(theano.Op):
        __props__ = ()

        def make_node(self, x):
            x = T.as_tensor_variable(x)
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = numpy.exp(inputs[0])

        def L_op(self, inputs, outputs, grads):
            return [grads[0] * outputs[0]]

    theano.tests.unittest_tools.verify_grad(Exp(), [numpy.random.rand(3)])


def test_r_op():
    x, v = T.dvector("x"), T.dvector("v")
    f = theano.function([x, v], T.Rop(Double()(x) * x, x, v))
    assert f([1.0, 2.0], [1.0, 0.0]).tolist() == [4, 0]


def test_r_op_that_is_missing():
    x, v = T.dvector("x"), T.dvector("v")
    with pytest.raises(NotImplementedError, match="Scaled"):
        T.Rop(Scaled(2)(x), x, v)


def test_infer_shape_makes_running_needless():
    class Never(Double):
        def perform(self, node, inputs, outputs):
            raise RuntimeError("not needed for a shape")

    x = T.dmatrix("x")
    f = theano.function([x], Never()(x).shape)
    assert f(numpy.ones((3, 7))).tolist() == [3, 7]
    assert not any(isinstance(n.op, Never) for n in f.maker.fgraph.toposort())


def test_infer_shape_may_compute():
    class Pad(theano.Op):
        __props__ = ()

        def make_node(self, x, n):
            x, n = T.as_tensor_variable(x), T.as_tensor_variable(n)
            return theano.Apply(self, [x, n], [T.dmatrix()])

        def perform(self, node, inputs, outputs):
            x, n = inputs
            outputs[0][0] = numpy.zeros((x.shape[0] * 2 + 1, max(int(n), 3)))

        def infer_shape(self, node, shapes):
            return [(shapes[0][0] * 2 + 1, T.maximum(node.inputs[1], 3))]

    x, n = T.dvector("x"), T.lscalar("n")
    out = Pad()(x, n)
    f = theano.function([x, n], out.shape)
    assert f(numpy.ones(4), 7).tolist() == [9, 7]
    assert f(numpy.ones(1), 2).tolist() == [3, 3]
    assert not any(isinstance(node.op, Pad) for node in f.maker.fgraph.toposort())
    g = theano.function([x, n], out + 1)
    assert g(numpy.ones(4), 7).shape == (9, 7)


def test_infer_shape_that_gives_up():
    class Half(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][::2].copy()

        def infer_shape(self, node, shapes):
            raise theano.tensor.basic.ShapeError("only known afterwards")

    x = T.dvector("x")
    f = theano.function([x], [Half()(x).shape, Half()(x) + 1])
    shape, value = f(numpy.arange(5.0))
    assert shape.tolist() == [3] and value.tolist() == [1, 3, 5]


def test_size_that_depends_on_the_data():
    class Positive(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][inputs[0] > 0]

    x = T.dvector("x")
    w = theano.shared(0.0)
    y = Positive()(x)
    f = theano.function([x], [T.exp(y).sum(), y.shape[0], y * 2], updates=[(w, w + y.sum())])
    for values in ([1.0, -1.0, 2.0], [-1.0], [3.0, 4.0, 5.0, 6.0]):
        a = numpy.asarray(values)
        kept = a[a > 0]
        total, size, twice = f(a)
        numpy.testing.assert_allclose(total, numpy.exp(kept).sum())
        assert size == len(kept) and twice.tolist() == (kept * 2).tolist()
    assert w.get_value() == 3 + 18


def test_make_thunk():
    made = []

    class Thunked(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            made.append(node)
            source, target = storage_map[node.inputs[0]], storage_map[node.outputs[0]]

            def thunk():
                target[0] = source[0] * 3
                compute_map[node.outputs[0]][0] = True
            thunk.lazy = False
            return thunk

    x = T.dvector("x")
    f = theano.function([x], Thunked()(x))
    assert f([1.0, 2.0]).tolist() == [3, 6]
    assert f([5.0]).tolist() == [15]
    assert len(made) == 1


def test_make_thunk_that_calls_that_of_its_base():
    class Counted(Double):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            inner = super().make_thunk(node, storage_map, compute_map, no_recycling, impl)

            def thunk():
                calls.append(1)
                return inner()
            return thunk

    calls = []
    x = T.dvector("x")
    f = theano.function([x], Counted()(x))
    assert f([1.0]).tolist() == [2] and f([2.0]).tolist() == [4]
    assert len(calls) == 2


def test_as_op():
    @theano.as_op(itypes=[T.dmatrix, T.dmatrix], otypes=[T.dmatrix], infer_shape=lambda node, shapes: [(shapes[0][0], shapes[1][1])])
    def numpy_dot(a, b):
        return numpy.dot(a, b)

    x, y = T.dmatrices("x", "y")
    f = theano.function([x, y], [numpy_dot(x, y), numpy_dot(x, y).shape])
    a, b = numpy.random.rand(2, 3), numpy.random.rand(3, 4)
    value, shape = f(a, b)
    numpy.testing.assert_allclose(value, a.dot(b))
    assert shape.tolist() == [2, 4]
    with pytest.raises(TypeError):
        theano.as_op([T.dmatrix, "x"], [T.dmatrix])
    with pytest.raises(TypeError):
        theano.as_op([T.dmatrix], [T.dmatrix], infer_shape=3)


def test_props_give_equality_hash_and_text():
    assert Scaled(2) == Scaled(2) and hash(Scaled(2)) == hash(Scaled(2))
    assert Scaled(2) != Scaled(3) and Scaled(2) != Double()
    assert str(Scaled(2)) == "Scaled{factor=2, name_='s'}" or str(Scaled(2)) == "Scaled{factor=2, name_=s}"
    assert str(Double()) == "Double"


def test_equal_ops_merge():
    x = T.dvector("x")
    f = theano.function([x], [Scaled(2)(x), Scaled(2)(x), Scaled(3)(x)])
    assert sum(isinstance(n.op, Scaled) for n in f.maker.fgraph.toposort()) == 2


def test_ops_without_equality_do_not_merge():
    class Plain(theano.Op):
        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1

    x = T.dvector("x")
    f = theano.function([x], [Plain()(x), Plain()(x)])
    assert sum(isinstance(n.op, Plain) for n in f.maker.fgraph.toposort()) == 2


def test_default_output_and_return_list():
    class Two(theano.Op):
        __props__ = ()
        default_output = 1

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type(), x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1
            outputs[1][0] = inputs[0] - 1

    x = T.dscalar("x")
    assert Two()(x).eval({x: 5}) == 4
    assert isinstance(Two()(x, return_list=True), list)
    assert isinstance(Double()(x, return_list=True), list)
    assert Two().make_node(x).outputs[0].eval({x: 5}) == 6


def test_constant_folding_can_be_switched_off():
    calls = []

    class Counted(Double):
        def perform(self, node, inputs, outputs):
            calls.append(1)
            outputs[0][0] = numpy.asarray(inputs[0] * 2, dtype=node.outputs[0].dtype)

    class Unfolded(Counted):
        def do_constant_folding(self, node):
            return False

    f = theano.function([], Counted()(T.constant(3.0)))
    folded = len(calls)
    f(), f()
    assert folded == len(calls) >= 1
    del calls[:]
    f = theano.function([], Unfolded()(T.constant(3.0)))
    assert not calls
    f(), f()
    assert len(calls) == 2


def test_values_of_any_type():
    class Words(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [theano.gof.generic()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = "sum %g" % inputs[0].sum()

    x = T.dvector("x")
    assert theano.function([x], Words()(x))([1.0, 2.0]) == "sum 3"


def test_an_op_survives_a_pickle():
    x = T.dvector("x")
    f = theano.function([x], Scaled(5)(x))
    g = pickle.loads(pickle.dumps(f))
    assert g([1.0]).tolist() == [5]


def test_perform_sees_the_node():
    class Named(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [T.TensorType("float32", x.broadcastable)()])

        def perform(self, node, inputs, outputs):
            assert node.op is self or node.op == self
            assert len(node.inputs) == 1 and node.inputs[0].dtype == "float64"
            outputs[0][0] = inputs[0].astype(node.outputs[0].dtype)

    x = T.dvector("x")
    assert theano.function([x], Named()(x))([1.0]).dtype == "float32"


def test_connection_pattern():
    class Second(theano.Op):
        __props__ = ()

        def make_node(self, a, b):
            return theano.Apply(self, [a, b], [b.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[1].copy()

        def connection_pattern(self, node):
            return [[False], [True]]

        def grad(self, inputs, output_grads):
            return [theano.gradient.DisconnectedType()(), output_grads[0]]

    a, b = T.dvectors("a", "b")
    cost = Second()(a, b).sum()
    assert T.grad(cost, b).eval({a: [1.0], b: [1.0]}).tolist() == [1]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(cost, a)


def test_a_gradient_is_asked_for_only_where_the_pattern_leads():
    class Apart(theano.Op):
        __props__ = ()

        def make_node(self, x, y):
            return theano.Apply(self, [x, y], [x.type(), y.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0], outputs[1][0] = inputs[0] * 2, inputs[1] * 3

        def connection_pattern(self, node):
            return [[True, False], [False, True]]

        def grad(self, inputs, output_grads):
            asked.append([type(g.type).__name__ for g in output_grads])
            return [output_grads[0] * 2, T.ones_like(inputs[1])]  # the second is wrong where the second output is not asked for

    class Blind(Double):
        def connection_pattern(self, node):
            return [[False]]

        def grad(self, inputs, output_grads):
            raise AssertionError("nobody depends on this gradient")

    class Silent(theano.Op):
        __props__ = ()
        make_node, perform, connection_pattern = Double.make_node, Double.perform, Blind.connection_pattern

    asked = []
    x, y = T.dvectors("x", "y")
    first, second = Apart()(x, y)
    assert T.grad(first.sum(), x).eval({x: [1.0], y: [1.0]}).tolist() == [2] and asked == [["TensorType", "DisconnectedType"]]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(first.sum(), y)
    for op in (Blind(), Silent()):
        with pytest.raises(theano.gradient.DisconnectedInputError):
            T.grad(op(x).sum(), x)
        assert T.grad((op(x) + x).sum(), x).eval({x: [1.0, 2.0]}).tolist() == [1, 1]
    undefined = theano.gradient.undefined_grad
    with pytest.raises(theano.gradient.NullTypeGradError):
        T.grad(first.sum() + undefined(second).sum(), y)
    assert T.grad(first.sum() + undefined(second).sum(), x).eval({x: [1.0], y: [1.0]}).tolist() == [2]
    assert theano.gof.graph.io_connection_pattern([x, y], [first, second, x + y]) == [[True, False, True], [False, True, True]]
    both = theano.OpFromGraph([x, y], [first, second])
    assert both.connection_pattern(both(x, y)[0].owner) == [[True, False], [False, True]]


class Text(theano.gof.Type):
    def __init__(self, language):
        self.language = language

    def __eq__(self, other):
        return type(self) is type(other) and self.language == other.language

    def __hash__(self):
        return hash((type(self), self.language))

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, str):
            raise TypeError("a text is wanted, got %s" % type(value).__name__)
        return value


class Chained(theano.Op):
    __props__ = ()

    def make_node(self, a, b):
        return theano.Apply(self, [a, b], [a.type()])

    def perform(self, node, inputs, outputs):
        assert node.outputs[0].type.language == node.inputs[0].type.language == "en"
        outputs[0][0] = inputs[0] + inputs[1]


def test_variables_and_constants_keep_a_type_of_the_users_own():
    english = Text("en")
    a, b = theano.gof.Variable(english, None, None), english("b")
    constant = english.make_constant("!")
    for variable in (a, b, constant, theano.gof.Constant(english, "?"), a.clone(), Chained()(a, b), Chained()(a, b).owner.inputs[0]):
        assert variable.type == english and variable.type.language == "en"
    assert a.type is english and constant.data == "!"
    with pytest.raises(TypeError, match="a text is wanted"):
        theano.gof.Constant(english, 1)
    run = theano.function([a, b], Chained()(Chained()(a, b), constant))
    assert run("x", "yz") == "xyz!" and run.maker.fgraph.outputs[0].owner.inputs[0].type == english
    assert theano.gof.graph.clone([a, b], [Chained()(a, b)])[1][0].type == english
    with pytest.raises(TypeError, match="a text is wanted"):
        run(1, "yz")
    assert theano.gof.Variable(theano.gof.generic, None, None).type == theano.gof.generic


def test_what_else_an_op_of_a_graph_is_told():
    x, y = T.dscalars("x", "y")
    op = theano.OpFromGraph([x, y], [x * 2], on_unused_input="ignore", mode="FAST_RUN")
    assert op(x, y).eval({x: 3.0, y: 0.0}) == 6
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(op(x, y), y)
    for key in ("updates", "givens"):
        with pytest.raises(TypeError, match="does not take %s: they belong to the function" % key):
            theano.OpFromGraph([x], [x * 2], **{key: {}})
    with pytest.raises(TypeError, match="does not know colour"):
        theano.OpFromGraph([x], [x * 2], colour="red")
    with pytest.raises(ValueError, match="mutually exclusive"):
        theano.OpFromGraph([x], [x * 2], lop_overrides=[None], grad_overrides=[None])


def test_the_call_is_that_of_the_pure_op():
    """Where a class has a __call__ of its own, the one before it is that of theano.gof.op.PureOp, whether Op is skipped or not."""
    class Named(theano.Op):
        itypes, otypes = [T.dvector], [T.dvector]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1

        def __call__(self, *inputs):
            return super(theano.Op, self).__call__(*inputs), super().__call__(*inputs)

    x = T.dvector("x")
    assert [value.tolist() for value in theano.function([x], list(Named()(x)))([1.0])] == [[2], [2]]
    assert isinstance(T.exp, theano.gof.op.PureOp) and issubclass(theano.Op, theano.gof.PureOp)


def test_an_op_asks_for_test_values():
    class Doubles(theano.Op):
        def make_node(self, x):
            assert self._get_test_value(x).tolist() == [1, 2]
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * 2

    x = T.dvector("x")
    x.tag.test_value = numpy.array([1.0, 2.0])
    assert Doubles()(x).eval({x: [3.0]}).tolist() == [6]
