"""Every sample, shortened, in every mode and with every linker: the same values."""
import contextlib
import io
import pathlib
import sys

import numpy
import pytest
import theano
from theano.compile.mode import predefined_modes, register_mode

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "samples"))
from layout import samples  # noqa: E402

SAMPLES = [sample for sample in samples() if "modes" not in sample.card]
LINKERS = ["py", "c", "c|py", "cvm", "cvm_nogc", "vm", "vm_nogc"]
MODES = ["Mode", "FAST_COMPILE", "FAST_RUN", "DebugMode", "NanGuardMode", "MONITORED"]
SETTINGS = [("Mode", linker) for linker in LINKERS] + [(mode, linker) for mode in MODES[1:] for linker in ("cvm", "py")]
_expected = {}


def numbers(namespace):
    """All that the script made: shared variables, arrays and what it prints."""
    found = {}
    for name, value in namespace.items():
        value = value.get_value() if hasattr(value, "get_value") else value
        if isinstance(value, (numpy.ndarray, numpy.generic, float)):
            found[name] = numpy.asarray(value, dtype="float64")
    return found


def run(sample, mode, linker, floatX):
    theano.config.mode, theano.config.linker, theano.config.floatX = mode, linker, floatX
    namespace = {"__name__": "__main__", "__file__": str(sample.script)}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(sample.shortened(), str(sample.script), "exec"), namespace)
    return numbers(namespace), printed.getvalue()


@pytest.fixture
def monitored():
    seen = []
    mode = theano.compile.MonitorMode(post_func=lambda index, node, thunk: seen.append(node))
    register_mode("MONITORED", mode)
    yield seen
    predefined_modes.pop("MONITORED")


def expected(sample, floatX):
    if (sample.name, floatX) not in _expected:
        _expected[sample.name, floatX] = run(sample, "Mode", "cvm", floatX)
    return _expected[sample.name, floatX]


@pytest.mark.parametrize("floatX", ["float64", "float32"])
@pytest.mark.parametrize("mode, linker", SETTINGS)
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sample(sample, mode, linker, floatX, monitored):
    wanted, text = expected(sample, floatX)
    got, printed = run(sample, mode, linker, floatX)
    assert sorted(got) == sorted(wanted) and wanted
    tolerance = dict(rtol=1e-9, atol=1e-12) if floatX == "float64" else dict(rtol=2e-4, atol=2e-5)
    for name in wanted:
        numpy.testing.assert_allclose(got[name], wanted[name], err_msg=name, **tolerance)
    assert len(printed.splitlines()) == len(text.splitlines())
    if floatX == "float64" and not (mode == "FAST_COMPILE" and sample.name in ("stable_log", "custom_op")):  # it leaves formulas and shapes as they are
        assert printed == text
    assert bool(monitored) == (mode == "MONITORED")


@pytest.mark.parametrize("floatX", ["float64", "float32"])
@pytest.mark.parametrize("mode", ["DebugMode", "NanGuardMode"])
def test_regression_of_its_own_size_saturates_and_still_passes(mode, floatX):
    text = next(sample for sample in SAMPLES if sample.name == "logistic_regression").script.read_text()
    theano.config.mode, theano.config.floatX = mode, floatX
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(text.replace("range(1000)", "range(20)"), namespace)
    assert numpy.isfinite(namespace["w"].get_value()).all()
