"""Connectionist temporal classification."""
from croton import _core
from croton.tensor import basic
from croton.tensor.opclasses import built


def ctc_available():
    return True


ctc_available.msg = None


def _costs(compute_grad=True, openmp=None):
    return lambda activations, labels, input_lengths: _core.ctc(*[basic.as_tensor_variable(one) for one in (activations, labels, input_lengths)])


ConnectionistTemporalClassification = built(__name__, "ConnectionistTemporalClassification", _costs)


def ctc(activations, labels, input_lengths):
    """The cost of each example: time × batch × classes of activations, labels from 1 on, padded by -1; class 0 says nothing."""
    return ConnectionistTemporalClassification()(activations, labels, input_lengths)
