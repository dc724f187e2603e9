"""Energy of overlapping frames of a sound under a Hann window made by NumPy."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False
theano.config.floatX = "float32"

frame_length = 512
window = np.hanning(frame_length)
if NEAR_MISS:
    window = window.astype(theano.config.floatX)

frames = T.matrix("frames")
windowed = frames * window  # fault: float64
energy = T.log(1e-6 + T.sqr(T.sin(windowed)).sum(axis=1))
loudness = theano.function([frames], energy)

rng = np.random.RandomState(0)
sound = rng.uniform(-1, 1, size=(600, frame_length)).astype("float32")
total = 0
for second in range(30):
    total += loudness(sound).mean()
print("mean log energy", total / 30)
