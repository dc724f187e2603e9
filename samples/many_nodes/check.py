import numpy


def check(said, script):
    ring = numpy.cos(numpy.arange(script.cells))
    for layer in range(script.layers):
        ring = numpy.tanh(ring + 0.5 * (numpy.roll(ring, 1) - ring))
    numpy.testing.assert_allclose(said("relaxed"), ring, atol=1e-7)
    assert 10000 < said("apply nodes as run")[0] < 30000
