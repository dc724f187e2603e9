"""The script that pages call train.py."""
import numpy
import theano
import theano.tensor as T

x = T.fvector("x")
w = theano.shared(numpy.ones(50, "float32"), "w")
train = theano.function([x], T.exp(x - w).sum(), updates=[(w, w * numpy.float32(0.5))], name="train")
for step in range(3):
    train(numpy.zeros(50, "float32"))
