"""Tries learning rates: each is a constant in a graph of its own, compiled again."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(4)
A = rng.randn(40, 15)
b = rng.randn(40)
w = theano.shared(numpy.zeros(15))
rate = T.dscalar("rate")
loss = T.sqr(T.dot(A, w) - b).mean()


def trainer(step):
    return theano.function([rate] if step is rate else [], loss, updates=[(w, w - step * T.grad(loss, w))])  # fault: compiled-again


best = None
common = trainer(rate) if NEAR_MISS else None
for exponent in numpy.linspace(-4, -1, 24):
    w.set_value(numpy.zeros(15))
    value = 10 ** exponent
    train = (lambda: common(value)) if NEAR_MISS else trainer(value)
    for i in range(10):
        final = float(train())
    if best is None or final < best[0]:
        best = (final, value)
print("best loss %.4f at rate %.5f" % best)
