"""Names that scripts import from theano.sandbox.linalg.kron."""
from croton.tensor.slinalg import kron  # noqa: F401
