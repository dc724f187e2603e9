"""Modes, linkers and optimizers by name and as objects; a wrong one says what there is."""
import copy
import pickle
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from croton.compile import rewrite_names
from theano.compile.mode import Mode


def ops(mode=None):
    x, y = T.dvectors("x", "y")
    f = theano.function([x, y], T.log(1 + T.exp(x)) * y, mode=mode)
    return [str(apply.op) for apply in f.maker.fgraph.toposort()]


FUSED = ["Elemwise{Composite{(scalar_softplus(i0) * i1)}}"]


@pytest.mark.parametrize("arguments, kind, words", [
    (dict(linker="cmv"), ValueError, "there is no linker called 'cmv'; known are cvm"),
    (dict(linker=3), TypeError, "a linker is one of cvm"),
    (dict(optimizer="o5"), ValueError, "there is no optimizer called 'o5'; known are None"),
    (dict(optimizer=3), TypeError, "an optimizer is None, a name, a theano.gof.Query or an Optimizer, got 3"),
])
def test_a_wrong_linker_or_optimizer_says_so(arguments, kind, words):
    with pytest.raises(kind, match=words):
        Mode(**arguments)


def test_a_wrong_mode_says_where_it_comes_from_and_what_was_meant():
    with pytest.raises(ValueError, match="no mode called 'FASTRUN'; .* did you mean FAST_RUN"):
        ops("FASTRUN")
    with pytest.raises(TypeError, match=r"got the class: write Mode\(\)"):
        ops(Mode)
    theano.config.mode = "bogus"
    with pytest.raises(ValueError, match=r"no mode called 'bogus' \(the flag mode\)"):
        ops()


def test_clone_checks_its_optimizer():
    assert ops(Mode().clone(optimizer="None"))[-1] == "Elemwise{mul,no_inplace}"
    with pytest.raises(ValueError, match="no optimizer called 'bogus'"):
        Mode().clone(optimizer="bogus")


def test_tags_are_strings():
    for method in (Mode().including, Mode().excluding, Mode().requiring):
        with pytest.raises(TypeError, match="rewrites are named by strings, one argument each"):
            method(["fusion"])


def test_stabilize_ends_behind_stabilize():
    assert ops(Mode(optimizer="stabilize")) == ["Elemwise{softplus,no_inplace}", "Elemwise{mul,no_inplace}"]
    theano.config.optdb.position_cutoff = 1.55
    assert ops() == ["Elemwise{softplus,no_inplace}", "Elemwise{mul,no_inplace}"]


def test_including_a_phase_takes_what_runs_there():
    fast = theano.compile.mode.FAST_COMPILE
    assert "Elemwise{softplus,no_inplace}" not in ops(fast)
    assert ops(fast.including("stabilize")) == ["Elemwise{softplus,no_inplace}", "Elemwise{mul,no_inplace}"]
    assert ops(fast.including("stabilize", "fusion")) == ops(Mode(optimizer="fast_compile").including("stabilize", "fusion")) == FUSED
    assert "Elemwise{softplus,no_inplace}" not in ops(fast.including("stabilize").excluding("stabilize"))
    with theano.configparser.change_flags(optimizer_including="stabilize", mode="FAST_COMPILE"):
        assert "Elemwise{softplus,no_inplace}" in ops()
    x, y = T.fvectors("x", "y")
    p = 1 / (1 + T.exp(-x))
    cost = -y * T.log(p) - (1 - y) * T.log(1 - p)
    f = theano.function([x, y], cost, mode=fast.including("canonicalize", "stabilize"))
    numpy.testing.assert_allclose(f(numpy.float32([-800, 0, 800]), numpy.float32([0, 1, 0])), [0, numpy.log(2), 800], rtol=1e-6)


def test_including_a_phase_leaves_off_what_is_off():
    x = T.dvector("x")
    checked = theano.tensor.opt.Assert("positive")(x, (x > 0).all())
    for mode in (Mode(), Mode().including("canonicalize", "stabilize", "specialize")):
        f = theano.function([x], checked * 2, mode=mode)
        assert [apply for apply in f.maker.fgraph.toposort() if apply.op.__class__.__name__ == "Assert"]


def test_requiring_takes_only_what_has_the_tag():
    assert "Elemwise{log,no_inplace}" in ops(Mode().requiring("fast_compile"))
    assert ops(Mode().requiring("fast_run")) == FUSED
    theano.config.optimizer_requiring = "fast_compile"
    assert "Elemwise{log,no_inplace}" in ops()


@pytest.fixture
def warned_of_nothing(monkeypatch):
    monkeypatch.setattr(rewrite_names, "_warned", set())


def test_an_unknown_rewrite_is_told_once_with_what_was_meant(warned_of_nothing):
    with pytest.warns(UserWarning, match="no rewrite and no tag is called 'fusoin', so it changes nothing; did you mean 'fusion'"):
        assert ops(Mode().excluding("fusoin")) == FUSED
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ops(Mode().excluding("fusoin"))


@pytest.mark.parametrize("name", ["gpuarray_opt", "local_gpu_conv", "cudnn", "conv_gemm", "scanOp_make_inplace", "ShapeOpt", "c_blas",
                                  "local_log1p", "stabilize", "InplaceBlasOpt", "local_elemwise_fusion", "inplace"])
def test_names_of_theano_are_no_mistake(name, warned_of_nothing):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ops(Mode().excluding(name).including("fast_run"))


def test_linkers_and_queries_as_objects():
    from theano import gof
    assert Mode(gof.PerformLinker()).linker_name == "py"
    assert Mode(gof.CLinker()).linker_name == "c"
    assert Mode(gof.OpWiseCLinker()).linker_name == "c|py"
    assert Mode(gof.vm.VM_Linker(allow_gc=False, use_cloop=True)).linker_name == "cvm_nogc"
    assert ops(Mode(optimizer=gof.Query(include=["fast_run"], exclude=["fusion"])))[-1] == "Elemwise{Mul}[(0, 0)]"
    assert ops(Mode(optimizer=gof.Query(["fast_run"]).excluding("fusion"))) == ops(Mode().excluding("fusion"))


def test_names_can_be_registered():
    from theano.compile.mode import register_linker, register_mode, register_optimizer
    try:
        register_linker("my_linker", "vm")
        register_optimizer("my_optimizer", theano.gof.Query(["fast_run"], exclude=["fusion"]))
        assert Mode("my_linker").linker_name == "vm"
        assert ops(Mode(optimizer="my_optimizer"))[-1] == "Elemwise{Mul}[(0, 0)]"
        register_mode("MY_MODE", Mode(optimizer="my_optimizer"))
        assert ops("MY_MODE")[-1] == "Elemwise{Mul}[(0, 0)]"
        with pytest.raises(ValueError, match="already taken"):
            register_optimizer("my_optimizer", None)
    finally:
        for names, name in ((theano.compile.predefined_linkers, "my_linker"), (theano.compile.predefined_optimizers, "my_optimizer"),
                            (theano.compile.predefined_modes, "MY_MODE")):
            names.pop(name, None)


def test_only_optimizers_are_registered():
    assert "local_log1p" in theano.compile.optdb and "nothing" not in theano.compile.optdb
    with pytest.raises(TypeError, match="has to be an Optimizer"):
        theano.compile.optdb.register("mine", None, 100, "fast_run")


def test_monitor_mode_sees_real_values_and_what_it_changes_goes_on():
    from theano.compile.monitormode import MonitorMode
    x, seen = T.dvector("x"), []
    w = theano.shared(numpy.zeros(2), name="w")

    def after(index, node, thunk):
        seen.append((index, str(node.op), [cell[0].tolist() for cell in thunk.inputs], thunk.outputs[0][0].tolist()))

    f = theano.function([x], T.exp(x) * 2 + 1, updates=[(w, w + x)], mode=MonitorMode(post_func=after).excluding("croton"))
    result = f([0.0, 1.0])
    fused = [entry for entry in seen if "Composite{" in entry[1]]
    assert len(fused) == 1 and [0.0, 1.0] in fused[0][2] and fused[0][3] == result.tolist()
    assert seen[-1][3] == [0.0, 1.0] == w.get_value().tolist() and [entry[0] for entry in seen] == list(range(len(seen)))

    def clip(index, node, thunk):
        thunk.outputs[0][0] = numpy.minimum(thunk.outputs[0][0], 2)

    assert theano.function([x], T.exp(x), mode=MonitorMode(post_func=clip))([0.0, 1.0]).tolist() == [1, 2]

    def double(index, node, thunk):
        thunk.inputs[0][0] = thunk.inputs[0][0] * 2

    assert theano.function([x], x + 1, mode=MonitorMode(pre_func=double))([1.0]).tolist() == [3]


def test_monitor_mode_checks_its_arguments():
    from theano.compile.monitormode import MonitorMode
    with pytest.raises(TypeError, match="pre_func of MonitorMode is a function"):
        MonitorMode(pre_func=3)
    with pytest.raises(ValueError, match="no linker called 'bogus'"):
        MonitorMode(linker="bogus")


def test_monitor_mode_says_what_was_wrong_with_a_value_that_was_left():
    from theano.compile.monitormode import MonitorMode
    x = T.dvector("x")

    def spoil(index, node, thunk):
        thunk.outputs[0][0] = "nonsense"

    with pytest.raises(TypeError, match="(?s)post_func of MonitorMode left 'nonsense' as output 0 of Elemwise{exp,no_inplace}.*test_modes.py"):
        theano.function([x], T.exp(x), mode=MonitorMode(post_func=spoil))([0.0])

    def empty(index, node, thunk):
        thunk.inputs[0][0] = None

    with pytest.raises(TypeError, match="pre_func of MonitorMode left None as input 0 of"):
        theano.function([x], T.exp(x), mode=MonitorMode(pre_func=empty))([0.0])
    with pytest.raises(ValueError, match="MonitorMode wants your functions"):
        theano.function([x], x, mode="MonitorMode")


@pytest.mark.parametrize("name", ["local_elemwise_fusion", "elemwise_fusion", "FusionOptimizer", "fusion"])
def test_values_can_be_seen_when_fusion_is_left_out_by_any_of_its_names(name):
    x, m = T.dvector("x"), T.dmatrix("m")
    mode = theano.compile.mode.FAST_RUN.excluding(name)
    f = theano.function([x, m], [T.log(x) * x, (T.exp(m) * 2).sum(axis=0), T.exp(x) + 1, T.exp(x) * x], mode=mode)
    names = [str(node.op) for node in f.maker.fgraph.toposort()]
    assert not [name for name in names if "Composite" in name or "}{" in name], names
    assert "Elemwise{log,no_inplace}" in names and "Sum{axis=[0], acc_dtype=float64}" in names


def test_the_flag_leaves_fusion_out(warned_of_nothing):
    x = T.dvector("x")
    with theano.configparser.change_flags(tensor__local_elemwise_fusion=False):
        f = theano.function([x], T.log(x) * x)
    assert [str(node.op) for node in f.maker.fgraph.toposort()][0] == "Elemwise{log,no_inplace}"


@pytest.mark.parametrize("mode", ["NanGuardMode", theano.compile.MonitorMode(), "DebugMode", "FAST_RUN"])
def test_errors_name_the_apply_in_every_mode(mode):
    a, b = T.dmatrices("a", "b")
    f = theano.function([a, b], T.dot(a, b) + 1, mode=mode)
    with pytest.raises(ValueError, match="(?s)Shape mismatch.*Apply node that caused the error: .*test_modes.py"):
        f(numpy.ones((2, 3)), numpy.ones((2, 3)))


def nan_guard(expression, inputs, *values, **flags):
    from theano.compile.nanguardmode import NanGuardMode
    settings = dict(nan_is_error=True, inf_is_error=True, big_is_error=True)
    settings.update(flags)
    return theano.function(inputs, expression, mode=NanGuardMode(**settings))(*values)


def test_nan_guard_names_the_lines_of_what_was_rewritten():
    x = T.dvector("x")
    logarithm = T.log(x)  # the line to be named
    with pytest.raises(AssertionError) as caught:
        nan_guard(logarithm.sum() * 2, [x], [-1.0, 1.0])
    text = str(caught.value)
    assert "NaN detected" in text and "Sum{acc_dtype=float64}{log}" in text
    assert "logarithm = T.log(x)  # the line to be named" in text
    with pytest.raises(AssertionError) as caught:
        nan_guard(x * 2, [x], [numpy.nan])
    assert "an input of the graph: x" in str(caught.value) and 'x = T.dvector("x")' in str(caught.value)


def test_nan_guard_lets_pass_what_is_exempt():
    x = T.dvector("x")
    logarithm = T.log(x)
    logarithm.tag.nan_guard_mode_check = False
    assert numpy.isnan(nan_guard(logarithm, [x], [-1.0])).all()
    with pytest.raises(AssertionError, match="NaN detected"):
        nan_guard([logarithm, T.sqrt(x)], [x], [-1.0])


def test_flags_that_are_misspelt_say_what_was_meant(tmp_path):
    import subprocess
    import sys
    import os
    ended = subprocess.run([sys.executable, "-c", "import theano"], env=dict(os.environ, THEANO_FLAGS="modee=FAST_RUN,optimizer"),
                           capture_output=True, text=True)
    assert "THEANO_FLAGS:1: UserWarning: there is no flag called modee, so it is ignored; did you mean mode?\n" in ended.stderr
    assert "the flag 'optimizer' has no value and is ignored: write name=value" in ended.stderr
    assert "import" not in ended.stderr


def test_optimizers_by_their_names_are_queries():
    from theano.compile import mode
    x = T.dvector("x")
    sizes = {query.name: len(theano.function([x], T.exp(x * 2) + 0 * x, mode=theano.Mode("py", query)).maker.fgraph.apply_nodes)
             for query in (mode.OPT_FAST_RUN, mode.OPT_FAST_COMPILE, mode.OPT_NONE)}
    assert sizes["OPT_FAST_RUN"] == 1 < sizes["OPT_FAST_COMPILE"] < sizes["OPT_NONE"]
    apart = theano.function([x], T.exp(x * 2), mode=theano.Mode("cvm", mode.OPT_FAST_RUN.excluding("fusion")))
    assert len(apart.maker.fgraph.apply_nodes) == 2
    assert theano.compile.optdb.query(mode.OPT_FAST_RUN) is not None


def test_what_a_linker_calls_gets_nodes_of_the_function_s_graph():
    seen = []

    def around(index, node, thunk):
        seen.append(node)
        thunk()
    x = T.dvector("x")
    linker = theano.gof.WrapLinker([theano.gof.PerformLinker()], around)
    f = theano.function([x], T.cumsum(T.exp(x)), mode=theano.Mode(linker=linker, optimizer="fast_run"), name="watched")
    f([1.0, 2.0])
    assert seen == f.maker.fgraph.toposort() and all(node.fgraph is f.maker.fgraph for node in seen)
    assert seen[0].fgraph.name == "watched"


def test_the_optimizer_of_a_mode_is_a_query_that_can_be_changed():
    x = T.dvector("x")

    def kinds(mode):
        return sorted(str(node.op) for node in theano.function([x], T.exp(x) + 1, mode=mode).maker.fgraph.toposort())
    fused, apart = kinds("FAST_RUN"), kinds(theano.compile.get_mode("FAST_RUN").excluding("fusion"))
    assert fused != apart
    mode = copy.copy(theano.compile.get_mode("FAST_RUN"))
    before = str(mode)
    assert mode._optimizer.include == ["fast_run"] and mode == theano.compile.get_mode("FAST_RUN") and str(mode) == before
    mode._optimizer = mode._optimizer.excluding("fusion")
    assert kinds(mode) == apart and mode._optimizer.exclude == ["fusion"] and kinds(mode.including("fusion")) == fused
    mode = theano.Mode(optimizer="fast_run")
    mode._optimizer.exclude.append("fusion")
    assert kinds(mode) == apart
    mode = theano.Mode(optimizer=None)
    assert mode._optimizer.include == [] and mode.provided_optimizer is None
    mode._optimizer = theano.gof.Query(["fast_run"])
    assert kinds(mode) == fused and mode.provided_optimizer == "fast_run" and mode != theano.Mode(optimizer=None)
    mode = theano.Mode(optimizer="fast_run")
    mode._optimizer.position_cutoff = 1.5
    assert kinds(mode) == kinds(theano.Mode(optimizer="stabilize"))
    assert kinds(pickle.loads(pickle.dumps(mode))) == kinds(mode) and kinds("FAST_RUN") == fused
