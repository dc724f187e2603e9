"""One polynomial, two graphs: summed up in a loop, and as one reduction over all terms."""
import numpy
import theano
import theano.tensor as T

coefficients = T.vector("coefficients")
x = T.scalar("x")
exponents = T.arange(coefficients.shape[0], dtype=theano.config.floatX)

total, updates = theano.scan(lambda coefficient, exponent, so_far, x: so_far + coefficient * x ** exponent,
                             sequences=[coefficients, exponents], outputs_info=T.zeros_like(x), non_sequences=x)
by_scan = theano.function([coefficients, x], total[-1], updates=updates, name="by_scan")
by_reduction = theano.function([coefficients, x], T.sum(coefficients * x ** exponents), name="by_reduction")

print("1 + 0*3 + 2*9, by scan: %s" % by_scan([1, 0, 2], 3))
print("1 + 0*3 + 2*9, by reduction: %s" % by_reduction([1, 0, 2], 3))

# The same work, 2,000 terms at a time: the profile says what a step of a loop costs beside an element of a reduction.
terms = numpy.linspace(1, 2, 2000).astype(theano.config.floatX)
for call in range(20):
    looped, reduced = by_scan(terms, 0.5), by_reduction(terms, 0.5)
print("2,000 terms: %.9f %.9f" % (looped, reduced))
