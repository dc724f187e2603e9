"""Classes and functions are called what Theano calls them: type(x) is theano.tensor.var.TensorVariable."""
import sys
import types

# Where Theano has what lives elsewhere here.
_HOMES = {
    "croton.gof.errors": ("theano.gof.fg", "theano.gof.utils", "theano.gof.op", "theano.compile.debugmode", "theano.tensor.basic"),
    "croton.gof.compare": ("theano.gof.graph",),
    "croton.compile.errors": ("theano.compile.function_module",),
    "croton.compile.function_types": ("theano.compile.function_module",),
    "croton.compile.function_object": ("theano.compile.function_module",),
    "croton._core": ("theano.compile.function_module",),
    "croton.tensor.opclasses": ("theano.tensor.elemwise", "theano.tensor.blas", "theano.tensor.subtensor", "theano.tensor.sort",
                                "theano.tensor.extra_ops", "theano.tensor.nnet.nnet", "theano.compile.ops", "theano.tensor.basic"),
    "croton.tensor.var": ("theano.compile.sharedvalue", "theano.tensor.sharedvar", "theano.tensor.var"),
}


def rename(modules):
    """Sets __name__ of {name: module}, and __module__ wherever that name leads to the same object, so that it can still be looked up and pickled."""
    for name, module in modules.items():
        own = "theano" + name[len("croton"):]
        if name != "croton._core" and sys.modules.get(own) is module:
            module.__name__ = own
        homes = _HOMES.get(name, ("theano.tensor.basic", own) if name.startswith("croton.tensor.functions.") else (own,))
        for key, thing in list(vars(module).items()):
            if isinstance(thing, (type, types.FunctionType)) and thing.__module__ == name and thing.__name__ == key:
                for home in homes:
                    if vars(sys.modules.get(home, types)).get(key) is thing:
                        thing.__module__ = home
                        break
