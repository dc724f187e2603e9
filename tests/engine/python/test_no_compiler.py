"""Without a C compiler everything runs, and one sentence says why it is slower."""
import os
import subprocess
import sys

SCRIPT = """
import numpy, theano, theano.tensor as T
x = T.dvector('x')
first, second = theano.function([x], T.exp(x) + x * 2), theano.function([x], T.tanh(x) * x)
for _ in range(20):
    assert numpy.allclose(first([0.0, 1.0]), [1.0, numpy.e + 2]) and numpy.allclose(second([0.0, 1.0]), [0.0, numpy.tanh(1)])
"""


def run(**environment):
    return subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=60, env=dict(os.environ, **environment))


def test_says_so_once():
    for named, sentence in (("", "the C compiler is switched off"), ("no-such-cc", "there is no C compiler (CROTON_CC): no-such-cc cannot be started")):
        done = run(CROTON_CC=named)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count(sentence) == 1, done.stderr


def test_says_nothing_where_no_kernel_is_wanted():
    done = run(CROTON_CC="", THEANO_FLAGS="linker=vm")
    assert done.returncode == 0 and done.stderr == "", done.stderr
