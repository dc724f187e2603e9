"""A running mean, one number a call."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

x = T.dscalar("x")
count = theano.shared(0.0)
mean = theano.shared(0.0)
values = numpy.random.RandomState(0).exponential(size=12000)

if NEAR_MISS:
    everything = T.dvector("everything")
    average = theano.function([everything], everything.mean())
    print(average(values))
else:
    see = theano.function([x], [], updates=[(count, count + 1), (mean, mean + (x - mean) / (count + 1))])  # fault: small-calls
    for value in values:
        see(value)  # fault: small-calls
    print(mean.get_value())
