"""Names that scripts import from theano.tensor.nnet.corr."""
from croton.tensor.opclasses import CorrMM, CorrMM_gradInputs, CorrMM_gradWeights  # noqa: F401
