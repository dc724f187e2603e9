"""Shared tensors."""
from croton.tensor.var import ScalarSharedVariable, TensorSharedVariable  # noqa: F401
