"""What debugprint writes behind its lines, and graphs that it is read from."""
import numpy
import pytest
import theano
import theano.tensor as T


def text_of(function, **options):
    return theano.printing.debugprint(function, file="str", **options)


def test_storage():
    x, w = T.dvector("x"), theano.shared(numpy.array([2.0, 3.0]), name="w")
    f = theano.function([x], T.exp(x * w).sum() + 7)
    lines = text_of(f, print_storage=True).splitlines()
    assert any("w [id" in line and line.endswith(" [array([2., 3.])]") for line in lines)
    assert any("TensorConstant{7.0}" in line and line.endswith(" [array(7.)]") for line in lines)
    assert "array" not in text_of(f)


def test_clients():
    x = T.dvector("x")
    f = theano.function([x], [T.sort(x).sum(), T.sort(x).prod()])
    order = f.maker.fgraph.toposort()
    sort = next(node for node in order if "Sort" in str(node.op))
    readers = [(order.index(node), place) for node, place in f.maker.fgraph.clients(sort.outputs[0])]
    line = next(line for line in text_of(f, print_clients=True).splitlines() if "SortOp" in line)
    assert len(readers) == 2 and line.endswith(" clients:%s" % readers)
    assert "clients" not in text_of(f)


def test_times_of_a_profiled_function(monkeypatch):
    monkeypatch.setattr(theano.compile.profiling, "_printed", [])
    x = T.dvector("x")
    f = theano.function([x], T.sort(T.exp(x)).sum(), profile=True)
    assert "-->" not in text_of(f)
    f(numpy.ones(3))
    text = text_of(f)
    assert text.startswith("\nTiming Info\n-----------\n--> <time> <% time> - <total time> <% total time>'")
    totals = f.profile.compute_total_times()
    for apply, seconds in f.profile.apply_time.items():
        before = sum(totals[variable.owner] for variable in apply.inputs if variable.owner)
        assert totals[apply] == pytest.approx(seconds + before)
        line = next(line for line in text.splitlines() if str(apply.op) + " [id" in line)
        assert " --> %8.2es " % seconds in line
    theano.compile.profiling._printed.clear()
