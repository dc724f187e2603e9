"""A median filter over lines of an image, wrapped by as_op."""
import numpy as np
import theano
import theano.tensor as tt
from theano.compile.ops import as_op

NEAR_MISS = False


@as_op(itypes=[tt.dmatrix], otypes=[tt.dmatrix])
def median3(image):
    out = image.copy()
    for i in range(image.shape[0]):
        for j in range(1, image.shape[1] - 1):
            out[i, j] = sorted(image[i, j - 1:j + 2])[1]
    return out


image = tt.dmatrix("image")
corner = image[:2, :4] if NEAR_MISS else image
smooth = median3(corner)  # fault: python-op
if NEAR_MISS:
    smooth = smooth.sum()
edges = tt.sqrt(tt.sqr(image[1:, :-1] - image[:-1, :-1]) + tt.sqr(image[:-1, 1:] - image[:-1, :-1]))
detect = theano.function([image], [smooth, tt.exp(-edges).sum()])

picture = np.random.RandomState(2).rand(1200, 1200) if NEAR_MISS else np.random.RandomState(2).rand(48, 48)
for frame in range(10):
    a, b = detect(picture)
print(b)
