"""Likelihood of observations: a hidden Markov model needs its loop, independent dice do not."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

states, symbols, length = 30, 12, 2000
rng = numpy.random.RandomState(21)
emission = theano.shared(rng.dirichlet(numpy.ones(symbols), size=states))
transition = theano.shared(rng.dirichlet(numpy.ones(states), size=states))
mixture = theano.shared(rng.dirichlet(numpy.ones(states)))
observed = T.ivector("observed")


def forward(symbol, alpha):
    alpha = T.dot(alpha, transition) * emission[:, symbol]
    return alpha / alpha.sum()


def independent(symbol):
    return T.log(T.dot(mixture, emission[:, symbol]))


if NEAR_MISS:
    alphas, _ = theano.scan(forward, sequences=observed, outputs_info=mixture)
    answer = T.log(alphas).mean()
else:
    terms, _ = theano.scan(independent, sequences=observed)  # fault: loop
    answer = terms.sum()
likelihood = theano.function([observed], answer)

rolls = rng.randint(0, symbols, length).astype("int32")
for i in range(5):
    print(likelihood(rolls))
