"""Helpers of tests."""
import unittest

import numpy

from croton.compile.function import function
from croton.configparser import config
from croton.gradient import verify_grad as check
from croton.tensor.basic import _allclose


def fetch_seed(pseed=None):
    seed = config.unittests.rseed if pseed is None else pseed
    return None if seed == "random" else int(seed)


def seed_rng(pseed=None):
    seed = fetch_seed(pseed)
    numpy.random.seed(seed)
    return seed


def verify_grad(op, pt, n_tests=2, rng=None, *args, **kwargs):
    if rng is None:
        rng = numpy.random.RandomState(fetch_seed())
    check(op, pt, n_tests, rng, *args, **kwargs)


def assert_allclose(expected, value, rtol=None, atol=None):
    if not _allclose(expected, value, rtol, atol):
        raise AssertionError("values differ:\n%s\n%s" % (expected, value))


class InferShapeTester(unittest.TestCase):
    """_compile_and_check compares shapes that are computed with those that are inferred."""

    def setUp(self):
        seed_rng()

    def _compile_and_check(self, inputs, outputs, numeric_inputs, cls, excluding=None, warn=True, check_topo=True):
        values = function(inputs, outputs, on_unused_input="ignore")(*numeric_inputs)
        shapes = function(inputs, [output.shape for output in outputs], on_unused_input="ignore")(*numeric_inputs)
        for value, shape in zip(values, shapes):
            assert tuple(shape) == value.shape, (tuple(shape), value.shape)
