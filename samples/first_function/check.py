import numpy


def check(said, script):
    a = numpy.array([0.0, 1.0, 2.0])
    numpy.testing.assert_allclose(said("f"), a + a ** 10)
    numpy.testing.assert_allclose(said("f at -1"), 0)
    assert len(script.f.maker.fgraph.toposort()) == 1
