"""Types of what stands between brackets, where Theano has them."""
from croton.gof.graph import Constant
from croton.gof.type import NoneTypeT, SliceType  # noqa: F401

none_type_t = NoneTypeT()
slicetype = SliceType()
NoneConst = Constant(none_type_t, None, name="NoneConst")


class SliceConstant(Constant):
    pass
