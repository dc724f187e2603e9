"""A base for tests of R_op."""
import unittest

import numpy

from croton import tensor
from croton.compile.function import function
from croton.gradient import Lop, Rop, jacobian
from croton.tensor import basic
from croton.tests.unittest_tools import assert_allclose, fetch_seed, seed_rng


class RopLop_checker(unittest.TestCase):
    """Compares Rop and Lop of expressions of self.x (of shape self.in_shape) or self.mx (self.mat_in_shape) with products of the Jacobian."""

    def setUp(self):
        seed_rng()
        self.rng = numpy.random.RandomState(fetch_seed())
        self.x, self.v = tensor.vectors("x", "v")
        self.mx, self.mv = tensor.matrices("mx", "mv")
        self.in_shape = (5 + self.rng.randint(3),)
        self.mat_in_shape = (5 + self.rng.randint(3), 5 + self.rng.randint(3))

    def _random(self, shape):
        return numpy.asarray(self.rng.uniform(size=shape), self.x.dtype)

    def _check(self, y, x, v, shape, out_shape):
        jacobian_of = jacobian(basic.flatten(y), x)
        forward, wanted = Rop(y, x, v), basic.dot(basic.reshape(jacobian_of, (-1, x.size)), basic.flatten(v))
        values = self._random(shape), self._random(shape)
        found = function([x, v], [basic.flatten(forward), wanted], on_unused_input="ignore")(*values)
        assert_allclose(found[1], found[0])
        u = tensor.vector("u")
        backward = Lop(basic.flatten(y), x, u)
        wanted = basic.reshape(basic.dot(u, basic.reshape(jacobian_of, (-1, x.size))), x.shape, ndim=x.ndim)
        found = function([x, u], [backward, wanted], on_unused_input="ignore")(values[0], self._random(int(numpy.prod(out_shape))))
        assert_allclose(found[1], found[0])

    def check_rop_lop(self, y, out_shape):
        self._check(y, self.x, self.v, self.in_shape, out_shape)

    def check_mat_rop_lop(self, y, out_shape):
        self._check(y, self.mx, self.mv, self.mat_in_shape, out_shape)

    def check_nondiff_rop(self, y):
        with self.assertRaises((ValueError, NotImplementedError), msg="Rop of what is not differentiable has to raise an error"):
            Rop(y, self.x, self.v)
