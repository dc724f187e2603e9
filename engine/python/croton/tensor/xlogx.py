"""x log x and x log y, zero where x is."""
from croton import _core

xlogx = _core.elemwise("xlogx") if _core.has_scalar("xlogx") else None
xlogy0 = _core.elemwise("xlogy0") if _core.has_scalar("xlogy0") else None
