"""Every flag does what it says, or says that it is ignored and why."""
import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from croton import configflags
from theano import config

PACKAGE = pathlib.Path(theano.compile.__file__).resolve().parent.parent


def python(code, **environment):
    env = dict(os.environ, **environment)
    return subprocess.run([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_flag_that_is_not_ignored_is_read():
    text = "\n".join(file.read_text() for file in PACKAGE.rglob("*.py") if file.name != "configflags.py")
    aliases = {"ProfileMode": "old", "NanGuardMode": "flags", "numpy": "flags", "DebugMode": "", "profiling": ""}
    unread = []
    for name, *_ in configflags.FLAGS:
        section, _, last = name.rpartition(".")
        ways = [r'config\.%s\b' % re.escape(name), r'["\']%s["\']' % re.escape(name)]
        if aliases.get(section):
            ways.append(r'\b%s\.%s\b' % (aliases[section], last))
        if not any(re.search(way, text) for way in ways):
            unread.append(name)
    assert not unread


def test_no_flag_stands_twice():
    names = [name for name, *_ in configflags.FLAGS + configflags.IGNORED]
    assert len(names) == len(set(names))


def test_an_ignored_flag_says_so_once_and_where():
    flag = config._flags["cuda.root"]
    before = flag.ignored
    try:
        with pytest.warns(UserWarning, match="cuda.root is accepted and ignored: CUDA lies where the module was built") as seen:
            config.cuda.root = "/a"
        assert seen[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            config.cuda.root = "/b"
    finally:
        flag.ignored = before
    assert "accepted and ignored" in str(config)
    done = python("import theano", THEANO_FLAGS="nvcc.fastmath=True,nvcc.flags=")
    assert done.returncode == 0 and done.stderr.count("accepted and ignored") == 1
    assert "THEANO_FLAGS:1: UserWarning: the flag nvcc.fastmath is accepted and ignored: functions run on the CPU" in done.stderr


def test_defaults_are_set_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, default, *_ in configflags.IGNORED:
            config._flags[name].assign(default)


def test_a_device_that_cannot_be_had(tmp_path):
    show = "import theano; print(theano.config.device)"
    done = python(show, THEANO_FLAGS="device=cuda0")
    assert done.returncode == 0 and done.stdout == "cpu\n" and "the device cuda0 cannot be had" in done.stderr
    refused = python(show, THEANO_FLAGS="device=gpu,force_device=True", OCL_ICD_VENDORS=str(tmp_path))
    assert refused.returncode != 0 and "the device gpu cannot be had" in refused.stderr and "set in THEANO_FLAGS" in refused.stderr
    with pytest.raises(Exception, match="the flag device cannot be changed after the import"):
        config.device = "cuda0"
    config.device = "cpu"


def test_optimizer_verbose_prints_every_replacement(capsys):
    x = T.dvector("x")
    with theano.configparser.change_flags(optimizer_verbose=True):
        theano.function([x], T.log(1 + x))
    lines = capsys.readouterr().out.splitlines()
    assert "local_log1p Elemwise{log,no_inplace}.0 Elemwise{log1p,no_inplace}.0" in lines
    theano.function([x], T.log(1 + x))
    assert capsys.readouterr().out == ""


class Moody(theano.Op):
    __props__ = ()

    def do_constant_folding(self, node):
        raise RuntimeError("not today")

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0].copy()


def test_on_opt_error():
    failing = T.exp(T.dvector("x")) + Moody()(T.constant([1.0, 2.0]))
    x = failing.owner.inputs[0].owner.inputs[0]
    with pytest.warns(UserWarning, match="the rewrite constant_folding failed on Moody and was skipped"):
        theano.function([x], failing)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with theano.configparser.change_flags(on_opt_error="ignore"):
            theano.function([x], failing)
    for action in ("raise", "pdb"):
        with theano.configparser.change_flags(on_opt_error=action), pytest.raises(RuntimeError, match="not today"):
            theano.function([x], failing)


def test_max_use_ratio():
    x = T.dvector("x")
    y = x
    for _ in range(60):
        y = T.exp(T.log(T.exp(y)) + 0)
    with theano.configparser.change_flags(**{"optdb.max_use_ratio": 0.01}), pytest.warns(UserWarning, match="does not settle"):
        few = theano.function([x], y)
    assert len(theano.function([x], y).maker.fgraph.toposort()) <= len(few.maker.fgraph.toposort())


def test_the_graph_with_the_profile():
    script = "import theano, theano.tensor as T; x = T.dvector('x'); theano.function([x], T.exp(x), profile=True)([1.0])"
    assert "Elemwise{exp,no_inplace} [id A] <TensorType(float64, vector)>" in python(script, THEANO_FLAGS="profiling.debugprint=True").stderr
    assert "[id A]" not in python(script).stderr


def test_numpy_warnings():
    show = "import theano, numpy; print(sorted(numpy.geterr().items()))"
    assert python(show).stdout.count("'ignore'") == 4
    assert python(show, THEANO_FLAGS="numpy.seterr_all=raise").stdout.count("'raise'") == 4
    only = python(show, THEANO_FLAGS="numpy.seterr_all=None,numpy.seterr_divide=raise").stdout
    assert "('divide', 'raise')" in only and only.count("'warn'") == 2  # underflow is ignored by NumPy itself
    before = numpy.geterr()
    try:
        config.numpy.seterr_over = "raise"
        assert numpy.geterr()["over"] == "raise"
    finally:
        numpy.seterr(**before)


def test_flags_of_ones_own():
    show = ("from theano.configparser import AddConfigVar, BoolParam, ConfigParam, EnumStr, FloatParam, IntParam, StrParam\n"
            "import theano\n"
            "for name, param in (('own.word', StrParam('a')), ('own.count', IntParam(3, lambda n: n > 0)), ('own.part', FloatParam(0.5)),\n"
            "                    ('own.on', BoolParam(True)), ('own.way', EnumStr('left', 'right')), ('own.any', ConfigParam(lambda: [1]))):\n"
            "    AddConfigVar(name, 'doc of ' + name, param)\n"
            "own = theano.config.own\n"
            "print(own.word, own.count, own.part, own.on, own.way, own.any)\n"
            "theano.config.own.way = 'right'\n"
            "with theano.change_flags(own__count=9):\n"
            "    print(own.way, own.count)\n"
            "for name, value in (('count', 0), ('way', 'up'), ('on', 'perhaps')):\n"
            "    try:\n"
            "        setattr(own, name, value)\n"
            "    except ValueError as error:\n"
            "        print(error)\n"
            "try:\n"
            "    AddConfigVar('own.word', '', StrParam(''))\n"
            "except AttributeError as error:\n"
            "    print(error)\n"
            "print('doc of own.part' in str(theano.config))\n")
    said = python(show, THEANO_FLAGS="own.count=7,own.on=False").stdout.splitlines()
    assert said[:2] == ["a 7 0.5 False left [1]", "right 9"]
    assert said[2:] == ["the flag own.count: 0 is not valid", "the flag own.way: 'up' is none of left, right",
                        "the flag own.on: it is True or False, got 'perhaps'", "('This name is already taken', 'own.word')", "True"]


def test_float64_where_it_comes_from():
    flags = theano.configparser.change_flags
    x, i, d = T.fvector("x"), T.ivector("i"), T.dvector("d")
    makers = (lambda: T.dvector(), lambda: T.vector(), lambda: T.dvectors("a", "b"), lambda: x * i, lambda: T.exp(d), lambda: T.mean(i),
              lambda: T.cast(x, "float64"), lambda: x * numpy.float64(2))
    with flags(warn_float64="raise"):
        for maker in makers:
            with pytest.raises(Exception, match="You are creating a TensorVariable with float64 dtype"):
                maker()
        theano.function([x], [T.exp(x) * 2.5, x.mean(), T.grad((x ** 2).sum(), x)])([1.0, 2.0])
        theano.shared(1.0)
    with flags(warn_float64="warn"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = T.exp(x * i)
        T.as_tensor_variable(made)
    assert len(told) == 2 and all(warning.filename == __file__ for warning in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for maker in makers:
            maker()


def test_the_list_of_flags_reads_and_sets_them():
    """Libraries find a flag by its fullname and use it as a descriptor."""
    flags = {flag.fullname: flag for flag in theano.configparser._config_var_list}
    assert flags["floatX"].__get__(True, None) == theano.config.floatX and "scan.allow_gc" in flags
    before = flags["compute_test_value"].__get__(True, None)
    flags["compute_test_value"].__set__(None, "ignore")
    try:
        assert theano.config.compute_test_value == "ignore"
        with pytest.raises(ValueError, match="Legal options"):
            flags["compute_test_value"].__set__(None, "sometimes")
    finally:
        flags["compute_test_value"].__set__(None, before)


def test_the_flags_are_copied_and_pickled_as_themselves():
    assert copy.deepcopy(theano.config) is theano.config and pickle.loads(pickle.dumps(theano.config)) is theano.config
    warn = pickle.loads(pickle.dumps(theano.config.warn))
    assert warn.subtensor_merge_bug == theano.config.warn.subtensor_merge_bug
    assert not hasattr(type(theano.config).__new__(type(theano.config)), "_flags")


@pytest.mark.parametrize("name", ["threads", "profiling.n_ops", "profiling.output_line_width", "ProfileMode.min_memory_size", "traceback.limit"])
def test_whole_numbers_have_limits(name):
    before = getattr(config, name.replace(".", "__"))
    for wrong in ("99999999999999999999", -1, 10**12, "many", float("inf")):
        with pytest.raises(ValueError, match="the flag %s is a whole number from 0 to 2147483647, got " % re.escape(name)):
            setattr(config, name.replace(".", "__"), wrong)
    assert getattr(config, name.replace(".", "__")) == before
    done = python("import croton", CROTON_FLAGS=name + "=99999999999999999999")
    assert "the flag %s is a whole number from 0" % name in done.stderr and "incompatible function arguments" not in done.stderr


def test_numbers_beyond_64_bits_are_refused():
    with pytest.raises(ValueError, match="the flag openmp_elemwise_minsize is a number of at most 64 bits, got "):
        config.openmp_elemwise_minsize = 2**63


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "FAST_RUN"])
def test_an_array_that_does_not_fit_is_named(mode):
    n = T.iscalar("n")
    for build in (lambda: T.zeros((n, n)), lambda: T.outer(T.ones(n), T.ones(n)) + 1):
        with pytest.raises(MemoryError) as info:
            theano.function([n], build(), mode=mode)(4000000)
        text = str(info.value)
        assert "not enough memory" in text and "(4000000, 4000000)" in text and "128000000000000 bytes" in text
        assert "test_flags.py:" in text and "Apply node that caused the error" in text, text


def test_a_constant_that_does_not_fit_is_not_computed_early():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = theano.function([], T.arange(9 * 10**12))
    with pytest.raises(MemoryError, match="9000000000000"):
        f()
