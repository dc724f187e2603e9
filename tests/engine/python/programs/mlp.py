#!/usr/bin/env python
"""An MLP with dropout masks as inputs, L2, momentum or adagrad, and snapshots by pickle. (Python 2.)"""
import cPickle as pickle
import sys
from collections import OrderedDict

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
theano.config.warn.subtensor_merge_bug = False


def relu(x):
    return T.switch(x < 0, 0, x)


class Layer(object):
    def __init__(self, rng, inp, n_in, n_out, activation=relu):
        w = rng.randn(n_in, n_out) * numpy.sqrt(2. / n_in)
        self.W = theano.shared(w.astype(floatX), name='W%d' % n_out)
        self.b = theano.shared(numpy.zeros(n_out, dtype=floatX), name='b%d' % n_out)
        lin = T.dot(inp, self.W) + self.b.dimshuffle('x', 0)
        self.output = lin if activation is None else activation(lin)
        self.params = [self.W, self.b]

    def __getstate__(self):
        return [p.get_value() for p in self.params]


def momentum(params, grads, lr, mu=0.9):
    updates = OrderedDict()
    for p, g in zip(params, grads):
        v = theano.shared(p.get_value() * 0., broadcastable=p.broadcastable)
        step = mu * v - lr * g
        updates[v] = step
        updates[p] = p + step
    return updates


def adagrad(params, grads, lr, eps=1e-6):
    updates = []
    for p, g in zip(params, grads):
        acc = theano.shared(numpy.zeros(p.get_value(borrow=True).shape, dtype=floatX))
        acc_new = acc + g ** 2
        updates.append((acc, acc_new))
        updates += [(p, p - lr * g / T.sqrt(acc_new + eps))]
    return updates


def build(rng, n_in, n_hidden, n_out, method):
    x = T.matrix('x')
    y = T.ivector('y')
    keep = T.matrix('keep')
    hidden = Layer(rng, x, n_in, n_hidden)
    dropped = hidden.output * keep / numpy.asarray(0.8, dtype=floatX)
    top = Layer(rng, dropped, n_hidden, n_out, activation=None)
    p = T.nnet.softmax(top.output)
    params = hidden.params + top.params
    l2 = sum([T.sum(w ** 2) for w in params if w.ndim == 2])
    cost = T.nnet.categorical_crossentropy(p, y).mean() + 0.001 * l2
    grads = [T.grad(cost, w) for w in params]
    norm = T.sqrt(sum(map(lambda g: T.sqr(g).sum(), grads)))
    grads = [T.switch(T.ge(norm, 1.), g / norm, g) for g in grads]
    updates = {'momentum': momentum, 'adagrad': adagrad}[method](params, grads, numpy.float32(0.1) if floatX == 'float32' else 0.1)
    train = theano.function([x, y, keep], [cost, norm], updates=updates)
    predict = theano.function([x], T.argmax(T.nnet.softmax(T.dot(hidden.output, top.W) + top.b), axis=-1))
    return train, predict, params, (hidden, top)


def iterate(n, size):
    for k in xrange(n / size):
        yield slice(k * size, (k + 1) * size)


def main():
    data_file, out_file, method = sys.argv[1], sys.argv[2], sys.argv[3]
    f = numpy.load(data_file)
    x, y = f['x'].astype(floatX), f['y'].astype('int32')
    rng = numpy.random.RandomState(7)
    train, predict, params, layers = build(rng, x.shape[1], 16, 3, method)
    log = []
    for epoch in xrange(6):
        for where in iterate(len(x), 15):
            keep = rng.binomial(1, 0.8, size=(15, 16)).astype(floatX)
            c, n = train(x[where], y[where], keep)
            log.append([c, n])
        print "epoch", epoch, "cost %.4f" % log[-1][0], "right %d of %d" % ((predict(x) == y).sum(), len(y))
    state = pickle.dumps([layer.__getstate__() for layer in layers], protocol=2)
    print len(pickle.loads(state)), "layers kept"
    numpy.savez(out_file, log=numpy.asarray(log), right=(predict(x) == y).mean(), **dict((p.name, p.get_value()) for p in params))


if __name__ == "__main__":
    main()
