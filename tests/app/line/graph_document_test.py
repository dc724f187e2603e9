"""Graphs of recorded scripts as documents, which are read again."""
import json

import pytest

SCRIPT = """
import numpy, theano, theano.tensor as T
x, w = T.dmatrix('x'), theano.shared(numpy.ones((4, 3)), name='w')
b = theano.shared(numpy.zeros(3), name='b')
h = T.nnet.softmax(T.dot(x, w) + b)
theano.function([x], [h, h.argmax(axis=1)], updates=[(b, b + h.sum(axis=0))], name='train')(numpy.ones((2, 4)))
steps, _ = theano.scan(lambda row, state: .5 * state + T.tanh(row), x, T.zeros_like(x[0]))
theano.function([x], T.grad(steps[-1].sum(), x), name='loop')(numpy.ones((5, 4)))
v = T.dvector('v')
theano.function([v], theano.OpFromGraph([v], [T.exp(v) * 2])(v + 1).sum() + v[::-1], name='inner')(numpy.ones(5))
theano.function([v], v * numpy.arange(2000.), name='large')(numpy.ones(2000))
"""


@pytest.fixture(scope="module")
def recorded(croton, tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    (folder / "s.py").write_text(SCRIPT)
    croton("profile", folder / "s.py", "-o", folder / "s.croton")
    return folder


@pytest.mark.parametrize("stage", ["original", "1", "optimized"])
@pytest.mark.parametrize("name", ["train", "loop", "inner"])
def test_a_graph_of_a_session_is_read_again(croton, recorded, name, stage):
    written = croton("graph", recorded / "s.croton", "--function", name, "--stage", stage, "--format", "json", "-o", recorded / "g.json")
    assert "lacks" not in written.stderr
    before = json.loads((recorded / "g.json").read_text())
    after = json.loads(croton("graph", recorded / "g.json", "--format", "json").stdout)
    ops = [sorted(json.dumps(apply["op"], sort_keys=True) for apply in graph["applies"]) for graph in (before, after)]
    assert len(ops[0]) > 1 and [text.count('"source"') for text in ops[0]] == [0] * len(ops[0])
    assert [json.loads(text)["name"] for text in ops[0]] == [json.loads(text)["name"] for text in ops[1]]
    assert len(before["outputs"]) == len(after["outputs"])


def test_a_constant_that_is_too_large_is_named(croton, recorded):
    written = croton("graph", recorded / "s.croton", "--function", "large", "--format", "json", "-o", recorded / "l.json")
    assert "lacks the value of variable" in written.stderr and "float64[1,2000]" in written.stderr or "float64[2000]" in written.stderr
    read = croton("graph", recorded / "l.json", check=False)
    assert read.returncode == 1
    assert "cannot be built again without the value of variable" in read.stderr
