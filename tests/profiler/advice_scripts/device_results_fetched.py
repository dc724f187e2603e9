"""Noise for an animation: each frame is brought back though only the last one is shown."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
DEVICE = "opencl0:0"

size = 700
grid = theano.shared(numpy.random.RandomState(0).rand(size, size).astype("float32"), name="grid")
waves = T.sin(grid * numpy.float32(3)) * numpy.float32(0.5) + numpy.float32(0.5)
if NEAR_MISS:
    draw = theano.function([], [], updates=[(grid, waves)])
else:
    draw = theano.function([], waves, updates=[(grid, waves)])  # fault: fetched-results

for frame in range(40):
    picture = draw()
if NEAR_MISS:
    picture = grid.get_value()
print(picture.mean())
