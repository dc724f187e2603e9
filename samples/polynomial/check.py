import numpy


def check(said, script):
    assert said("1 + 0*3 + 2*9, by scan")[-1] == numpy.polyval([2, 0, 1], 3)
    assert said("1 + 0*3 + 2*9, by reduction")[-1] == numpy.polyval([2, 0, 1], 3)
    numpy.testing.assert_allclose(said("2,000 terms"), numpy.polyval(script.terms[::-1], 0.5), rtol=1e-8)
