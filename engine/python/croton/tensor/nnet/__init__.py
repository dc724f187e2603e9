"""Functions of neural networks."""
from croton.tensor.nnet.nnet import *  # noqa: F401,F403
from croton.tensor.nnet import nnet  # noqa: F401
from croton.tensor.nnet import abstract_conv, blocksparse, bn, conv, corr, ctc, neighbours, sigm  # noqa: F401
from croton.tensor.nnet.blocksparse import sparse_block_dot  # noqa: F401
from croton.tensor.nnet.Conv3D import conv3D  # noqa: F401
from croton.tensor.nnet.neighbours import images2neibs, neibs2images  # noqa: F401
from croton.tensor.nnet.abstract_conv import (bilinear_upsampling, causal_conv1d, conv2d, conv2d_grad_wrt_inputs,  # noqa: F401
                                              conv2d_grad_wrt_weights, conv2d_transpose, conv3d, conv3d_grad_wrt_inputs,
                                              conv3d_grad_wrt_weights, separable_conv2d, separable_conv3d)
from croton.tensor.nnet.sigm import hard_sigmoid, scalar_sigmoid, sigmoid, softplus, ultra_fast_sigmoid  # noqa: F401
from croton.tensor.nnet.bn import batch_normalization  # noqa: F401

abstract_conv2d = conv2d

def __getattr__(name):
    if name == "sigmoid_inplace":
        return sigm.sigmoid_inplace
    if name.startswith(("local_", "crossentropy_to_", "graph_merge_")) or name == "softmax_simplifier":
        return getattr(nnet, name)
    raise AttributeError(name)
