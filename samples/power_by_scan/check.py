import numpy


def check(said, script):
    base = numpy.arange(10.0)
    numpy.testing.assert_allclose(said("squares"), base ** 2)
    numpy.testing.assert_allclose(said("cubes"), base ** 3)
    numpy.testing.assert_allclose(said("powers of two"), 2.0 ** numpy.arange(1, 9))
    numpy.testing.assert_allclose(said("slope of a cube"), 3 * base ** 2)
