import numpy


def check(said, script):
    x = numpy.linspace(-1, 1, 10 * 30 * 768)
    numpy.testing.assert_allclose(said("first and last"), numpy.exp(x[[0, -1]]), atol=1e-6)
    numpy.testing.assert_allclose(said("mean"), numpy.exp(x).mean(), atol=1e-6)
    assert said("the same in both")[0] == x.size
    wanted = "processor" if script.theano.config.device == "cpu" else "device"
    assert said.text("ran on the") == wanted
