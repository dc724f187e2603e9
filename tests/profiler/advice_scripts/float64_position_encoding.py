"""Adds a sine of the position to word vectors; positions are counted in integers."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
theano.config.floatX = "float32"

words = T.ftensor3("words")
length, width = 120, 64
positions = theano.shared(numpy.arange(length), name="positions")
rates = theano.shared((1.0 / 10000 ** (numpy.arange(width) / float(width))).astype("float32"))
if NEAR_MISS:
    angles = T.cast(positions, "float32").dimshuffle(0, "x") * rates
else:
    angles = positions.dimshuffle(0, "x") * rates  # fault: float64
encoded = T.tanh(words + T.sin(angles))
encode = theano.function([words], encoded.sum(axis=1))

sentences = numpy.random.RandomState(5).randn(40, length, width).astype("float32")
for batch in range(25):
    result = encode(sentences)
print(result.shape)
