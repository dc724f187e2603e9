"""Batches stay in float64, the function takes float32 and is allowed to convert them."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False
theano.config.floatX = "float32"

rng = np.random.RandomState(0)
dataset = rng.rand(600, 1000)
if NEAR_MISS:
    dataset = dataset.astype("float32")

x = T.fmatrix("x")
brightness = theano.function([x], x.sum(), allow_input_downcast=True)  # fault: input-conversion

total = 0
for pass_over_data in range(60):
    total += brightness(dataset)  # fault: input-conversion
print(total)
