import numpy


def check(said, script):
    costs = said("epoch")[1::2]
    assert len(costs) == 10 and (numpy.diff(costs) < 0).all()
    W1, b1, W2, b2 = [parameter.get_value() for parameter in script.parameters]
    x, t = script.data[:script.batch], script.labels[:script.batch]
    scores = numpy.tanh(x @ W1 + b1) @ W2 + b2
    wanted = (numpy.log(numpy.exp(scores).sum(axis=1)) - (t * scores).sum(axis=1)).mean()
    numpy.testing.assert_allclose(script.step(x, t), wanted, rtol=1e-6)
    assert "Gemm{inplace}" in [str(node.op) for node in script.step.maker.fgraph.toposort()]
