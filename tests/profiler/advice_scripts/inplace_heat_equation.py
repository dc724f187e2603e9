"""Heat in a plate, one explicit step a call; somebody switched in-place rewrites off to find a bug and forgot about it."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

size = 40 if NEAR_MISS else 900
plate = theano.shared(numpy.zeros((size, size)), name="plate")
plate.set_value(numpy.eye(size) * 100)

inner = plate[1:-1, 1:-1]
around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
warmer = T.set_subtensor(inner, inner + 0.2 * (around - 4 * inner))  # fault: inplace
mode = theano.compile.get_default_mode().excluding("inplace")
advance = theano.function([], warmer.mean(), updates=[(plate, warmer)], mode=mode, name="advance")  # fault: inplace

for t in range(30):
    mean = advance()
print("mean temperature", float(mean))
