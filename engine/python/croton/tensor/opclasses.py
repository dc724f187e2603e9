"""The Python classes of the engine's ops that scripts name."""
from croton import _core
from croton.gof.op import Op, declare


class Elemwise(Op):
    """A scalar function applied to every element, with broadcasting. T.exp is one."""

    def __new__(cls, scalar_op=None, inplace_pattern=None, name=None, **kwargs):
        symbol = getattr(scalar_op, "symbol", None) or getattr(scalar_op, "name", scalar_op)
        if not isinstance(symbol, str) or not _core.has_scalar(symbol):
            raise TypeError("Elemwise takes one of the functions of theano.scalar, got %r" % (scalar_op,))
        return _core.elemwise(symbol)

    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *inputs, **kwargs):
        dtype = kwargs.pop("dtype", None)
        name = kwargs.pop("name", None)
        return_list = kwargs.pop("return_list", False)
        if kwargs:
            raise TypeError("%s got an unexpected keyword argument %r" % (self, next(iter(kwargs))))
        result = _core.call_elemwise(self, *inputs)
        if dtype is not None:
            result = _core.cast(result, dtype)
        if name is not None:
            result.name = name
        return [result] if return_list else result

    @property
    def scalar_op(self):
        from croton import scalar
        return scalar.of(self)

    @property
    def name(self):
        return "Elemwise{%s}" % _core.scalar_of(self)["symbol"]

    @property
    def __name__(self):
        return _core.scalar_of(self)["symbol"]

    @property
    def nin(self):
        return self.scalar_op.nin

    nout = 1

    @property
    def inplace_pattern(self):
        return dict(_core.elemwise_inplace(self))

    @property
    def destroy_map(self):
        return {output: [input_] for output, input_ in _core.op_destroy_map(self)}


class DimShuffle(Op):
    """Permutes, drops and adds dimensions; a view."""

    def __new__(cls, input_broadcastable, new_order, inplace=True):
        return _core.dimshuffle_op([bool(one) for one in input_broadcastable], [-1 if axis == "x" else int(axis) for axis in new_order])

    def __init__(self, *args, **kwargs):
        pass

    @property
    def new_order(self):
        return ["x" if axis < 0 else axis for axis in _core.dimshuffle_order(self)]


class _Reduction(Op):
    @property
    def axis(self):
        axes = _core.reduce_axes(self)
        return None if axes is None else tuple(axes)


class CAReduce(_Reduction):
    """A reduction over some axes."""


class CAReduceDtype(CAReduce):
    pass


def _builder(kind, base):
    class Reduction(base):
        def __new__(cls, axis=None, dtype=None, acc_dtype=None, **kwargs):
            self = _Request(kind, axis, dtype, acc_dtype)
            return self
    Reduction.__name__ = Reduction.__qualname__ = kind.capitalize()
    return Reduction


class _Request:
    """Sum(axis=…)(x): the op is made when its input is known."""

    def __init__(self, kind, axis, dtype, acc_dtype):
        self.kind, self.axis, self.dtype, self.acc_dtype = kind, axis, dtype, acc_dtype

    def __call__(self, x):
        from croton.tensor import basic
        keywords = {} if self.kind not in ("sum", "prod") else dict(dtype=self.dtype, acc_dtype=self.acc_dtype)
        return getattr(basic, self.kind)(x, axis=self.axis, **keywords)


Sum = _builder("sum", CAReduceDtype)
Prod = _builder("prod", CAReduceDtype)
All = _builder("all", CAReduce)
Any = _builder("any", CAReduce)
Max = _builder("max", CAReduce)
Min = _builder("min", CAReduce)


def _named(name, base=Op, **extra):
    return type(Op)(name, (base,), dict({"__module__": __name__}, **extra))


class Flatten(Op):
    def __new__(cls, outdim=1):
        from croton.tensor import basic
        return lambda x: basic.flatten(x, outdim)


_SIMPLE = ("Dot Dot22 Dot22Scalar Gemm Gemv CGemv Ger CGer Subtensor IncSubtensor AdvancedSubtensor AdvancedSubtensor1 "
           "AdvancedIncSubtensor AdvancedIncSubtensor1 Reshape Rebroadcast SpecifyShape Shape Shape_i MakeVector Alloc AllocEmpty "
           "DeepCopyOp ViewOp MaxAndArgmax Argmax Softmax SoftmaxWithBias SoftmaxGrad LogSoftmax Join Split ARange Eye "
           "CrossentropySoftmaxArgmax1HotWithBias CrossentropySoftmax1HotWithBiasDx CrossentropyCategorical1Hot "
           "CrossentropyCategorical1HotGrad BatchedDot Nonzero TensorFromScalar ScalarFromTensor Print Assert "
           "GpuGemv GpuGemm GpuElemwise GpuFromHost HostFromGpu Scan IfElse Pool ConvOp").split()
CLASSES = {name: _named(name) for name in _SIMPLE}
for _class in (Elemwise, DimShuffle, CAReduce, CAReduceDtype, Sum, Prod, All, Any, Max, Min):
    CLASSES[_class.__name__] = _class
BASES = {}
for _name, _class in CLASSES.items():
    declare(_name, _class)
globals().update({name: cls for name, cls in CLASSES.items() if name not in globals()})
