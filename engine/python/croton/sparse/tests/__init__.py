"""What scripts take from Theano's tests of sparse matrices."""
