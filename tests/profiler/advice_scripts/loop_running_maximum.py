"""The largest loss of a portfolio on each day: theano.reduce over days."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

returns = T.matrix("returns")
start = T.zeros_like(returns[0])
if NEAR_MISS:
    # Interest on what is left: each day multiplies and adds, by another rule above a threshold.
    worst, _ = theano.reduce(lambda day, money: T.switch(money > 1, money * (1 + 0.1 * day), T.tanh(money) + day), sequences=returns,
                             outputs_info=start)
else:
    worst, _ = theano.reduce(lambda day, seen: T.maximum(seen, -day), sequences=returns, outputs_info=start)  # fault: loop
drawdown = theano.function([returns], worst, name="drawdown")

days = numpy.random.RandomState(17).normal(0.0, 0.02, size=(2500, 40))
for portfolio in range(8):
    loss = drawdown(days)
print("worst day", float(loss.max()))
