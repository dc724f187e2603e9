"""Samples of outcomes, made of uniform numbers."""
import warnings

from croton import _core
from croton.gof.op import Op, declare, parameters
from croton.tensor import basic


class _FromUniform(Op):
    def __init__(self, *args, **kwargs):
        pass

    odtype = property(lambda self: parameters(self).get("dtype", "auto"))


class MultinomialFromUniform(_FromUniform):
    """How often each outcome comes up in n trials."""

    def __new__(cls, odtype="auto"):
        return _Maker(odtype, lambda p, unis, n: _core.multinomial_from_uniform(p, unis, n, str(odtype)))


class ChoiceFromUniform(_FromUniform):
    """Which n outcomes come up."""

    def __new__(cls, odtype="auto", replace=False):
        return _Maker(odtype, lambda p, unis, n: _core.choice_from_uniform(p, unis, n, str(odtype), bool(replace)))


class _Maker:
    """What the classes give before their inputs are known."""

    def __init__(self, odtype, build):
        self.odtype, self._build = odtype, build

    def __call__(self, pvals, unis, n=1):
        pvals, unis = basic.as_tensor_variable(pvals), basic.as_tensor_variable(unis)
        for name, value, ndim in (("pvals", pvals, 2), ("unis", unis, 1)):
            if value.ndim != ndim:
                raise NotImplementedError("%s ndim should be %d" % (name, ndim), value.ndim)
        return self._build(pvals, unis, basic.as_tensor_variable(n))

    def make_node(self, *inputs):
        return self(*inputs).owner


class MultinomialWOReplacementFromUniform(ChoiceFromUniform):
    def __new__(cls, *args, **kwargs):
        warnings.warn("MultinomialWOReplacementFromUniform is deprecated, use ChoiceFromUniform instead.", DeprecationWarning, stacklevel=2)
        return ChoiceFromUniform(*args, **kwargs)


declare("MultinomialFromUniform", MultinomialFromUniform)
declare("ChoiceFromUniform", ChoiceFromUniform)
