"""k-means: similarities of points and centres by a sum over a broadcast product."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(10)
points = T.matrix("points")
centres = theano.shared(rng.randn(20, 60), name="centres")

if NEAR_MISS:
    similar = T.dot(points, centres.T)
else:
    similar = (points.reshape((-1, 1, 6, 10)) * centres.reshape((1, -1, 6, 10))).sum(axis=(2, 3))  # fault: no-blas
distance = T.sqr(centres).sum(axis=1) - 2 * similar
nearest = T.argmin(distance, axis=1)
assign = theano.function([points], nearest)

cloud = rng.randn(1500, 60)
for i in range(15):
    belongs = assign(cloud)
    centres.set_value(numpy.array([cloud[belongs == k].mean(axis=0) if (belongs == k).any() else cloud[k] for k in range(20)]))
print(numpy.bincount(belongs))
