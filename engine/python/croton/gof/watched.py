"""Who looks at variables as they are built: test values, and the flag warn_float64."""
from croton import _core

# What builds applies: while somebody looks, these show what they build.
_BUILDERS = ("alloc alloc_empty arange argmax argmin argsort as_variable assert_true batched_dot binary call_elemwise cast "
             "categorical_crossentropy choice_from_uniform crossentropy_softmax_argmax cumprod cumsum deep_copy diag diagonal dimshuffle disconnected_grad "
             "dot eye fill flatten grad_clip grad_scale inc_subtensor join log_softmax make_vector max_and_argmax mean "
             "multinomial_from_uniform nonzero outer "
             "pattern_broadcast print rebroadcast reduce repeat reshape reshape_sizes searchsorted shape shape_i softmax sort "
             "specify_shape split subtensor tensordot trace tri true_div undefined_grad unique zero_grad").split()
_plain = {}
_watchers = {}


def watch(name, watcher):
    """`watcher` is called with lists of variables that were built; None: no longer."""
    if watcher is None:
        _watchers.pop(name, None)
    else:
        _watchers[name] = watcher
    if _watchers and not _plain:
        for builder in _BUILDERS:
            _plain[builder] = getattr(_core, builder)
            setattr(_core, builder, _shown(_plain[builder]))
    elif not _watchers and _plain:
        for builder, function in _plain.items():
            setattr(_core, builder, function)
        _plain.clear()


def show(variables):
    for watcher in list(_watchers.values()):
        watcher(variables)


def _shown(builder):
    def build(*args, **kwargs):
        result = builder(*args, **kwargs)
        if result is not None:
            show(result if isinstance(result, (list, tuple)) else [result])
        return result
    return build
