"""The same formula, written three ways, where floating point has no digits to spare."""
import numpy
import theano
import theano.tensor as T

x = T.dvector("x")
written = theano.function([x], T.log(1 + T.exp(x)), name="softplus_as_written")
tiny = theano.function([x], T.log(1 + x), name="log_of_one_plus")
likelihood = theano.function([x], T.log(1 - 1 / (1 + T.exp(-x))), name="log_one_minus_sigmoid")

points = numpy.array([-800.0, -40.0, -1e-20, 0.0, 1e-20, 40.0, 800.0])
with numpy.errstate(all="ignore"):
    print("x                      ", points)
    print("log(1 + exp(x))        ", written(points))
    print("NumPy                  ", numpy.log(1 + numpy.exp(points)))
    print("log(1 - sigmoid(x))    ", likelihood(points))
    print("NumPy                  ", numpy.log(1 - 1 / (1 + numpy.exp(-points))))
    print("log(1 + x)             ", tiny(points[2:5]))
    print("NumPy                  ", numpy.log(1 + points[2:5]))
