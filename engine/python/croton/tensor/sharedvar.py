"""Shared tensors."""
from croton.compile.sharedvalue import shared as tensor_constructor
from croton.tensor.var import ScalarSharedVariable, TensorSharedVariable
