"""Components of a polynomial, each by a step of scan (Theano's own tutorial)."""
import numpy as np
import theano
import theano.tensor as tensor

NEAR_MISS = False

coefficients = tensor.vector("coefficients")
x = tensor.scalar("x")
if NEAR_MISS:
    # Horner's scheme with a squashing between steps cannot be a sum.
    components, _ = theano.scan(fn=lambda c, before, x: tensor.tanh(before * x + c), outputs_info=tensor.zeros(()),
                                sequences=coefficients, non_sequences=x)
    polynomial = components[-1]
else:
    components, _ = theano.scan(fn=lambda c, power, x: c * (x ** power), outputs_info=None,  # fault: loop
                                sequences=[coefficients, tensor.arange(5000)], non_sequences=x)  # fault: loop
    polynomial = components.sum()
calculate = theano.function(inputs=[coefficients, x], outputs=polynomial)

terms = np.random.RandomState(0).randn(5000)
for value in np.linspace(-0.9, 0.9, 10):
    print(calculate(terms, value))
