import numpy


def check(said, script):
    numpy.testing.assert_allclose(said("uniform, mean and variance"), [1 / 2, 1 / 12], atol=0.01)
    numpy.testing.assert_allclose(said("normal, mean and deviation"), [5, 2], atol=0.05)
    for line in ("other numbers in the next call", "one variable is one draw", "without its update, the same numbers"):
        assert said.text(line) == "True", line
    numpy.testing.assert_allclose(said("pi, roughly"), numpy.pi, atol=0.02)
