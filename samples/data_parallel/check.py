import numpy


def check(said, script):
    w = numpy.zeros(script.FEATURES)
    for _ in range(script.STEPS):
        miss = script.data @ w - script.target
        cost = numpy.log(numpy.cosh(miss)).sum() / script.ROWS
        w = w - script.RATE * numpy.tanh(miss) @ script.data / script.ROWS
    numpy.testing.assert_allclose(script.w.get_value(), w, rtol=1e-5, atol=1e-5)
    assert said("processes") == 1
    numpy.testing.assert_allclose(said("cost"), cost, atol=2e-6)
    numpy.testing.assert_allclose(said("farthest from the truth"), abs(w - script.true).max(), atol=2e-4)
