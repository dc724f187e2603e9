import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])
SOURCE = pathlib.Path(os.environ["CROTON_SOURCE"])


class Croton:
    """The command line of the build tree."""

    def __call__(self, *arguments, check=True, env=None, cwd=None, timeout=120):
        full = dict(os.environ, **(env or {}))
        done = subprocess.run([str(BUILD / "bin" / "croton"), *map(str, arguments)], capture_output=True,
                              text=True, env=full, cwd=cwd, timeout=timeout)
        if check:
            assert done.returncode == 0, done.stderr
        return done

    def start(self, *arguments, env=None):
        return subprocess.Popen([str(BUILD / "bin" / "croton"), *map(str, arguments)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(env or {})))


@pytest.fixture(scope="session")
def croton():
    return Croton()


@pytest.fixture(scope="session")
def sample_session(croton, tmp_path_factory):
    """The first sample, profiled once."""
    path = tmp_path_factory.mktemp("session") / "sample.croton"
    croton("profile", SOURCE / "samples/logistic_regression/logistic_regression.py", "-o", path,
           env={"THEANO_FLAGS": "floatX=float32"})
    return path
