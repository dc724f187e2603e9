"""Names that few scripts take from Theano's modules, and what they do."""
import subprocess
import sys

import numpy
import pytest
import theano
import theano.tensor as T
from theano import function, gof

A = numpy.array([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0]])


def test_gradients_of_softmax_by_hand():
    from theano.tensor.nnet.nnet import (CrossentropySoftmax1HotWithBiasDx, SoftmaxGrad, crossentropy_categorical_1hot_grad,
                                         crossentropy_softmax_1hot_with_bias_dx, softmax_grad)
    x, g, y, v = T.dmatrix("x"), T.dmatrix("g"), T.lvector("y"), T.dvector("v")
    soft = numpy.exp(A) / numpy.exp(A).sum(1, keepdims=True)
    slopes, classes, nll = numpy.array([[1.0, 0, 2], [0, 1, 1]]), numpy.array([2, 0]), numpy.array([1.0, 3.0])
    hot = numpy.eye(3)[classes]
    wanted = slopes * soft - (slopes * soft).sum(1, keepdims=True) * soft
    assert softmax_grad == SoftmaxGrad() and crossentropy_softmax_1hot_with_bias_dx == CrossentropySoftmax1HotWithBiasDx()
    numpy.testing.assert_allclose(function([g, x], softmax_grad(g, x))(slopes, soft), wanted)
    numpy.testing.assert_allclose(function([v, x, y], crossentropy_softmax_1hot_with_bias_dx(v, x, y))(nll, soft, classes), nll[:, None] * (soft - hot))
    numpy.testing.assert_allclose(function([v, x, y], crossentropy_categorical_1hot_grad(v, x, y))(nll, soft, classes), -nll[:, None] * hot / soft)


def test_indexing_by_instances():
    from theano.tensor import subtensor
    x, i, y = T.dmatrix("x"), T.lvector("i"), T.dvector("y")
    at, b = numpy.array([1, 0, 1]), numpy.ones(3)
    numpy.testing.assert_array_equal(function([x, i], subtensor.advanced_subtensor1(x, i))(A, at), A[at])
    numpy.testing.assert_array_equal(function([x, i], subtensor.advanced_subtensor(x, i, i))(A, at), A[at, at])
    wanted = A.copy()
    numpy.add.at(wanted, at, b)
    numpy.testing.assert_array_equal(function([x, y, i], subtensor.advanced_inc_subtensor1(x, y, i))(A, b, at), wanted)
    wanted[at] = b
    numpy.testing.assert_array_equal(function([x, y, i], subtensor.advanced_set_subtensor1(x, y, i))(A, b, at), wanted)


def test_a_composite_says_what_it_does():
    scal = theano.scalar
    x, y = scal.float64("x"), scal.float64("y")
    assert str(scal.Composite([x, y], [x + y * 2])) == "Composite{(i0 + (i1 * 2))}"
    assert str(scal.Composite([y], [scal.exp(y), y - 1.5])) == "Composite{exp(i0), (i0 - 1.5)}"
    assert str(T.Elemwise(scal.Composite([x, y], [x * y]))) == "Elemwise{Composite{(i0 * i1)},no_inplace}"
    assert scal.bool_out(x.type)[0].dtype == "bool" and scal.upgrade_to_float64(scal.int8, scal.float32)[0].dtype == "float64"
    assert scal.same_out_nocomplex(scal.int8) == (scal.int8,) and scal.upcast_out_nobool(scal.int8, scal.int32)[0].dtype == "int32"
    with pytest.raises(TypeError, match="complex"):
        scal.same_out_nocomplex(scal.complex64)
    with pytest.raises(TypeError, match="bool"):
        scal.upcast_out_nobool(scal.bool)


def test_variables_of_a_graph_are_mapped():
    from theano.scan_module.scan_utils import map_variables, safe_new
    x, y = T.dscalar("x"), T.dscalar("y")
    z = T.exp(x + y)
    seen = []

    def replacer(variable):
        seen.append(variable)
        return variable * 2 if variable.name == "x" else variable

    mapped, same = map_variables(replacer, [z, y])
    assert same is y and function([x, y], mapped)(1, 2) == numpy.exp(4.0) and function([x, y], z)(1, 2) == numpy.exp(3.0)
    assert len(seen) == 4 and z not in seen
    assert safe_new(x, "_copy").name == "x_copy" and safe_new(T.dscalar()).name is None and safe_new(x, dtype="float32").dtype == "float32"


def test_what_optimized_graphs_hold():
    from theano.tests.unittest_tools import OptimizationTestMixin, WrongValue
    check = OptimizationTestMixin()
    x = T.dvector()
    f = function([x], [T.sort(x), x[::-1] + T.sort(x)])
    sort = next(node.op for node in f.maker.fgraph.toposort() if "Sort" in str(node.op))
    check.assertFunctionContains(f, sort)
    check.assertFunctionContains1(f, sort)
    check.assertFunctionContainsN(f, sort, 1)
    check.assertFunctionContains0(f, T.exp)
    check.assertFunctionContainsClassN(f, T.Elemwise, 1)
    with pytest.raises(AssertionError):
        check.assertFunctionContains0(f, sort)
    with pytest.raises(AssertionError):
        check.assertFunctionContainsClass(f, T.Subtensor, min=2)
    assert "rtol 0.1" in str(WrongValue(1, 2, 0.1, 0))


def test_checks_while_graphs_are_built():
    from theano.gof.op import COp, OpenMPOp, debug_assert, missing_test_message
    assert COp is gof.COp and OpenMPOp is gof.OpenMPOp
    with theano.configparser.change_flags(compute_test_value="raise"):
        debug_assert(True)
        with pytest.raises(AssertionError, match="sizes"):
            debug_assert(False, "sizes")
        with pytest.raises(AttributeError, match="no value"):
            missing_test_message("no value")
    debug_assert(False)
    missing_test_message("no value")


def test_small_things(tmp_path):
    from theano.compile import OPT_FAST_RUN, AddFeatureOptimizer, specify_shape  # noqa: F401
    from theano.gof import AlreadyThere, PreserveVariableAttributes, SingletonType, is_same_graph, object2  # noqa: F401
    from theano.gof.utils import hash_from_code, hash_from_dict, hash_from_file, hashtype
    from theano.tensor.nnet.sigm import ScalarSigmoid
    assert theano.ProfileMode is theano.compile.ProfileMode
    assert isinstance(T.nnet.sigmoid.scalar_op, ScalarSigmoid)
    (tmp_path / "code").write_text("int x;")
    assert hash_from_file(str(tmp_path / "code")) == hash_from_code("int x;")
    assert hash_from_dict({"a": 1, "b": 2}) == hash_from_dict({"b": 2, "a": 1}) != hash_from_dict({"a": 2})
    assert hashtype(T.dvector()) == hashtype(T.fvector())
    m = theano.sparse.csr_matrix("m")
    assert theano.sparse.fcast(m).dtype == "float32" and theano.sparse.lcast(m).dtype == "int64"
    x = T.dvector("x")
    assert is_same_graph(T.exp(x) + 1, T.exp(x) + 1) and not is_same_graph(T.exp(x), x)


def test_modules_of_typed_lists():
    import theano.typed_list
    from theano.typed_list.basic import GetItem, make_list
    from theano.typed_list.type import TypedListType
    assert theano.typed_list.TypedListType is TypedListType and theano.typed_list.make_list is make_list
    assert TypedListType.__module__ == "theano.typed_list.type" and GetItem.__module__ == "theano.typed_list.basic"


def test_the_speed_of_products_is_told(capsys):
    from theano.misc import check_blas
    seconds, where = check_blas.execute(verbose=False, M=4, N=3, K=2, iters=2)
    assert seconds > 0 and where == "CPU" and capsys.readouterr().out == ""
    check_blas.main(["-M", "4", "-N", "3", "-K", "2", "--iter", "2"])
    told = capsys.readouterr().out
    assert "Some Theano flags:\n    blas.ldflags=" in told
    assert "We executed 2 calls to gemm with a and b matrices of shapes (4, 3) and (3, 2).\n\nTotal execution time: " in told


TESTS_OF_A_PATH = """
import theano, theano.sparse, sys
theano.%(package)s__path__.append(%(folder)r)
from theano.tests.test_rop import found, unittest_tools
assert found == 7 and hasattr(unittest_tools, "verify_grad")
from theano.tests import test_other
assert theano.tests.test_other is test_other and test_other.found == 8 and test_other.__name__ == "theano.tests.test_other"
import theano.tests.breakpoint
assert theano.tests.breakpoint.PdbBreakpoint
"""


def test_tests_that_a_path_brings_come_before_those_of_croton(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "__init__.py").write_text("")
    (tmp_path / "tests" / "test_rop.py").write_text("from theano.tests import unittest_tools\nfound = 7\n")
    (tmp_path / "tests" / "test_other.py").write_text("from theano.tests.test_rop import found\nfound += 1\n")
    for package, folder in (("tests.", tmp_path / "tests"), ("", tmp_path)):
        script = TESTS_OF_A_PATH % {"package": package, "folder": str(folder)}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([sys.executable, "-c", "from theano.tests.test_rop import RopLop_checker; import theano.sparse.tests.test_basic as b; "
                           "b.verify_grad_sparse"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
