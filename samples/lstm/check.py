import numpy


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def check(said, script):
    costs = said("epoch")[1::2]
    assert costs[-1] < 0.5 * costs[0] and said("remembered")[0] > 90
    W, U, b, v = [parameter.get_value() for parameter in script.parameters]
    memory = hidden = numpy.zeros((script.new.shape[1], script.units))
    for x in script.new:
        admit, keep, tell, offered = numpy.split(x @ W + b + hidden @ U, 4, axis=1)
        memory = sigmoid(keep) * memory + sigmoid(admit) * numpy.tanh(offered)
        hidden = sigmoid(tell) * numpy.tanh(memory)
    numpy.testing.assert_allclose(script.answers, sigmoid(hidden @ v), atol=1e-4)
