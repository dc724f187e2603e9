"""Helpers of tests."""
import logging
import sys
import unittest

import numpy

from croton.compile.function import function
from croton.compile.mode import get_mode
from croton.configparser import config
from croton.gradient import verify_grad as check
from croton.tensor.basic import _allclose

_logger = logging.getLogger("theano.tests.unittest_tools")


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


class WrongValue(Exception):
    """Values differ."""

    def __init__(self, expected_val, val, rtol, atol):
        super().__init__("values differ:\n%s\n%s\nrtol %s, atol %s" % (expected_val, val, rtol, atol))
        self.val1, self.val2, self.rtol, self.atol = expected_val, val, rtol, atol


class OptimizationTestMixin:
    """What the optimized graphs of functions hold."""

    def _check(self, f, wanted, least, most, what):
        order = f.maker.fgraph.toposort()
        matches = [node for node in order if wanted(node.op)]
        assert least <= len(matches) <= most, (order, matches, str(what), len(matches), least, most)

    def assertFunctionContains(self, f, op, min=1, max=sys.maxsize):
        self._check(f, lambda one: one == op, min, max, op)

    def assertFunctionContains0(self, f, op):
        self.assertFunctionContains(f, op, 0, 0)

    def assertFunctionContains1(self, f, op):
        self.assertFunctionContains(f, op, 1, 1)

    def assertFunctionContainsN(self, f, op, N):
        self.assertFunctionContains(f, op, N, N)

    def assertFunctionContainsClass(self, f, op, min=1, max=sys.maxsize):
        self._check(f, lambda one: isinstance(one, op), min, max, op)

    def assertFunctionContainsClassN(self, f, op, N):
        self.assertFunctionContainsClass(f, op, N, N)

    def SkipTest(self, msg="Skip this test"):
        raise unittest.SkipTest(msg)


class InferShapeTester(unittest.TestCase):
    """_compile_and_check compares shapes that are computed with those that are inferred, which must not need the op."""

    def setUp(self):
        seed_rng()
        self.mode = get_mode("FAST_RUN" if config.mode == "FAST_COMPILE" else config.mode).including("canonicalize")

    def _compile_and_check(self, inputs, outputs, numeric_inputs, cls, excluding=None, warn=True, check_topo=True):
        mode = self.mode.excluding(*excluding) if excluding else self.mode
        if warn:
            _warn_of_equal_sizes(inputs, numeric_inputs, cls)
        values = function(inputs, outputs, mode=mode, on_unused_input="ignore")(*numeric_inputs)
        shapes_function = function(inputs, [output.shape for output in outputs], mode=mode, on_unused_input="ignore")
        if check_topo:
            left = [node for node in shapes_function.maker.fgraph.toposort() if isinstance(node.op, cls)]
            assert not left, "the shapes are not inferred: they are those of what %s computes" % left[0]
        for value, shape in zip(values, shapes_function(*numeric_inputs)):
            assert tuple(shape) == value.shape, (tuple(shape), value.shape)


def _warn_of_equal_sizes(inputs, values, cls):
    for variable, value in zip(inputs, values):
        pattern = getattr(variable.type, "broadcastable", ())
        sizes = [size for size, single in zip(numpy.shape(value), pattern) if not single]
        if len(set(sizes)) != len(sizes):
            _logger.warning("While testing shape inference for %r, we received an input with a shape that has some repeated values: %r, "
                            "like a square matrix: sizes that are mixed up are not found.", cls, numpy.shape(value))
            return


TestOptimizationMixin = OptimizationTestMixin


def assertFailure_fast(f):
    """For tests that fail where the flag cycle_detection is fast, which changes nothing here."""
    return f
