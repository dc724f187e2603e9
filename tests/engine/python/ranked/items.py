"""Items of Theano's interface, ranked by how many of the scripts that were counted use them: one test each, and a page of the documentation."""
import ast
import pathlib

import numpy


def item(rank, name):
    """Marks the test of an item; its docstring says, to whoever reads the documentation, what holds."""
    import pytest

    return pytest.mark.item(rank, name)


def listed():
    """(rank, name, what holds) of every test here, without importing them: the documentation is made from this."""
    rows = []
    for file in sorted(pathlib.Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(file.read_text()).body:
            for mark in getattr(node, "decorator_list", ()):
                if isinstance(mark, ast.Call) and getattr(mark.func, "id", None) == "item":
                    rank, name = (ast.literal_eval(argument) for argument in mark.args)
                    rows.append((rank, name, " ".join((ast.get_docstring(node) or "").split())))
    return sorted(rows)


def run(inputs, outputs, *values, **keywords):
    """Compiled and called."""
    import theano

    return theano.function(inputs, outputs, **keywords)(*values)


def same(found, wanted, dtype=None):
    """Equal to some digits, in shape, and in dtype where that is asked."""
    wanted = numpy.asarray(wanted)
    assert numpy.shape(found) == wanted.shape
    if dtype:
        assert numpy.asarray(found).dtype == dtype
    tolerance = 1e-5 if numpy.asarray(found).dtype == numpy.float32 else 1e-9
    numpy.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
