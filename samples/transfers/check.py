import numpy


def check(said, script):
    numpy.testing.assert_allclose(said("sums"), numpy.exp(-script.data.astype("float64")).sum(), rtol=1e-5)
    on_device = script.theano.config.device != "cpu"
    assert list(said("arrays that travel in a call")) == ([2, 0] if on_device else [0, 0])
