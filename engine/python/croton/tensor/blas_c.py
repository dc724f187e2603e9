"""Products of vectors by BLAS, as rewrites make them."""
from croton.tensor import by_hand  # noqa: F401  (what the classes take)
from croton.tensor.opclasses import CGemv, CGer

cgemv_inplace, cgemv_no_inplace = CGemv(inplace=True), CGemv(inplace=False)
cger_inplace, cger_no_inplace = CGer(True), CGer(False)
