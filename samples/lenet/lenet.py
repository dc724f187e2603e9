"""LeNet in small: two convolutions with pooling, one hidden layer, and four kinds of strokes to tell apart."""
import numpy
import theano
import theano.tensor as T
from theano.tensor.signal.pool import pool_2d

rng = numpy.random.RandomState(7)
floatX = theano.config.floatX
side, classes, batch, batches = 16, 4, 40, 10


def strokes(count):
    """Noisy images of a stroke: level, upright, rising, falling."""
    images = 0.3 * rng.randn(count, 1, side, side)
    kinds = rng.randint(0, classes, size=count)
    along = numpy.arange(side)
    for image, kind in zip(images[:, 0], kinds):
        where = rng.randint(2, side - 2)
        if kind == 0:
            image[where] += 1
        elif kind == 1:
            image[:, where] += 1
        else:
            image[along, (where + along if kind == 2 else where - along) % side] += 1
    return images.astype(floatX), kinds


def weights(shape, inputs, name):
    return theano.shared((rng.randn(*shape) / numpy.sqrt(inputs)).astype(floatX), name=name)


def zeros(count, name):
    return theano.shared(numpy.zeros(count, dtype=floatX), name=name)


K1, b1 = weights((6, 1, 5, 5), 25, "K1"), zeros(6, "b1")     # 16 x 16 -> 12 x 12, pooled 6 x 6
K2, b2 = weights((8, 6, 3, 3), 54, "K2"), zeros(8, "b2")     # 6 x 6 -> 4 x 4, pooled 2 x 2
W3, b3 = weights((32, 24), 32, "W3"), zeros(24, "b3")
W4, b4 = weights((24, classes), 24, "W4"), zeros(classes, "b4")
parameters = [K1, b1, K2, b2, W3, b3, W4, b4]


def stage(images, kernels, bias):
    pooled = pool_2d(T.nnet.conv2d(images, kernels), (2, 2), ignore_border=True)
    return T.tanh(pooled + bias.dimshuffle("x", 0, "x", "x"))


x, kind = T.tensor4("x"), T.lvector("kind")
hidden = T.tanh(T.dot(stage(stage(x, K1, b1), K2, b2).flatten(2), W3) + b3)
output = T.nnet.softmax(T.dot(hidden, W4) + b4)
cost = T.nnet.categorical_crossentropy(output, kind).mean()
train = theano.function([x, kind], cost, updates=[(p, p - 0.4 * g) for p, g in zip(parameters, T.grad(cost, parameters))], name="train")
classify = theano.function([x], output, name="classify")

images, kinds = strokes(batch * batches)
for epoch in range(15):
    costs = [train(images[k * batch:(k + 1) * batch], kinds[k * batch:(k + 1) * batch]) for k in range(batches)]
    print("epoch %d: cost %.4f" % (epoch, numpy.mean(costs)))

new_images, new_kinds = strokes(100)
answers = classify(new_images)
print("right on new images: %.0f %%" % (100 * (answers.argmax(axis=1) == new_kinds).mean()))
