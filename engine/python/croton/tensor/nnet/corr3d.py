"""Names that scripts import from theano.tensor.nnet.corr3d."""
from croton.tensor.opclasses import Corr3dMM, Corr3dMM_gradInputs, Corr3dMM_gradWeights  # noqa: F401
