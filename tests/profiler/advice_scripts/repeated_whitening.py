"""Whitening of patches: mean and covariance of the training set are computed anew for each batch."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(2)
everything = rng.randn(20 if NEAR_MISS else 6000, 48)
training = theano.shared(everything, name="training")
patches = T.matrix("patches")

mean = training.mean(axis=0)
centred = training - mean
covariance = T.dot(centred.T, centred) / training.shape[0]  # fault: repeated-work
whitened = T.tanh(T.dot(patches - mean, covariance))
whiten = theano.function([patches], whitened, name="whiten")

batch_size = 4000 if NEAR_MISS else 16
for batch in range(20):
    result = whiten(rng.randn(batch_size, 48))
print(result.std())
