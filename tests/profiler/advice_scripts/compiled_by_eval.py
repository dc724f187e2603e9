"""A physicist's script: the energy of a chain of spins at many temperatures, looked at with .eval()."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

spins = numpy.sign(numpy.random.RandomState(12).randn(200))
temperature = T.dscalar("temperature")


def boltzmann(t):
    energy = -(spins[1:] * spins[:-1] * T.exp(-1.0 / t)).sum()
    return T.exp(-energy / (200 * t))


weight = theano.function([temperature], boltzmann(temperature))
for t in numpy.arange(1.0, 4.0, 0.1):
    if NEAR_MISS:
        value = weight(t)
    else:
        value = boltzmann(T.constant(t)).eval()  # fault: compiled-again
    print("%.1f %.4f" % (t, value))
