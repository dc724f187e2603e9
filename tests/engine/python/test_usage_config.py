"""Flags, module paths, printing, test values."""
import os
import subprocess
import sys

import numpy
import pytest
import theano
import theano.tensor as T
from theano import config


def python(code, **environment):
    env = dict(os.environ, **environment)
    return subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_flags_in_code():  # 6, 132, 182
    assert config.floatX == "float64" and config.device == "cpu" and config.mode == "Mode" and config.optimizer == "o4"
    config.warn.subtensor_merge_bug = False
    config.floatX = "float32"
    assert T.matrix().dtype == "float32" and T.scalar("x").dtype == "float32"
    assert numpy.asarray(0.0, dtype=theano.config.floatX).dtype == numpy.float32
    with config.change_flags(floatX="float64", scan__allow_gc=True):
        assert T.matrix().dtype == "float64" and config.scan.allow_gc is True
    assert config.scan.allow_gc is False
    with theano.configparser.change_flags({"floatX": "float64"}):
        assert config.floatX == "float64"

    @theano.configparser.change_flags(floatX="float64")
    def inside():
        return config.floatX
    assert inside() == "float64" and config.floatX == "float32"
    with pytest.raises(ValueError, match="Legal options are float64, float32, float16"):
        config.floatX = "float23"
    with pytest.raises(AttributeError, match="there is no flag called flaotX"):
        config.flaotX = "float32"
    with pytest.raises(AttributeError):
        config.no_such_section.flag
    assert "floatX" in str(config) and "Value:  float32" in str(config)


def test_flags_from_outside(tmp_path):
    file = tmp_path / "rc"
    file.write_text("[global]\nfloatX = float32\nmode = FAST_COMPILE\n[profiling]\nn_ops = 7\n")
    show = "import theano; c = theano.config; print(c.floatX, c.mode, c.profiling.n_ops, c.optimizer_excluding)"
    assert python(show, THEANORC=str(file)).stdout.split() == ["float32", "FAST_COMPILE", "7"]
    done = python(show, THEANORC=str(file), THEANO_FLAGS="floatX=float16,floatX=float64,profiling.n_ops=3,optimizer_excluding=a:b")
    assert done.stdout.split() == ["float64", "FAST_COMPILE", "3", "a:b"]
    assert python(show, THEANO_FLAGS="floatX=float32", CROTON_FLAGS="floatX=float64").stdout.split()[0] == "float64"
    bad = python("import theano", THEANO_FLAGS="floatX=float23")
    assert bad.returncode == 1 and "float23" in bad.stderr and "set in THEANO_FLAGS" in bad.stderr
    unknown = python("import theano", THEANO_FLAGS="nonsense=1,alone")
    assert unknown.returncode == 0 and "no flag called nonsense" in unknown.stderr and "alone" in unknown.stderr


def test_module_paths():
    import importlib
    for name in ("theano.tensor.nnet.conv", "theano.tensor.nnet.nnet", "theano.tensor.nnet.sigm", "theano.tensor.signal.pool",
                 "theano.tensor.signal.downsample", "theano.tensor.signal.conv", "theano.tensor.shared_randomstreams",
                 "theano.sandbox.rng_mrg", "theano.sandbox.cuda", "theano.sandbox.neighbours", "theano.ifelse", "theano.printing",
                 "theano.gradient", "theano.compile", "theano.compile.mode", "theano.compile.io", "theano.compile.ops",
                 "theano.compile.nanguardmode", "theano.compile.debugmode", "theano.compile.sharedvalue", "theano.compile.pfunc",
                 "theano.sparse", "theano.tensor.extra_ops", "theano.tensor.nlinalg", "theano.tensor.slinalg", "theano.tensor.basic",
                 "theano.tensor.elemwise", "theano.tensor.opt", "theano.tensor.subtensor", "theano.tensor.var", "theano.tensor.type",
                 "theano.tensor.inplace", "theano.scalar", "theano.scalar.basic", "theano.gof", "theano.gof.graph", "theano.gof.op",
                 "theano.scan_module", "theano.scan_module.scan_utils", "theano.updates", "theano.misc.pkl_utils", "theano.d3viz",
                 "theano.tests.unittest_tools", "theano.configparser", "theano.typed_list", "theano.raise_op"):
        module = importlib.import_module(name)
        assert sys.modules[name] is module, name
    from theano import theano as inner
    from theano.compile.sharedvalue import SharedVariable
    from theano.tensor.basic import TensorType  # noqa: F401
    assert inner is theano and isinstance(theano.shared(1), SharedVariable)
    assert theano.tensor is sys.modules["croton.tensor"]
    namespace = {}
    exec("from theano import *\nfrom theano.tensor import *", namespace)
    assert "function" in namespace and "dmatrix" in namespace
    assert theano.__version__.startswith("1.0") and theano.__file__
    with pytest.raises(ImportError):
        importlib.import_module("theano.no_such_module")


def test_looking_for_a_gpu():
    assert theano.sandbox.cuda.cuda_enabled is False and theano.sandbox.cuda.cuda_available is False
    with pytest.raises(ImportError):
        from theano.sandbox.cuda import CudaNdarray  # noqa: F401
    with pytest.raises(ImportError):
        import pygpu  # noqa: F401


def test_missing_names_fail_when_called():
    with pytest.raises(NotImplementedError, match="theano.tensor.nnet.ConvOp is not in this version of Croton"):
        T.nnet.ConvOp()
    with pytest.raises(AttributeError):
        T.no_such_function


def test_debugprint(capsys):  # 87
    x = T.dvector("x")
    y = T.exp(x) + 1
    text = theano.printing.debugprint(y, file="str")
    assert text.splitlines()[0].startswith("Elemwise{add,no_inplace} [id A]") and "x [id" in text
    theano.printing.debugprint([y, x])
    assert "Elemwise{exp,no_inplace}" in capsys.readouterr().out
    f = theano.function([x], y)
    assert theano.printing.debugprint(f, file="str").rstrip()
    assert len(theano.printing.debugprint(y, depth=1, file="str").splitlines()) < len(text.splitlines())
    assert "TensorType(float64, vector)" in theano.printing.debugprint(y, print_type=True, file="str")
    with pytest.raises(TypeError):
        theano.printing.debugprint(3)


def test_pretty(capsys):  # 137, 190
    x, y = T.dmatrices("x", "y")
    assert theano.pp(x + y * 2) == "(x + (y * TensorConstant{2}))" and theano.printing.pprint(T.dot(x, y)) == "(x \\dot y)"
    assert "exp" in theano.pp(T.exp(x)) and theano.printing.min_informative_str(x + y).startswith("A. ")
    assert str(x) == "x" and str(T.dmatrix()) == "<TensorType(float64, matrix)>" and str(x.type) == "TensorType(float64, matrix)"
    assert str(T.exp(x)) == "Elemwise{exp,no_inplace}.0" and str(T.constant(2)) == "TensorConstant{2}"


def test_pictures(tmp_path):  # 88, 116, 117, 236-238
    x = T.dvector("x")
    f = theano.function([x], T.exp(x))
    for name, head in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.dot", b"digraph")):
        theano.printing.pydotprint(f, outfile=str(tmp_path / name), var_with_name_simple=True)
        assert (tmp_path / name).read_bytes().startswith(head), name
    theano.printing.pydotprint(T.exp(x), str(tmp_path / "expression.png"))
    theano.printing.pydotprint_variables(T.exp(x), outfile=str(tmp_path / "variables.png"), var_with_name_simple=True)
    theano.printing.pydotprint(f, outfile=str(tmp_path / "pics/of/it.dot"))
    theano.d3viz.d3viz(f, str(tmp_path / "pages/it.html"))
    assert (tmp_path / "pics/of/it.dot").exists() and (tmp_path / "pages/it.html").exists()
    assert theano.printing.pydotprint(f, return_image=True).startswith(b"\x89PNG")
    assert "<svg" in f._repr_html_() and "<svg" in T.exp(x)._repr_html_() and "<svg" in f.show()._repr_html_()
    theano.d3viz.d3viz(f, str(tmp_path / "page.html"))
    assert "<svg" in (tmp_path / "page.html").read_text()


def test_print_op(capsys):  # 235
    x = T.dvector("x")
    theano.function([x], theano.printing.Print("value of x")(x) * 2)([1.0])
    theano.function([x], theano.printing.Print("x", attrs=["shape", "min"])(x))([1.0, 2.0])
    out = capsys.readouterr().out
    assert "value of x __str__ = [1.]" in out and "x shape = (2,)" in out and "x min = 1.0" in out


def test_assert_op():
    x = T.dvector("x")
    f = theano.function([x], T.opt.Assert("must be positive")(x, T.all(x > 0)))
    assert f([1.0]).tolist() == [1]
    with pytest.raises(AssertionError, match="must be positive"):
        f([-1.0])


def test_test_values():  # 95
    x = T.dmatrix("x")
    x.tag.test_value = numpy.ones((2, 3))
    config.compute_test_value = "raise"
    y = T.dot(x, x.T).sum()
    assert y.tag.test_value == 12 and T.grad(y, x).tag.test_value.shape == (2, 3)
    with pytest.raises(ValueError):
        T.dot(x, x)
    z = T.dmatrix("z")
    with pytest.raises(ValueError, match="missing default value"):
        z + 1
    config.compute_test_value = "warn"
    with pytest.warns(UserWarning, match="missing default value"):
        z + 1
    config.compute_test_value = "ignore"
    assert not hasattr((z + 1).tag, "test_value")
    config.compute_test_value = "off"
    assert not hasattr((x + 1).tag, "test_value")
    assert theano.gof.op.get_test_value(theano.shared(3)) == 3


def test_modules_of_the_old_gpu_back_end_import_without_a_gpu():
    from theano.sandbox.cuda.blas import GpuCorrMM, GpuCorrMM_gradInputs
    from theano.sandbox.cuda.fftconv import conv2d_fft
    from theano.sandbox.cuda.type import CudaNdarrayType
    from theano.sandbox.cuda.var import CudaNdarraySharedVariable
    shared = theano.shared(numpy.ones(2, "float32"))
    assert not isinstance(shared, CudaNdarraySharedVariable) and not isinstance(shared.type, CudaNdarrayType)
    image, kernels = numpy.random.RandomState(0).uniform(-1, 1, (2, 1, 3, 6, 5)), numpy.random.RandomState(1).uniform(-1, 1, (4, 3, 2, 2))
    x, w = T.dtensor4s("x", "w")
    flipped = kernels[:, :, ::-1, ::-1]
    expected = theano.function([x, w], T.nnet.conv2d(x, w, border_mode="full"))(image[0], kernels)
    for found in (conv2d_fft(x, w, border_mode="full"), GpuCorrMM("full")(x, w[:, :, ::-1, ::-1])):
        numpy.testing.assert_allclose(theano.function([x, w], found)(image[0], kernels), expected)
    assert GpuCorrMM(pad=(1, 1))(x, w).eval({x: image[0], w: flipped}).shape == (1, 4, 7, 6)
    assert GpuCorrMM_gradInputs()(w, x, [7, 6]).eval({w: kernels[:3], x: image[0]}).shape == (1, 3, 7, 6)
    with pytest.raises(ValueError, match="'valid' or 'full'"):
        conv2d_fft(x, w, border_mode="half")


def test_import_is_light():
    code = "import sys, croton; print([m for m in ('sqlite3', 'croton._record', 'lib2to3', 'tempfile', 'subprocess') if m in sys.modules])"
    assert "croton._record" not in python(code).stdout and "sqlite3" not in python(code).stdout
