"""What modules use of modules above them. Theano's layout makes them know each other: here they meet, once all are loaded."""


def meet():
    from croton import compile, gof, own_flags, printing, scalar, tensor
    from croton.clone import substituted
    from croton.compile.debugmode import BadDestroyMap, BadThunkOutput, BadViewMap, DebugMode, InvalidValueError
    from croton.compile.function import function
    from croton.compile.nanguardmode import NanGuardMode
    from croton.compile.profilemode import default_mode
    from croton.compile.sharedvalue import shared
    from croton.compile.rewriting import EngineRewrite, REGISTRARS, engine_rewrite
    from croton.compile.rewrite_names import rewrite_called
    from croton.gof.compare import equal_computations, is_same_graph
    from croton.gof.driven import readers_of, view_of
    from croton.gof.fg import graph_with
    from croton.gof.test_value import get_test_value
    from croton.gpuarray import dnn
    from croton.gradient import DisconnectedType, grad
    from croton.scan_module.scan import scan
    from croton.tensor import basic, engine_ops, extra_ops, subtensor
    from croton.tensor.own_elemwise import elemwise_of, rebuilt
    from croton.tensor.number import Scalar, as_number, scalar_from_tensor
    from croton.tensor.opclasses import Elemwise
    from croton.tensor.basic import ShapeError, as_tensor_variable, cast, constant, float_dtype, lscalar, patternbroadcast
    from croton.tensor.functions.joining import stack
    from croton.tensor.functions.shapes import dimshuffle, shape_padleft
    from croton.tensor.opt import Assert
    from croton.tensor.shape_feature import ShapeFeature
    from croton.tensor.run_time_axis import JoinAlong, SplitAlong, known_or_variable
    from croton.tensor.sort import argsort
    from croton.tensor.subtensor import set_subtensor
    from croton.tensor.type import TensorType, several
    globals().update(locals())
    # Theano has these names in modules below those that make them.
    gof.graph.equal_computations, gof.graph.is_same_graph = equal_computations, is_same_graph
    tensor.shared = tensor.sharedvar.tensor_constructor = shared
    # `from theano.tensor import *` has always given these modules, too.
    for module in (tensor, basic):
        module.compile, module.gof, module.printing, module.scal = compile, gof, printing, scalar
