"""Ops with C code, as Theano's documentation of them writes it."""
import os
import shutil
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof
from theano.compile.debugmode import BadThunkOutput

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no C++ compiler")
V = numpy.array([1.0, 2.0, 3.0])


class Scaled(gof.Op):
    """x * factor, in C; perform() says that it ran."""
    __props__ = ("factor",)
    ran = 0

    def __init__(self, factor):
        self.factor = factor

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        type(self).ran += 1
        outputs[0][0] = inputs[0] * self.factor

    def infer_shape(self, node, shapes):
        return shapes

    def c_code_cache_version(self):
        return (3,)

    def c_support_code_apply(self, node, name):
        return "static dtype_of_%s times_%s(dtype_of_%s a) { return a * %s; }" % (name, name, name, self.factor)

    def c_support_code(self):
        return "typedef double dtype_of_node_0;"

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return """
        npy_intp* shape = PyArray_DIMS(%(x)s);
        if (PyArray_NDIM(%(x)s) != 1) {
            PyErr_SetString(PyExc_TypeError, "a vector, please");
            %(fail)s
        }
        if (%(z)s == NULL || PyArray_DIMS(%(z)s)[0] != shape[0]) {
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*) PyArray_SimpleNew(1, shape, NPY_DOUBLE);
        }
        if (!%(z)s) %(fail)s;
        npy_intp step = PyArray_STRIDES(%(x)s)[0];
        for (npy_intp i = 0; i < shape[0]; ++i) {
            if (*(double*) PyArray_GETPTR1(%(x)s, i) < 0) {
                PyErr_Format(PyExc_ValueError, "element %%d is negative", (int) i);
                %(fail)s
            }
            *(dtype_%(z)s*) PyArray_GETPTR1(%(z)s, i) = times_%(name)s(*(dtype_%(x)s*) (PyArray_BYTES(%(x)s) + i * step));
        }
        """ % dict(x=x, z=z, name=name, fail=sub["fail"])


def test_it_runs_and_fails_as_it_says():
    x = T.dvector("x")
    Scaled.ran = 0
    f = theano.function([x], Scaled(3)(x) + Scaled(4)(x))
    numpy.testing.assert_array_equal(f(V), 7 * V)
    numpy.testing.assert_array_equal(f(numpy.arange(10.0)[::2]), 7 * numpy.arange(10.0)[::2])
    assert Scaled.ran == 0, "perform ran"
    with pytest.raises(ValueError, match="element 1 is negative"):
        f([1.0, -2.0])
    numpy.testing.assert_array_equal(f(V), 7 * V)
    y = T.dmatrix("y")
    with pytest.raises(TypeError, match="a vector, please"):
        theano.function([y], Scaled(3)(y))(numpy.ones((2, 2)))


def test_fast_compile_runs_perform():
    class OnlyC(Scaled):
        perform = theano.Op.perform

    x = T.dvector("x")
    for mode in ("FAST_COMPILE", theano.Mode(linker="py", optimizer=None)):
        Scaled.ran = 0
        numpy.testing.assert_array_equal(theano.function([x], Scaled(7)(x), mode=mode)(V), 7 * V)
        assert Scaled.ran == 1
        numpy.testing.assert_array_equal(theano.function([x], OnlyC(7)(x), mode=mode)(V), 7 * V)
        assert Scaled.ran == 1
    numpy.testing.assert_array_equal(theano.function([x], Scaled(7)(x))(V), 7 * V)
    assert Scaled.ran == 1


def test_without_a_compiler_perform_does_it():
    class NoC(Scaled):
        pass

    class OnlyC(Scaled):
        perform = theano.Op.perform

    x = T.dvector("x")
    with theano.configparser.change_flags(cxx=""):
        f = theano.function([x], NoC(2)(x))
        NoC.ran = 0
        with pytest.warns(UserWarning, match="NoC.*has C code.*the flag cxx is empty: it runs the method perform"):
            numpy.testing.assert_array_equal(f(V), 2 * V)
        assert NoC.ran == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            f(V)
        with pytest.raises(gof.MethodNotDefined, match="has C code only.*install g"):
            theano.function([x], OnlyC(2)(x))(V)


def test_code_that_is_none():
    class Wrong(Scaled):
        def c_code(self, node, name, inputs, outputs, sub):
            return "this is no C"

    class NotForThese(Scaled):
        def c_code(self, node, name, inputs, outputs, sub):
            raise NotImplementedError("other types only")

    x = T.dvector("x")
    with pytest.raises(Exception, match="Compilation failed.*this"):
        theano.function([x], Wrong(2)(x))(V)
    numpy.testing.assert_array_equal(theano.function([x], NotForThese(2)(x))(V), 2 * V)


def test_it_is_kept_for_the_next_process(tmp_path):
    class Kept(Scaled):
        pass

    class NotKept(Scaled):
        def c_code_cache_version(self):
            return ()

    x = T.dvector("x")
    with theano.configparser.change_flags(compiledir=str(tmp_path)):
        for op in (Kept(11), NotKept(12)):
            numpy.testing.assert_array_equal(theano.function([x], op(x))(V), op.factor * V)
        kept = [name for _, _, names in os.walk(tmp_path) for name in names if name.startswith("op_")]
    assert len(kept) == 1 and kept[0].endswith(".so")


def test_debugmode_compares_both():
    class Honest(Scaled):
        pass

    class Liar(Scaled):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * (self.factor + 1)

    x = T.dvector("x")
    numpy.testing.assert_array_equal(theano.function([x], Honest(2)(x), mode="DebugMode")(V), 2 * V)
    assert Honest.ran
    with pytest.raises(BadThunkOutput, match="its C code gives .* its method perform"):
        theano.function([x], Liar(2)(x), mode="DebugMode")(V)


def test_a_state_of_each_apply():
    class Counts(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [T.lscalar()])

        def c_support_code_struct(self, node, name):
            return "long calls_%s;" % name

        def c_init_code_struct(self, node, name, sub):
            return "calls_%s = 100;" % name

        def c_headers(self):
            return ["<vector>", "algorithm"]

        def c_code(self, node, name, inputs, outputs, sub):
            return """
            Py_XDECREF(%(z)s);
            std::vector<long> numbers(1, ++calls_%(name)s);
            %(z)s = (PyArrayObject*) PyArray_EMPTY(0, NULL, NPY_INT64, 0);
            if (!%(z)s) { %(fail)s }
            *(npy_int64*) PyArray_DATA(%(z)s) = *std::max_element(numbers.begin(), numbers.end());
            """ % dict(z=outputs[0], name=name, fail=sub["fail"])

    x = T.dvector("x")
    f, g = theano.function([x], Counts()(x)), theano.function([x], Counts()(x))
    assert [int(f(V)), int(f(V)), int(g(V)), int(f(V))] == [101, 102, 101, 103]


def test_a_type_of_ones_own_in_c():
    class Double(gof.Type):
        def filter(self, value, strict=False, allow_downcast=None):
            if strict and not isinstance(value, float):
                raise TypeError("Expected a float!")
            return float(value)

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return hash(type(self))

        def c_declare(self, name, sub):
            return "double %s;" % name

        def c_init(self, name, sub):
            return "%s = 0.0;" % name

        def c_extract(self, name, sub):
            return """
            if (!PyFloat_Check(py_%(name)s)) {
                PyErr_SetString(PyExc_TypeError, "expected a float");
                %(fail)s
            }
            %(name)s = PyFloat_AsDouble(py_%(name)s);""" % dict(name=name, fail=sub["fail"])

        def c_sync(self, name, sub):
            return "Py_XDECREF(py_%(name)s); py_%(name)s = PyFloat_FromDouble(%(name)s);" % dict(name=name)

        def c_cleanup(self, name, sub):
            return ""

    double = Double()

    class Binary(gof.Op):
        __props__ = ("name", "code")

        def __init__(self, name, code):
            self.name, self.code = name, code

        def make_node(self, x, y):
            x, y = [gof.Constant(double, one) if isinstance(one, (int, float)) else one for one in (x, y)]
            return gof.Apply(self, [x, y], [double()])

        def c_code(self, node, name, inputs, outputs, sub):
            return self.code % dict(x=inputs[0], y=inputs[1], z=outputs[0])

    add, mul = Binary("add", "%(z)s = %(x)s + %(y)s;"), Binary("mul", "%(z)s = %(x)s * %(y)s;")
    x, y = double("x"), double("y")
    f = theano.function([x, y], mul(add(x, y), mul(x, 2.0)))
    assert f(1.0, 2.5) == 7.0 and f(2.0, 1.0) == 12.0


FUNCTION = """#section support_code
static double helper(double a) { return a + 1; }

#section support_code_apply
int APPLY_SPECIFIC(run)(PyArrayObject* in, PyArrayObject** first, PyArrayObject** second) {
    PyArrayObject** outs[] = {first, second};
    for (int which = 0; which < 2; ++which) {
        Py_XDECREF(*outs[which]);
        *outs[which] = (PyArrayObject*) PyArray_EMPTY(1, PyArray_DIMS(in), TYPENUM_OUTPUT_0, 0);
        if (!*outs[which]) return 1;
    }
    for (npy_intp i = 0; i < PyArray_DIMS(in)[0]; ++i) {
        DTYPE_INPUT_0 value = *(DTYPE_INPUT_0*) PyArray_GETPTR1(in, i);
        if (value == 13) {
            PyErr_SetString(PyExc_ValueError, "bad luck");
            return 1;
        }
        ((DTYPE_OUTPUT_0*) PyArray_DATA(*first))[i] = helper(value);
        ((DTYPE_OUTPUT_1*) PyArray_DATA(*second))[i] = FACTOR * value;
    }
    return 0;
}
"""
SECTION = """#section code
Py_XDECREF(OUTPUT_0);
OUTPUT_0 = (PyArrayObject*) PyArray_NewLikeArray(INPUT_0, NPY_CORDER, NULL, 0);
if (!OUTPUT_0) { FAIL }
for (npy_intp i = 0; i < PyArray_SIZE(INPUT_0); ++i)
    ((DTYPE_OUTPUT_0*) PyArray_DATA(OUTPUT_0))[i] = -((DTYPE_INPUT_0*) PyArray_DATA(INPUT_0))[i];
"""


def test_code_in_files(tmp_path):
    (tmp_path / "function.c").write_text(FUNCTION)
    (tmp_path / "section.c").write_text(SECTION)
    (tmp_path / "none.c").write_text("int main() {}")

    class WithFunction(gof.COp):
        __props__ = ()

        def __init__(self):
            super().__init__([str(tmp_path / "function.c")], "APPLY_SPECIFIC(run)")

        def get_op_params(self):
            return [("FACTOR", "10")]

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type(), x.type()])

    class WithSection(gof.COp):
        __props__ = ()

        def __init__(self, name="section.c", function=None):
            super().__init__(str(tmp_path / name), function)

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

    x = T.fvector("x")
    f = theano.function([x], list(WithFunction()(x)) + [WithSection()(x)])
    for value, wanted in zip(f([1, 2, 3]), (V + 1, V * 10, -V)):
        assert value.dtype == "float32"
        numpy.testing.assert_array_equal(value, wanted)
    with pytest.raises(ValueError, match="bad luck"):
        f([13])
    with pytest.raises(ValueError, match="No valid section marker"):
        WithSection("none.c")
    with pytest.raises(ValueError, match="func_name"):
        WithSection("section.c", "run")


def test_parameters_as_one_object():
    class Add(gof.Op):
        __props__ = ("number",)
        params_type = gof.generic

        def __init__(self, number):
            self.number = number

        def get_params(self, node):
            return {"number": self.number}

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs, params):
            outputs[0][0] = inputs[0] + params["number"]

        def c_code(self, node, name, inputs, outputs, sub):
            return """
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*) PyArray_NewCopy(%(x)s, NPY_CORDER);
            if (!%(z)s) { %(fail)s }
            double number = PyFloat_AsDouble(PyDict_GetItemString(%(params)s, "number"));
            for (npy_intp i = 0; i < PyArray_SIZE(%(z)s); ++i) ((double*) PyArray_DATA(%(z)s))[i] += number;
            """ % dict(x=inputs[0], z=outputs[0], params=sub["params"], fail=sub["fail"])

    x = T.dvector("x")
    for mode in ("FAST_RUN", "DebugMode"):
        numpy.testing.assert_array_equal(theano.function([x], Add(2.5)(x) + Add(1.0)(x), mode=mode)(V), 2 * V + 3.5)


def test_openmp():
    class Threads(gof.OpenMPOp):
        __props__ = ("openmp",)

        def make_node(self, x):
            return gof.Apply(self, [x], [T.lscalar()])

        def c_code(self, node, name, inputs, outputs, sub):
            return """
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*) PyArray_EMPTY(0, NULL, NPY_INT64, 0);
            long sum = 0;
            #ifdef _OPENMP
            #pragma omp parallel for reduction(+:sum)
            #endif
            for (int i = 0; i < 1000; ++i) sum += i;
            #ifdef _OPENMP
            sum += 1000000;
            #endif
            *(npy_int64*) PyArray_DATA(%(z)s) = sum;""" % dict(z=outputs[0])

    x = T.dvector("x")
    assert theano.function([x], Threads(openmp=True)(x))(V) == 1499500
    assert theano.function([x], Threads(openmp=False)(x))(V) == 499500


def test_scalar_ops_of_ones_own():
    from theano.scalar import BinaryScalarOp, Composite, UnaryScalarOp, float64, upcast_out, upgrade_to_float

    class Cube(UnaryScalarOp):
        def impl(self, a):
            return a**3

        def grad(self, inputs, gradients):
            (a,), (gz,) = inputs, gradients
            return [gz * 3 * a**2]

    class CubeInC(Cube):
        def impl(self, a):
            raise AssertionError("not this one")

        def c_code(self, node, name, inputs, outputs, sub):
            return "%s = %s * %s * %s;" % (outputs[0], inputs[0], inputs[0], inputs[0])

    class Distance(BinaryScalarOp):
        def impl(self, a, b):
            return abs(a - b)

        def c_code(self, node, name, inputs, outputs, sub):
            return "%s = std::fabs(%s - %s);" % (outputs[0], inputs[0], inputs[1])

    x, y = T.dmatrix("x"), T.dvector("y")
    X = numpy.arange(6.0).reshape(2, 3)
    for scalar in (Cube(upgrade_to_float, name="cube"), CubeInC(upgrade_to_float, name="cube_in_c")):
        op = T.Elemwise(scalar, name="Cubes")
        assert str(op) == "Cubes"
        numpy.testing.assert_allclose(theano.function([x], op(x))(X), X**3)
        numpy.testing.assert_allclose(theano.function([x], T.grad(op(x).sum(), x))(X), 3 * X**2)
        assert op(T.ivector()).dtype == "float64" and op(T.bvector()).dtype == "float32"
        numpy.testing.assert_allclose(theano.function([x], op(x).shape)(X), [2, 3])
    distance = T.Elemwise(Distance(upcast_out))
    f = theano.function([x, y], distance(x, y))
    numpy.testing.assert_allclose(f(X, V), abs(X - V))
    numpy.testing.assert_allclose(f(X.T.copy().T, V), abs(X - V))
    with pytest.raises(ValueError, match="mis-match"):
        f(X, [1.0, 2.0])
    a, b = float64("a"), float64("b")
    both = T.Elemwise(Composite([a, b], [a * b + a]))
    numpy.testing.assert_allclose(theano.function([x, y], both(x, y))(X, V), X * V + X)


def test_what_the_compiler_does_not_take_is_said_in_a_sentence():
    class Wrong(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return "nobody_knows_this(%s);" % inputs[0]

    x = T.dvector("x")
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        with pytest.raises(Exception) as told:
            theano.function([x], Wrong()(x), mode=mode)([1.0])
        text = str(told.value)
        assert text.startswith("Compilation failed (return status=1) of the C code of the op Wrong, whose text the attribute source of this error holds; "
                               "correct it, or leave c_code out and write perform: op.cpp")
        assert text.count("nobody_knows_this") == text.count("nobody_knows_this", 0, text.index("Apply node that caused the error: Wrong(x)"))
        assert "nobody_knows_this(V0);" in told.value.source


def test_what_is_told_the_compiler(tmp_path):
    (tmp_path / "seven.h").write_text("static const double seven = SEVEN;\n")
    told = []

    class Sevens(Scaled):
        def c_headers(self, compiler):
            return ["seven.h"]

        def c_header_dirs(self, compiler):
            return [str(tmp_path)]

        def c_compile_args(self, compiler="none"):
            told.append(compiler)
            return ["-DSEVEN=7.0"]

        def c_support_code_apply(self, node, name):
            return "static dtype_of_%s times_%s(dtype_of_%s a) { return a * seven; }" % (name, name, name)

    Sevens.perform = gof.Op.perform
    x = T.dvector("x")
    numpy.testing.assert_array_equal(theano.function([x], Sevens(7)(x))(V), 7 * V)
    assert told == ["none"], "an argument that may be left out is left out"


def test_a_hook_that_fails_is_told_at_every_call():
    class Broken(Scaled):
        def c_headers(self):
            raise KeyError("which header")

    Broken.perform = gof.Op.perform
    x = T.dvector("x")
    f = theano.function([x], Broken(2)(x))
    for _ in range(2):
        with pytest.raises(KeyError, match="which header"):
            f(V)
