"""Convolutions as matrix products in the old GPU back end: kernels are applied forwards."""
from croton.tensor.opclasses import CLASSES


def _of(name):
    def make(border_mode="valid", subsample=(1, 1), pad=(0, 0)):
        """The op of the engine, which runs where its inputs are. pad is an older way to give zeros as border_mode."""
        return CLASSES[name](border_mode=border_mode if pad in (0, (0, 0)) else pad, subsample=subsample)
    make.__name__ = "Gpu" + name
    return make


GpuCorrMM, GpuCorrMM_gradWeights, GpuCorrMM_gradInputs = (_of(name) for name in ("CorrMM", "CorrMM_gradWeights", "CorrMM_gradInputs"))
