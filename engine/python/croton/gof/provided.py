"""What Variable, Apply, Type and Op need from modules that build on them: each is a function that is declared here and defined in one module above."""


class Provided:
    """A function of a module above. That module defines it: `provided.gradients.by(grad)`."""
    __slots__ = ("_function", "_what")

    def __init__(self, what):
        self._what, self._function = what, None

    def by(self, function):
        """Makes `function` the definition; returns it, so that it can be used as a decorator."""
        if self._function is not None:
            raise RuntimeError("two modules define %s: %s and %s" % (self._what, self._function.__module__, function.__module__))
        self._function = function
        return function

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


compiled = Provided("compiled(inputs, outputs, …): theano.function")
gradients = Provided("gradients(cost, wrt, …): theano.grad")
scalar_function = Provided("scalar_function(op or name): the scalar function of an elementwise op")
