"""The logistic function as people write it, and what it must be: shared by the tests of numerical stability."""
import numpy as np

import croton.tensor as T


def sigmoid(x):
    return np.where(x >= 0, 1, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x)))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def named(z):
    e = T.exp(z)
    return e / (1. + e)


def named_last(z):
    e = T.exp(z)
    return e / (e + 1)


def named_inverse(z):
    e = T.exp(-z)
    return 1 / (1 + e)


LOGISTIC = {
    "sigmoid": T.nnet.sigmoid,
    "1/(1+exp(-z))": lambda z: 1 / (1 + T.exp(-z)),
    "1.0/(exp(-z)+1.0)": lambda z: 1.0 / (T.exp(-z) + 1.0),
    "inv(1+exp(-z))": lambda z: T.inv(1 + T.exp(-z)),
    "(1+exp(-z))**-1": lambda z: (1 + T.exp(-z)) ** -1,
    "1/(1+e)": named_inverse,
    "1/(1+1/exp(z))": lambda z: 1 / (1 + 1 / T.exp(z)),
    "1/(1+inv(exp(z)))": lambda z: 1 / (1 + T.inv(T.exp(z))),
    "1/(1+exp(z)**-1)": lambda z: 1 / (1 + T.exp(z) ** -1),
    "exp(z)/(1+exp(z))": lambda z: T.exp(z) / (1 + T.exp(z)),
    "exp(z)/(exp(z)+1)": lambda z: T.exp(z) / (T.exp(z) + 1),
    "exp(z)*inv(1+exp(z))": lambda z: T.exp(z) * T.inv(1 + T.exp(z)),
    "exp(z)*(1+exp(z))**-1": lambda z: T.exp(z) * (1 + T.exp(z)) ** -1,
    "e/(1.+e)": named,
    "e/(e+1)": named_last,
    "exp(z)/(exp(0*z)+exp(z))": lambda z: T.exp(z) / (T.exp(0 * z) + T.exp(z)),
    "exp(z)/(exp(z)+exp(0*z))": lambda z: T.exp(z) / (T.exp(z) + T.exp(0 * z)),
    "exp(z)/(exp(z)+exp(zeros))": lambda z: T.exp(z) / (T.exp(z) + T.exp(T.zeros_like(z))),
    "exp(z/2)/(exp(z/2)+exp(-z/2))": lambda z: T.exp(z / 2) / (T.exp(z / 2) + T.exp(-z / 2)),
    "1-1/(1+exp(z))": lambda z: 1 - 1 / (1 + T.exp(z)),
    "1-inv(exp(z)+1)": lambda z: 1 - T.inv(T.exp(z) + 1),
    "1-exp(-z)/(1+exp(-z))": lambda z: 1 - T.exp(-z) / (1 + T.exp(-z)),
    "(1+tanh(z/2))/2": lambda z: (1 + T.tanh(z / 2)) / 2,
    "0.5*(1+tanh(0.5*z))": lambda z: 0.5 * (1 + T.tanh(0.5 * z)),
    "0.5+0.5*tanh(z/2)": lambda z: 0.5 + 0.5 * T.tanh(z / 2),
    "tanh(z/2)/2+0.5": lambda z: T.tanh(z / 2) / 2 + 0.5,
    "1-(1-tanh(z/2))/2": lambda z: 1 - (1 - T.tanh(z / 2)) / 2,
    "exp(-softplus(-z))": lambda z: T.exp(-T.nnet.softplus(-z)),
    "exp(-log(1+exp(-z)))": lambda z: T.exp(-T.log(1 + T.exp(-z))),
}
