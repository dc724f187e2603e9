"""Word vectors of a skip-gram model: the new table is returned and put back by the script."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

vocabulary, width = 20000, 50
table = theano.shared(numpy.random.RandomState(0).uniform(-0.1, 0.1, (vocabulary, width)), name="table")
words = T.lvector("words")
context = T.lvector("context")

near = table[words]
far = table[context]
cost = -T.log(T.nnet.sigmoid((near * far).sum(axis=1))).mean()
new_table = T.inc_subtensor(near, -0.1 * T.grad(cost, near))  # fault: inplace
if NEAR_MISS:
    train = theano.function([words, context], cost, updates=[(table, new_table)])
else:
    train = theano.function([words, context], [cost, new_table])  # fault: inplace

rng = numpy.random.RandomState(1)
for batch in range(40):
    a, b = rng.randint(0, vocabulary, 32), rng.randint(0, vocabulary, 32)
    if NEAR_MISS:
        loss = train(a, b)
    else:
        loss, value = train(a, b)
        table.set_value(value)
print("loss", float(loss))
