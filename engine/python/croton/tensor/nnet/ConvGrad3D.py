"""The gradient of conv3D with respect to its filters, under its oldest name: channels come last."""
from croton.tensor import basic
from croton.tensor.nnet.abstract_conv import conv3d_grad_wrt_weights
from croton.tensor.nnet.Conv3D import channels_first, steps_of


def convGrad3D(V, d, WShape, dCdH):
    """V as in conv3D, the steps d, the five sizes of the filters, and the gradient of what conv3D gave."""
    V, dCdH = channels_first(V), channels_first(dCdH)
    sizes = [WShape[k] for k in (0, 4, 1, 2, 3)]
    found = conv3d_grad_wrt_weights(V, dCdH, [basic.as_tensor_variable(size) for size in sizes], subsample=steps_of(d), filter_flip=False)
    return found.dimshuffle(0, 2, 3, 4, 1)


def ConvGrad3D():
    return convGrad3D
