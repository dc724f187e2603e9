"""Softmax regression with minibatches out of shared data, early stopping and an error rate. (Python 2.)"""
import sys
import time
import cPickle

import numpy
import theano
import theano.tensor as T


class SoftmaxRegression(object):
    def __init__(self, input, n_in, n_out):
        self.W = theano.shared(value=numpy.zeros((n_in, n_out), dtype=theano.config.floatX), name='W', borrow=True)
        self.b = theano.shared(value=numpy.zeros((n_out,), dtype=theano.config.floatX), name='b', borrow=True)
        self.p_y_given_x = T.nnet.softmax(T.dot(input, self.W) + self.b)
        self.y_pred = T.argmax(self.p_y_given_x, axis=1)
        self.params = [self.W, self.b]

    def negative_log_likelihood(self, y):
        return -T.mean(T.log(self.p_y_given_x)[T.arange(y.shape[0]), y])

    def errors(self, y):
        if y.ndim != self.y_pred.ndim:
            raise TypeError('y should have the same shape as self.y_pred', ('y', y.type, 'y_pred', self.y_pred.type))
        if y.dtype.startswith('int'):
            return T.mean(T.neq(self.y_pred, y))
        raise NotImplementedError()


def shared_dataset(data_xy, borrow=True):
    data_x, data_y = data_xy
    shared_x = theano.shared(numpy.asarray(data_x, dtype=theano.config.floatX), borrow=borrow)
    shared_y = theano.shared(numpy.asarray(data_y, dtype=theano.config.floatX), borrow=borrow)
    return shared_x, T.cast(shared_y, 'int32')


def main(data_file, out_file, n_epochs=15, learning_rate=0.13, batch_size=20):
    train, valid = cPickle.load(open(data_file, 'rb'))
    train_set_x, train_set_y = shared_dataset(train)
    valid_set_x, valid_set_y = shared_dataset(valid)
    n_train_batches = train_set_x.get_value(borrow=True).shape[0] // batch_size
    n_valid_batches = valid_set_x.get_value(borrow=True).shape[0] // batch_size

    index = T.lscalar()
    x = T.matrix('x')
    y = T.ivector('y')
    classifier = SoftmaxRegression(input=x, n_in=train[0].shape[1], n_out=int(train[1].max()) + 1)
    cost = classifier.negative_log_likelihood(y)

    validate_model = theano.function(
        inputs=[index], outputs=classifier.errors(y),
        givens={x: valid_set_x[index * batch_size: (index + 1) * batch_size],
                y: valid_set_y[index * batch_size: (index + 1) * batch_size]})
    g_W = T.grad(cost=cost, wrt=classifier.W)
    g_b = T.grad(cost=cost, wrt=classifier.b)
    updates = [(classifier.W, classifier.W - learning_rate * g_W),
               (classifier.b, classifier.b - learning_rate * g_b)]
    train_model = theano.function(
        inputs=[index], outputs=cost, updates=updates,
        givens={x: train_set_x[index * batch_size: (index + 1) * batch_size],
                y: train_set_y[index * batch_size: (index + 1) * batch_size]})

    print '... training the model'
    start = time.clock() if hasattr(time, 'clock') else time.time()
    history = []
    best = numpy.inf
    for epoch in xrange(n_epochs):
        costs = [train_model(i) for i in xrange(n_train_batches)]
        loss = numpy.mean([validate_model(i) for i in xrange(n_valid_batches)])
        history.append((float(numpy.mean(costs)), float(loss)))
        print('epoch %i, cost %f, validation error %f %%' % (epoch + 1, history[-1][0], loss * 100.))
        if loss < best:
            best = loss
    print >> sys.stderr, 'best %.2f %%' % (best * 100.)
    numpy.savez(out_file, W=classifier.W.get_value(), b=classifier.b.get_value(), history=numpy.asarray(history))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])
