"""What `from theano.tensor import *` brings: Theano's names, so that Python's and the script's own are left alone."""

# Of Croton's own making, under names that a script may have for something else.
MORE = set("""
    AxisError abs absolute compress diff dimshuffle expand_dims identity moveaxis searchsorted to_one_hot trace unique
    """.split())
# What the modules of Croton use among themselves.
HELPERS = set("""
    AddToDiag Built CLASSES CONSTRUCTORS CONVERSIONS JoinAlong MOST_BROADCAST Scalar SplitAlong array_of built by_hand cast_to_floatX constant_or_value declare derived dtypes
    engine_rewrite functions holds_variables inspect json known_or_variable listed methods normal_axes normal_axis numpy opclasses own_elemwise parameters
    provided public_names Repeat run_time_axis shape_feature stacked starred tensor_constant_signature unrolled
    """.split())


def public_names(namespace):
    """The __getattr__ of a module: it says what __all__ is when that is asked for, with all that was imported until then."""
    def public(name):
        if name == "__all__":
            return [one for one in namespace if not one.startswith("_") and one not in MORE and one not in HELPERS]
        raise AttributeError("module %r has no attribute %r" % (namespace["__name__"], name))
    return public
