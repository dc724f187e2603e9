"""Whitens images and corrects their gamma. Mean and scale come straight from numpy.mean and numpy.std."""
import numpy
import theano
from theano import tensor

NEAR_MISS = False
theano.config.floatX = "float32"

rng = numpy.random.RandomState(11)
pictures = rng.uniform(0, 255, size=(32, 64 * 64)).astype("float32")

mean_picture = numpy.asarray(pictures, dtype="float64").mean(axis=0)
if NEAR_MISS:
    mean_picture = mean_picture.astype("float32")
mean = theano.shared(mean_picture, name="mean")  # fault: float64

pixels = tensor.matrix("pixels")
gamma = tensor.scalar("gamma")
centred = (pixels - mean) / numpy.float32(128)
corrected = tensor.sgn(centred) * abs(centred) ** gamma
correct = theano.function([pixels, gamma], corrected, name="correct")

for g in (0.5, 0.7, 0.9, 1.1, 1.3, 1.7) * 5:
    bright = correct(pictures, numpy.float32(g))
print("brightest", float(bright.max()))
