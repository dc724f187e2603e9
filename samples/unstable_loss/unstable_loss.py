"""A clip that was meant to protect a loss hides it from the compiler, and then it is infinite."""
import numpy
import theano
import theano.tensor as T

scores = T.dmatrix("scores")
wanted = T.lvector("wanted")
rows = T.arange(scores.shape[0])

probability = T.nnet.softmax(scores)
written = -T.log(probability[rows, wanted]).mean()               # repaired by the compiler
clipped = -T.log(T.clip(probability, 0, 1)[rows, wanted]).mean()  # not seen through: log of a probability that is 0
by_hand = -T.nnet.logsoftmax(scores)[rows, wanted].mean()        # no probability is ever formed


def compiled(loss, name, mode=None):
    return theano.function([scores, wanted], [loss, T.grad(loss, scores)], mode=mode, name=name)


certain_and_wrong = numpy.array([[1000.0, 0.0, 0.0], [0.0, 1.0, 2.0]])
answers = numpy.array([1, 1])
for loss, name in [(written, "as_written"), (clipped, "clipped"), (by_hand, "by_hand")]:
    cost, slope = compiled(loss, name)(certain_and_wrong, answers)
    print("%s: %.6f" % (name, cost))
    print("slope of %s: %s" % (name, slope.ravel().round(6)))

cost, slope = compiled(written, "not_rewritten", mode="FAST_COMPILE")(certain_and_wrong, answers)
print("as written, without the rewrites: %.6f" % cost)

try:  # who was it? This mode looks at what every apply makes.
    compiled(clipped, "watched", mode="NanGuardMode")(certain_and_wrong, answers)
except AssertionError as error:
    print("NanGuardMode: " + str(error).splitlines()[0])
