"""Names and tags of rewrites as scripts and flags write them: which there are, and what a wrong one may have meant."""
import re

from croton import _core
from croton.gof.optdb import registered_tags

# Of Theano, without a counterpart here: they are accepted and change nothing.
_FAMILIES = re.compile("gpu|cuda|dnn|conv|scan|cond|ifelse|sparse|csm|csr|csc|usmm|scipy|random|pool|downsample|batch_norm|ctc|linalg|chol|"
                       "inv_|solve|neibs|topk|unpickle|profile")
_OF_THEANO = frozenset((
    "ShapeOpt UnShapeOpt BlasOpt InplaceBlasOpt MergeOptimizer ShapeOptimizer GemmOptimizer Useless topo_constant_folding "
    "add_destroy_handler AddDestroyHandler insert_deepcopy more_mem output_merge alpha_merge local_flatten_lift local_reshape_dimshuffle "
    "local_scalar_tensor_scalar local_tensor_scalar_tensor local_useless_tile local_cut_useless_reduce print_op "
    "pre_local_IncSubtensor_serialize fast_compile_gpu assert_no_cpu_op no_transpose_symmetric local_log_prod_sqr local_log_pow "
    "local_opt xent default None c_blas device cpu numpy use_cblas lib_blas").split())


def known():
    names = set()
    for name, tags in _core.rewrites():
        names.add(name)
        names.update(tags)
    for name, phase, _, tag in _core.passes():
        names.update((name, phase, tag))
    names.discard("")
    return names | registered_tags


def rewrite_called(name):
    """Is there a rewrite of this name?"""
    return any(name == known for known, _ in _core.rewrites())


def is_of_theano(name):
    """Does it look like a rewrite of Theano's?"""
    return name in _OF_THEANO or name.startswith(("local_", "register_")) or bool(_FAMILIES.search(name.lower()) and not name.startswith("__"))


_warned = set()


def unknown(names):
    """A sentence for each name that nobody has heard of, once."""
    sentences = []
    every = None
    for name in names:
        if name in _warned or name in _OF_THEANO or _FAMILIES.search(name):
            continue
        every = every or known()
        if name in every:
            continue
        import difflib
        _warned.add(name)
        near = difflib.get_close_matches(name, every, 1, 0.7)
        sentences.append("no rewrite and no tag is called %r, so it changes nothing%s"
                         % (name, "; did you mean %r?" % near[0] if near else ""))
    return sentences


def without_tags(required):
    """The rewrites that lack one of these tags."""
    required = set(required)
    return [name for name, tags in _core.rewrites() if not required <= set(tags) | {name}]


def passes_behind(position):
    """The passes that run after this place of the sequence."""
    return [name for name, _, place, _ in _core.passes() if place > position]
