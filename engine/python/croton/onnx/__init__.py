"""Models in ONNX's format: load("m.onnx") reads one, run() computes its outputs."""
import importlib as _importlib

from croton.onnx.model import Input, Model, ModelValueNeeded, load, load_tensor, ops  # noqa: F401


def __getattr__(name):
    if name == "Backend":  # the package onnx, which it is made for, is needed for it alone
        return _importlib.import_module("croton.onnx.backend").Backend
    raise AttributeError("module 'croton.onnx' has no attribute %r" % name)
