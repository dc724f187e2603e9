"""A first function: write an expression, compile it, call it."""
import theano
import theano.tensor as T

a = T.vector("a")  # a symbol; it has a type, and no numbers yet
b = a + a ** 10    # an expression of it; nothing is computed here
f = theano.function([a], b, name="f")  # now the graph is rewritten and compiled

print("as written: " + theano.pp(b))
values = f([0, 1, 2])
print("f: %s" % values)
print("f at -1: %s" % f([-1]))
