"""Flags that a script sets itself, in the two ways that scripts do: they hold, a session says so, and what the command line says wins."""
import pytest

from profile_test import query, written

ENVIRONMENT = "import os\nos.environ['THEANO_FLAGS'] = 'floatX=float32,allow_gc=False'\nimport theano\n"
ASSIGNED = "import theano\ntheano.config.floatX = 'float32'\ntheano.config.allow_gc = False\n"
PRINTED = "print('floatX', theano.config.floatX, theano.config.allow_gc, theano.tensor.vector().dtype)\n"


@pytest.mark.parametrize("script", [ENVIRONMENT, ASSIGNED])
def test_what_a_script_sets_holds(croton, tmp_path, script):
    assert "floatX float32 False float32" in croton("run", written(tmp_path, script + PRINTED)).stdout
    session = tmp_path / "s.croton"
    croton("profile", written(tmp_path, script + PRINTED), "-o", session)
    assert query(session, "SELECT name, value FROM flags WHERE origin = 'script' ORDER BY name") == [("allow_gc", "False"), ("floatX", "float32")]


def test_the_command_line_wins_over_the_environment_of_a_script(croton, tmp_path):
    session = tmp_path / "s.croton"
    croton("profile", "--floatX", "float64", "-o", session, written(tmp_path, ENVIRONMENT + PRINTED))
    assert query(session, "SELECT text FROM outputs")[0][0].startswith("floatX float64 False float64")


def test_a_device_is_chosen_before_a_script(croton, tmp_path):
    done = croton("run", written(tmp_path, ENVIRONMENT.replace("floatX=float32", "device=cuda0") + PRINTED))
    assert "floatX float64 False" in done.stdout
    assert "the script sets device in THEANO_FLAGS, which is decided before a script begins" in done.stderr
