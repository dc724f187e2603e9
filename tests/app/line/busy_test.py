"""On a busy machine there is no verdict, and what may take a second takes about one."""
import json
import os
import subprocess
import sys
import time

import pytest

from conftest import SOURCE


@pytest.fixture(scope="module")
def captured(croton, tmp_path_factory):
    path = tmp_path_factory.mktemp("captured") / "s.croton"
    croton("profile", "--quiet", "--capture", SOURCE / "samples/logistic_regression/logistic_regression.py", "-o", path)
    return path


@pytest.fixture
def load():
    """Three programs for each processor, which want all of it."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * os.cpu_count())]
    yield
    for one in others:
        one.kill()
        one.wait()


def test_no_verdict_on_a_busy_machine(croton, captured, load, bound):
    said = json.loads(croton("ablate", captured, "--function", "train", "--by", "pass", "--seconds", 3, "--json").stdout)
    bound(said["busy"], "the machine was not busy enough to be noticed")
    assert said["busy"].startswith("the machine was busy: ") and said["judged"] is False, said["busy"]
    assert not [row for row in said["rows"] if row["counts"] or "place" in row]
    text = croton("ablate", captured, "--function", "train", "--by", "pass", "--seconds", 3).stdout
    assert "the machine was busy: " in text and "run it again when it is quiet" in text and " *" not in text, text
    replayed = croton("replay", captured, "--function", "train", "--exclude", "fusion").stdout
    assert "no verdict: the machine was busy" in replayed, replayed
    done = croton("bisect", captured, "--function", "train", "--until", "time > 1.05 x", check=False)
    assert done.returncode == 1 and "the machine was busy" in done.stderr and "--anyway" in done.stderr, done.stderr


def test_anyway_judges_all_the_same(croton, captured, load):
    said = json.loads(croton("ablate", captured, "--function", "train", "--by", "pass", "--seconds", 3, "--anyway", "--json").stdout)
    assert said["busy"] and said["judged"] is True


def test_a_second_is_about_a_second(croton, captured, bound):
    croton("ablate", captured, "--function", "train", "--seconds", 1)  # kernels are compiled now
    begin, before = time.monotonic(), os.times()
    said = json.loads(croton("ablate", captured, "--function", "train", "--seconds", 1, "--json").stdout)
    spent, after = time.monotonic() - begin, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    assert said["rows"][0]["ns"] > 0 and [row for row in said["rows"] if row["kind"] == "single" and "error" not in row]
    bound(min(spent, processor) < 3, "a second took %.1f s, %.1f s of a processor" % (spent, processor))
