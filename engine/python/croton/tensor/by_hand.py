"""What the op classes of scripts build when they are called: Shape_i(0)(x), Gemm(False)(z, a, x, y, b)."""
from croton import _core
from croton.gof.type import Type
from croton.gof.utils import listed
from croton.tensor import basic, extra_ops, opclasses, subtensor
from croton.tensor import nnet as nnet_package
from croton.tensor.functions.axes import normal_axes
from croton.tensor.nnet import abstract_conv, nnet
from croton.tensor.own_reduce import OwnReduce
from croton.tensor.signal import pool
from croton.tensor.sort import argsort, sort, _top_results

_REDUCTIONS = {"add": "sum", "mul": "prod", "maximum": "max", "minimum": "min", "and_": "all", "or_": "any"}


def _reduction(kind):
    def build(axis=None, dtype=None, acc_dtype=None, **kwargs):
        dtypes = {"dtype": dtype, "acc_dtype": acc_dtype} if kind in ("sum", "prod") else {}
        return lambda x: getattr(basic, kind)(x, axis=axis, **dtypes)
    return build


def _reduction_of(scalar_op, axis=None):
    """Of a function of two elements, whose dtype the result has: integers are taken bit by bit by `and` and `or`."""
    if scalar_op.nin not in (2, -1) or scalar_op.nout != 1:
        raise NotImplementedError("a CAReduce has a function of two elements with one result, got %s" % scalar_op)
    kind = _REDUCTIONS.get(scalar_op.symbol)

    def build(x):
        x = basic.as_tensor_variable(x)
        if kind is None or (kind in ("all", "any") and x.dtype != "bool"):
            return OwnReduce(scalar_op, None if axis is None else tuple(normal_axes(axis, x.ndim)))(x)
        if x.dtype == "bool" and kind in ("sum", "prod"):
            return _reduction({"sum": "any", "prod": "all"}[kind])(axis)(x)
        return _reduction(kind)(axis, x.dtype, x.dtype)(x)
    return build


def _reduction_with_dtype(scalar_op, axis=None, dtype=None, acc_dtype=None, upcast_discrete_output=False):
    if scalar_op.symbol not in _REDUCTIONS:
        raise NotImplementedError("a CAReduceDtype has one of the functions %s, got %s" % (", ".join(sorted(_REDUCTIONS)), scalar_op))
    return _reduction(_REDUCTIONS[scalar_op.symbol])(axis, dtype, acc_dtype)


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


def _blas_operands(name, *scalars):
    """The inputs of a BLAS form in one dtype; numbers take that of the arrays."""
    def operands(*inputs):
        arrays = _same_dtype(name, *[value for place, value in enumerate(inputs) if place not in scalars])
        dtype = arrays[0].dtype
        left = iter(arrays)
        return [basic.cast(value, dtype) if place in scalars else next(left) for place, value in enumerate(inputs)]
    return operands


def _top_k(axis=-1, sorted=True, idx_dtype="int64", return_values=True, return_indices=True):
    if not return_values and not return_indices:
        raise ValueError("Neither return_values nor return_indices is True, this isn't allowed")

    def build(x, kth):
        made = _top_results(x, kth, axis, sorted, idx_dtype, return_values, return_indices)
        return made if len(made) > 1 else made[0]
    return build


def _indexed(idx_list, inputs):
    """An index of which the numbers that stand as types are the inputs, in their order."""
    values = iter(inputs)

    def entry(one):
        if isinstance(one, slice):
            return slice(entry(one.start), entry(one.stop), entry(one.step))
        return next(values) if isinstance(one, Type) else one
    return tuple([entry(one) for one in idx_list])


def _part(idx_list):
    return lambda x, *inputs: basic.as_tensor_variable(x)[_indexed(idx_list, inputs)]


def _written_part(idx_list, inplace=False, set_instead_of_inc=False, destroyhandler_tolerate_aliased=None):
    return lambda x, y, *inputs: subtensor.inc_subtensor(basic.as_tensor_variable(x)[_indexed(idx_list, inputs)], y,
                                                         set_instead_of_inc=set_instead_of_inc)


def _written(inplace=False, set_instead_of_inc=False):
    def build(x, y, *index):
        return subtensor.inc_subtensor(basic.as_tensor_variable(x)[tuple(index)], y, set_instead_of_inc=set_instead_of_inc)
    return build


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
            return lambda kernels, grad, shape: function[1](grad, kernels, _whole(shape, imshp, kernels), **options)
        if function[0] == "weights":
            return lambda image, grad, shape: function[1](image, grad, _whole(shape, kshp, image), **options)
        return lambda *args: function[1](*args, **options)
    return build


def _whole(shape, promised, array):
    """Of a list of the sizes of rows, columns … the whole shape, with what was promised of the axes before them."""
    sizes, axes = listed(shape), basic.as_tensor_variable(array).ndim - 2
    if sizes is None or len(sizes) != axes:
        return shape
    return list(promised or [None, None])[:2] + sizes


def _correlation(function):
    """One that is chosen already: kernels are applied forwards."""
    abstract = _convolution(function)

    def build(border_mode="valid", subsample=(1, 1), filter_dilation=(1, 1), num_groups=1, unshared=False, openmp=None):
        return abstract(None, None, border_mode, subsample, False, filter_dilation, num_groups, unshared)
    return build


def _correlation_of_volumes(function):
    abstract = _convolution(function)

    def build(border_mode="valid", subsample=(1, 1, 1), filter_dilation=(1, 1, 1), openmp=None, num_groups=1):
        return abstract(None, None, border_mode, subsample, False, filter_dilation, num_groups)
    return build


def _pool(ignore_border=False, mode="max", ndim=2, openmp=None):
    if ndim not in (1, 2, 3):
        raise NotImplementedError("Pool goes over 1, 2 or 3 axes, got ndim=%r" % (ndim,))
    return lambda x, ws, stride=None, pad=None: pool.pool(ndim, x, ws, ignore_border, stride, 0 if pad is None else pad, mode)


def _plain(function):
    """An op without parameters of its own."""
    return lambda *args, **kwargs: function


def _sized(function):
    return lambda dtype=None: lambda *args: function(*args, dtype=dtype)


BUILDERS = {
    "Sum": _reduction("sum"), "Prod": _reduction("prod"), "All": _reduction("all"), "Any": _reduction("any"),
    "Max": _reduction("max"), "Min": _reduction("min"), "Mean": _reduction("mean"),
    "CAReduce": _reduction_of, "CAReduceDtype": _reduction_with_dtype,
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
    "Dot": _plain(basic.dot), "BatchedDot": _plain(basic.batched_dot),
    "Subtensor": _part, "IncSubtensor": _written_part,
    "AdvancedSubtensor1": lambda sparse_grad=False: lambda x, index: basic.as_tensor_variable(x)[index],
    "AdvancedSubtensor": lambda: lambda x, *index: basic.as_tensor_variable(x)[tuple(index)],
    "AdvancedIncSubtensor1": _written, "AdvancedIncSubtensor": _written,
    "TensorFromScalar": _plain(basic.tensor_from_scalar), "ScalarFromTensor": _plain(basic.scalar_from_tensor),
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
    "Pool": _pool, "CorrMM": _correlation(("forward", abstract_conv.conv2d)),
    "CorrMM_gradWeights": _correlation(("weights", abstract_conv.conv2d_grad_wrt_weights)),
    "CorrMM_gradInputs": _correlation(("inputs", abstract_conv.conv2d_grad_wrt_inputs)),
    "Corr3dMM": _correlation_of_volumes(("forward", abstract_conv.conv3d)),
    "Corr3dMM_gradWeights": _correlation_of_volumes(("weights", abstract_conv.conv3d_grad_wrt_weights)),
    "Corr3dMM_gradInputs": _correlation_of_volumes(("inputs", abstract_conv.conv3d_grad_wrt_inputs)),
    "AbstractConv2d": _convolution(("forward", abstract_conv.conv2d)), "AbstractConv3d": _convolution(("forward", abstract_conv.conv3d)),
    "AbstractConv2d_gradWeights": _convolution(("weights", abstract_conv.conv2d_grad_wrt_weights)),
    "AbstractConv3d_gradWeights": _convolution(("weights", abstract_conv.conv3d_grad_wrt_weights)),
    "AbstractConv2d_gradInputs": _convolution(("inputs", abstract_conv.conv2d_grad_wrt_inputs)),
    "AbstractConv3d_gradInputs": _convolution(("inputs", abstract_conv.conv3d_grad_wrt_inputs)),
}
for _name, _builder in BUILDERS.items():
    opclasses.CLASSES[_name]._builder = staticmethod(_builder)


def _rows(x):
    """A vector counts as one row."""
    x = basic.as_tensor_variable(x)
    return [basic.shape_padleft(x) if x.ndim == 1 else x]


def _none():
    return {}


# Ops of the engine whose classes have other parameters than their cards, or convert inputs: class → (parameters as in documents of graphs,
# the engine's name, what it makes of the inputs).
PARTS = {
    "Dot22": (_none, None, _blas_operands("Dot22")), "Dot22Scalar": (_none, None, _blas_operands("Dot22Scalar", 2)),
    "Gemm": (lambda inplace=False: {"inplace": bool(inplace)}, None, _blas_operands("Gemm", 1, 4)),
    "Gemv": (lambda inplace=False: {"inplace": bool(inplace), "c": False}, None, _blas_operands("Gemv", 1, 4)),
    "CGemv": (lambda inplace=False: {"inplace": bool(inplace), "c": True}, "Gemv", _blas_operands("Gemv", 1, 4)),
    "Ger": (lambda destructive=False: {"inplace": bool(destructive), "c": False}, None, _blas_operands("Ger", 1)),
    "CGer": (lambda destructive=False: {"inplace": bool(destructive), "c": True}, "Ger", _blas_operands("Ger", 1)),
    **dict.fromkeys(("Softmax", "LogSoftmax"), (_none, None, _rows)),
}
for _name, (_parameters, _engine_name, _taken) in PARTS.items():
    _class = opclasses.CLASSES[_name]
    _class._parts, _class._engine_name = staticmethod(_parameters), _engine_name
    _class._operands = None if _taken is None else staticmethod(_taken)
opclasses._build_by_cards()
nnet.softmax_op = nnet_package.softmax_op = opclasses.Softmax()
nnet.logsoftmax_op = nnet_package.logsoftmax_op = opclasses.LogSoftmax()
nnet.softmax_grad = nnet_package.softmax_grad = opclasses.SoftmaxGrad()
nnet.crossentropy_softmax_1hot_with_bias_dx = nnet_package.crossentropy_softmax_1hot_with_bias_dx = opclasses.CrossentropySoftmax1HotWithBiasDx()
nnet.crossentropy_categorical_1hot_grad = nnet_package.crossentropy_categorical_1hot_grad = opclasses.CrossentropyCategorical1HotGrad()
for _name in ("advanced_subtensor", "advanced_subtensor1", "advanced_inc_subtensor", "advanced_inc_subtensor1"):
    setattr(subtensor, _name, getattr(opclasses, "".join(part.capitalize() for part in _name.split("_")))())
subtensor.advanced_set_subtensor = opclasses.AdvancedIncSubtensor(set_instead_of_inc=True)
subtensor.advanced_set_subtensor1 = opclasses.AdvancedIncSubtensor1(set_instead_of_inc=True)
