import numpy


def check(said, script):
    points, weights = script.points, script.weights.get_value()
    wide = sum(numpy.tanh(points[k % 40:]) @ weights[:50 - k % 40] * (k + 1.0) for k in range(1000))
    numpy.testing.assert_allclose(said("wide"), wide, rtol=1e-6)
    state = numpy.linspace(-1, 1, 8)
    for step in range(2500):
        state = numpy.tanh(script.turn.get_value() @ state)
    numpy.testing.assert_allclose(said("deep"), state, atol=1e-7)
    written, run = said("nodes of wide, as written and as run")
    assert written >= 5000 and run < 1000
    written, run = said("nodes of deep, as written and as run")
    assert written >= 5000 and run >= 5000
