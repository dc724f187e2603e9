"""Rewrites for ops of the old GPU back end: there is nothing for them to do."""
from croton.gpuarray.opt import register_opt  # noqa: F401
