"""Random streams of the old GPU back end: MRG31k3p draws them, on any device. They are not the numbers that cuRAND would give."""
from croton.sandbox.rng_mrg import MRG_RandomStreams


class CURAND_RandomStreams(MRG_RandomStreams):
    pass
