"""A full disk: whoever asked for something that is not there hears it by the exit status, and no half of a file stays."""

import os
import shlex
import shutil
import subprocess

import pytest

from conftest import BUILD

SCRIPT = """
import numpy, theano, theano.tensor as T
x = T.dvector("x")
f = theano.function([x], T.exp(x).sum(), name="f")
for i in range(100):
    f(numpy.ones(10))
print("the script did its work")
"""
MOUNTS = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--mount"]


def can_mount(folder):
    return shutil.which("unshare") and subprocess.run([*MOUNTS, "mount", "-t", "tmpfs", "-o", "size=8k", "none", folder],
                                                      capture_output=True).returncode == 0


class Disk:
    """A disk of so many KiB, of which `before` makes and the others keep what they left."""

    def __init__(self, place):
        self.place = place

    def run(self, kib, command, before="true"):
        """The exit status of the command, its stderr, and the sizes of the files that are there afterwards."""
        place = shlex.quote(str(self.place))
        script = (f"mount -t tmpfs -o size={kib}k none {place} && cd {place} && {before} && "
                  f"{{ {command}; echo \"status $?\"; wc -c * 2>/dev/null; }}")
        done = subprocess.run([*MOUNTS, "bash", "-c", script], capture_output=True, text=True, timeout=240)
        assert "status " in done.stdout, done.stderr
        lines = done.stdout[done.stdout.rindex("status "):].splitlines()
        sizes = (line.split() for line in lines[1:])
        return int(lines[0].split()[1]), done.stderr, {name: int(size) for size, name in sizes if name != "total"}


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    place = tmp_path_factory.mktemp("disk")
    if not can_mount(str(place)):
        pytest.skip("file systems cannot be mounted here")
    return Disk(place)


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("script") / "script.py"
    path.write_text(SCRIPT)
    return path


def croton(*words):
    return shlex.join([str(BUILD / "bin" / "croton"), *map(str, words)])


@pytest.mark.parametrize("kib", [16, 300, 420, 500])
def test_a_recording(disk, script, kib):
    """From no room at all to room for a part."""
    status, errors, sizes = disk.run(kib, croton("profile", script, "-o", "s.croton") + " > /dev/null")
    assert status == 1 and "the disk is full" in errors, errors
    assert set(sizes) <= {"s.croton"}, sizes


def test_output_of_a_script(disk, script):
    status, errors, sizes = disk.run(4, croton("run", script) + " > out", before="head -c 4000 /dev/zero > filled")
    assert status == 1 and "No space left" in errors and sizes["out"] == 0, errors


@pytest.mark.parametrize("format, name", [("--html", "a.html"), ("--json", "a.json"), ("--chrome-trace", "a.trace.json")])
def test_an_export(disk, sample_session, format, name):
    command = croton("export", format, sample_session, "-o", name)
    status, errors, sizes = disk.run(4, command)
    assert status == 1 and "is the disk full?" in errors, errors
    assert sizes == {}, "no half of a file"
    status, errors, sizes = disk.run(8, command, before=f"echo before > {name}")
    assert status == 1 and sizes == {name: 7}, "what was there stays where there is no room for the new one"
    status, errors, sizes = disk.run(4000, command, before=f"echo before > {name}")
    assert status == 0 and sizes[name] > 4096 and set(sizes) == {name}, (errors, sizes)


def test_a_copy_of_a_session(disk, sample_session):
    status, errors, sizes = disk.run(100, croton("snapshot", sample_session, "s.croton"))
    assert status == 1 and "the disk is full" in errors and sizes == {}, (errors, sizes)


def test_an_output_that_is_no_file(sample_session):
    """Written as it is: nothing is put in the place of a device or of a link."""
    full = subprocess.run(["bash", "-c", croton("export", "--csv", sample_session, "-o", "/dev/full")], capture_output=True, text=True)
    assert full.returncode == 1 and "is the disk full?" in full.stderr, full.stderr
    stdout = subprocess.run(["bash", "-c", croton("export", "--csv", sample_session, "-o", "/dev/stdout") + " | cat"], capture_output=True, text=True)
    assert stdout.returncode == 0 and stdout.stdout.startswith("name,function"), stdout.stderr


def test_links_and_rights_stay(sample_session, tmp_path):
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    subprocess.run(["bash", "-c", croton("export", "--csv", sample_session, "-o", link)], check=True)
    assert link.is_symlink() and target.read_text().startswith("name,function") and target.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.csv", "target.csv"]
