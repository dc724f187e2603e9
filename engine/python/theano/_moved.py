"""Modules under the names that other releases of Theano gave them, from 0.3 to Theano-PyMC 1.1."""

# What is one module here.
MODULES = {
    "theano.config": "croton.configparser", "theano.configdefaults": "croton.configparser",
    "theano.compile.pfunc": "croton.compile.function_types",
    "theano.sandbox.scan": "croton.scan_module", "theano.scalar.basic": "croton.scalar",
    "theano.scalar.sharedvar": "croton.scalar", "theano.scalar.basic_scipy": "croton.scalar",
    "theano.sandbox.neighbours": "croton.tensor.nnet.neighbours", "theano.sandbox.softsign": "croton.tensor.nnet.nnet",
    "theano.sandbox.conv": "croton.tensor.nnet.conv", "theano.d3viz.d3viz": "croton.d3viz", "theano.gof.env": "croton.gof.fg",
    "theano.sandbox.solve": "croton.tensor.slinalg", "theano.sandbox.scan_module": "croton.scan_module",
    "theano.sparse.sharedvar": "croton.sparse.type",
    "theano.compile.profiling": "croton.compile.profiling",
    "theano.compat.six.moves.cPickle": "pickle", "theano.compat.six.moves.configparser": "configparser",
    "theano.compat.six.moves.queue": "queue", "theano.compat.six.moves.builtins": "builtins",
    "theano.compat.six.moves.urllib": "urllib", "theano.compat.six.moves.urllib.request": "urllib.request",
    "theano.compat.six.moves.urllib.parse": "urllib.parse", "theano.compat.six.moves.urllib.error": "urllib.error",
    # Theano-PyMC
    "theano.graph.basic": "croton.gof.graph", "theano.link.basic": "croton.gof.link", "theano.link.vm": "croton.gof.vm",
    "theano.link.utils": "croton.gof.link", "theano.link.c.basic": "croton.gof.cc", "theano.link.c.interface": "croton.gof.c_types",
    "theano.link.c.cmodule": "croton.gof.cmodule", "theano.utils": "croton.gof.utils",
    "theano.breakpoint": "croton.tests.breakpoint", "theano.scan.basic": "croton.scan_module.scan",
    "theano.scan.op": "croton.scan_module.scan_op", "theano.scan.opt": "croton.scan_module.scan_opt",
    "theano.scan.utils": "croton.scan_module.scan_utils", "theano.scan.views": "croton.scan_module.scan_views",
    "theano.scan.checkpoints": "croton.scan_module.scan_checkpoints",
    "theano.compile.function.pfunc": "croton.compile.function_types", "theano.compile.function.types": "croton.compile.function_module",
}

# Packages whose modules go by other names, and what has their own names. A module that is not above is one of the same name there.
PACKAGES = {"theano.graph": "croton.gof", "theano.link": "croton.gof", "theano.link.c": "croton.gof", "theano.scan": "croton.scan_module"}


def module_of(name):
    """Where what the face calls `name` is."""
    if name in MODULES:
        return MODULES[name]
    package, _, last = name.rpartition(".")
    return PACKAGES[package] + "." + last if package in PACKAGES else "croton" + name[len("theano"):]
