"""Small modules that scripts import from theano.misc, theano.tensor and theano.gof."""
import importlib
import itertools
import pickle
import shutil

import numpy
import pytest
import theano
import theano.tensor as T

RNG = numpy.random.RandomState(4)


def test_ordered_set():
    from theano.misc.ordered_set import OrderedSet
    s = OrderedSet([3, 1, 3, 2])
    s.add(1), s.add(7), s.discard(3), s.discard(100)
    assert list(s) == [1, 2, 7] and list(reversed(s)) == [7, 2, 1] and 2 in s and 3 not in s and len(s) == 3
    assert s == OrderedSet([1, 2, 7]) and s != OrderedSet([7, 2, 1]) and s == {7, 2, 1} and s != [1, 2, 7]
    assert list(s | [9, 1]) == [1, 2, 7, 9] and list(s & {7, 1}) == [1, 7] and list(s - {2}) == [1, 7] and list(s.union([5])) == [1, 2, 7, 5]
    assert s.pop() == 7 and s.pop(last=False) == 1 and list(s) == [2] and repr(s) == "OrderedSet([2])"
    s.update([5, 2, 6]), s.difference_update([5])
    assert list(s) == [2, 6]
    s.clear()
    with pytest.raises(KeyError):
        s.pop()
    with pytest.raises(TypeError):
        hash(s)


def test_frozendict():
    from theano.misc.frozendict import frozendict
    d = frozendict({"a": 1}, b=2)
    assert d["a"] == 1 and dict(d) == {"a": 1, "b": 2} and len(d) == 2 and {d: 5}[frozendict(b=2, a=1)] == 5
    assert d.copy(b=3)["b"] == 3 and d["b"] == 2 and d != frozendict(a=1) and d == {"a": 1, "b": 2}
    with pytest.raises(TypeError):
        d["a"] = 2


def test_strutil():
    from theano.misc.strutil import render_string
    assert render_string("%(x)s = %(n)i;", {"x": "a", "n": 3}) == "a = 3;"
    with pytest.raises(KeyError, match="line 2.*n"):
        render_string("%(x)s\n%(n)i\n", {"x": "a"})


def test_cpucount_and_shared_memory():
    from theano.misc.cpucount import cpuCount
    from theano.misc.may_share_memory import may_share_memory
    assert cpuCount() >= 1
    a = numpy.zeros(4)
    assert may_share_memory(a, a[1:]) and not may_share_memory(a, a.copy())
    assert may_share_memory(a, "text", raise_other_type=False) is False
    with pytest.raises(TypeError, match="str"):
        may_share_memory(a, "text")


def test_double_op():
    from theano.misc.doubleop import DoubleOp
    x = T.dmatrix()
    numpy.testing.assert_array_equal(theano.function([x], DoubleOp()(x))(numpy.ones((2, 3))), numpy.full((2, 3), 2.0))
    T.verify_grad(DoubleOp(), [RNG.rand(2, 3)], rng=RNG)


@pytest.mark.parametrize("n", [3, 5, 8])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_fourier(n, axis):
    from theano.tensor.fourier import fft
    x, given = T.dmatrix(), RNG.randn(5, 6)
    found, sizes = theano.function([x], [fft(x, n, axis), fft(x, n, axis).shape])(given)
    numpy.testing.assert_allclose(found, numpy.fft.fft(given, n, axis), atol=1e-12)
    assert tuple(sizes) == found.shape
    a, b = RNG.randn(*found.shape), RNG.randn(*found.shape)
    T.verify_grad(lambda x: (T.real(fft(x, n, axis)) * a + T.imag(fft(x, n, axis)) * b).sum(), [given], rng=RNG)


def test_fourier_of_what_is_none():
    from theano.tensor.fourier import Fourier, fft
    with pytest.raises(TypeError, match="scalar"):
        fft(T.dscalar(), 3, 0)
    with pytest.raises(TypeError, match="whole number"):
        fft(T.dvector(), T.dscalar(), 0)
    x, n, axis = T.dmatrix(), T.lscalar(), T.lscalar()
    with pytest.raises(NotImplementedError, match="give the axis as a number"):
        T.grad(T.real(fft(x, n, axis)).sum(), x)
    assert Fourier() == fft and pickle.loads(pickle.dumps(fft)) == fft


def test_films():
    from theano.tensor.nnet.conv3d2d import conv3d
    s, w = (T.TensorType("float64", (False,) * 5)() for _ in range(2))
    films, filters = RNG.randn(2, 4, 3, 6, 5), RNG.randn(2, 2, 3, 3, 2)
    wanted = numpy.zeros((2, 3, 2, 4, 4))
    for t, i, j in itertools.product(range(3), range(4), range(4)):
        wanted[:, t, :, i, j] = numpy.einsum("btcij,ftcij->bf", films[:, t:t + 2, :, i:i + 3, j:j + 2], filters[:, ::-1, :, ::-1, ::-1])
    for shapes in ((None, None), ((2, 4, 3, None, 5), (2, 2, 3, 3, 2))):
        numpy.testing.assert_allclose(theano.function([s, w], conv3d(s, w, *shapes))(films, filters), wanted, atol=1e-12)
    with pytest.raises(ValueError, match="one word for all axes"):
        conv3d(s, w, border_mode=("valid", "full", "valid"))


def test_volumes_under_their_oldest_names():
    from theano.tensor.nnet.Conv3D import conv3D
    from theano.tensor.nnet.ConvGrad3D import convGrad3D
    from theano.tensor.nnet.ConvTransp3D import convTransp3D
    v, w, g = (T.TensorType("float64", (False,) * 5)() for _ in range(3))
    b = T.dvector()
    V, W, steps = RNG.randn(2, 5, 6, 5, 3), RNG.randn(4, 2, 2, 3, 3), (1, 2, 1)
    y = conv3D(v, w, b, steps)
    G = RNG.randn(*theano.function([v, w, b], y)(V, W, numpy.zeros(4)).shape)
    dv, dw = theano.function([v, w, b, g], T.grad(None, [v, w], known_grads={y: g}), on_unused_input="ignore")(V, W, numpy.zeros(4), G)
    numpy.testing.assert_allclose(theano.function([v, g], convGrad3D(v, steps, W.shape, g))(V, G), dw, atol=1e-12)
    back = theano.function([w, b, g], convTransp3D(w, b, steps, g, V.shape[1:4]))(W, numpy.arange(3.0), G)
    numpy.testing.assert_allclose(back, dv + numpy.arange(3.0), atol=1e-12)
    assert theano.function([w, b, g], convTransp3D(w, b, steps, g))(W, numpy.zeros(3), G).shape == (2, 5, 6, 5, 3)


def test_scripts_ask_whether_graphs_can_be_drawn():
    from theano import printing
    assert printing.pydot_imported == (shutil.which("dot") is not None) == (not printing.pydot_imported_msg)


def test_cudnn_is_not_there_where_functions_run_on_the_cpu():
    from theano.gpuarray import dnn
    from theano.sandbox import cuda
    assert not dnn.dnn_present() and not dnn.dnn_available() and not cuda.dnn_available()
    assert dnn.dnn_present.msg == "functions run on the CPU: set the flag device=cuda before theano is imported"
    assert (dnn.version(raises=False), cuda.dnn_version(raises=False)) == (-1, -1)
    with pytest.raises(RuntimeError, match="there is no version of cuDNN, as there is none: functions run on the CPU"):
        dnn.version()


def test_rewrites_by_module():
    from theano.scan_module import scan_opt
    from theano.sparse import opt as sparse_opt
    from theano.tensor import opt_uncanonicalize
    from theano.tensor.nnet import opt
    assert str(opt.local_abstractconv_gemm) == "local_abstractconv_gemm"
    assert str(scan_opt.ScanSaveMem) == "scanOp_save_mem" and str(scan_opt.scanOp_make_inplace) == "scanOp_make_inplace"
    for module, name in ((opt, "local_conv_dnn"), (sparse_opt, "local_no_csm"), (opt_uncanonicalize, "local_no_max"), (scan_opt, "scan_eqopt9")):
        with pytest.raises(NotImplementedError, match="%s is not in this version of Croton.*excluding" % name):
            getattr(module, name)()
        with pytest.raises(AttributeError):
            module.nothing_of_the_kind


@pytest.mark.parametrize("name", ["gof.cutils.run_cthunk", "gof.lazylinker_c.CLazyLinker", "gof.callcache.CallCache", "gof.compiledir.cleanup",
                                  "gof.sync.RLock", "tensor.blas_headers.blas_header_text", "tensor.elemwise_cgen.make_loop",
                                  "tensor.blas_scipy.ScipyGer", "scalar.basic_sympy.SymPyCCode", "scan_module.scan_perform.perform",
                                  "tensor.nnet.abstract_conv.frac_bilinear_upsampling"])
def test_what_is_not_there_says_what_to_use(name):
    module, word = name.rsplit(".", 1)
    with pytest.raises(NotImplementedError, match="theano.%s is not in this version of Croton: .{10}" % name):
        getattr(importlib.import_module("theano." + module), word)()


def test_other_names_of_modules():
    import theano.sandbox.conv
    import theano.sandbox.solve
    import theano.tensor.nnet.corr3d
    assert theano.sandbox.solve.solve is T.slinalg.solve
    assert theano.tensor.nnet.corr3d.Corr3dMM and theano.sandbox.conv.conv2d is T.nnet.conv.conv2d


def test_models_in_a_zip(tmp_path):
    """Arrays are entries of their own, called as the shared variables that hold them."""
    from theano.misc.pkl_utils import PersistentSharedVariableID, StripPickler, dump, load
    first, second, same = theano.shared(numpy.arange(3.0), "w"), theano.shared(7, "w"), theano.shared(numpy.eye(2), "b")
    path = str(tmp_path / "model.zip")
    array = numpy.ones((2, 3), "float32")
    with open(path, "wb") as stream:
        dump((first, second, [same, same], array, array), stream)
    entries = numpy.load(path)
    assert sorted(entries.keys()) == ["array_0", "b", "pkl", "w", "w_2"]
    assert entries["w"].tolist() == [0, 1, 2] and entries["w_2"] == 7 and entries["array_0"].dtype == "float32"
    with open(path, "rb") as stream:
        one, two, others, a, b = load(stream)
    assert one.get_value().tolist() == [0, 1, 2] and two.get_value() == 7 and one.name == "w"
    assert others[0] is others[1] and a is b and (a == array).all()
    with pytest.raises(ValueError, match="two shared variables are called 'w'"), open(path, "wb") as stream:
        dump((first, second), stream, persistent_id=lambda file: PersistentSharedVariableID(file, allow_duplicates=False))
    with pytest.raises(ValueError, match="cannot be called 'pkl'"), open(path, "wb") as stream:
        dump(theano.shared(1, "pkl"), stream)
    with open(path, "wb") as stream:
        pickle.dump([1, 2], stream)
    with open(path, "rb") as stream:
        assert load(stream) == [1, 2]
    x = T.dvector("x")
    x.tag.large, x.tag.kept = "l" * 9999, "kept"
    with open(path, "wb") as stream:
        StripPickler(stream, protocol=-1, extra_tag_to_remove=["large"]).dump(x)
    with open(path, "rb") as stream:
        read = pickle.load(stream)
    assert read.tag.kept == "kept" and not hasattr(read.tag, "large")


def test_drawings_as_objects(tmp_path):
    import theano.d3viz as d3v
    x = T.dvector("x")
    drawing = d3v.formatting.PyDotFormatter()(theano.function([x], T.exp(x)))
    assert drawing.to_string().startswith("digraph") and drawing.create_dot() == drawing.to_string().encode()
    assert drawing.write_dot(str(tmp_path / "f.dot")) and (tmp_path / "f.dot").read_text() == drawing.to_string()
    if theano.printing.pydot_imported:
        drawing.write_png(str(tmp_path / "f.png"))
        assert (tmp_path / "f.png").read_bytes()[:4] == b"\x89PNG"


def test_what_programs_ask_of_the_old_back_end():
    from theano.sandbox import cuda
    from theano.sandbox.cuda import GpuOp, cuda_available, register_opt

    @register_opt("fast_compile", name="none of ours")
    def rewrite(node):
        return None

    class Doubled(T.extra_ops.CumOp, GpuOp):
        def perform(self, node, inputs, outputs):
            outputs[0][0] = 2 * inputs[0].cumsum(self.axis)

    x = T.dmatrix("x")
    made = Doubled(axis=1)(x)
    assert isinstance(made.owner.op, GpuOp) and rewrite(None) is None and (cuda.use.device_number is None) == (not cuda_available)
    assert theano.function([x], made)([[1, 2]]).tolist() == [[2, 6]]


def test_a_walk_as_old_programs_write_it():
    from theano.gof import graph
    x = T.dvector("x")
    y = T.exp(x) + 1
    found = graph.stack_search(graph.deque([y]), lambda one: one.owner and list(one.owner.inputs)[::-1], "dfs")
    assert found[0] is y and x in found


def test_random_streams_of_the_old_back_end():
    from theano.sandbox.cuda.rng_curand import CURAND_RandomStreams
    streams = CURAND_RandomStreams(seed=3)
    uniform, normal = streams.uniform(size=(50, 40), low=2, high=3), streams.normal((2000,), 5.0, 2.0)
    f = theano.function([], [uniform, normal])
    first, second = f(), f()
    assert first[0].shape == (50, 40) and 2 <= first[0].min() and first[0].max() < 3 and abs(first[1].mean() - 5) < 0.3
    assert not numpy.array_equal(first[0], second[0])


def test_what_python_2_4_did_not_have():
    from theano.gof.python25 import OrderedDict, all, any, combinations, defaultdict, partial, product
    assert any([0, 1]) and not all([0, 1]) and list(product("a", "b")) == [("a", "b")] and list(combinations("abc", 3)) == [("a", "b", "c")]
    assert defaultdict(int)["x"] == 0 and isinstance(OrderedDict(), dict) and partial(max, 3)(1) == 3
