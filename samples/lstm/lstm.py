"""An LSTM learns to remember: the first number of a sequence is to be told at its end, whatever came between."""
import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(4)
floatX = theano.config.floatX
steps, batch, units = 20, 32, 16


def sequences(count):
    data = rng.uniform(-1, 1, (steps, count, 2))
    data[:, :, 1] = 0
    data[0, :, 1] = 1  # the mark of what is worth remembering
    return data.astype(floatX), (data[0, :, 0] > 0).astype(floatX)


def weights(rows, columns, name):
    return theano.shared((rng.randn(rows, columns) / numpy.sqrt(rows)).astype(floatX), name=name)


W, U = weights(2, 4 * units, "W"), weights(units, 4 * units, "U")      # the four gates side by side
b = theano.shared(numpy.repeat([0, 1, 0, 0], units).astype(floatX), name="b")  # 1: forget nothing, to begin with
v = theano.shared(numpy.zeros(units, dtype=floatX), name="v")
parameters = [W, U, b, v]


def step(x_t, memory, hidden, U):
    gates = x_t + T.dot(hidden, U)
    admit, keep, tell = [T.nnet.sigmoid(gates[:, k * units:(k + 1) * units]) for k in range(3)]
    memory = keep * memory + admit * T.tanh(gates[:, 3 * units:])
    return memory, tell * T.tanh(memory)


x, first = T.tensor3("x"), T.vector("first")
nothing = T.zeros((x.shape[1], units))
(memories, hiddens), _ = theano.scan(step, sequences=T.dot(x, W) + b, outputs_info=[nothing, nothing],
                                           non_sequences=U, name="lstm")
guess = T.nnet.sigmoid(T.dot(hiddens[-1], v))
cost = T.nnet.binary_crossentropy(guess, first).mean()

updates = []  # RMSProp: each slope is measured by its own usual size
for p, slope in zip(parameters, T.grad(cost, parameters)):
    usual = theano.shared(numpy.zeros_like(p.get_value()), name="usual_" + p.name)
    square = 0.9 * usual + 0.1 * slope ** 2
    updates += [(usual, square), (p, p - 0.02 * slope / T.sqrt(square + 1e-6))]

train = theano.function([x, first], cost, updates=updates, name="train")
recall = theano.function([x], guess, name="recall")

for epoch in range(5):
    costs = [train(*sequences(batch)) for k in range(15)]
    print("epoch %d: cost %.4f" % (epoch, numpy.mean(costs)))

new, signs = sequences(200)
answers = recall(new)
print("remembered: %.0f %%" % (100 * ((answers > 0.5) == (signs > 0.5)).mean()))
