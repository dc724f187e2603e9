"""What is tried goes into the session: where that cannot be written it is said, the answer stands, and the file is as it was."""
import hashlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile

import pytest

from conftest import BUILD, SOURCE

SCRIPT = """
import numpy, theano, theano.tensor as T
x = T.dmatrix("x")
f = theano.function([x], T.log(1 + T.exp(T.dot(x, x.T))).sum(), name="f")
for call in range(5):
    f(numpy.ones((30, 30)))
"""
COMMANDS = {
    "ablate": ["--by", "pass", "--seconds", 5],
    "along": ["--seconds", 5],
    "memory": ["--verify"],
    "whatif": ["--threads", 1, "--verify"],
}
ANSWERS = {"ablate": "all of them left out", "along": "as written", "memory": "order of least peak", "whatif": "verified by a run"}
NOBODY = 65534


@pytest.fixture(scope="module")
def recorded(croton):
    """In a folder that everybody may look into, unlike those of pytest."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="croton-keep-"))
    folder.chmod(0o755)
    (folder / "s.py").write_text(SCRIPT)
    croton("profile", "--capture", folder / "s.py", "-o", folder / "s.croton")
    yield folder
    shutil.rmtree(folder)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(command, session, before, home, folder="/"):
    environment = dict(os.environ, HOME=str(home), XDG_CACHE_HOME=str(home), TMPDIR=str(home))
    words = [BUILD / "bin/croton", command, session, *COMMANDS[command]]
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, env=environment, cwd=folder, preexec_fn=before, timeout=240)


@pytest.fixture
def home(recorded):
    home = pathlib.Path(tempfile.mkdtemp(prefix="home-", dir=recorded))
    home.chmod(0o777)
    return home


@pytest.mark.parametrize("command", COMMANDS)
def test_in_a_folder_that_may_only_be_read(recorded, home, command):
    def as_nobody():
        if os.geteuid() == 0:  # who may write everywhere
            os.setgid(NOBODY)
            os.setuid(NOBODY)

    place = recorded / ("read-only-" + command)
    place.mkdir()
    shutil.copy(recorded / "s.croton", place / "s.croton")
    before = digest(place / "s.croton")
    (place / "s.croton").chmod(0o444)
    place.chmod(0o555)
    try:
        done = run(command, place / "s.croton", as_nobody, home)
        assert ANSWERS[command] in done.stdout, done.stderr
        assert done.returncode == 1 and "is not kept in the session" in done.stderr, done.stderr
        assert digest(place / "s.croton") == before and os.listdir(place) == ["s.croton"]
    finally:
        place.chmod(0o755)


@pytest.mark.parametrize("command", ["ablate", "along"])
def test_on_a_disk_that_is_full(croton, recorded, home, command):
    session = home / "s.croton"
    shutil.copy(recorded / "s.croton", session)
    before = croton("report", session).stdout

    def without_room():  # not even for what SQLite notes before it changes a page
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    done = run(command, session, without_room, home)
    assert ANSWERS[command] in done.stdout, done.stderr
    assert done.returncode == 1 and "is not kept in the session" in done.stderr, done.stderr
    assert croton("report", session).stdout == before, "nothing of it is lost"


@pytest.mark.parametrize("command", ["memory", "whatif"])
def test_the_recorded_sessions_of_samples_stay_as_they_are(recorded, home, command):
    sample = SOURCE / "samples" / "stable_log"
    before = {path.name: digest(path) for path in sample.iterdir() if path.is_file()}
    done = run(command, "stable_log.croton", None, home, sample)
    assert done.returncode == 0, done.stderr
    assert ANSWERS[command] in done.stdout and "stays as it is" in done.stderr, done.stderr
    assert {path.name: digest(path) for path in sample.iterdir() if path.is_file()} == before
