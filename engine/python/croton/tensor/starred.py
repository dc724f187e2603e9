"""What `from theano.tensor import *` brings: Theano's names, so that Python's and the script's own are left alone."""

_OF_CROTON = set("""
    AxisError CLASSES CONSTRUCTORS CONVERSIONS Built abs absolute array_of built by_hand compress constant_or_value declare derived diff dimshuffle
    expand_dims functions holds_variables identity inspect json listed methods moveaxis normal_axes normal_axis numpy opclasses
    own_elemwise parameter parameters public_names run_time_axis searchsorted shape_feature starred to_one_hot trace unique unrolled
    """.split())


def public_names(namespace):
    """The __getattr__ of a module: it says what __all__ is when that is asked for, with all that was imported until then."""
    def public(name):
        if name == "__all__":
            return [public for public in namespace if not public.startswith("_") and public not in _OF_CROTON]
        raise AttributeError("module %r has no attribute %r" % (namespace["__name__"], name))
    return public
