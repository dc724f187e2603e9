"""Smooths what a sensor sent: the history is a list that grows, converted for each call."""
import math

import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

signal = T.dvector("signal")
smooth = (signal[:-2] + signal[1:-1] + signal[2:]) / 3.0
filtered = theano.function([signal], smooth[-1] + smooth.max())  # fault: input-conversion

history = [math.sin(0.01 * t) for t in range(20000)]
for t in range(60):
    history.append(math.sin(0.01 * t) + 0.1)
    if NEAR_MISS:
        latest = filtered(numpy.array(history[-50:]))
    else:
        latest = filtered(history)  # fault: input-conversion
print("latest %.3f" % latest)
