"""app/run from a clone in which nothing is built yet: what is there when, and what becomes of it when somebody leaves."""
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SAMPLE = "samples/logistic_regression/logistic_regression"
NINJA = """
case "$*" in
*engine/all*)
    echo $$ >ninja.process
    echo "[1/4] Building CXX object engine/a.o"
    echo "[2/4] Building CXX object engine/b.o"
    while [[ ! -e go ]]; do sleep 0.02; done
    status=$(cat go)
    [[ $status -eq 0 ]] && cp made/croton build/bin/croton
    exit $status ;;
*)  echo "[1/1] Building CXX object views/a.o"
    cp made/croton-studio build/bin/croton-studio ;;
esac"""
STUDIO = """
echo "$*" >>studio.asked
case "$*" in
*--building*) while [[ ! -e closed ]]; do cp build/progress told 2>/dev/null; sleep 0.02; done; exit $(cat closed) ;;
esac"""


class Clone:
    def __init__(self, folder):
        self.folder = folder
        for path in ("app/run", "resources/scripts/build"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(SOURCE / path, folder / path)
        for path in (SAMPLE + ".py", SAMPLE + ".croton", "mine.py", "build/bin/ninja", "build/CMakeCache.txt", "build/build.ninja"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text("")
        self.program("resources/scripts/install_packages", "")
        self.program("programs/ninja", 'cd "$(dirname "$0")/.."' + NINJA)
        for name in ("cmake", "c++"):
            self.program("programs/" + name, "")
        self.program("made/croton-studio", STUDIO)
        self.program("made/croton", 'echo "$*" >>croton.asked')

    def program(self, name, body):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("#!/bin/bash\n" + body + "\n")
        path.chmod(0o755)

    def run(self, *words, display=":7"):
        environment = dict(os.environ, PATH="%s/programs:/usr/bin:/bin" % self.folder, DISPLAY=display, WAYLAND_DISPLAY="")
        return subprocess.Popen([self.folder / "app/run", *words], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)

    def say(self, name, text):
        (self.folder / (name + ".new")).write_text(text)
        (self.folder / (name + ".new")).rename(self.folder / name)

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def until(self, name, wanted):
        for _ in range(500):
            if wanted in self.text(name):
                return
            time.sleep(0.02)
        raise AssertionError("%s says %r, not %r" % (name, self.text(name), wanted))

    def is_building(self):
        return os.path.exists("/proc/%s" % self.text("ninja.process").strip())


@pytest.fixture
def clone(tmp_path):
    return Clone(tmp_path)


def test_the_window_is_there_before_the_rest(clone):
    running = clone.run()
    clone.until("told", " 2 4 0:0")
    assert clone.text("studio.asked").split() == ["--building", "build/progress", SAMPLE + ".croton"]
    assert clone.text("told").split()[0] == "building" and clone.is_building()
    clone.say("go", "0")
    clone.until("told", "built")
    clone.say("closed", "0")
    out, errors = running.communicate(timeout=30)
    assert running.returncode == 0, errors
    assert "Building the window: 1 of 1 parts" in errors and "Building Croton: 2 of 4 parts" in errors
    assert "closed before" not in errors


def test_a_script_of_ones_own_is_run(clone):
    running = clone.run("mine.py")
    clone.until("studio.asked", "--run")
    clone.say("go", "0")
    clone.until("told", "built")
    clone.say("closed", "0")
    running.communicate(timeout=30)
    assert clone.text("studio.asked").split()[-1] == str(clone.folder / "mine.py")


def test_who_closes_the_window_ends_the_build(clone):
    running = clone.run()
    clone.until("told", " 2 4 ")
    clone.say("closed", "0")
    out, errors = running.communicate(timeout=30)
    assert running.returncode == 0, errors
    assert "start app/run again and it goes on from there" in errors
    assert not clone.is_building()


def test_who_ends_the_command_ends_both(clone):
    running = clone.run()
    clone.until("told", " 2 4 ")
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)
    assert running.returncode == 130
    assert not clone.is_building()
    clone.until("build/progress", "failed")


def test_a_build_that_fails_is_told_and_is_the_status(clone):
    running = clone.run()
    clone.until("told", " 2 4 ")
    clone.say("go", "1")
    clone.until("told", "failed")
    clone.say("closed", "0")
    running.communicate(timeout=30)
    assert running.returncode == 1


def test_without_a_display_there_are_a_report_and_a_picture(clone):
    clone.say("go", "0")
    out, errors = clone.run(display="").communicate(timeout=30)
    asked = clone.text("studio.asked").splitlines()
    assert asked[0].startswith(SAMPLE + ".croton --screenshot build/first-run/recorded.png"), errors
    assert asked[1].startswith("build/first-run/logistic_regression.croton --screenshot")
    assert clone.text("croton.asked").splitlines()[0] == "profile %s.py -o build/first-run/logistic_regression.croton" % SAMPLE
    assert "There is no display" in out
    # What is recorded is of interest only while one waits.
    clone.run(display="").communicate(timeout=30)
    assert len(clone.text("studio.asked").splitlines()) == 3


def test_where_no_window_opens_it_goes_on_without(clone):
    clone.say("closed", "2")
    clone.say("go", "0")
    out, errors = clone.run().communicate(timeout=30)
    assert "could open no window on the display :7" in out, errors
    assert clone.text("croton.asked").startswith("profile")


def test_warnings_are_errors_only_where_ci_says_so(clone):
    clone.program("programs/cmake", 'echo "$*" >>cmake.asked; last="${@: -1}"; echo "CROTON_WERROR:BOOL=${last##*=}" >build/CMakeCache.txt')

    def configured(setting):
        (clone.folder / "cmake.asked").write_text("")
        environment = {**os.environ, "PATH": "%s/programs:/usr/bin:/bin" % clone.folder, "CROTON_WERROR": "", **setting}
        subprocess.run([clone.folder / "resources/scripts/build", "views/all"], env=environment, check=True, capture_output=True)
        return clone.text("cmake.asked").split()
    assert configured({}) == ["--preset", "release", "-DCROTON_WERROR=OFF"]
    assert configured({}) == []
    assert configured({"CROTON_WERROR": "ON"}) == ["--preset", "release", "-DCROTON_WERROR=ON"]
    assert configured({"CROTON_WERROR": "ON"}) == []
    assert configured({})[-1] == "-DCROTON_WERROR=OFF"
    assert "export CROTON_WERROR=ON" in (SOURCE / ".ci/run").read_text()
