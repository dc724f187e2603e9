"""Croton as a back end of ONNX's tests and tools: an onnx.backend.base.Backend."""
from onnx.backend import base

from croton.onnx import model as models


class Prepared(base.BackendRep):
    def __init__(self, model):
        self.model = model

    def run(self, inputs, **_):
        if not isinstance(inputs, dict) and not isinstance(inputs, (list, tuple)):
            inputs = [inputs]
        return tuple(self.model.run(inputs))


class Backend(base.Backend):
    """prepare(model).run(inputs) and run_model(model, inputs)."""

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        if not cls.supports_device(device):
            raise ValueError("Croton runs models on the CPU, not on %s." % device)
        return Prepared(models.load(model))

    @classmethod
    def supports_device(cls, device):
        return device.split(":")[0] == "CPU"
