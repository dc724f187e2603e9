"""conv3D backwards, under its oldest name: channels come last."""
from croton.tensor import basic
from croton.tensor.nnet.abstract_conv import conv3d_grad_wrt_inputs
from croton.tensor.nnet.Conv3D import channels_first, steps_of


def convTransp3D(W, b, d, H, RShape=None):
    """The volumes whose gradient is given by H through conv3D with filters W and steps d, and b for each channel; RShape is their three
    sizes, without it the smallest that fit."""
    W, H, b = basic.as_tensor_variable(W), basic.as_tensor_variable(H), basic.as_tensor_variable(b)
    steps = steps_of(d)
    if RShape is None:
        RShape = [(H.shape[k] - 1) * steps[k - 1] + W.shape[k] for k in (1, 2, 3)]
    sizes = [H.shape[0], W.shape[4]] + [basic.as_tensor_variable(RShape[k]) for k in range(3)]
    found = conv3d_grad_wrt_inputs(channels_first(H), channels_first(W), sizes, subsample=steps, filter_flip=False)
    return found.dimshuffle(0, 2, 3, 4, 1) + b


def ConvTransp3D():
    return convTransp3D
