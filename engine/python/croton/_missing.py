"""Names of Theano that Croton has not got (yet): they can be imported, and say what to use when they are called."""
import functools
import importlib.machinery
import types

_CONV = "use theano.tensor.nnet.conv2d or conv3d"

_ENGINE = "the engine compiles graphs; describe what the op does with perform() and grad()"
_ENGINE_NAMES = ("Linker", "LocalLinker", "CLinker",
                 "get_module_cache", "get_persistent_module_cache", "raise_with_op", "cc", "cmodule", "compilelock", "unify",
                 "LocalMetaOptimizer")
_C_TEXT = "C text of ops is made where they are compiled; write c_code() of an op"

# module → {name: what to use}; "*": every name
NAMES = {
    "croton.tensor.nnet": {
        "abstract_conv2d": _CONV, "ConvOp": _CONV,
    },
    "croton.tensor.nnet.conv": {"ConvOp": _CONV},
    "croton.tensor.nnet.abstract_conv": {"frac_bilinear_upsampling": "for a ratio of p to q: bilinear_upsampling by p, then every q-th pixel",
                                         "assert_conv_shape": "T.opt.Assert checks what has to hold", "assert_shape": "T.opt.Assert checks what has to hold"},
    "croton.sparse": dict.fromkeys(("bsr_dmatrix", "bsr_fmatrix", "block_diag"), "use csr_matrix, and hstack and vstack"),
    "croton.gof": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.opt": dict.fromkeys(("LocalMetaOptimizer",), "register the alternative that is faster, or several that exclude one another by name"),
    "croton.gof.link": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.cc": dict.fromkeys(_ENGINE_NAMES, _ENGINE), "croton.gof.cmodule": dict.fromkeys(_ENGINE_NAMES, _ENGINE),
    "croton.gof.cutils": {"*": _ENGINE}, "croton.gof.lazylinker_c": {"*": _ENGINE}, "croton.scan_module.scan_perform": {"*": _ENGINE},
    "croton.gof.callcache": {"*": "pickle results, or use functools.lru_cache"}, "croton.gof.sync": {"*": "use threading"},
    "croton.gof.compiledir": {"*": "`croton cache` shows, bounds and clears what was compiled"},
    "croton.tensor.blas_headers": {"*": _C_TEXT}, "croton.tensor.elemwise_cgen": {"*": _C_TEXT},
    "croton.tensor.blas_scipy": {"*": "use theano.tensor.blas: products go to one library, which `croton devices` names"},
    "croton.scalar.basic_sympy": {"*": "write the function of theano.scalar, or a UnaryScalarOp with impl() or c_code()"},
    "croton.gof.compilelock": dict.fromkeys(("get_lock", "release_lock", "set_lock_status", "force_unlock"),
                                            "locks of the cache are the system's and go with their process"),
    "croton.gof.unify": dict.fromkeys(("Variable", "FreeVariable", "BoundVariable", "OrVariable", "Unification", "unify_walk"), _ENGINE),
}


class Missing:
    """Stands for a name that is not there; calling it says so."""

    def __init__(self, name, way_out):
        self.__name__ = name.rsplit(".", 1)[-1]
        self._name, self._way_out = name, way_out

    def _sentence(self):
        name = "theano" + self._name[len("croton"):]
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
    module = module.replace("theano", "croton", 1)
    names = NAMES.get(module, {})
    way_out = names.get(name, names.get("*"))
    if way_out is None or name.startswith("__"):
        raise AttributeError("module %r has no attribute %r" % (module.replace("croton", "theano", 1), name))
    return Missing(module + "." + name, way_out)
