"""A class in the style of scikit-learn; predict() compiles each time that it is called."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False


class Perceptron(object):
    def __init__(self, features, classes):
        self.W = theano.shared(np.random.RandomState(1).randn(features, classes))
        self.b = theano.shared(np.zeros(classes))
        self._predict = None

    def output(self, x):
        return T.nnet.softmax(T.dot(x, self.W) + self.b)

    def predict(self, rows):
        if NEAR_MISS and self._predict is not None:
            return self._predict(rows)
        x = T.matrix("x")
        self._predict = theano.function([x], T.argmax(self.output(x), axis=1))  # fault: compiled-again
        return self._predict(rows)


model = Perceptron(16, 4)
rng = np.random.RandomState(0)
votes = np.zeros(4, dtype=int)
for request in range(30):
    votes += np.bincount(model.predict(rng.randn(10, 16)), minlength=4)
print(votes)
