"""C code of ops on numbers of theano.scalar, on tensors, on objects and on types of a script's own: what it is given, from every entrance."""
import os
import pickle
import shutil
import subprocess
import sys

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof, scalar
from theano.configparser import change_flags

pytestmark = pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="there is no C++ compiler")
NUMBERS = [name for name in scalar.all_dtypes if name != "float16"]


class PlusOne(gof.Op):
    """z = x + 1, in C only, as Theano's test of test values has it."""
    __props__ = ()

    def make_node(self, x):
        x = scalar.as_scalar(x)
        return gof.Apply(self, [x], [x.type()])

    def c_code_cache_version(self):
        return (1,)

    def c_code(self, node, name, inputs, outputs, sub):
        return "%s = %s + dtype_%s(1);" % (outputs[0], inputs[0], inputs[0])


class Measured(gof.Op):
    """The size of a vector, times a number, as a number; and the vector times the number."""
    __props__ = ()

    def make_node(self, vector, number):
        vector, number = T.as_tensor_variable(vector), scalar.as_scalar(number)
        return gof.Apply(self, [vector, number], [scalar.float64(), vector.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return """
        Py_XDECREF(%(w)s);
        %(w)s = (PyArrayObject*) PyArray_NewCopy(%(v)s, NPY_CORDER);
        if (!%(w)s) { %(fail)s }
        for (npy_intp i = 0; i < PyArray_SIZE(%(w)s); ++i) ((dtype_%(w)s*) PyArray_DATA(%(w)s))[i] *= %(n)s;
        %(z)s = PyArray_SIZE(%(v)s) * (double) %(n)s;
        """ % dict(v=inputs[0], n=inputs[1], z=outputs[0], w=outputs[1], fail=sub["fail"])


class Second(gof.Op):
    """An element of a list as it is."""
    __props__ = ()

    def make_node(self, items, place):
        return gof.Apply(self, [items, scalar.as_scalar(place)], [gof.generic()])

    def c_code(self, node, name, inputs, outputs, sub):
        return """
        if (!PyList_Check(%(l)s) || %(p)s >= PyList_GET_SIZE(%(l)s)) {
            PyErr_SetString(PyExc_IndexError, "no such element");
            %(fail)s
        }
        Py_XDECREF(%(z)s);
        %(z)s = PyList_GET_ITEM(%(l)s, %(p)s);
        Py_INCREF(%(z)s);
        """ % dict(l=inputs[0], p=inputs[1], z=outputs[0], fail=sub["fail"])


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_of_every_dtype(dtype):
    x = scalar.Scalar(dtype)("x")
    z = PlusOne()(x)
    assert z.type == x.type and str(z.type) == dtype and isinstance(z.type, scalar.Scalar)
    value = numpy.asarray(0 if dtype == "bool" else 3 + 2j if dtype.startswith("complex") else 3, dtype)
    for mode in ("FAST_RUN", "FAST_COMPILE", "DebugMode"):
        found = theano.function([x], z, mode=mode)(value)
        assert found == value + 1 and found.dtype == dtype and found.shape == ()


def test_from_every_entrance():
    with change_flags(compute_test_value="raise"):
        i = scalar.int32("i")
        i.tag.test_value = 3
        z = PlusOne()(i)
        assert z.tag.test_value == 4
        assert (z * 2).tag.test_value == 8 and PlusOne()(z * 2).tag.test_value == 9
    with pytest.raises((NotImplementedError, gof.MethodNotDefined)):
        z.owner.op.perform(z.owner, 0, [None])
    node = z.owner
    for impl in (None, "c"):
        cells = {i: [numpy.int32(7)], z: [None]}
        done = {i: [True], z: [False]}
        node.op.make_thunk(node, cells, done, [], impl)()
        assert cells[z] == [8] and done[z] == [True]
    j = scalar.int32("j")
    assert theano.function([j], theano.clone(PlusOne()(i * i), {i: j + 1}))(2) == 10
    f = pickle.loads(pickle.dumps(theano.function([i], PlusOne()(i), name="f")))
    assert f(1) == 2
    assert pickle.loads(pickle.dumps(z)).type is z.type


def test_what_is_computed_from_numbers_is_a_number():
    a, b, t = scalar.float64("a"), scalar.float64("b"), T.dscalar("t")
    for made in (a + b, a * 2, 2 - a, -a, abs(a), a ** b, a < b, scalar.exp(a), scalar.cast(a, "int8"), scalar.as_scalar(t), scalar.constant(2.0)):
        assert isinstance(made.type, scalar.Scalar), made
    for made in (a + t, t + t, T.as_tensor_variable(a), T.as_tensor_variable(scalar.constant(2.0))):
        assert not isinstance(made.type, scalar.Scalar), made
    assert a.type == t.type and repr(a.type) == "Scalar(float64)" and a.type is scalar.float64 is scalar.get_scalar_type("float64")
    assert t not in (scalar.as_scalar(t), T.as_tensor_variable(a)) and scalar.as_scalar(a) is a
    with pytest.raises(TypeError):
        scalar.as_scalar(T.dvector())
    z = PlusOne()(PlusOne()(a + b) * PlusOne()(t))
    assert theano.function([a, b, t], z)(1, 2, 3) == 17


class Doubled(gof.Op):
    """A tensor without dimensions, in C: an array."""
    __props__ = ()
    itypes, otypes = [T.dscalar], [T.dscalar]

    def c_code(self, node, name, inputs, outputs, sub):
        return """
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*) PyArray_EMPTY(0, NULL, NPY_FLOAT64, 0);
        if (!%(z)s) { %(fail)s }
        *(dtype_%(z)s*) PyArray_DATA(%(z)s) = 2 * *(dtype_%(x)s*) PyArray_DATA(%(x)s);
        """ % dict(x=inputs[0], z=outputs[0], fail=sub["fail"])


class Tripled(gof.Op):
    """A number."""
    __props__ = ()
    itypes, otypes = [scalar.float64], [scalar.float64]

    def c_code(self, node, name, inputs, outputs, sub):
        return "%s = 3 * %s;" % (outputs[0], inputs[0])


def test_numbers_and_tensors_stand_for_each_other():
    a, t = scalar.float64("a"), T.dscalar("t")
    f = theano.function([a, t], [Doubled()(a), Tripled()(t), Doubled()(Tripled()(a)), Tripled()(Doubled()(t)), Tripled()(numpy.float64(2)), Doubled()(numpy.float64(2))])
    assert f(1, 10) == [2, 30, 6, 60, 6, 4]


def test_tensors_numbers_and_objects_together():
    v, n = T.dvector("v"), scalar.int64("n")
    f = theano.function([v, n], Measured()(v, n))
    for size in (0, 1, 5):
        number, vector = f(numpy.arange(size), 3)
        assert number == size * 3 and vector.tolist() == [3 * i for i in range(size)]
    items = gof.generic("items")
    g = theano.function([items, n], Second()(items, n))
    kept = object()
    before = sys.getrefcount(kept)
    for _ in range(5):
        assert g([1, kept], 1) is kept
        with pytest.raises(IndexError, match="no such element"):
            g([1, kept], 7)
    assert sys.getrefcount(kept) == before


def test_python_code_gets_numbers():
    seen = []

    class Told(gof.Op):
        __props__ = ()
        itypes, otypes = [scalar.float32, T.fscalar], [scalar.float32]

        def perform(self, node, inputs, outputs):
            seen.extend(map(type, inputs))
            outputs[0][0] = inputs[0] + inputs[1]

    x, t = scalar.float32("x"), T.fscalar("t")
    assert theano.function([x, t], Told()(x, t))(1, 2) == 3
    assert seen[-2:] == [numpy.float32, numpy.ndarray]


def test_any_number_that_is_the_same_will_do():
    class Given(gof.Op):
        __props__ = ("value",)

        def __init__(self, value):
            self.value = value

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = self.value

    x = scalar.int8("x")
    for value in (4, 4.0, numpy.int64(4), numpy.float32(4)):
        found = theano.function([x], Given(value)(x))(1)
        assert found == 4 and found.dtype == "int8"
    for value in (4.5, 300, numpy.int64(300), 1j, "4", None):
        with pytest.raises((TypeError, ValueError)):
            theano.function([x], Given(value)(x))(1)


def test_float16_is_for_those_that_say_so():
    class Half(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + numpy.float16(1)

        def c_code(self, node, name, inputs, outputs, sub):
            return "Py_XDECREF(%s); %s = %s; Py_INCREF(%s);" % (outputs[0], outputs[0], inputs[0], outputs[0])

    class HalfInC(Half):
        _f16_ok = True

    x = T.TensorType("float16", (False,))("x")
    assert theano.function([x], Half()(x))(numpy.ones(2, "float16")).tolist() == [2, 2]
    assert theano.function([x], HalfInC()(x))(numpy.ones(2, "float16")).tolist() == [1, 1]


def test_an_op_hears_how_it_will_run():
    told = []

    class Hears(PlusOne):
        def prepare_node(self, node, storage_map, compute_map, impl):
            told.append((impl, len(storage_map), len(node.inputs)))

    class HearsToo(Hears):
        c_code = gof.Op.c_code

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + inputs[0].dtype.type(1)

    i = scalar.int32("i")
    for op, impl in ((Hears(), "c"), (HearsToo(), "py")):
        f = theano.function([i], op(i))
        assert f(1) == 2 and f(2) == 3
        assert told == [(impl, 2, 1)]
        told.clear()


def test_scalar_ops_of_ones_own_on_numbers_and_arrays():
    class Spread(scalar.BinaryScalarOp):
        def output_types(self, types):
            return [scalar.upcast_out(*types)[0]]

        def c_code(self, node, name, inputs, outputs, sub):
            assert all(isinstance(one.type, scalar.Scalar) for one in node.inputs + node.outputs)
            return "%s = %s * %s - %s;" % (outputs[0], inputs[0], inputs[1], inputs[1])

    spread = Spread(name="spread")
    a, b = scalar.complex128("a"), scalar.complex64("b")
    z = spread(a, b)
    assert isinstance(z.type, scalar.Scalar)
    assert theano.function([a, b], z)(2 + 1j, 3j) == (2 + 1j) * 3j - 3j
    x, y = T.zmatrix("x"), T.zvector("y")
    X, Y = numpy.arange(6).reshape(2, 3) * (1 + 2j), numpy.arange(3) - 1j
    numpy.testing.assert_allclose(theano.function([x, y], T.Elemwise(spread)(x, y))(X, Y), X * Y - Y)


def test_what_does_not_fit_is_refused_before_it_runs():
    """By hand, nobody has looked at the values: the code does."""
    v, n = T.dvector("v"), scalar.int64("n")
    node = Measured()(v, n)[0].owner

    def run(vector, number):
        cells = {v: [vector], n: [number], node.outputs[0]: [None], node.outputs[1]: [None]}
        node.op.make_thunk(node, cells, {one: [False] for one in cells}, [])()
        return cells[node.outputs[0]][0]
    assert run(numpy.ones(3), 2) == 6 and run(numpy.ones(3), numpy.int8(2)) == 6
    for vector in (numpy.ones((3, 1)), numpy.ones(3, "float32"), [1.0], None, 1.0, numpy.ones(25, "int8")[1:25].view("float64")):
        with pytest.raises((TypeError, ValueError, NotImplementedError)):
            run(vector, 2)
    for number in (2.5, "2", None, numpy.ones(2, "int64")):
        with pytest.raises((TypeError, ValueError)):
            run(numpy.ones(3), number)
    assert run(numpy.ones(3), 2) == 6


def test_nothing_is_lost_or_taken_twice():
    """The counts of references to what C code is given stay as they are."""
    v, n = T.dvector("v"), scalar.int64("n")
    f = theano.function([v, n], Measured()(v, n))
    vector, number = numpy.arange(3.0), numpy.asarray(5)
    f(vector, number)
    before = sys.getrefcount(vector), sys.getrefcount(number), sys.getrefcount(None)
    for _ in range(200):
        f(vector, number)
    after = sys.getrefcount(vector), sys.getrefcount(number), sys.getrefcount(None)
    assert after[:2] == before[:2] and abs(after[2] - before[2]) < 100


def _library(name):
    """The path of a library of the compiler, or None."""
    path = subprocess.run([shutil.which("g++") or "g++", "-print-file-name=" + name], capture_output=True, text=True).stdout.strip()
    return path if os.path.isabs(path) else None


def test_no_memory_fault():
    """All of these tests in a process in which AddressSanitizer watches the ops' code."""
    libraries = [_library("libasan.so"), _library("libstdc++.so")]  # the sanitizer wraps what throws, so the library that has it comes with it
    if None in libraries or os.environ.get("LD_PRELOAD"):
        pytest.skip("there is no AddressSanitizer, or one watches already")
    env = dict(os.environ, LD_PRELOAD=":".join(libraries), ASAN_OPTIONS="detect_leaks=0:exitcode=66", PYTHONMALLOC="malloc",
               THEANO_FLAGS="cxx=g++,gcc.cxxflags=-fsanitize=address -O1 -g")
    files = [__file__, os.path.join(os.path.dirname(__file__), "test_c_code.py")]
    some = "not every_dtype and not compiler and not kept or uint16 or complex64"  # each compiles its own code
    found = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-s", "-p", "no:cacheprovider", "-k", some] + files, capture_output=True, text=True,
                           env=env)
    assert found.returncode == 0, (found.stdout + found.stderr)[-6000:]
    assert " passed" in found.stdout
