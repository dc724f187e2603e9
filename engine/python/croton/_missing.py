"""Names of Theano that Croton has not got (yet): they can be imported, and say what to use when they are called."""
import functools
import importlib.machinery
import types

_LATER = "it is not in this version of Croton"

_ENGINE = "the engine compiles graphs; describe what the op does with perform() and grad()"
_ENGINE_NAMES = ("local_optimizer", "optdb", "EquilibriumDB", "SequenceDB", "ProxyDB", "LocalGroupDB", "DB", "PatternSub", "OpSub", "OpRemove",
                 "TopoOptimizer", "EquilibriumOptimizer", "SeqOptimizer", "MergeOptimizer", "LocalOptimizer", "Optimizer",
                 "FromFunctionLocalOptimizer", "PatternOptimizer", "copy_stack_trace", "optimizer", "inplace_optimizer",
                 "toolbox", "DestroyHandler", "WrapLinker", "WrapLinkerMany", "opt", "out2in", "in2out", "History", "ReplaceValidate",
                 "Validator", "NodeFinder", "PrintListener", "Bookkeeper", "Feature", "ParamsType", "Params", "EnumType", "EnumList",
                 "CEnumType", "Linker", "LocalLinker", "Container", "CLinker", "get_module_cache", "get_persistent_module_cache",
                 "raise_with_op", "link", "cc", "cmodule", "compilelock", "destroyhandler", "params_type", "unify", "sched")

# module → {name: what to use}
NAMES = {
    "croton": {
        "scan": "write the steps out in Python if their number is known, or loop around a compiled function",
        "map": "use broadcasting, or a Python loop over a list of variables",
        "reduce": "use sum, prod, max …, or a Python loop over a list of variables",
        "foldl": "write the steps out in Python", "foldr": "write the steps out in Python",
        "scan_checkpoints": "write the steps out in Python", "until": "loop around a compiled function",
        "sparse_grad": "take the dense gradient: indexing gradients already touch only the rows they need",
    },
    "croton.tensor.nnet": {
        "conv2d": _LATER, "conv3d": _LATER, "conv2d_transpose": _LATER, "separable_conv2d": _LATER, "abstract_conv": _LATER,
        "causal_conv1d": _LATER, "conv2d_grad_wrt_inputs": _LATER, "conv2d_grad_wrt_weights": _LATER,
        "conv3d_grad_wrt_inputs": _LATER, "conv3d_grad_wrt_weights": _LATER, "ctc": _LATER, "Conv3D": _LATER, "conv3D": _LATER,
        "images2neibs": "use reshape and dimshuffle", "neibs2images": "use reshape and dimshuffle",
    },
    "croton.tensor.nnet.conv": {"conv2d": _LATER, "ConvOp": _LATER},
    "croton.tensor.nnet.abstract_conv": {name: _LATER for name in (
        "conv2d", "conv3d", "conv2d_grad_wrt_inputs", "conv2d_grad_wrt_weights", "conv3d_grad_wrt_inputs",
        "conv3d_grad_wrt_weights", "AbstractConv2d", "AbstractConv2d_gradInputs", "AbstractConv2d_gradWeights", "AbstractConv3d",
        "AbstractConv3d_gradInputs", "AbstractConv3d_gradWeights", "bilinear_upsampling", "bilinear_kernel_1D",
        "bilinear_kernel_2D", "get_conv_output_shape", "separable_conv2d", "causal_conv1d")},
    "croton.tensor.nnet.neighbours": {"images2neibs": "use reshape and dimshuffle", "neibs2images": "use reshape and dimshuffle",
                                      "Images2Neibs": "use reshape and dimshuffle"},
    "croton.tensor.signal.pool": {"pool_2d": _LATER, "pool_3d": _LATER, "max_pool_2d": _LATER, "max_pool_2d_same_size": _LATER,
                                  "Pool": _LATER},
    "croton.tensor.signal.downsample": {"max_pool_2d": _LATER, "DownsampleFactorMax": _LATER, "max_pool_2d_same_size": _LATER},
    "croton.tensor.signal.conv": {"conv2d": _LATER},
    "croton.tensor.shared_randomstreams": {"RandomStreams": _LATER, "RandomStateSharedVariable": _LATER},
    "croton.tensor.raw_random": {"RandomFunction": _LATER, "RandomStreamsBase": _LATER, "uniform": _LATER, "normal": _LATER,
                                 "binomial": _LATER, "multinomial": _LATER, "random_integers": _LATER, "permutation": _LATER},
    "croton.sandbox.rng_mrg": {"MRG_RandomStreams": _LATER, "MRG_RandomStream": _LATER},
    "croton.ifelse": {"ifelse": "use T.switch: it computes both sides and takes one", "IfElse": _LATER},
    "croton.scan_module": {"scan": "write the steps out in Python if their number is known", "until": _LATER, "map": _LATER,
                           "reduce": _LATER, "foldl": _LATER, "foldr": _LATER},
    "croton.tensor.nlinalg": {name: "compute it with numpy.linalg on the result of a function, or in an op of your own (theano.Op)"
                              for name in ("matrix_inverse", "pinv", "det", "eig", "eigh", "qr", "svd", "lstsq", "tensorinv",
                                           "tensorsolve", "MatrixInverse", "MatrixPinv", "Det", "Eig", "Eigh", "QRFull", "QRIncomplete",
                                           "SVD")},
    "croton.tensor.slinalg": {name: "compute it with scipy.linalg on the result of a function, or in an op of your own (theano.Op)"
                              for name in ("cholesky", "solve", "solve_lower_triangular", "solve_upper_triangular", "eigvalsh", "expm",
                                           "Cholesky", "Solve", "Eigvalsh", "Expm")},
    "croton.tensor.fft": {"rfft": "use numpy.fft on the result of a function", "irfft": "use numpy.fft on the result of a function"},
    "croton.sparse": {name: "use dense matrices" for name in (
        "csr_matrix", "csc_matrix", "csr_fmatrix", "csr_dmatrix", "csc_fmatrix", "csc_dmatrix", "structured_dot", "basic", "dot",
        "dense_from_sparse", "csr_from_dense", "csc_from_dense", "sparse_grad", "SparseType", "CSR", "CSC", "mul", "add",
        "sp_sum", "transpose", "matrix", "as_sparse_variable", "sampling_dot", "structured_sigmoid")},
    "croton.typed_list": {name: "use Python lists of variables" for name in ("TypedListType", "append", "length", "insert", "extend",
                                                                            "remove", "reverse", "index", "count", "getitem", "make_list")},
    "croton.gof": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.opt": dict.fromkeys(_ENGINE_NAMES, _ENGINE), "croton.gof.optdb": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.toolbox": dict.fromkeys(_ENGINE_NAMES, _ENGINE), "croton.gof.destroyhandler": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.link": dict.fromkeys(_ENGINE_NAMES, _ENGINE), "croton.gof.params_type": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.cc": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.tensor.nnet.ctc": {"ctc": _LATER, "ctc_available": _LATER, "ConnectionistTemporalClassification": _LATER},
    "croton.tensor.nnet.blocksparse": {"sparse_block_dot": _LATER, "SparseBlockGemv": _LATER, "SparseBlockOuter": _LATER},
    "croton.tensor.nnet.corr": {"CorrMM": _LATER, "CorrMM_gradWeights": _LATER, "CorrMM_gradInputs": _LATER},
    "croton.tensor.nnet.Conv3D": {"conv3D": _LATER, "Conv3D": _LATER},
    "croton.tensor.io": dict.fromkeys(("load", "LoadFromDisk", "send", "recv", "isend", "irecv", "MPISend", "MPIRecv"),
                                      "read files and messages in Python and hand the arrays to the function"),
    "croton.sandbox.multinomial": {"MultinomialFromUniform": _LATER, "ChoiceFromUniform": _LATER},
    "croton.sandbox.linalg": {"psd": _LATER, "spectral_radius_bound": _LATER},
}


class Missing:
    """Stands for a name that is not there; calling it says so."""

    def __init__(self, name, way_out):
        self.__name__ = name.rsplit(".", 1)[-1]
        self._name, self._way_out = name, way_out

    def _sentence(self):
        name = "theano" + self._name[len("croton"):]
        if self._way_out == _LATER:
            return "%s is not in this version of Croton" % name
        return "%s is not in this version of Croton: %s" % (name, self._way_out)

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(self._sentence())

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return Missing(self._name + "." + attribute, self._way_out)

    def __instancecheck__(self, instance):
        return False

    def __mro_entries__(self, bases):
        raise NotImplementedError(self._sentence())

    def __repr__(self):
        return "<missing %s>" % self._sentence()


def module(name):
    """A module that has nothing but such names."""
    made = types.ModuleType("theano" + name[len("croton"):], "Names of Theano that are not in this version of Croton.")
    made.__spec__ = importlib.machinery.ModuleSpec(made.__name__, None)
    made.__getattr__ = functools.partial(attribute, name)
    return made


def attribute(module, name):
    """For a module's __getattr__."""
    way_out = NAMES.get(module, {}).get(name)
    if way_out is None:
        raise AttributeError("module %r has no attribute %r" % (module.replace("croton", "theano", 1), name))
    return Missing(module + "." + name, way_out)
