"""theano.sparse.sandbox: random sparse matrices."""
