import numpy


def check(said, script):
    smooth = numpy.exp(-script.data ** 2)
    for band in range(script.bands):
        part = smooth[band::script.bands]
        smooth[band::script.bands] = numpy.tanh(part - part.mean(axis=0))
    numpy.testing.assert_allclose(said("values"), smooth.sum(), rtol=1e-6)
    copying, in_place = said("apply nodes that work in place")
    assert copying == 0 and in_place == script.bands
