"""softmax, crossentropies, activations."""
import numpy

from croton import _core
from croton.compile.rewriting import engine_rewrite
from croton.tensor import basic
from croton.tensor.basic import as_tensor_variable
from croton.tensor.extra_ops import unique
from croton.tensor.nnet.sigm import hard_sigmoid, sigmoid, softplus, ultra_fast_sigmoid
from croton.tensor.opclasses import (CrossentropyCategorical1Hot, CrossentropyCategorical1HotGrad,
                                     CrossentropySoftmax1HotWithBiasDx, CrossentropySoftmaxArgmax1HotWithBias, LogSoftmax,
                                     Softmax, SoftmaxGrad, SoftmaxWithBias)


def softmax(c):
    """exp(c) over its sum, row by row; a vector counts as one row."""
    c = as_tensor_variable(c)
    if c.ndim > 2:
        raise ValueError("softmax takes a matrix or a vector, got %d dimensions: reshape it to a matrix first" % c.ndim)
    return _core.softmax(c)


def softmax_graph(c):
    """softmax written out."""
    c = as_tensor_variable(c)
    return basic.exp(c) / basic.sum(basic.exp(c), axis=1, keepdims=True)


def softmax_with_bias(x, b):
    return softmax(as_tensor_variable(x) + b)


def logsoftmax(c):
    """log(softmax(c)) without losing small probabilities."""
    return _core.logsoftmax(as_tensor_variable(c))


def crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx, **kwargs):
    """(negative log-likelihoods, softmax, argmax) of x + b for the classes y_idx."""
    return _core.crossentropy_softmax_argmax(as_tensor_variable(x), as_tensor_variable(b), as_tensor_variable(y_idx))


def crossentropy_softmax_1hot_with_bias(x, b, y_idx, **kwargs):
    return crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx)[0:2]


def crossentropy_softmax_1hot(x, y_idx, **kwargs):
    x = as_tensor_variable(x)
    return crossentropy_softmax_1hot_with_bias(x, basic.zeros_like(x[0, :]), y_idx)


def crossentropy_softmax_max_and_argmax_1hot_with_bias(x, b, y_idx, **kwargs):
    nll, probabilities, where = crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx)
    return [nll, probabilities, basic.max(probabilities, axis=1), where]


def crossentropy_softmax_max_and_argmax_1hot(x, y_idx, **kwargs):
    x = as_tensor_variable(x)
    return crossentropy_softmax_max_and_argmax_1hot_with_bias(x, basic.zeros_like(x[0, :]), y_idx)


def crossentropy_categorical_1hot(coding_dist, true_one_of_n):
    return _core.categorical_crossentropy(as_tensor_variable(coding_dist), as_tensor_variable(true_one_of_n))


def categorical_crossentropy(coding_dist, true_dist):
    """-Σ t log p a row; true_dist is a matrix of distributions or a vector of class numbers."""
    coding_dist, true_dist = as_tensor_variable(coding_dist), as_tensor_variable(true_dist)
    if true_dist.ndim == coding_dist.ndim:
        return crossentropy_categorical_1hot(coding_dist, true_dist)
    if true_dist.ndim == coding_dist.ndim - 1:
        if coding_dist.ndim == 2:
            return crossentropy_categorical_1hot(coding_dist, true_dist)
        flat = basic.reshape(coding_dist, (-1, coding_dist.shape[coding_dist.ndim - 1]), ndim=2)
        return basic.reshape(crossentropy_categorical_1hot(flat, basic.flatten(true_dist)), true_dist.shape, ndim=true_dist.ndim)
    raise TypeError("rank mismatch between coding and true distributions: %d and %d dimensions" % (coding_dist.ndim, true_dist.ndim))


def binary_crossentropy(output, target):
    """-(t log o + (1 - t) log(1 - o))"""
    return _core.binary_crossentropy(output, target)


def sigmoid_binary_crossentropy(output, target):
    """The same for sigmoid(output), without overflow."""
    return _core.sigmoid_binary_crossentropy(output, target)


def relu(x, alpha=0):
    """max(0, x), with a slope below 0 if alpha is given. Of an array of NumPy and no slope it is an array."""
    if isinstance(alpha, (int, float)) and alpha == 0:
        return 0.5 * (x + abs(x)) if isinstance(x, (numpy.ndarray, numpy.generic)) else _core.relu(x)
    return _core.relu(x, alpha)


def elu(x, alpha=1):
    """x above 0, alpha (exp(x) - 1) below."""
    return _core.elu(x, alpha)


def selu(x):
    return _core.selu(x)


def softsign(x):
    """x / (1 + |x|)"""
    return _core.softsign(x)


def confusion_matrix(actual, pred):
    """[counts of (actual, predicted), the classes]"""
    actual, pred = as_tensor_variable(actual), as_tensor_variable(pred)
    if actual.ndim != 1 or pred.ndim != 1:
        raise ValueError("confusion_matrix takes two vectors")
    order = unique(basic.concatenate([actual, pred]))
    rows = basic.cast(basic.eq(actual.dimshuffle(0, "x"), order.dimshuffle("x", 0)), "int64")
    cols = basic.cast(basic.eq(pred.dimshuffle(0, "x"), order.dimshuffle("x", 0)), "int64")
    return [basic.dot(rows.T, cols), order]


def prepend_scalar_to_each_row(val, mat):
    column = basic.alloc(basic.cast(val, mat.dtype), mat.shape[0], 1)
    return basic.concatenate([column, mat], axis=1)


def prepend_0_to_each_row(mat):
    return prepend_scalar_to_each_row(0, as_tensor_variable(mat))


def prepend_1_to_each_row(mat):
    return prepend_scalar_to_each_row(1, as_tensor_variable(mat))


def h_softmax(x, batch_size, n_outputs, n_classes, n_outputs_per_class, W1, b1, W2, b2, target=None):
    """Softmax in two levels: class, then output in the class."""
    class_probs = softmax(basic.dot(x, W1) + b1)
    if target is None:
        activations = basic.tensordot(x, W2, (1, 1)) + b2
        flat = basic.reshape(activations, (-1, n_outputs_per_class), ndim=2)
        output_probs = basic.reshape(softmax(flat), (batch_size, n_classes, -1), ndim=3)
        output_probs = class_probs.dimshuffle(0, 1, "x") * output_probs
        return basic.reshape(output_probs, (batch_size, -1), ndim=2)[:, :n_outputs]
    target = basic.flatten(target)
    target_class = target // n_outputs_per_class
    target_output = target % n_outputs_per_class
    activations = basic.batched_dot(x.dimshuffle(0, "x", 1), W2[target_class])[:, 0, :] + b2[target_class]
    inside = softmax(activations)
    rows = basic.arange(batch_size)
    return class_probs[rows, target_class] * inside[rows, target_output]


def Prepend_scalar_to_each_row():
    """A column of a number in front of a matrix."""
    return lambda val, mat: basic.concatenate([basic.alloc(basic.cast(val, mat.dtype), mat.shape[0], 1), mat], axis=1)


def Prepend_scalar_constant_to_each_row(val=0):
    return lambda mat: Prepend_scalar_to_each_row()(val, mat)


def __getattr__(name):
    return engine_rewrite("theano.tensor.nnet.nnet", name)
