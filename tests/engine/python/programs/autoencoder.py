# Denoising auto-encoder with tied weights; the corruption is drawn with NumPy and fed in. (Python 2.)
import os
import sys

import numpy as np
import theano
import theano.tensor as T
from theano import function, config, shared

floatX = config.floatX


def sharedX(value, name=None):
    return shared(np.asarray(value, dtype=floatX), name=name)


class dA:
    def __init__(self, n_visible, n_hidden, rng):
        bound = 4 * np.sqrt(6. / (n_hidden + n_visible))
        self.W = sharedX(rng.uniform(low=-bound, high=bound, size=(n_visible, n_hidden)), name='W')
        self.vbias = sharedX(np.zeros(n_visible), name='vbias')
        self.hbias = sharedX(np.zeros(n_hidden), name='hbias')
        self.W_prime = self.W.T
        self.x, self.mask = T.matrices('x', 'mask')
        self.params = [self.W, self.hbias, self.vbias]

    def get_hidden(self, inp):
        return T.nnet.sigmoid(T.dot(inp, self.W) + self.hbias)

    def get_reconstruction(self, hidden):
        return T.nnet.sigmoid(T.dot(hidden, self.W_prime) + self.vbias)

    def cost_updates(self, lr):
        z = self.get_reconstruction(self.get_hidden(self.mask * self.x))
        L = -T.sum(self.x * T.log(z) + (1 - self.x) * T.log(1 - z), axis=1)
        cost = T.mean(L)
        gparams = T.grad(cost, self.params)
        return cost, dict([(p, p - lr * g) for p, g in zip(self.params, gparams)])


if __name__ == '__main__':
    data_file, out_file = sys.argv[1:3]
    data = np.load(data_file)['x'].astype(floatX)
    rng = np.random.RandomState(123)
    model = dA(data.shape[1], 12, rng)
    lr = T.scalar('lr')
    cost, updates = model.cost_updates(lr)
    train = function([model.x, model.mask, theano.Param(lr, default=0.1) if not hasattr(theano, 'In') else theano.In(lr, value=0.1)],
                     cost, updates=updates, name='train')
    encode = function([model.x], model.get_hidden(model.x))
    costs = []
    for epoch in range(8):
        c = []
        for start in range(0, len(data), 10):
            batch = data[start:start + 10]
            keep = (rng.uniform(size=batch.shape) > 0.3).astype(floatX)
            c.append(train(batch, keep))
        costs.append(np.mean(c))
        print 'Training epoch %d, cost' % epoch, costs[-1]
    code = encode(data)
    print "code:", code.shape, code.dtype, os.path.basename(out_file)
    np.savez(out_file, W=model.W.get_value(), hbias=model.hbias.get_value(), vbias=model.vbias.get_value(), costs=costs, code=code)
