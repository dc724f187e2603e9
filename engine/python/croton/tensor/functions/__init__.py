"""The functions of theano.tensor, by what they do."""
