"""MRG31k3p from its definition (L'Ecuyer and Touzin 2000), in whole numbers of any size: what the engine's is held against."""
import numpy

M1, M2 = 2 ** 31 - 1, 2 ** 31 - 21069
# x[n] = (2^22 x[n-2] + (2^7 + 1) x[n-3]) mod M1; y[n] = (2^15 y[n-1] + (2^15 + 1) y[n-3]) mod M2
A1 = numpy.array([[0, 2 ** 22, 2 ** 7 + 1], [1, 0, 0], [0, 1, 0]], dtype=object)
A2 = numpy.array([[2 ** 15, 0, 2 ** 15 + 1], [1, 0, 0], [0, 1, 0]], dtype=object)


def power(matrix, exponent, modulus):
    result = numpy.array([[int(i == j) for j in range(3)] for i in range(3)], dtype=object)
    while exponent:
        if exponent & 1:
            result = result.dot(matrix) % modulus
        matrix = matrix.dot(matrix) % modulus
        exponent >>= 1
    return result


def ahead(state, steps):
    first, second = numpy.array(state[:3], dtype=object), numpy.array(state[3:], dtype=object)
    return [int(one) for one in power(A1, steps, M1).dot(first) % M1] + [int(one) for one in power(A2, steps, M2).dot(second) % M2]


class Streams:
    """Where MRG_RandomStreams(seed) takes its streams from."""

    def __init__(self, seed):
        self.state = [seed] * 6 if isinstance(seed, int) else list(seed)

    def take(self, count):
        made = [self.state]
        for _ in range(count - 1):
            made.append(ahead(made[-1], 2 ** 72))
        self.state = ahead(self.state, 2 ** 134)
        return made


def draw(states, count):
    """The numbers 1 … M1 of streams that take turns; the states move on."""
    numbers = []
    for i in range(count):
        stream = i % len(states)
        states[stream] = ahead(states[stream], 1)
        difference = states[stream][0] - states[stream][3]
        numbers.append(difference + M1 if difference <= 0 else difference)
    return numbers


def uniform(states, shape, dtype="float64"):
    numbers = draw(states, int(numpy.prod(shape, dtype="int64")))
    if dtype == "float32":
        made = numpy.array(numbers, "int32").astype("float32") * numpy.float32(4.6566126e-10)
    elif dtype == "float16":
        made = ((numpy.array(numbers) & 0x7fff) + 1) * float(numpy.float16(3.0458e-05))
    else:
        made = numpy.array(numbers) * 2.0 ** -31
    return made.astype(dtype).reshape(shape)
