"""The card that tests of CUDA run on: the simulated one where it is named, else a real one."""
import os

import pytest
from croton import _core

SIMULATION = os.environ.get("CROTON_CUDA_SIMULATION", "")
HAS_SIMULATION = os.path.exists(SIMULATION + "/libcudart.so.13")
HAS_CARD = HAS_SIMULATION or any(name == "cuda0" and not reason for name, hardware, reason in ([] if SIMULATION else _core.offered_devices()))
needs_card = pytest.mark.skipif(not HAS_CARD, reason="there is no card, and no simulated CUDA: CROTON_CUDA_SIMULATION names its folder")
needs_simulation = pytest.mark.skipif(not HAS_SIMULATION, reason="there is no simulated CUDA: CROTON_CUDA_SIMULATION names its folder")


def environment(flags="", **env):
    """Of a process that runs there."""
    libraries = {"CROTON_CUDA_LIBRARIES": SIMULATION} if HAS_SIMULATION else {}
    return dict(os.environ, THEANO_FLAGS=flags, **libraries, **env)
