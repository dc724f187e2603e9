"""Types of what stands between brackets, where Theano has them."""
from croton import _missing
from croton.gof.graph import Constant
from croton.gof.type import NoneTypeT, SliceType  # noqa: F401

none_type_t = NoneTypeT()
slicetype = SliceType()
NoneConst = Constant(none_type_t, None, name="NoneConst")


class SliceConstant(Constant):
    pass


def __getattr__(name):
    return _missing.attribute("croton.tensor.type_other", name)
