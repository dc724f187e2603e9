"""The type of undefined gradients, where Theano has it."""
from croton.gof.type import NullType  # noqa: F401

null_type = NullType()
