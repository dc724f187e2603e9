"""A sum by scan, as in the first tutorial that one finds."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

values = T.dvector("values")
if NEAR_MISS:
    # A logistic map: each number needs the one before.
    result, updates = theano.scan(lambda v, last: 3.7 * last * (1 - last) + 1e-9 * v, sequences=values, outputs_info=numpy.float64(0.3))
else:
    result, updates = theano.scan(lambda v, total: total + v * v, sequences=values, outputs_info=numpy.float64(0))  # fault: loop
total = theano.function([values], result[-1], updates=updates)

numbers = numpy.random.RandomState(0).rand(4000)
for i in range(10):
    print(total(numbers))
