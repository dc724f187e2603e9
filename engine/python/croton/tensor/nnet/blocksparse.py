"""Products of blocks that indices choose."""
from croton.tensor import basic
from croton.tensor.opclasses import built
from croton.tensor.subtensor import inc_subtensor


def _gemv():
    """o + Σ over chosen blocks of h·W"""
    def build(o, W, h, inputIdx, outputIdx):
        o, W, h, inputIdx, outputIdx = (basic.as_tensor_variable(one) for one in (o, W, h, inputIdx, outputIdx))
        for name, value, ndim in (("o", o, 3), ("W", W, 4), ("h", h, 3), ("inputIdx", inputIdx, 2), ("outputIdx", outputIdx, 2)):
            if value.ndim != ndim:
                raise TypeError("The %s variable must have %d dimensions, got %s" % (name, ndim, value.type))
            if name.endswith("Idx") and value.dtype not in basic.integer_dtypes:
                raise TypeError("The %s variable must be integers, got %s" % (name, value.type))
        blocks = W[inputIdx.dimshuffle(0, 1, "x"), outputIdx.dimshuffle(0, "x", 1)]
        # batch × (input blocks · their sizes) × (output blocks · their sizes)
        wide = basic.reshape(blocks.dimshuffle(0, 1, 3, 2, 4), [h.shape[0], h.shape[1] * h.shape[2], o.shape[1] * o.shape[2]], ndim=3)
        flat = basic.reshape(h, [h.shape[0], 1, h.shape[1] * h.shape[2]], ndim=3)
        return o + basic.reshape(basic.batched_dot(flat, wide), [o.shape[0], o.shape[1], o.shape[2]], ndim=3)
    return build


def _outer():
    """o with the outer products of x and y added to the chosen blocks."""
    def build(o, x, y, xIdx, yIdx, alpha=1):
        o, x, y, xIdx, yIdx = (basic.as_tensor_variable(one) for one in (o, x, y, xIdx, yIdx))
        products = x.dimshuffle(0, 1, "x", 2, "x") * y.dimshuffle(0, "x", 1, "x", 2)
        return inc_subtensor(o[xIdx.dimshuffle(0, 1, "x"), yIdx.dimshuffle(0, "x", 1)], basic.cast(alpha, o.dtype) * products)
    return build


SparseBlockGemv = built(__name__, "SparseBlockGemv", lambda inplace=False: _gemv())
SparseBlockOuter = built(__name__, "SparseBlockOuter", lambda inplace=False: _outer())
sparse_block_gemv, sparse_block_outer = SparseBlockGemv(), SparseBlockOuter()


def sparse_block_dot(W, h, inputIdx, b, outputIdx):
    """For each example, the chosen blocks of the output: their biases and the products with the chosen blocks of the input."""
    b = basic.as_tensor_variable(b)
    outputIdx = basic.as_tensor_variable(outputIdx)
    if b.ndim != 2:
        raise TypeError("The b variable must have 2 dimensions, got %s" % b.type)
    return sparse_block_gemv(b[outputIdx], W, h, inputIdx, outputIdx)
