"""What the op classes of scripts build when they are called: Shape_i(0)(x), Gemm(False)(z, a, x, y, b)."""
from croton import _core
from croton.tensor import basic, extra_ops, opclasses, subtensor
from croton.tensor.nnet import abstract_conv, nnet
from croton.tensor.signal import pool
from croton.tensor.sort import argsort, argtopk, sort, topk, topk_and_argtopk

_REDUCTIONS = {"add": "sum", "mul": "prod", "maximum": "max", "minimum": "min", "and_": "all", "or_": "any"}


def _reduction(kind):
    def build(axis=None, dtype=None, acc_dtype=None, **kwargs):
        dtypes = {"dtype": dtype, "acc_dtype": acc_dtype} if kind in ("sum", "prod") else {}
        return lambda x: getattr(basic, kind)(x, axis=axis, **dtypes)
    return build


def _reduction_of(scalar_op, axis=None, dtype=None, acc_dtype=None, upcast_discrete_output=False):
    kind = _REDUCTIONS.get(getattr(scalar_op, "symbol", None))
    if kind is None:
        raise NotImplementedError("a CAReduce has one of the functions %s, got %s" % (", ".join(sorted(_REDUCTIONS)), scalar_op))
    return _reduction(kind)(axis, dtype, acc_dtype)


def _make_vector(dtype="int64"):
    def build(*scalars):
        scalars = [basic.as_tensor_variable(one) for one in scalars]
        wide = _core.promote([dtype] + [one.dtype for one in scalars])
        return _core.make_vector([basic.cast(one, wide) for one in scalars])
    return build


def _rebroadcast(*axes):
    return lambda x: _core.rebroadcast(x, [(int(axis), bool(one)) for axis, one in axes])


def _same_dtype(name, *arrays):
    arrays = [basic.as_tensor_variable(array) for array in arrays]
    if len({array.dtype for array in arrays}) > 1:
        raise TypeError("%s needs arrays of one dtype, got %s" % (name, ", ".join(str(array.type) for array in arrays)))
    return arrays


def _scaled(alpha, product):
    return basic.cast(alpha, product.dtype) * product


def _gemm(inplace=False):
    def build(z, a, x, y, b):
        z, x, y = _same_dtype("Gemm", z, x, y)
        return _scaled(b, z) + _scaled(a, basic.dot(x, y))
    return build


def _gemv(inplace=False):
    def build(y, alpha, A, x, beta):
        y, A, x = _same_dtype("Gemv", y, A, x)
        return _scaled(beta, y) + _scaled(alpha, basic.dot(A, x))
    return build


def _ger(destructive=False):
    def build(A, alpha, x, y):
        A, x, y = _same_dtype("Ger", A, x, y)
        return A + _scaled(alpha, basic.outer(x, y))
    return build


def _top_k(axis=-1, sorted=True, idx_dtype="int64", return_values=True, return_indices=True):
    functions = {(True, True): topk_and_argtopk, (True, False): topk, (False, True): argtopk}
    if (return_values, return_indices) not in functions:
        raise ValueError("Neither return_values nor return_indices is True, this isn't allowed")
    return lambda x, kth: functions[return_values, return_indices](x, kth, axis, sorted, idx_dtype)


def _written(inplace=False, set_instead_of_inc=False):
    return lambda x, y, *index: subtensor.inc_subtensor(x[tuple(index)], y, set_instead_of_inc=set_instead_of_inc)


def _cumulative(axis=None, mode="add"):
    return lambda x: (extra_ops.cumsum if mode == "add" else extra_ops.cumprod)(x, axis)


def _convolution(function):
    """An abstract convolution; the first argument of its class, the number of axes, is told by its name."""
    def build(imshp=None, kshp=None, border_mode="valid", subsample=None, filter_flip=True, filter_dilation=None, num_groups=1,
              unshared=False):
        shapes = {"forward": ("input_shape", "filter_shape"), "weights": ("input_shape",), "inputs": ("filter_shape",)}[function[0]]
        options = dict(zip(("input_shape", "filter_shape"), (imshp, kshp)))
        options = {name: options[name] for name in shapes}
        options.update(border_mode=border_mode, filter_flip=filter_flip, num_groups=num_groups)
        for name, given in (("subsample", subsample), ("filter_dilation", filter_dilation)):
            if given is not None:
                options[name] = given
        if unshared:
            options["unshared"] = True
        if function[0] == "inputs":
            return lambda kernels, grad, shape: function[1](grad, kernels, shape, **options)
        return lambda *args: function[1](*args, **options)
    return build


def _pool(ignore_border=False, mode="max", ndim=2, openmp=None):
    function = pool.pool_2d if ndim == 2 else pool.pool_3d
    return lambda x, ws, stride=None, pad=None: function(x, ws, ignore_border, stride, 0 if pad is None else pad, mode)


def _plain(function):
    """An op without parameters of its own."""
    return lambda *args, **kwargs: function


def _sized(function):
    return lambda dtype=None: lambda *args: function(*args, dtype=dtype)


BUILDERS = {
    "Sum": _reduction("sum"), "Prod": _reduction("prod"), "All": _reduction("all"), "Any": _reduction("any"),
    "Max": _reduction("max"), "Min": _reduction("min"), "Mean": _reduction("mean"),
    "CAReduce": _reduction_of, "CAReduceDtype": _reduction_of,
    "MaxAndArgmax": lambda axis=None: lambda x: basic.max_and_argmax(x, axis),
    "Argmax": lambda axis=None: lambda x: basic.argmax(x, axis),
    "Shape": _plain(basic.shape), "Shape_i": lambda i: lambda x: basic.shape_i(x, i), "SpecifyShape": _plain(basic.specify_shape),
    "MakeVector": _make_vector, "Rebroadcast": _rebroadcast,
    "Reshape": lambda ndim, name=None: lambda x, shape: basic.reshape(x, shape, ndim=ndim),
    "Flatten": lambda outdim=1: lambda x: basic.flatten(x, outdim),
    "Tile": lambda ndim: lambda x, reps: basic.tile(x, reps, ndim=ndim),
    "Alloc": _plain(basic.alloc), "AllocEmpty": lambda dtype: lambda *sizes: _core.alloc_empty(dtype, list(sizes)),
    "ARange": _sized(basic.arange), "Eye": _sized(basic.eye), "Tri": _sized(basic.tri),
    "Join": lambda view=-1: basic.join, "Split": lambda len_splits: lambda x, axis, sizes: basic.split(x, sizes, len_splits, axis),
    "Dot": _plain(basic.dot), "Dot22": _plain(basic.dot), "BatchedDot": _plain(basic.batched_dot),
    "Dot22Scalar": lambda: lambda x, y, a: _scaled(a, basic.dot(x, y)),
    "Gemm": _gemm, "Gemv": _gemv, "CGemv": _gemv, "Ger": _ger, "CGer": _ger,
    "AdvancedSubtensor1": lambda sparse_grad=False: lambda x, index: x[index],
    "AdvancedSubtensor": lambda: lambda x, *index: x[tuple(index)],
    "AdvancedIncSubtensor1": _written, "AdvancedIncSubtensor": _written,
    "DeepCopyOp": _plain(_core.deep_copy), "ViewOp": _plain(basic.as_tensor_variable),
    "TensorFromScalar": _plain(basic.as_tensor_variable), "ScalarFromTensor": _plain(basic.as_tensor_variable),
    "Nonzero": _plain(basic.nonzero), "Choose": lambda mode: lambda a, choices: basic.choose(a, choices, mode=mode),
    "PermuteRowElements": _plain(basic.permute_row_elements), "Default": _plain(basic.default),
    "ExtractDiag": lambda offset=0, axis1=0, axis2=1, view=False: lambda x: basic.diagonal(x, offset, axis1, axis2),
    "AllocDiag": lambda offset=0, axis1=0, axis2=1: lambda x: basic.diag(x, offset),
    "SortOp": lambda kind="quicksort", order=None: lambda x, axis=-1: sort(x, axis, kind, order),
    "ArgSortOp": lambda kind="quicksort", order=None: lambda x, axis=-1: argsort(x, axis, kind, order),
    "TopKOp": _top_k,
    "CumOp": _cumulative, "RepeatOp": lambda axis=None: lambda x, repeats: extra_ops.repeat(x, repeats, axis),
    "DiffOp": lambda n=1, axis=-1: lambda x: extra_ops.diff(x, n, axis),
    "FillDiagonal": _plain(extra_ops.fill_diagonal), "FillDiagonalOffset": _plain(extra_ops.fill_diagonal_offset),
    "Bartlett": _plain(extra_ops.bartlett), "CpuContiguous": _plain(extra_ops.cpu_contiguous),
    "SearchsortedOp": lambda side="left": lambda x, v, sorter=None: extra_ops.searchsorted(x, v, side, sorter),
    "Unique": lambda return_index=False, return_inverse=False, return_counts=False, axis=None:
        lambda x: extra_ops.unique(x, return_index, return_inverse, return_counts, axis),
    "Pool": _pool,
    "AbstractConv2d": _convolution(("forward", abstract_conv.conv2d)), "AbstractConv3d": _convolution(("forward", abstract_conv.conv3d)),
    "AbstractConv2d_gradWeights": _convolution(("weights", abstract_conv.conv2d_grad_wrt_weights)),
    "AbstractConv3d_gradWeights": _convolution(("weights", abstract_conv.conv3d_grad_wrt_weights)),
    "AbstractConv2d_gradInputs": _convolution(("inputs", abstract_conv.conv2d_grad_wrt_inputs)),
    "AbstractConv3d_gradInputs": _convolution(("inputs", abstract_conv.conv3d_grad_wrt_inputs)),
    "Softmax": _plain(nnet.softmax), "LogSoftmax": _plain(nnet.logsoftmax), "SoftmaxWithBias": _plain(nnet.softmax_with_bias),
    "CrossentropyCategorical1Hot": _plain(nnet.crossentropy_categorical_1hot),
    "CrossentropySoftmaxArgmax1HotWithBias": _plain(nnet.crossentropy_softmax_argmax_1hot_with_bias),
}
for _name, _builder in BUILDERS.items():
    opclasses.CLASSES[_name]._builder = staticmethod(_builder)
