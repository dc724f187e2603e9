"""Forty faulty scripts: each gets the right tip on the right line, and none where its fault does not matter.

The tips are read as a person's program reads them: `croton profile SCRIPT -o SESSION`, then `croton report --json SESSION`.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import pytest

CROTON = pathlib.Path(os.environ["CROTON_BUILD"]) / "bin" / "croton"
SCRIPTS = sorted(path for path in pathlib.Path(__file__).parent.glob("*.py") if not path.name.endswith("_test.py"))
MARK = re.compile(r"# fault: ([\w-]+(?: or [\w-]+)*)$")
DEVICE = re.compile(r'^DEVICE = "(.*)"$', re.MULTILINE)
MAY_FAIL = 4  # of forty


class Script:
    """One program of the folder: what is wrong in it, where, and how it is run."""

    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        marks = [(number, MARK.search(line)) for number, line in enumerate(self.text.splitlines(), 1)]
        self.lines = [number for number, mark in marks if mark]
        self.kinds = {kind for _, mark in marks if mark for kind in mark.group(1).split(" or ")}
        device = DEVICE.search(self.text)
        self.device = device.group(1) if device else None

    def tips(self, folder, near_miss):
        """The tips of the kinds that are expected, each as its kind and the lines of this script that it names."""
        place = folder / ("near_miss" if near_miss else "faulty")
        place.mkdir(exist_ok=True)
        copy, session = place / self.path.name, place / (self.path.stem + ".croton")
        copy.write_text(self.text.replace("NEAR_MISS = False", "NEAR_MISS = True") if near_miss else self.text)
        on_device = ["--device", self.device, "--floatX", "float32"] if self.device else []
        croton("profile", "-o", session, *on_device, copy)
        report = json.loads(croton("report", "--json", session))
        return [(tip["id"], lines_of(tip, copy.name)) for tip in report["advice"]]


def croton(*words):
    done = subprocess.run([str(CROTON), *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, "croton %s:\n%s%s" % (" ".join(map(str, words)), done.stdout, done.stderr)
    return done.stdout


def lines_of(tip, name):
    return [int(line) for line in re.findall(re.escape(name) + r":(\d+)", json.dumps(tip))]


def has_device(name):
    return any(line.split()[:2] == [name, "yes"] for line in croton("devices").splitlines())


def shown(tips):
    return ", ".join("%s %s" % (kind, "/".join(map(str, sorted(set(lines)))) or "-") for kind, lines in tips) or "none"


def row(script, folder):
    """A line of the table, and whether the faulty program and the near miss were judged rightly."""
    faulty, near = (script.tips(folder, near_miss) for near_miss in (False, True))
    right = any(kind in script.kinds and set(lines) & set(script.lines) for kind, lines in faulty)
    quiet = not any(kind in script.kinds for kind, _ in near)
    text = "%-34s %-26s %-5s %-7s got: %s; near miss: %s" % (
        script.path.stem, " or ".join(sorted(script.kinds)) + " " + "/".join(map(str, script.lines)), "right" if right else "WRONG",
        "quiet" if quiet else "SPEAKS", shown(faulty), shown(near))
    return text, right, quiet


def test_the_right_tip_on_the_right_line(tmp_path, capsys):
    scripts = [Script(path) for path in SCRIPTS]
    absent = {name for name in {script.device for script in scripts} if name and not has_device(name)}
    tried = [script for script in scripts if script.device not in absent]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        rows = list(pool.map(lambda script: row(script, tmp_path), tried))
    wrong = [text for text, right, _ in rows if not right]
    speaks = [text for text, _, quiet in rows if not quiet]
    with capsys.disabled():
        print("\n%-34s %-26s %-5s %s" % ("script", "expected tip, lines", "tip", "near miss"))
        print("\n".join(text for text, _, _ in rows))
        print("".join("%s: left out, as %s does not answer\n" % (script.path.stem, script.device) for script in scripts if script.device in absent), end="")
        print("%d of %d right, %d near misses speak" % (len(rows) - len(wrong), len(rows), len(speaks)))
    assert not speaks, "a near miss gets the tip:\n" + "\n".join(speaks)
    assert len(wrong) <= MAY_FAIL, "the right tip is missing on its line:\n" + "\n".join(wrong)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_has_a_fault_and_a_near_miss(path):
    script = Script(path)
    assert script.lines and script.text.count("\nNEAR_MISS = False\n") == 1
    assert len(re.findall(r"\bNEAR_MISS\b", script.text)) > 1, "nothing depends on NEAR_MISS"
    assert 15 <= len(script.text.splitlines()) <= 60


def test_there_are_forty_of_at_least_ten_kinds():
    assert len(SCRIPTS) == 40
    assert len({frozenset(Script(path).kinds) for path in SCRIPTS}) >= 10
