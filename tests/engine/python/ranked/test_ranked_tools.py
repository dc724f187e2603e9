"""Settings, modes, and printing."""
import os

import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

x, y = T.dvectors("x", "y")


@item(6, "theano.config.floatX")
def test_float_x():
    """'float64', or what THEANO_FLAGS, a file or an assignment says before graphs are built."""
    assert theano.config.floatX == "float64"
    theano.config.floatX = "float32"
    assert T.matrix().dtype == "float32" and numpy.asarray([1], dtype=theano.config.floatX).dtype == numpy.float32


@item(132, "theano.config.device")
def test_device():
    """'cpu', or the device asked for."""
    assert theano.config.device == "cpu"


@item(182, "theano.config.warn.subtensor_merge_bug")
def test_nested_flags():
    """Sections of flags are there; a flag that asks for nothing says so when it is set."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theano.config.warn.subtensor_merge_bug = False
    assert theano.config.warn.subtensor_merge_bug is False


@item(354, "theano.config.compute_test_value")
def test_compute_test_value():
    """Runs each op on test values as the graph is built: the error comes at the line that made it."""
    theano.config.compute_test_value = "raise"
    a, b = T.dvector(), T.dvector()
    a.tag.test_value, b.tag.test_value = numpy.ones(3), numpy.ones(4)
    assert (a * 2).tag.test_value.tolist() == [2, 2, 2]
    with pytest.raises(ValueError):
        a + b


@item(355, "theano.config.linker")
def test_linker():
    """'cvm' and its like; 'py' interprets."""
    theano.config.linker = "py"
    same(run([x], T.exp(x), [0.0]), [1])
    with pytest.raises(ValueError):
        theano.config.linker = "steam"


@item(356, "theano.config.mode")
def test_config_mode():
    """The mode of functions that name none."""
    theano.config.mode = "FAST_COMPILE"
    assert theano.function([x], T.exp(x) * 2 + 1).maker.fgraph.toposort().__len__() > 1
    same(run([x], x * 2, [1.0]), [2])


@item(357, "theano.config.optimizer")
def test_optimizer():
    """'fast_run', 'fast_compile', or 'None'."""
    sizes = []
    for level in ("fast_run", "None"):
        theano.config.optimizer = level
        f = theano.function([x], T.log(T.exp(x)) + 0)
        same(f([3.0]), [3])
        sizes.append(len(f.maker.fgraph.toposort()))
    assert sizes[0] < sizes[1]


@item(146, "theano.Mode")
def test_mode():
    """A linker and a set of rewrites."""
    same(run([x], T.exp(x), [0.0], mode=theano.Mode(linker="vm", optimizer="fast_compile")), [1])


@item(147, "theano.Mode(linker=)")
def test_mode_linker():
    """By name; one that is none is refused."""
    for linker in ("py", "vm", "cvm", "c|py"):
        same(run([x], T.exp(x), [0.0], mode=theano.Mode(linker=linker)), [1])
    with pytest.raises(Exception, match="steam"):
        theano.Mode(linker="steam")


@item(348, "theano.compile.mode.Mode")
def test_mode_class():
    """The same class under its long name."""
    assert theano.compile.mode.Mode is theano.Mode and isinstance(theano.compile.mode.get_mode("FAST_RUN"), theano.compile.mode.Mode)


@item(349, "theano.compile.mode.get_default_mode")
def test_get_default_mode():
    """The mode of functions that name none, to include and exclude from."""
    mode = theano.compile.mode.get_default_mode().including("local_remove_all_assert").excluding("fusion")
    same(run([x], T.exp(x) + 1, [0.0], mode=mode), [2])


@item(342, "theano.compile.MonitorMode")
def test_monitor_mode():
    """Calls functions before and after each apply."""
    seen = []
    mode = theano.compile.MonitorMode(pre_func=lambda i, node, fn: seen.append([v[0] for v in fn.inputs]))
    same(run([x], T.exp(x), [0.0], mode=mode.excluding("fusion")), [1])
    assert seen[0][0].tolist() == [0]


@item(343, "theano.compile.MonitorMode(post_func=)")
def test_monitor_mode_post():
    """With what the apply gave: where a nan comes from."""
    found = []

    def detect(i, node, fn):
        if any(numpy.isnan(v[0]).any() for v in fn.outputs):
            found.append(str(node.op))

    run([x], T.log(x), [-1.0], mode=theano.compile.MonitorMode(post_func=detect).excluding("fusion"))
    assert any("log" in name for name in found)


@item(350, "theano.compile.nanguardmode.NanGuardMode")
def test_nan_guard():
    """Raises where nan, infinity or a huge number comes up, and says at which apply."""
    mode = theano.compile.nanguardmode.NanGuardMode(nan_is_error=True, inf_is_error=True, big_is_error=True)
    f = theano.function([x], T.log(x), mode=mode)
    same(f([1.0]), [0])
    with pytest.raises(AssertionError, match="NaN detected"):
        f([-1.0])


def guarded(expression, value, **flags):
    return run([x], expression, [value], mode=theano.compile.nanguardmode.NanGuardMode(**flags))


@item(351, "theano.compile.nanguardmode.NanGuardMode(big_is_error=)")
def test_nan_guard_big():
    """Whether numbers beyond 1e10 are errors."""
    same(guarded(x * 1e9, 1e6, big_is_error=False), [1e15])
    with pytest.raises(AssertionError, match="[Bb]ig"):
        guarded(x * 1e9, 1e6, big_is_error=True)


@item(352, "theano.compile.nanguardmode.NanGuardMode(inf_is_error=)")
def test_nan_guard_inf():
    """Whether infinity is an error."""
    assert guarded(T.log(x), 0.0, inf_is_error=False, big_is_error=False) == -numpy.inf
    with pytest.raises(AssertionError, match="Inf detected"):
        guarded(T.log(x), 0.0, inf_is_error=True)


@item(353, "theano.compile.nanguardmode.NanGuardMode(nan_is_error=)")
def test_nan_guard_nan():
    """Whether nan is an error."""
    assert numpy.isnan(guarded(T.log(x), -1.0, nan_is_error=False))
    with pytest.raises(AssertionError, match="NaN detected"):
        guarded(T.log(x), -1.0, nan_is_error=True)


@item(87, "theano.printing.debugprint")
def test_debugprint(capsys, tmp_path):
    """A graph as lines of text: of a variable, a function, a list; to the terminal, a file or a string."""
    theano.printing.debugprint(T.exp(x) + y)
    assert capsys.readouterr().out.splitlines() == ["Elemwise{add,no_inplace} [id A] ''   ", " |Elemwise{exp,no_inplace} [id B] ''   ",
                                                    " | |x [id C]", " |y [id D]"]
    assert "[id A]" in theano.printing.debugprint(theano.function([x], x * 2), file="str")
    with open(tmp_path / "graph.txt", "w") as file:
        theano.printing.debugprint([x, y], file=file)
    assert (tmp_path / "graph.txt").read_text() == "x [id A]\ny [id B]\n"


@item(365, "theano.printing.debugprint(depth=)")
def test_debugprint_depth():
    """How far down."""
    assert len(theano.printing.debugprint(T.exp(T.log(x)), depth=2, file="str").splitlines()) == 2


@item(137, "theano.printing.pprint")
def test_pprint():
    """A graph as a formula."""
    assert theano.printing.pprint(T.exp(x) * y) == "(exp(x) * y)"


@item(190, "theano.pp")
def test_pp():
    """pprint under a shorter name."""
    assert theano.pp(x ** 2 - y) == "((x ** TensorConstant{2}) - y)"


@item(235, "theano.printing.Print")
def test_print(capfd):
    """Prints a value as the function runs, and passes it on."""
    same(run([x], theano.printing.Print("x is")(x) * 2, [1.0, 2]), [2, 4])
    assert "x is __str__ = [1. 2.]" in capfd.readouterr().out


def drawing(write, tmp_path):
    path = tmp_path / "graph.dot"
    write(str(path))
    text = path.read_text()
    assert "digraph" in text
    return text


@item(88, "theano.printing.pydotprint")
def test_pydotprint(tmp_path):
    """A picture of a graph: DOT, or by Graphviz an image."""
    drawing(lambda path: theano.printing.pydotprint(theano.function([x, y], T.exp(x) + y), path, format="dot"), tmp_path)


@item(116, "theano.printing.pydotprint(outfile=)")
def test_pydotprint_outfile(tmp_path):
    """Where it is written; the ending says as what."""
    theano.printing.pydotprint(x + y, outfile=str(tmp_path / "graph.svg"), format="svg")
    assert "<svg" in (tmp_path / "graph.svg").read_text()


@item(117, "theano.printing.pydotprint(var_with_name_simple=)")
def test_pydotprint_simple(tmp_path):
    """True draws variables with their names alone."""
    plain = drawing(lambda path: theano.printing.pydotprint(x + y, path, format="dot"), tmp_path)
    simple = drawing(lambda path: theano.printing.pydotprint(x + y, path, format="dot", var_with_name_simple=True), tmp_path)
    assert "name=x TensorType" in plain and "name=x TensorType" not in simple


@item(236, "theano.printing.pydotprint_variables")
def test_pydotprint_variables(tmp_path):
    """A picture of the graph of variables."""
    assert "x" in drawing(lambda path: theano.printing.pydotprint_variables(x + y, path, format="dot"), tmp_path)


@item(237, "theano.printing.pydotprint_variables(outfile=)")
def test_pydotprint_variables_outfile(tmp_path):
    """Where it is written."""
    theano.printing.pydotprint_variables(x + y, outfile=str(tmp_path / "graph.png"))
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


@item(238, "theano.printing.pydotprint_variables(var_with_name_simple=)")
def test_pydotprint_variables_simple(tmp_path):
    """As in pydotprint."""
    text = drawing(lambda path: theano.printing.pydotprint_variables(x + y, path, format="dot", var_with_name_simple=True), tmp_path)
    assert "name=x TensorType" not in text


@item(358, "theano.d3viz.d3viz")
def test_d3viz(tmp_path):
    """A page with a picture of the graph."""
    import theano.d3viz
    theano.d3viz.d3viz(theano.function([x], T.exp(x)), str(tmp_path / "graph.html"))
    text = (tmp_path / "graph.html").read_text()
    assert "<html" in text.lower() and "exp" in text


@item(340, "theano.__file__")
def test_file():
    """Where the package lies."""
    assert os.path.exists(theano.__file__) and theano.__file__.endswith(".py")


@item(341, "theano.__version__")
def test_version():
    """The release of Theano whose interface this is: scripts compare it."""
    assert theano.__version__ == "1.0.5"
