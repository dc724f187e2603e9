"""Making variables, and what they say of themselves."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same


def made(kind, dtype, *broadcastable):
    variable = kind("v")
    assert (variable.dtype, variable.broadcastable, variable.name) == (dtype, broadcastable, "v")
    assert kind().name is None
    value = numpy.ones([1 if one else 2 for one in broadcastable], dtype)
    same(run([variable], variable, value), value, dtype)


@item(10, "T.matrix")
def test_matrix():
    """Of floatX, with or without a name."""
    made(T.matrix, "float64", False, False)
    with theano.config.change_flags(floatX="float32"):
        made(T.matrix, "float32", False, False)


@item(24, "T.vector")
def test_vector():
    """Of floatX."""
    made(T.vector, "float64", False)


@item(36, "T.ivector")
def test_ivector():
    """Of int32: labels."""
    made(T.ivector, "int32", False)


@item(38, "T.scalar")
def test_scalar():
    """Of floatX."""
    made(T.scalar, "float64")


@item(53, "T.lscalar")
def test_lscalar():
    """Of int64: indices of minibatches."""
    made(T.lscalar, "int64")


@item(79, "T.dmatrix")
def test_dmatrix():
    """Of float64."""
    made(T.dmatrix, "float64", False, False)


@item(91, "T.matrix(dtype=)")
def test_matrix_dtype():
    """Any dtype by name, 'floatX' among them."""
    for dtype in ("int32", "float32", "uint8", "bool", "complex64"):
        assert T.matrix(dtype=dtype).dtype == dtype
    assert T.matrix("m", dtype=theano.config.floatX).dtype == "float64"


@item(92, "T.fmatrix")
def test_fmatrix():
    """Of float32."""
    made(T.fmatrix, "float32", False, False)


@item(99, "T.iscalar")
def test_iscalar():
    """Of int32."""
    made(T.iscalar, "int32")


@item(111, "T.vector(dtype=)")
def test_vector_dtype():
    """Any dtype by name."""
    assert T.vector("v", dtype="int64").dtype == "int64" and T.vector(dtype="float16").dtype == "float16"


@item(118, "T.tensor3")
def test_tensor3():
    """Of floatX."""
    made(T.tensor3, "float64", False, False, False)


@item(121, "T.tensor4")
def test_tensor4():
    """Of floatX."""
    made(T.tensor4, "float64", False, False, False, False)


@item(130, "T.dscalar")
def test_dscalar():
    """Of float64."""
    made(T.dscalar, "float64")


@item(131, "T.dvector")
def test_dvector():
    """Of float64."""
    made(T.dvector, "float64", False)


@item(133, "T.scalar(name=)")
def test_scalar_name():
    """The name by keyword."""
    assert T.scalar(name="lr").name == "lr" and str(T.scalar(name="lr")) == "lr"


@item(138, "T.scalars")
def test_scalars():
    """Several: by names, by one letter each, or by a number."""
    a, b = T.scalars("a", "b")
    assert (a.name, b.name, a.ndim) == ("a", "b", 0)
    assert [v.name for v in T.scalars("xyz")] == ["x", "y", "z"] and len(T.scalars(3)) == 3


@item(142, "T.imatrix")
def test_imatrix():
    """Of int32."""
    made(T.imatrix, "int32", False, False)


@item(150, "T.matrices")
def test_matrices():
    """Several matrices."""
    x, y = T.matrices("x", "y")
    assert (x.name, y.name, y.ndim, x.dtype) == ("x", "y", 2, "float64")


@item(177, "T.scalar(dtype=)")
def test_scalar_dtype():
    """Any dtype by name; one that is none is refused."""
    assert T.scalar(dtype="int8").dtype == "int8"
    with pytest.raises(TypeError, match="float99"):
        T.scalar(dtype="float99")


@item(205, "T.tensor3(dtype=)")
def test_tensor3_dtype():
    """Any dtype by name."""
    assert T.tensor3("t", dtype="int32").type == T.itensor3


@item(213, "T.dmatrices")
def test_dmatrices():
    """Several of float64."""
    assert [(v.name, v.type == T.dmatrix) for v in T.dmatrices("a", "b")] == [("a", True), ("b", True)]


@item(214, "T.dmatrix(name=)")
def test_dmatrix_name():
    """The name by keyword."""
    assert T.dmatrix(name="inputs").name == "inputs"


@item(215, "T.dscalars")
def test_dscalars():
    """Several of float64."""
    assert [v.type == T.dscalar for v in T.dscalars("a", "b", "c")] == [True] * 3


@item(217, "T.fvector")
def test_fvector():
    """Of float32."""
    made(T.fvector, "float32", False)


@item(254, "T.dvectors")
def test_dvectors():
    """Several of float64."""
    assert [v.type == T.dvector for v in T.dvectors(2)] == [True, True]


@item(258, "T.imatrices")
def test_imatrices():
    """Several of int32."""
    assert [(v.name, v.dtype) for v in T.imatrices("pq")] == [("p", "int32"), ("q", "int32")]


@item(263, "T.itensor3")
def test_itensor3():
    """Of int32."""
    made(T.itensor3, "int32", False, False, False)


@item(318, "T.vectors")
def test_vectors():
    """Several of floatX."""
    assert [v.ndim for v in T.vectors("u", "v")] == [1, 1]


@item(323, "T.zmatrix")
def test_zmatrix():
    """Of complex128."""
    made(T.zmatrix, "complex128", False, False)


@item(33, "Var.ndim")
def test_ndim():
    """A plain int that is known as the graph is built."""
    assert type(T.tensor3().ndim) is int and T.tensor3().ndim == 3 and (T.vector() * 2).sum().ndim == 0


@item(80, "Var.dtype")
def test_dtype():
    """A plain string."""
    assert type(T.vector().dtype) is str and (T.ivector() + T.fvector()).dtype == "float64"


@item(82, "Var.type")
def test_type():
    """Compared, printed, and called for a fresh variable of the same type."""
    x = T.dmatrix("x")
    assert x.type == T.dmatrix and x.type != T.fmatrix and x.type() is not x and x.type("y").name == "y"
    assert str(x.type) == "TensorType(float64, matrix)"


@item(95, "Var.tag")
def test_tag():
    """A bag for attributes; tag.test_value is what test values are computed from."""
    x = T.dvector("x")
    x.tag.mine = 3
    with theano.config.change_flags(compute_test_value="raise"):
        x.tag.test_value = numpy.arange(3.0)
        assert (x * 2).tag.test_value.tolist() == [0, 2, 4] and x.tag.mine == 3


@item(98, "T.as_tensor_variable")
def test_as_tensor_variable():
    """Numbers, arrays and lists, with variables in them or without; a variable stays what it is."""
    x = T.dscalar()
    assert T.as_tensor_variable(x) is x and T.as_tensor_variable(3).dtype == "int8" and T.as_tensor_variable(0.1).dtype == "float64"
    same(run([x], T.as_tensor_variable([1.0, x, x * 2]), 3.0), [1, 3, 6])
    with pytest.raises(TypeError):
        T.as_tensor_variable(True)


@item(141, "T.constant")
def test_constant():
    """A value in the graph; sizes of one broadcast."""
    c = T.constant(numpy.arange(3.0).reshape(1, 3), name="c")
    assert c.broadcastable == (True, False) and c.name == "c" and c.data.tolist() == [[0, 1, 2]]
    same(run([], c + numpy.zeros((2, 1))), [[0, 1, 2], [0, 1, 2]])


@item(252, "T.constant(dtype=)")
def test_constant_dtype():
    """Of the dtype asked for."""
    assert T.constant(1, dtype="float32").dtype == "float32" and T.constant([1, 2], dtype="int16").data.dtype == numpy.int16


@item(160, "T.TensorType")
def test_tensor_type():
    """Called for a variable; equal where dtype and pattern are."""
    kind = T.TensorType("float32", (False,) * 5)
    assert kind("five").ndim == 5 and kind == T.TensorType("float32", [False] * 5) and hash(kind) == hash(T.TensorType("float32", (False,) * 5))


@item(208, "T.TensorType(broadcastable=)")
def test_tensor_type_broadcastable():
    """Which axes have size one and stretch."""
    x = T.TensorType("float64", broadcastable=(False, True))("x")
    same(run([x], x + numpy.zeros((2, 3)), [[1.0], [2.0]]), [[1] * 3, [2] * 3])
    with pytest.raises(TypeError, match="Non-unit value"):
        run([x], x, numpy.zeros((2, 3)))


@item(209, "T.TensorType(dtype=)")
def test_tensor_type_dtype():
    """By name, 'floatX' among them."""
    assert T.TensorType(dtype="uint8", broadcastable=()).dtype == "uint8" and T.TensorType(dtype="floatX", broadcastable=())().dtype == "float64"


@item(172, "Var.name")
def test_name():
    """Read and assigned."""
    x = T.vector()
    assert x.name is None
    x.name = "x"
    assert x.name == "x" and str(x) == "x"


@item(206, "Var.broadcastable")
def test_broadcastable():
    """A tuple of bools."""
    assert T.row().broadcastable == (True, False) and T.vector().dimshuffle("x", 0).broadcastable == (True, False)


@item(210, "T.TensorVariable")
def test_tensor_variable_class():
    """For isinstance: variables and expressions; constants and shared variables have classes of their own."""
    assert isinstance(T.vector(), T.TensorVariable) and isinstance(T.vector() + 1, T.TensorVariable)
    assert not isinstance(T.constant(1), T.TensorVariable)


@item(211, "T.Variable")
def test_variable_class_of_tensor():
    """theano.Variable under another name."""
    assert T.Variable is theano.Variable and isinstance(T.vector(), T.Variable)


@item(231, "theano.Variable")
def test_variable_class():
    """For isinstance: everything symbolic, and no array."""
    for symbolic in (T.vector(), T.constant(1), theano.shared(1), T.vector().shape):
        assert isinstance(symbolic, theano.Variable)
    assert not isinstance(numpy.zeros(2), theano.Variable)


@item(326, "Var.owner")
def test_owner():
    """The apply that computes it, None where nothing does."""
    x = T.vector()
    y = x + 1
    assert x.owner is None and y.owner.outputs[0] is y and y.owner.inputs[0] is x


@item(139, "Var.op")
def test_op_of_an_apply():
    """What an apply does: compared and asked for its class."""
    y = T.exp(T.vector())
    assert y.owner.op == T.exp and isinstance(y.owner.op, T.Elemwise) and isinstance(T.dot(T.matrix(), T.matrix()).owner.op, T.Dot)


@item(97, "builtin len(Variable)")
def test_len():
    """Of a variable raises, since sizes are known as it runs; of a list of variables it is Python's."""
    with pytest.raises(TypeError, match="len"):
        len(T.vector())
    assert len([T.vector(), T.vector()]) == 2


@item(108, "builtin sum(of Variables)")
def test_builtin_sum():
    """Starts at 0 + variable: costs are added up so."""
    x, y = T.dscalars("x", "y")
    assert run([x, y], sum([x, y, x * y]), 2, 3) == 11


@item(122, "builtin abs(Variable)")
def test_builtin_abs():
    """Element by element."""
    x = T.dvector()
    same(run([x], abs(x), [-1.5, 2, -0.0]), [1.5, 2, 0])


@item(330, "builtin bool(Variable)")
def test_builtin_bool():
    """True of a variable; of a comparison it raises, since the value is known only as it runs."""
    x = T.dscalar()
    assert bool(x) is True
    with pytest.raises(TypeError, match="boolean"):
        bool(x > 1)


@item(331, "builtin float(Variable)")
def test_builtin_float():
    """Of a variable raises; of what a function gave it is the number."""
    x = T.dscalar()
    with pytest.raises(TypeError):
        float(x)
    assert float(run([x], x * 2, 1.5)) == 3.0


@item(167, "op not")
def test_not():
    """Python's `not` on a variable is False; on a comparison it raises."""
    x = T.dvector()
    assert (not x) is False
    with pytest.raises(TypeError, match="boolean"):
        not T.eq(x, 1)


@item(185, "theano.scalar.upcast")
def test_upcast():
    """The dtype that holds all of those named."""
    upcast = theano.scalar.upcast
    assert upcast("int8", "float32") == "float32" and upcast("int32", "float32") == "float64" and upcast("int8", "uint8") == "int16"


@item(212, "T.addbroadcast")
def test_addbroadcast():
    """Declares that axes have size one; another size is an error as it runs."""
    x = T.dmatrix()
    y = T.addbroadcast(x, 0)
    assert y.broadcastable == (True, False)
    same(run([x], y + numpy.zeros((2, 3)), numpy.ones((1, 3))), numpy.ones((2, 3)))
    with pytest.raises(ValueError):
        run([x], y + numpy.zeros((2, 3)), numpy.ones((2, 3)))


@item(311, "T.patternbroadcast")
def test_patternbroadcast():
    """The same, for a whole pattern, also to take it away."""
    assert T.patternbroadcast(T.row(), (False, False)).broadcastable == (False, False)
    x = T.dmatrix()
    same(run([x], T.patternbroadcast(x, (False, True)) * numpy.ones((2, 3)), [[1.0], [2.0]]), [[1] * 3, [2] * 3])


@item(247, "T.NotScalarConstantError")
def test_not_scalar_constant_error():
    """What get_scalar_constant_value raises of a value that the graph does not tell."""
    with pytest.raises(T.NotScalarConstantError):
        T.get_scalar_constant_value(T.dscalar())


@item(257, "T.get_scalar_constant_value")
def test_get_scalar_constant_value():
    """Sees through casts, fills, shapes and arithmetic of constants."""
    value = T.get_scalar_constant_value
    assert value(T.constant(3) + 2) == 5 and value(T.zeros((4,))) == 0 and value(T.row().shape[0]) == 1 and value(7) == 7


@item(339, "theano.Type")
def test_type_class():
    """To be derived from: filter() takes values in, == tells types apart."""
    class Text(theano.Type):
        def filter(self, value, strict=False, allow_downcast=None):
            if not isinstance(value, str):
                raise TypeError("no text: %r" % (value,))
            return value

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return hash(type(self))

    class Length(theano.Op):
        __props__ = ()

        def make_node(self, text):
            return theano.Apply(self, [text], [T.lscalar()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = numpy.asarray(len(inputs[0]))

    text = Text()("text")
    f = theano.function([text], Length()(text))
    assert f("four") == 4 and isinstance(text.type, theano.Type)
    with pytest.raises(TypeError, match="no text"):
        f(4)
