import numpy


def check(said, script):
    values = script.w.get_value(), script.b.get_value()
    z = script.data @ values[0] + values[1]
    assert ((z > 0) == script.predict(script.data)).all()
    steps, cost, right = said("after")
    assert steps == 1000 and cost < 0.2 and right > 99
    numpy.testing.assert_allclose(right, 100 * ((z > 0) == script.labels).mean(), atol=0.05)
    assert sum(str(node.op).startswith("CGemv") for node in script.train.maker.fgraph.toposort()) == 2
