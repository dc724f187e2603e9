"""Products are made by a BLAS that no setting for NumPy's reaches, whichever was loaded first; settings of ours leave NumPy's alone."""
import os
import subprocess
import sys

import pytest

from croton import _core

# What each side's library calls itself, and bits that differ between kernels with and without fused multiplication and addition.
SCRIPT = """
import ctypes, hashlib, re, sys
for name in sys.argv[1].split(','):
    __import__(name)
import numpy
from croton import _core, tensor as T, function
def core_of_numpy():
    numpy.dot(numpy.ones((3, 3)), numpy.ones((3, 3)))
    for path in sorted(set(re.findall(r'/.*openblas.*', open('/proc/self/maps').read()))):
        for name in 'openblas_get_corename', 'openblas_get_corename64_', 'scipy_openblas_get_corename64_': # NumPy's wheels give theirs others
            ask = getattr(ctypes.CDLL(path), name, None)
            if ask:
                ask.restype = ctypes.c_char_p
                return ask().decode()
    return '?'
random = numpy.random.RandomState(1)
digest = hashlib.sha1()
for dtype in 'float32', 'float64':
    x, y = random.uniform(-1, 1, (150, 120)).astype(dtype), random.uniform(-1, 1, (120, 130)).astype(dtype)
    a, b = T.TensorType(dtype, (False, False))('a'), T.TensorType(dtype, (False, False))('b')
    digest.update(function([a, b], T.dot(a, b))(x, y).tobytes())
print(_core.blas_core(), core_of_numpy(), digest.hexdigest())
"""


def run(order, **settings):
    environment = {name: value for name, value in os.environ.items() if name not in ("OPENBLAS_CORETYPE", "CROTON_BLAS_CORE", "CROTON_CPU_LEVEL")}
    environment.update(settings)
    done = subprocess.run([sys.executable, "-c", SCRIPT, order], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def plain():
    return run("croton")


@pytest.mark.parametrize("order", ["numpy,croton", "croton,numpy"])
def test_a_core_pinned_for_numpy_is_not_ours(plain, order):
    ours, theirs, bits = run(order, OPENBLAS_CORETYPE="Prescott")
    if theirs == "?":
        pytest.skip("NumPy's BLAS is not OpenBLAS")
    assert theirs in ("Prescott", "Katmai")  # what newer ones call it
    assert (ours, bits) == (plain[0], plain[2])


def test_our_core_is_not_numpys(plain):
    ours, theirs, bits = run("numpy,croton", CROTON_BLAS_CORE="Prescott")
    assert ours == "Prescott"
    assert theirs == plain[1]
    if plain[0] not in ("Prescott", "Nehalem"):
        assert bits != plain[2]


def test_a_setting_that_cannot_be_followed_is_told_at_once():
    for name, value in ("CROTON_BLAS_CORE", "Pentium"), ("CROTON_CPU_LEVEL", "v9"):
        done = subprocess.run([sys.executable, "-c", "import croton"], env=dict(os.environ, **{name: value}), capture_output=True, text=True)
        assert done.returncode == 1
        last = done.stderr.strip().splitlines()[-1]
        assert last.startswith("ImportError: %s=%s is no " % (name, value)), done.stderr


@pytest.mark.skipif(not _core.cpu_level().startswith("x86-64"), reason="levels are x86-64's")
def test_a_level_gives_the_same_bits_whatever_the_processor_has():
    bits = {run("croton", CROTON_CPU_LEVEL="v2", OPENBLAS_CORETYPE=core)[2] for core in ("Prescott", "Haswell")}
    assert len(bits) == 1
