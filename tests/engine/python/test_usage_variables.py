"""Variables and their types, as scripts make and ask them. Numbers are ranks of use."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import config

DTYPES = {"b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
KINDS = {"scalar": (), "vector": (False,), "row": (True, False), "col": (False, True), "matrix": (False, False),
         "tensor3": (False,) * 3, "tensor4": (False,) * 4, "tensor5": (False,) * 5}


@pytest.mark.parametrize("kind", ["dscalar", "dvector", "drow", "lscalar"])
def test_no_function_renames_its_argument(kind):
    for function_ in (T.transpose, lambda x: x.T, T.mean, T.var, T.std, lambda x: x.mean(axis=[]), T.sum, T.max, T.cast, T.squeeze, T.as_tensor_variable, T.flatten):
        x = getattr(T, kind)("x")
        function_(x, x.dtype) if function_ is T.cast else function_(x)
        assert x.name == "x"
    rate = theano.shared(0.1, "rate")
    assert T.mean(rate).eval() == 0.1 and rate.T.eval() == 0.1 and rate.name == "rate"


@pytest.mark.parametrize("kind", KINDS)
def test_constructors(kind):  # 10, 24, 38, 118, 121
    make = getattr(T, kind)
    assert make().dtype == "float64" and make().type.broadcastable == KINDS[kind] and make().name is None
    assert make("x").name == "x" and make(name="x").name == "x"  # 133, 214
    assert make("x", "int32").dtype == "int32" and make(dtype="float32").dtype == "float32"  # 91, 111, 177, 205
    config.floatX = "float32"
    assert make().dtype == "float32"
    for letter, dtype in DTYPES.items():  # 36, 53, 79, 92, 99, 130, 131, 142, 217
        variable = getattr(T, letter + kind)("v")
        assert (variable.dtype, variable.broadcastable, variable.name) == (dtype, KINDS[kind], "v")
        assert isinstance(variable, T.TensorVariable) and isinstance(variable, theano.Variable)  # 210, 211, 231


def test_several_at_once():  # 138, 150, 213, 215
    x, y = T.matrices("x", "y")
    assert (x.name, y.name) == ("x", "y")
    a, b, c = T.dscalars("abc")
    assert (a.name, c.name, a.dtype) == ("a", "c", "float64")
    assert len(T.fvectors(3)) == 3 and T.fvectors(2)[0].dtype == "float32"
    assert [v.name for v in T.imatrices("ab")] == ["a", "b"] and T.scalars("x").name == "x"
    assert len(T.dmatrices("x", "y")) == 2 and len(T.vectors(2)) == 2


def test_any_type():  # 160, 208, 209
    made = T.TensorType("float32", (False,) * 3)("name")
    assert made.ndim == 3 and made.dtype == "float32" and made.name == "name"
    assert T.TensorType(dtype="int8", broadcastable=[True, False])().broadcastable == (True, False)
    assert T.TensorType("floatX", (False,))().dtype == "float64"
    assert T.tensor("uint16", (False, True), name="t").type == T.TensorType("uint16", (False, True))
    assert T.TensorType("float64", (False,)) == T.dvector and T.TensorType("float64", (False,)) != T.fvector
    assert hash(T.TensorType("float64", (False,))) == hash(T.dvector)
    assert T.dvector.clone(dtype="float32") == T.fvector and T.dmatrix.clone(broadcastable=(True, False)) == T.drow
    for wrong in ("float99", "text"):
        with pytest.raises(TypeError):
            T.TensorType(wrong, ())


def test_type_of_a_variable():  # 82, 80, 33, 206
    x = T.dmatrix("x")
    assert x.type == T.dmatrix and x.type() is not x and x.type("z").name == "z" and x.type.dtype == "float64"
    assert str(x.type) == "TensorType(float64, matrix)" and str(T.frow().type) == "TensorType(float32, row)"
    assert str(T.itensor3().type) == "TensorType(int32, 3D)" and str(T.lcol().type) == "TensorType(int64, col)"
    assert str(T.TensorType("float64", (False, True, False))) == "TensorType(float64, (False, True, False))"
    assert type(x.ndim) is int and x.ndim == 2 and type(x.dtype) is str and x.broadcastable == (False, False)
    assert (x + 1).type == T.dmatrix and (x.sum(axis=0)).type == T.dvector


def test_name_tag_owner():  # 172, 95, 139
    x = T.dvector()
    assert x.name is None
    x.name = "renamed"
    assert str(x) == "renamed" and x.owner is None
    y = T.exp(x)
    assert y.owner.op == T.exp and y.owner.inputs == [x] and y.owner.outputs[0] is y
    y.tag.mine = [1]
    assert y.tag.mine == [1] and not hasattr(x.tag, "mine")
    assert T.constant(2).owner is None and isinstance(y.owner, theano.Apply)
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(3)
    assert theano.gof.op.get_test_value(x).sum() == 3


def test_as_tensor_variable():  # 98
    for value, dtype, ndim in ((3, "int8", 0), (300, "int16", 0), (70000, "int32", 0), (2 ** 40, "int64", 0), (0.5, "float32", 0),
                               (0.1, "float64", 0), ([1, 2], "int64", 1), ([1.0, 2], "float64", 1), (numpy.float32(1), "float32", 0),
                               (numpy.zeros((2, 3), "uint8"), "uint8", 2), (1 + 2j, "complex128", 0), (numpy.bool_(True), "bool", 0)):
        made = T.as_tensor_variable(value)
        assert (made.dtype, made.ndim) == (dtype, ndim), value
        assert isinstance(made, T.TensorConstant) and isinstance(made, theano.Constant)
    x, y = T.dscalars("xy")
    joined = T.as_tensor_variable([x, 2.0, y])
    assert joined.ndim == 1 and joined.eval({x: 1, y: 3}).tolist() == [1, 2, 3]
    assert T.as_tensor_variable([[x, y], [1, 2]]).eval({x: 8, y: 9}).tolist() == [[8, 9], [1, 2]]
    assert T.as_tensor_variable(x) is x and T.as_tensor_variable(x, ndim=2).broadcastable == (True, True)
    assert T.as_tensor_variable([1, 2], name="n").name == "n"
    assert T.as_tensor_variable(numpy.zeros((1, 3))).broadcastable == (True, False)
    for refused in (True, "text", None, object(), {"a": 1}):
        with pytest.raises(TypeError):
            T.as_tensor_variable(refused)


def test_constant():  # 141
    c = T.constant([[1.5, 2]], name="c")
    assert c.data.tolist() == [[1.5, 2]] and c.name == "c" and c.broadcastable == (True, False) and c.ndim == 2
    assert T.constant(1, dtype="float32").dtype == "float32" and T.constant(1, ndim=2).ndim == 2
    array = numpy.zeros(2)
    kept = T.constant(array)
    array[0] = 5
    assert kept.data[0] == 0
    assert T.constant(3).equals(T.constant(3)) and not T.constant(3).equals(T.constant(4))
    assert T.constant(numpy.nan).equals(T.constant(numpy.nan))
    assert T.constant(2) is T.constant(2) and str(T.constant(0.5)) == "TensorConstant{0.5}"
    assert str(T.constant(numpy.full(3, 0.5))) == "TensorConstant{(3,) of 0.5}"
    assert str(T.constant(numpy.arange(20))) == "TensorConstant{[ 0  1  2 .. 17 18 19]}"
    with pytest.raises(TypeError):
        T.constant(T.scalar())


def test_known_constants():
    x = T.dmatrix()
    value = T.get_scalar_constant_value
    assert value(3) == 3 and value(T.constant(2.5)) == 2.5 and value(T.constant(numpy.ones((2, 2)))) == 1
    assert value(T.zeros((3,))) == 0 and value(T.fill(x, 4)) == 4 and value(T.constant(3) + 2) == 5
    assert value(T.cast(T.constant(2.5), "int32")) == 2 and value(T.constant(7).dimshuffle("x")) == 7
    assert value(T.stack([T.constant(1), T.constant(8)])[1]) == 8
    assert value(T.row().shape[0]) == 1 and value(T.alloc(6, 2, 2)) == 6
    for unknown in (x, x.shape[0], T.dscalar(), numpy.arange(3)):
        with pytest.raises(T.NotScalarConstantError):
            value(unknown)


def test_identity_of_variables():  # 103
    x, y = T.dvectors("xy")
    assert (x == y) is False and (x == x) is True and x != y and x in [y, x] and len({x, y, x}) == 2
    assert {x: 1}[x] == 1 and (x == 3) is False and [x, y].index(y) == 1
    again = (x + y).owner.inputs[0]
    assert again is x and hash(again) == hash(x)


def test_no_length_and_no_truth():  # 97, 167
    x = T.dvector("x")
    assert bool(x) is True and not (not x)
    with pytest.raises(TypeError, match="boolean"):
        bool(x > 1)
    with pytest.raises(TypeError):
        bool(T.eq(x, 1))
    with pytest.raises(TypeError):
        if 0 < x[0] < 1:
            pass
    with pytest.raises(TypeError, match="len"):
        len(x)
    with pytest.raises(ValueError):
        list(x)
    with pytest.raises(TypeError):
        float(x[0])
    with pytest.raises(TypeError):
        range(T.iscalar())
    with pytest.raises(TypeError, match="set_subtensor"):
        x[0] = 1
    assert len([x, x]) == 2 and len(list(T.stack([x[0], x[1]]))) == 2
    rows, cols = T.dmatrix().shape
    assert rows.ndim == 0 and cols.dtype == "int64"


def test_upcast():  # 185
    assert theano.scalar.upcast("int8", "float32") == "float32" and theano.scalar.upcast("int32", "float32") == "float64"
    assert theano.scalar.upcast("bool", "int8") == "int8" and theano.scalar.upcast("float32") == "float32"
    assert theano.scalar.float32.dtype == "float32" and theano.scalar.int64() is not None


def test_what_the_package_says():
    assert theano.tensor.TensorSharedVariable and theano.tensor.sharedvar.TensorSharedVariable
    assert isinstance(theano.shared(numpy.zeros(2)), theano.tensor.sharedvar.TensorSharedVariable)
    assert isinstance(theano.shared(numpy.zeros(2)), theano.compile.SharedVariable)
    assert isinstance(theano.shared(numpy.zeros(2)), T.TensorSharedVariable)
    assert isinstance(theano.shared(numpy.zeros(2)), theano.Variable)
    assert isinstance(T.exp, T.Elemwise) and isinstance(T.Elemwise(theano.scalar.exp)(T.dvector()), T.TensorVariable)  # 207
    assert callable(theano.dot) and theano.tensor.dot is theano.dot


def test_functions_are_methods_too():
    x = T.dvector("x")
    for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sqr", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh",
                 "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "ceil", "floor", "trunc", "deg2rad", "rad2deg", "sgn", "inv"):
        assert getattr(x, name)().owner.op == getattr(T, name)(x).owner.op
    assert x.trace is not None and x.sort().ndim == 1 and x.argsort().dtype == "int64"
