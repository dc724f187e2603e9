import numpy


def stage(images, kernels, bias):
    """Each window of an image with the kernel turned around, then the largest of each two by two, then tanh."""
    size = kernels.shape[-1]
    windows = numpy.lib.stride_tricks.sliding_window_view(images, (size, size), axis=(2, 3))
    made = numpy.einsum("nirckl,oikl->norc", windows, kernels[:, :, ::-1, ::-1])
    count, kinds, side = made.shape[:3]
    pooled = made.reshape(count, kinds, side // 2, 2, side // 2, 2).max(axis=(3, 5))
    return numpy.tanh(pooled + bias[None, :, None, None])


def check(said, script):
    costs = said("epoch")[1::2]
    assert costs[-1] < 0.1 * costs[0] and said("right on new images")[0] > 90
    K1, b1, K2, b2, W3, b3, W4, b4 = [parameter.get_value() for parameter in script.parameters]
    features = stage(stage(script.new_images, K1, b1), K2, b2).reshape(len(script.new_images), -1)
    scores = numpy.exp(numpy.tanh(features @ W3 + b3) @ W4 + b4)
    numpy.testing.assert_allclose(script.answers, scores / scores.sum(axis=1, keepdims=True), atol=1e-5)
