"""What install_packages says of a fresh machine, with programs of apt's that answer as a machine would."""
import os
import pathlib
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "resources" / "scripts" / "install_packages"
PLAN = """The following NEW packages will be installed:
  cmake cmake-data ninja-build
0 upgraded, 31 newly installed, 0 to remove and 4 not upgraded.
Need to get 61.2 MB of archives.
After this operation, 254 MB of additional disk space will be used.
'http://deb.debian.org/debian/pool/main/c/cmake/cmake_3.25.1-1_amd64.deb' cmake_3.25.1-1_amd64.deb 8692204 MD5Sum:0
"""
PROGRESS = "".join("dlstatus:1:%s.5:Retrieving file 1 of 31\n" % done for done in range(0, 100, 7)) + "".join(
    "pmstatus:cmake:%s.0:Unpacking cmake (amd64)\n" % done for done in range(0, 100, 7))


class Machine:
    def __init__(self, folder):
        self.folder = folder
        self.program("dpkg-query", 'case "$*" in *cmake|*ninja-build) exit 1;; esac; printf "install ok installed"')
        self.program("id", "echo 0")
        self.apt()

    def program(self, name, body):
        path = self.folder / name
        path.write_text("#!/bin/bash\n" + body + "\n")
        path.chmod(0o755)

    def apt(self, update="", plan=PLAN, install=PROGRESS, status=0):
        for name, text in (("update", update), ("plan", plan), ("install", install)):
            (self.folder / name).write_text(text)
        self.program("apt-get", """
echo "$*" >>"{0}/asked"
case "$*" in
*update*) cat "{0}/update"; [[ ! -s "{0}/update" ]] ;;
*--print-uris*) cat "{0}/plan"; ! grep -q ^E: "{0}/plan" ;;
*)  [[ "$*" =~ Status-Fd=([0-9]+) ]]
    grep status: "{0}/install" >&"${{BASH_REMATCH[1]}}"
    grep -v status: "{0}/install"
    exit {1} ;;
esac""".format(self.folder, status))

    def run(self, *groups):
        environment = dict(os.environ, PATH="%s:/usr/bin:/bin" % self.folder)
        return subprocess.run([SCRIPT, *groups], capture_output=True, text=True, env=environment, stdin=subprocess.DEVNULL, timeout=60)


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_it_says_what_and_how_much_and_how_far_it_is(machine):
    done = machine.run("core")
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert "31 in all: 61.2 MB to fetch, 254 MB on the disk" in lines[1]
    assert lines[2].split() == ["cmake", "ninja-build"]
    told = [line for line in lines if line.endswith("%")]
    assert [line.split(":")[0] for line in told] == 5 * ["Fetching packages"] + 5 * ["Installing packages"], told
    assert lines[-1] == "The packages are there"
    asked = (machine.folder / "asked").read_text()
    # apt never waits where it tells how far it is: what packages say must not go there, or they fail when nobody reads fast enough.
    assert "Status-Fd=1 " not in asked
    assert "install -y" in asked and asked.rstrip().endswith("cmake ninja-build")


def test_nothing_is_asked_where_all_is_there(machine):
    machine.program("dpkg-query", 'printf "install ok installed"')
    done = machine.run("core", "studio")
    assert done.returncode == 0 and done.stderr == "" and not (machine.folder / "asked").exists()


@pytest.mark.parametrize("said, way_out", [
    ("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7 (apt)", "Wait until it is done"),
    ("E: dpkg was interrupted, you must manually run 'dpkg --configure -a'", "dpkg --configure -a, then start this again"),
    ("E: You don't have enough free space in /var/cache/apt/archives/.", "Make some"),
    ("E: Failed to fetch http://deb.debian.org/x.deb  Could not resolve 'deb.debian.org'", "Is the machine connected"),
    ("E: Something nobody thought of", "When it is mended, start this again"),
])
def test_what_goes_wrong_is_a_sentence_with_the_way_out(machine, said, way_out):
    machine.apt(install=PROGRESS[:200] + "\n" + said + "\n", status=100)
    done = machine.run("core")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("croton: ") and way_out in last, done.stderr


def test_another_distribution_is_named(machine):
    machine.apt(update="E: Failed to fetch\n", plan="E: Unable to locate package ninja-build\n")
    done = machine.run("core")
    assert done.returncode == 1
    assert "has no package ninja-build" in done.stderr.splitlines()[-1] and "could not be refreshed" in done.stderr


def test_without_root_and_sudo_the_administrator_is_named(machine):
    machine.program("id", "echo 1000")
    machine.program("sudo", "exit 1")
    done = machine.run("core")
    assert done.returncode == 1 and "no terminal to type it in" in done.stderr and "apt-get install cmake ninja-build" in done.stderr


def test_the_word_of_a_package_that_fails_is_shown(machine):
    said = ("Setting up ccache (4.7.5-1) ...\ndpkg: error processing package ccache (--configure):\n"
            " installed ccache package post-installation script subprocess returned error exit status 1\n"
            "E: Sub-process /usr/bin/dpkg returned an error code (1)\n")
    machine.apt(install=PROGRESS + said, status=100)
    done = machine.run("core")
    assert done.returncode == 1
    assert "post-installation script subprocess returned error exit status 1" in done.stderr and "Setting up" not in done.stderr, done.stderr
