"""A restricted Boltzmann machine learns bars and stripes, by contrastive divergence: chance and a loop in one graph."""
import itertools

import numpy
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = numpy.random.RandomState(2)
streams = MRG_RandomStreams(seed=2)
floatX = theano.config.floatX
side, hidden, rate = 4, 24, 0.1

# All pictures of 4 x 4 whose rows, or whose columns, are each all on or all off.
rows = [numpy.repeat(bits, side) for bits in itertools.product([0, 1], repeat=side)]
columns = [numpy.tile(bits, side) for bits in itertools.product([0, 1], repeat=side)]
pictures = numpy.array(rows + columns, dtype=floatX)

W = theano.shared((0.1 * rng.randn(side * side, hidden)).astype(floatX), name="W")
b = theano.shared(numpy.zeros(side * side, dtype=floatX), name="b")
c = theano.shared(numpy.zeros(hidden, dtype=floatX), name="c")


def coin(chance):
    return streams.binomial(size=chance.shape, p=chance, dtype=floatX)


def gibbs(visible):
    """Up to the hidden units and down again; the chance of each dot, and dots drawn by it."""
    chance = T.nnet.sigmoid(T.dot(coin(T.nnet.sigmoid(T.dot(visible, W) + c)), W.T) + b)
    return chance, coin(chance)


def free_energy(visible):
    return -T.dot(visible, b) - T.nnet.softplus(T.dot(visible, W) + c).sum(axis=1)


visible = T.matrix("visible")
(chances, dreams), updates = theano.scan(gibbs, outputs_info=[None, visible], n_steps=3, name="gibbs")
dream = theano.gradient.disconnected_grad(dreams[-1])
cost = free_energy(visible).mean() - free_energy(dream).mean()
for parameter, slope in zip([W, b, c], T.grad(cost, [W, b, c])):
    updates[parameter] = parameter - rate * slope
error = -(visible * T.log(chances[0]) + (1 - visible) * T.log(1 - chances[0])).sum(axis=1).mean()

train = theano.function([visible], error, updates=updates, name="train")
energy = theano.function([visible], free_energy(visible), name="free_energy")

for epoch in range(6):
    errors = [train(pictures) for step in range(100)]
    print("epoch %d: reconstruction error %.2f" % (epoch, numpy.mean(errors)))

noise = rng.randint(0, 2, size=(200, side * side)).astype(floatX)
print("free energy of pictures and of noise: %.2f %.2f" % (energy(pictures).mean(), energy(noise).mean()))
