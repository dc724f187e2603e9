"""The old name of theano.tensor.shared_randomstreams."""
from croton.tensor.shared_randomstreams import RandomStreams  # noqa: F401
