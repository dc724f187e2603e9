"""Compiled functions and what makes them, where Theano has them."""
from croton._core import Function  # noqa: F401
from croton.compile.errors import AliasedMemoryError, UnusedInputError  # noqa: F401
from croton.compile.function import function, function_dump  # noqa: F401
from croton.compile.function_types import FunctionMaker, orig_function  # noqa: F401
