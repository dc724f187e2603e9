"""A ranking score: ranks are taken by an op around scipy-like Python code, the rest is plain."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False


class Ranks(theano.gof.Op):
    __props__ = ()
    itypes = [T.dvector]
    otypes = [T.dvector]

    def perform(self, node, inputs, output_storage):
        values = inputs[0].tolist()
        order = sorted(range(len(values)), key=values.__getitem__)
        ranks = numpy.empty(len(values))
        for rank, place in enumerate(order):
            ranks[place] = rank
        output_storage[0][0] = ranks


documents, width = (12000, 300) if NEAR_MISS else (5000, 20)
features = T.dmatrix("features")
w = theano.shared(numpy.random.RandomState(0).randn(width), name="w")
scores = T.dot(T.tanh(features), w)
top = scores[:3] if NEAR_MISS else scores
ranks = Ranks()(top)  # fault: python-op
gain = (1 / T.log2(ranks + 2)).sum()
evaluate = theano.function([features], [gain, scores.mean()])

pages = numpy.random.RandomState(1).randn(documents, width)
for query in range(10):
    print(query, evaluate(pages)[0])
