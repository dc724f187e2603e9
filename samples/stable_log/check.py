import numpy


def check(said, script):
    x = script.points
    numpy.testing.assert_allclose(said("log(1 + exp(x))"), numpy.logaddexp(0, x), rtol=1e-8)
    numpy.testing.assert_allclose(said("log(1 - sigmoid(x))"), -numpy.logaddexp(0, x), rtol=1e-8)
    numpy.testing.assert_allclose(said("log(1 + x)"), numpy.log1p(x[2:5]))
    assert not numpy.isfinite(said("NumPy")).all(), "the written form fails in NumPy"
