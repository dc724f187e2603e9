"""Linkers that run C code, and what hides that of an op."""
from croton.gof.c_types import HideC  # noqa: F401
from croton.gof.vm import CLinker, DualLinker, OpWiseCLinker  # noqa: F401
