import numpy


def check(said, script):
    errors = said("epoch")[1::2]
    assert (numpy.diff(errors) < 0).all() and errors[-1] < 0.6 * errors[0]
    W, b, c = [parameter.get_value() for parameter in (script.W, script.b, script.c)]

    def energy(visible):
        return (-visible @ b - numpy.logaddexp(0, visible @ W + c).sum(axis=1)).mean()

    learned, noise = said("free energy of pictures and of noise")
    numpy.testing.assert_allclose([learned, noise], [energy(script.pictures), energy(script.noise)], atol=0.006)
    assert learned < noise
