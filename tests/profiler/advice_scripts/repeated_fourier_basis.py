"""Fourier coefficients: the basis is made of sines of constants in each call."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False

samples, waves = 1000, 150
times = theano.shared(np.linspace(0, 2 * np.pi, samples), name="times")
numbers = theano.shared(np.arange(1.0, waves + 1), name="numbers")
signal = T.vector("signal")

basis = T.sin(numbers.dimshuffle(0, "x") * times)  # fault: repeated-work
if NEAR_MISS:
    kept = theano.shared(theano.function([], basis)(), name="basis")
    transform = theano.function([signal], T.dot(kept, signal))
else:
    transform = theano.function([signal], T.dot(basis, signal))

for hertz in range(1, 31):
    spectrum = transform(np.sin(hertz * np.linspace(0, 2 * np.pi, samples)))
print(spectrum.argmax() + 1)
