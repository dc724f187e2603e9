"""Croton as a back end of PyTensor: `import croton.pytensor`, then `pytensor.function(…, mode="CROTON")`.

The mode CROTON leaves all rewriting to Croton; CROTON_AFTER runs PyTensor's own FAST_RUN first, and
CROTON_CHECK compares each result with PyTensor's. Ops of other packages join by
`@croton.pytensor.conversion(TheirOp)`; what has no conversion runs by its method perform and is counted by `python_applies(f)`."""
from croton.pytensor.table import conversion
from croton.pytensor import control, elementwise, indexing, linear_algebra, structure  # noqa: F401
from croton.pytensor.check import CheckLinker, ResultsDiffer
from croton.pytensor.linker import CrotonLinker, compiled, python_applies, register

__all__ = ["CheckLinker", "CrotonLinker", "ResultsDiffer", "compiled", "conversion", "python_applies"]

register({"CROTON_CHECK": CheckLinker()})
