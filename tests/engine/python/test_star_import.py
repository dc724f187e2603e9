"""`from theano… import *`: what a script has then under names that it, Python or theano itself had before."""
import builtins
import subprocess
import sys

import pytest

import theano
import theano.tensor as T

# What Theano's module of tensors put in the place of Python's own.
TAKEN = {"all", "any", "compile", "complex", "divmod", "max", "min", "pow", "round", "sum", "type"}


def starred(*modules):
    namespace = {}
    exec("\n".join("from %s import *" % module for module in modules), namespace)
    return {name: value for name, value in namespace.items() if not name.startswith("__")}


@pytest.mark.parametrize("module", ["theano.tensor", "theano.tensor.basic"])
def test_only_the_names_of_python_that_theano_took_are_taken(module):
    assert {name for name in starred(module) if hasattr(builtins, name)} <= TAKEN


def test_the_functions_of_theano_stay_what_they_are():
    both = starred("theano", "theano.tensor", "theano.tensor.nnet", "theano.gradient")
    for name in ["function", "shared", "grad", "scan", "clone", "In", "Out", "Param", "Mode", "printing", "config", "gof", "OpFromGraph"]:
        assert both[name] is getattr(theano, name), name
    x = both["vector"]("x")
    assert list(both["function"]([x], abs(x))([-1.0, 2.0])) == [1, 2] and abs(-3) == 3


def test_helpers_of_croton_are_not_among_them():
    names = starred("theano.tensor")
    assert not {"listed", "methods", "parameters", "functions", "built", "json", "inspect"} & set(names)
    assert {"nnet", "signal", "np", "matrix", "dot", "grad", "shared_randomstreams", "TensorType"} <= set(names)
    assert names["var"] is T.var and T.var(T.vector()).ndim == 0  # a function, as in Theano, and not the module
    assert T.abs(T.scalar()).ndim == 0 and T.expand_dims(T.vector(), 0).ndim == 2  # by name they are there


def test_no_module_leaks_what_it_imported_under_another_name():
    odd = [name for name, value in starred("theano.tensor", "theano.gradient").items()
           if getattr(value, "__module__", "") == "croton.gradient" and callable(value) and value.__name__ != name]
    assert set(odd) <= {"R_op", "L_op", "consider_constant_", "zero_grad_"}


def test_all_of_a_script_that_takes_all(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from theano import *\nfrom theano.tensor import *\nimport numpy\n"
                      "x = dmatrix('x')\nf = function([x], [sum(abs(x)), abs(-2) * x.max()])\nprint(*f(numpy.eye(2)))\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout.split() == ["2.0", "2.0"], done.stderr
