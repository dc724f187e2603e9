"""What scripts write (pictures, pages, dumps, profiles): whole or not at all, and an error names the file."""
import contextlib
import os
import resource
import stat
import subprocess
import sys

import pytest
import theano
import theano.d3viz.formatting
import theano.tensor as T

x = T.dvector("x")
WRITERS = {
    "pydotprint": lambda path: theano.printing.pydotprint(T.exp(x), path, print_output_file=False),
    "d3viz": lambda path: theano.d3viz.d3viz(T.exp(x), path),
    "d3write": lambda path: theano.d3viz.d3write(T.exp(x), path),
    "formatter": lambda path: theano.d3viz.formatting.PyDotFormatter()(T.exp(x)).write_dot(path),
    "function_dump": lambda path: theano.function_dump(path, [x], T.exp(x)),
}


@pytest.fixture(params=WRITERS)
def write(request):
    return WRITERS[request.param]


@contextlib.contextmanager
def full_disk():
    """Files end after 50 bytes, as where the disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(write, tmp_path):
    path = tmp_path / "it.dot"
    write(str(path))
    before = path.read_bytes()
    assert len(before) > 50
    with full_disk(), pytest.raises(OSError) as raised:
        write(str(path))
    assert str(path) in str(raised.value) and "could not be written" in str(raised.value)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["it.dot"]


def test_a_reader_never_sees_half_of_it(write, tmp_path):
    path = tmp_path / "it.dot"
    write(str(path))
    with open(path, "rb") as reader:
        before = path.read_bytes()
        write(str(path))
        assert reader.read() == before  # another file has taken its name


def test_the_folder_is_made_or_named(write, tmp_path):
    write(str(tmp_path / "new/folder/it.dot"))
    assert (tmp_path / "new/folder/it.dot").stat().st_size > 50
    path = str(tmp_path / "new/folder/it.dot/below.dot")
    with pytest.raises(OSError) as raised:
        write(path)
    assert path in str(raised.value)


def test_links_and_permissions_stay(write, tmp_path):
    real, link = tmp_path / "real.dot", tmp_path / "link.dot"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write(str(link))
    assert link.is_symlink() and stat.S_IMODE(real.stat().st_mode) == 0o640 and real.stat().st_size > 50


def test_a_device_is_written_in_place(write):
    write("/dev/null")
    with pytest.raises(OSError, match="/dev/full"):
        WRITERS["d3write"]("/dev/full")


@pytest.mark.parametrize("place, lost", [("profiles/of/it.txt", False), ("script.py/it.txt", True)])
def test_profiles_that_cannot_be_written_are_not_lost(tmp_path, place, lost):
    (tmp_path / "script.py").write_text("import theano, theano.tensor as T\nx = T.dvector('x')\n"
                                        "theano.function([x], T.exp(x), profile=True)([1.0])\n")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, THEANO_FLAGS="profiling.destination=" + place))
    assert done.returncode == 0, done.stderr
    if lost:
        assert "profiling.destination" in done.stderr and place in done.stderr and "Traceback" not in done.stderr
        assert "Function profiling" in done.stderr
    else:
        assert "Function profiling" in (tmp_path / place).read_text()
