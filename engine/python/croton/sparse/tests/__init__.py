"""What scripts take from Theano's tests of sparse matrices."""
from croton.compat.late_path import LatePath

__path__ = LatePath(__name__, __path__)
