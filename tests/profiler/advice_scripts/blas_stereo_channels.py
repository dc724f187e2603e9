"""A bank of filters on every second column of a table (the left channel of interleaved sound)."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False

rng = np.random.RandomState(0)
both = T.matrix("both")
filters = theano.shared(rng.randn(600, 3), name="filters")
if NEAR_MISS:
    left = both[:, :600]
else:
    left = both[:, ::2]
response = T.dot(left, filters)  # fault: blas-layout
power = theano.function([both], T.sqr(response).sum(axis=0))

sound = rng.randn(1500, 1200)
for second in range(20):
    p = power(sound)
print(p)
