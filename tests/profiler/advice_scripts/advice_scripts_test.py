"""Forty faulty scripts: each gets the right tip on the right line, and none where its fault does not matter.

The tips are read as a person's program reads them: `croton profile SCRIPT -o SESSION`, then `croton report --json SESSION`. What `croton profile`
says at its end is read, too: a person who reads nothing else should have a slow line and the right tip.
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


class Tip:
    """One piece of advice: its kind, its words, and the lines of the script that it names."""

    def __init__(self, advice, name):
        self.kind, self.text = advice["id"], advice["text"]
        self.lines = sorted({int(line) for line in re.findall(re.escape(name) + r":(\d+)", json.dumps(advice))})

    def __str__(self):
        return "%s %s" % (self.kind, "/".join(map(str, self.lines)) or "-")


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

    def run(self, folder, near_miss):
        """What `croton profile` says at its end, and the tips of the session."""
        place = folder / ("near_miss" if near_miss else "faulty")
        place.mkdir(exist_ok=True)
        copy, session = place / self.path.name, place / (self.path.stem + ".croton")
        copy.write_text(self.text.replace("NEAR_MISS = False", "NEAR_MISS = True") if near_miss else self.text)
        on_device = ["--device", self.device, "--floatX", "float32"] if self.device else []
        said = croton("profile", "-o", session, *on_device, copy).stderr
        report = json.loads(croton("report", "--json", session).stdout)
        return said, [Tip(tip, copy.name) for tip in report["advice"]]

    def is_right(self, tip):
        return tip.kind in self.kinds and bool(set(tip.lines) & set(self.lines))


def croton(*words):
    done = subprocess.run([str(CROTON), *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, "croton %s:\n%s%s" % (" ".join(map(str, words)), done.stdout, done.stderr)
    return done


def has_device(name):
    return any(line.split()[:2] == [name, "yes"] for line in croton("devices").stdout.splitlines())


class Verdict:
    """A row of the table: whether the faulty program and the near miss were judged rightly."""

    def __init__(self, script, folder):
        self.script = script
        self.said, self.tips = script.run(folder, near_miss=False)
        _, self.near_tips = script.run(folder, near_miss=True)
        right = [tip for tip in self.tips if script.is_right(tip)]
        self.right = bool(right)
        self.quiet = not any(tip.kind in script.kinds for tip in self.near_tips)
        self.at_once = any(tip.text in self.said for tip in right)

    def __str__(self):
        return "%-34s %-28s %-6s %-7s %-8s got: %s; near miss: %s" % (
            self.script.path.stem, " or ".join(sorted(self.script.kinds)) + " " + "/".join(map(str, self.script.lines)),
            "right" if self.right else "WRONG", "quiet" if self.quiet else "SPEAKS", "at once" if self.at_once else "LATER",
            ", ".join(map(str, self.tips)) or "none", ", ".join(map(str, self.near_tips)) or "none")


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    folder, scripts = tmp_path_factory.mktemp("runs"), [Script(path) for path in SCRIPTS]
    absent = {name for name in {script.device for script in scripts} if name and not has_device(name)}
    for script in scripts:
        if script.device in absent:
            print("%s: left out, as %s does not answer" % (script.path.stem, script.device))
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda script: Verdict(script, folder), [script for script in scripts if script.device not in absent]))


def listed(verdicts):
    return "\n" + "\n".join(map(str, verdicts))


def test_the_right_tip_on_the_right_line(verdicts, capsys):
    wrong, speak = [each for each in verdicts if not each.right], [each for each in verdicts if not each.quiet]
    with capsys.disabled():
        print("\n%-34s %-28s %-6s %-7s %s%s" % ("script", "expected tip, lines", "tip", "near", "first answer", listed(verdicts)))
        print("%d of %d right, %d near misses speak" % (len(verdicts) - len(wrong), len(verdicts), len(speak)))
    assert not speak, "a near miss gets the tip:" + listed(speak)
    assert len(wrong) <= MAY_FAIL, "the right tip is missing on its line:" + listed(wrong)


def test_the_first_answer_is_a_line_and_the_right_tip(verdicts):
    """`croton profile own.py`, and nothing else to read."""
    nameless = [each for each in verdicts if each.script.path.name + ":" not in each.said.partition("Slowest line: ")[2].partition("\n")[0]]
    assert not nameless, "no slowest line of the script at the end:" + listed(nameless)
    later = [each for each in verdicts if each.right and not each.at_once]
    assert len(later) <= MAY_FAIL, "the right tip is in the report alone:" + "".join("\n%s\n%s" % (each, each.said) for each in later)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_has_a_fault_and_a_near_miss(path):
    script = Script(path)
    assert script.lines and script.text.count("\nNEAR_MISS = False\n") == 1
    assert len(re.findall(r"\bNEAR_MISS\b", script.text)) > 1, "nothing depends on NEAR_MISS"
    assert 15 <= len(script.text.splitlines()) <= 60


def test_there_are_forty_of_at_least_ten_kinds():
    assert len(SCRIPTS) == 40
    assert len({frozenset(Script(path).kinds) for path in SCRIPTS}) >= 10
