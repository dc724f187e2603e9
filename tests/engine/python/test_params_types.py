"""Parameters of ops that C code reads by name, as Theano's documentation of them writes it."""
import copy
import pickle
import shutil

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof
from theano.gof import CEnumType, EnumList, EnumType, Params, ParamsType
from theano.gof.type import CDataType
from theano.scalar import Scalar

needs_compiler = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no C++ compiler")
MODES = [None, "FAST_COMPILE", "DebugMode"]
V = numpy.array([1.0, 2.0, 3.0])


class Quadratic(gof.Op):
    __props__ = ("b", "c")
    params_type = ParamsType(a=T.TensorType("float64", (False, False)), b=Scalar("float64"), c=Scalar("int32"), word=gof.generic)
    word = "a word"

    def __init__(self, a, b, c):
        self.a, self.b, self.c = a, b, c

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs, params):
        outputs[0][0] = params.a[0, 1] * inputs[0] ** 2 + params.b * inputs[0] + params.c

    def c_code_cache_version(self):
        return (1,)

    def c_code(self, node, name, inputs, outputs, sub):
        return """
        if (!PyUnicode_Check(%(params)s->word)) {
            PyErr_SetString(PyExc_TypeError, "a word, please");
            %(fail)s
        }
        Py_XDECREF(%(y)s);
        %(y)s = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(%(x)s), NPY_DOUBLE, 0);
        if (!%(y)s) { %(fail)s }
        double a = *(double*)PyArray_GETPTR2(%(params)s->a, 0, 1);
        for (npy_intp i = 0; i < PyArray_DIM(%(x)s, 0); ++i) {
            double x = *(double*)PyArray_GETPTR1(%(x)s, i);
            *(double*)PyArray_GETPTR1(%(y)s, i) = a * x * x + %(params)s->b * x + %(params)s->c;
        }
        """ % dict(x=inputs[0], y=outputs[0], params=sub["params"], fail=sub["fail"])


@needs_compiler
@pytest.mark.parametrize("mode", MODES)
def test_fields_of_all_kinds(mode):
    x = T.dvector()
    f = theano.function([x], [Quadratic([[0, 3.0]], 2, 7)(x), Quadratic([[0, 1.0]], 0.5, -1)(x)], mode=mode)
    for got, wanted in zip(f(V), (3 * V ** 2 + 2 * V + 7, V ** 2 + 0.5 * V - 1)):
        numpy.testing.assert_array_equal(got, wanted)
    with pytest.raises(TypeError, match="Wrong number of dimensions"):
        theano.function([x], Quadratic([3.0], 2, 7)(x), mode=mode)(V)


@needs_compiler
def test_fields_in_a_file_of_c_code(tmp_path):
    (tmp_path / "times.c").write_text("""
#section support_code_apply
int APPLY_SPECIFIC(times)(PyArrayObject* x, PyArrayObject** y, PARAMS_TYPE* params)
{
    DTYPE_PARAM_factor factor = params->factor;
    Py_XDECREF(*y);
    *y = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(x), TYPENUM_INPUT_0, 0);
    if (!*y) return 1;
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); ++i)
        *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(*y, i) = *(DTYPE_INPUT_0*)PyArray_GETPTR1(x, i) * factor + (params->shift == FAR ? 100 : 0);
    return 0;
}
""")

    class Times(gof.COp):
        __props__ = ("factor", "shift")
        params_type = ParamsType(factor=Scalar("int64"), shift=EnumList("NEAR", ("FAR", "far away")))

        def __init__(self, factor, shift="NEAR"):
            super().__init__(str(tmp_path / "times.c"), "APPLY_SPECIFIC(times)")
            self.factor = factor
            self.shift = self.params_type.get_enum(shift) if shift.isupper() else self.params_type.enum_from_alias(shift)

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

    x = T.dvector()
    for op, wanted in ((Times(3), 3 * V), (Times(3, "FAR"), 3 * V + 100), (Times(2, "far away"), 2 * V + 100)):
        numpy.testing.assert_array_equal(theano.function([x], op(x))(V), wanted)


def test_constants_with_names():
    counted = EnumList("A", ("B", "beta"), "C", ctype="int")
    assert (counted.A, counted["B"], counted.C, counted.fromalias("beta"), counted.fromalias("C")) == (0, 1, 2, 1, 2)
    assert list(counted) == ["A", "B", "C"] and len(counted) == 3 and "B" in counted and "beta" not in counted
    assert counted.has_alias("beta") and not counted.has_alias("B") and counted.get_aliases() == ("beta",)
    assert str(counted) == "EnumList<int>(A:0, B(beta):1, C:2)"
    assert counted == EnumList("A", ("B", "beta"), "C") != EnumList("A", "B", "C")
    given = EnumType(ONE=1, HALF=("half", 0.5), NO=False)
    assert (given.ONE, given.HALF, given.NO, given.fromalias("half")) == (1, 0.5, 0, 0.5)
    assert given.filter(0.5) == 0.5 and given.filter(False) == 0
    with pytest.raises(TypeError, match="7 is none of the values"):
        given.filter(7)
    assert pickle.loads(pickle.dumps(given)) == given and hash(copy.deepcopy(counted)) == hash(counted)


@pytest.mark.parametrize("make", [lambda: EnumList("lower"), lambda: EnumType(A="text"), lambda: EnumList("A", "A"), lambda: EnumType(A=1, B=("A", 2)),
                                  lambda: EnumList(("A", "B", "C")), lambda: ParamsType(), lambda: ParamsType(a=3),
                                  lambda: ParamsType(a=EnumList("X"), b=EnumList("X"))])
def test_what_is_no_type_of_parameters(make):
    with pytest.raises((AttributeError, TypeError, ValueError)):
        make()


def test_values_of_fields():
    type_ = ParamsType(number=Scalar("int64"), matrix=T.TensorType("float64", (False, False)), kind=EnumList("A", ("B", "beta")))
    assert type_.fields == ("kind", "matrix", "number") and type_.B == 1 and type_.get_enum("A") == 0
    assert type_.has_type(Scalar("int64")) and type_.get_field(Scalar("int64")) == "number" and type_.get_type("number") == Scalar("int64")
    values = type_.filter(Params(type_, number=1, matrix=numpy.eye(2), kind=1))
    same = type_.filter(Params(type_, number=1, matrix=numpy.eye(2), kind=1))
    other = type_.filter(Params(type_, number=1, matrix=numpy.ones((2, 2)), kind=1))
    assert values == same and hash(values) == hash(same) and values != other and values.number == values["number"] == 1
    assert pickle.loads(pickle.dumps(values)) == values and pickle.loads(pickle.dumps(type_)) == type_
    assert type_.extended(more=gof.generic).fields == ("kind", "matrix", "more", "number")
    with pytest.raises(NotImplementedError, match="do not change"):
        values.number = 2
    with pytest.raises(AttributeError, match="nothing"):
        values.nothing
    with pytest.raises(TypeError, match="no value for the field"):
        Params(type_, number=1)
    with pytest.raises(TypeError, match="a Params is wanted"):
        type_.filter(3)


@needs_compiler
def test_constants_that_only_c_knows():
    class Constant(gof.Op):
        __props__ = ("which",)
        params_type = CEnumType("MILLION", ("BILLION", "many"), ctype="long")

        def __init__(self, which):
            self.which = which

        def get_params(self, node):
            return self.params_type.fromalias(self.which)

        def make_node(self):
            return gof.Apply(self, [], [T.lscalar()])

        def c_support_code(self):
            return "#define MILLION 1000000\n#define BILLION 1000000000\n"

        def c_code(self, node, name, inputs, outputs, sub):
            return """
            Py_XDECREF(%(out)s);
            %(out)s = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
            *(npy_int64*)PyArray_DATA(%(out)s) = %(params)s;
            """ % dict(out=outputs[0], params=sub["params"])

    assert [int(value) for value in theano.function([], [Constant("MILLION")(), Constant("many")()])()] == [10 ** 6, 10 ** 9]


@needs_compiler
def test_pointers_that_only_c_knows():
    class Held(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [CDataType("void *", "let_go")()])

        def c_support_code(self):
            return "void let_go(void *p) { Py_XDECREF((PyObject *)p); }"

        def c_code(self, node, name, inputs, outputs, sub):
            return "%(out)s = (void *)%(x)s; Py_INCREF(%(x)s);" % dict(x=inputs[0], out=outputs[0])

    class Shown(Held):
        def make_node(self, pointer):
            return gof.Apply(self, [pointer], [T.fvector()])

        def c_code(self, node, name, inputs, outputs, sub):
            return "Py_XDECREF(%(out)s); %(out)s = (PyArrayObject *)%(x)s; Py_INCREF(%(out)s);" % dict(x=inputs[0], out=outputs[0])

    x = T.fvector()
    value = numpy.arange(5, dtype="float32")
    numpy.testing.assert_array_equal(theano.function([x], Shown()(Held()(x)))(value), value)


class Number(gof.Type):
    def __init__(self, unit):
        self.unit = unit

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def __eq__(self, other):
        return type(self) is type(other) and self.unit == other.unit

    def __hash__(self):
        return hash(self.unit)


class Sum(gof.Op):
    __props__ = ()

    def make_node(self, a, b):
        return gof.Apply(self, [a, b], [a.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + inputs[1]


def test_types_of_ones_own_are_pickled():
    metre = Number("m")
    assert pickle.loads(pickle.dumps(metre)) == metre == copy.deepcopy(metre)
    x, y = metre("x"), metre("y")
    assert pickle.loads(pickle.dumps(theano.function([x, y], Sum()(x, y))))(1, 2) == 3.0


def test_constants_of_other_types_as_text():
    assert str(gof.Constant(Number("m"), 2.0)) == "Constant{2.0}"
    assert str(gof.Constant(gof.generic, "abcdefghijklmnopqrstuvwxyz")) == "Constant{abcdefghij...qrstuvwxyz}"
    assert str(T.constant(numpy.arange(100))) == "TensorConstant{[ 0  1  2 .. 97 98 99]}"
