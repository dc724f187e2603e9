"""README.md and the first-minutes page as a newcomer follows them: one shell, line by line, with an empty HOME, nothing on the PATH and no flags.

blocks_test.py runs each block of all pages by itself; here each line has to work because of those above it alone. Then the same lines run with scripts
that no page shows.
"""
import os
import re
import subprocess

import pytest
from blocks_test import BUILD, SOURCE, blocks, pattern

PAGES = {"README": SOURCE / "README.md", "first-minutes": SOURCE / "resources/docs/first-minutes.md"}
# What installs or builds: the build is there, and tests/run and tests/packages try the rest.
LEFT_OUT = ("app/run", "tests/run", "resources/scripts/release", "apt", "apt-get", "sudo", "dpkg", "pip", "pip3", "podman", "docker")
STUDIO = re.compile(r"^(\S*croton-studio\b[^#]*?)\s*(#.*)?$")
INLINE = re.compile(r"`(PYTHONPATH=[^`]+)`")  # a command within a sentence
OWN_EXPRESSION = "'a: dvector; b: dvector; sqrt(sum(sqr(a - b)))'"
OWN_SCRIPTS = ["blas_kmeans_by_broadcast", "loop_polynomial", "python_op_in_recurrence", "inplace_word_vectors_put_back"]
ADVICE_SCRIPTS = SOURCE / "tests/profiler/advice_scripts"


def draws(step):
    return (step.folder / "window.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


# What the page says that a command does, whatever the script.
PROMISES = {
    "run": lambda step: step.out.strip(),
    "profile": lambda step: list(step.folder.glob("*.croton")),
    "report": lambda step: all(re.search(r"^%s$" % re.escape(title), step.out, re.MULTILINE) for title in step.titles_of_report()),
    "passes": lambda step: re.search(r"\b(fusion|merge)\b", step.out) and re.search(r"\d (us|ms|s)\b", step.out),
    "expr": lambda step: all(title in step.out for title in ("Original: ", "Rewrites: ", "Optimized: ")),
    "studio": draws,
    "export": lambda step: True,
}


class Step:
    """A line of a page, and what came of it."""

    def __init__(self, folder, line, out, err):
        self.folder, self.line, self.out, self.err = folder, line, out, err

    def command(self):
        words = self.line.split()
        if os.path.basename(words[0]) == "croton-studio":
            return "studio"
        return words[1] if os.path.basename(words[0]) == "croton" else None

    def titles_of_report(self):
        return ["Functions", "Ops", "Lines"] if "--style summary" in self.line else ["Class", "Ops", "Apply"]


class Newcomer:
    """A clone with its build, a HOME with nothing in it, and one shell for all lines."""

    def __init__(self, folder):
        self.home, self.clone, self.notes = folder / "home", folder / "clone", folder / "notes"
        for place in (self.home, self.clone, self.notes):
            place.mkdir()
        for path in SOURCE.iterdir():
            if path.name not in ("build", ".git"):
                (self.clone / path.name).symlink_to(path)
        (self.clone / "build").symlink_to(BUILD)
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.environment = dict(kept, HOME=str(self.home), LC_ALL="C.UTF-8", QT_QPA_PLATFORM="offscreen")

    def follow(self, lines):
        """Runs the lines in one shell until one fails. Windows are drawn into window.png instead of opened."""
        lines = [line for line in lines if not self.is_left_out(line)]
        text = "set -u\n"
        for number, line in enumerate(lines):
            assert not line.endswith("\\") and "<<" not in line, "this test takes a command a line: " + line
            text += "{ %s\n} >%s.out 2>%s.err || { echo $? >%s.failed; exit 1; }\n" % (
                (STUDIO.sub(r"\1 --screenshot window.png", line),) + (self.notes / str(number),) * 3)
        subprocess.run(["bash", "-c", text], cwd=self.clone, env=self.environment, timeout=240, check=False, stdin=subprocess.DEVNULL)
        steps = []
        for number, line in enumerate(lines):
            out, err = ((self.notes / ("%d.%s" % (number, kind))).read_text() for kind in ("out", "err"))
            failed = self.notes / ("%d.failed" % number)
            assert not failed.exists(), "%s: exit status %s\n%s%s" % (line, failed.read_text().strip(), out, err)
            assert "Traceback (most recent call last)" not in err, "%s:\n%s" % (line, err)
            steps.append(Step(self.clone, line, out, err))
        return steps

    @staticmethod
    def is_left_out(line):
        left_out = not line.strip() or line.split()[0] in LEFT_OUT
        if left_out and line.strip():
            print("left out, as the build is there: " + line)
        return left_out


def lines_of(text):
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def keeps_promise(step):
    command = step.command()
    if command is None:
        return True
    assert command in PROMISES, "%s: say in PROMISES what the page says that it does" % step.line
    return PROMISES[command](step)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_followed_as_it_stands(name, tmp_path):
    newcomer, lines, shown, after = Newcomer(tmp_path), [], 0, []
    for language, text, line in blocks(PAGES[name]):
        if language == "sh":
            mine = [each for each in lines_of(text) if not newcomer.is_left_out(each)]
            lines += mine
            shown = len(mine)
        elif language == "python":
            saved = re.match(r"# (\w+\.py)\n", text)
            assert saved, "%s:%d: a block of Python says in its first line what it is saved as" % (name, line)
            (newcomer.clone / saved.group(1)).write_text(text)
        elif language in ("output", "stderr"):
            after.append((len(lines) - shown, len(lines), language, text, line))
    lines += INLINE.findall(PAGES[name].read_text())
    steps = newcomer.follow(lines)
    for first, end, language, text, line in after:
        printed = "".join(step.out if language == "output" else step.err for step in steps[first:end])
        assert re.fullmatch(pattern(text), printed), "%s:%d: this is printed:\n%s" % (name, line, printed)
    for step in steps:
        assert keeps_promise(step), "%s:\n%s%s" % (step.line, step.out, step.err)
    assert len(steps) >= 5, "the page has no commands"
    assert {path.name for path in newcomer.home.iterdir()} <= {".cache", ".config", ".local"}, "something is left in the HOME"


@pytest.mark.parametrize("own", OWN_SCRIPTS)
def test_the_same_lines_with_a_script_of_ones_own(own, tmp_path):
    newcomer = Newcomer(tmp_path)
    (newcomer.clone / "own.py").write_text((ADVICE_SCRIPTS / (own + ".py")).read_text())
    lines = [line for page in PAGES.values() for language, text, _ in blocks(page) if language == "sh" for line in lines_of(text)]
    lines = [re.sub(r"samples/\w+/\w+\.py|\bfirst\.py", "own.py", line).replace("mlp.croton", "own.croton") for line in lines]
    lines = [re.sub(r"'x: dvector;[^']*'( --values '[^']*')?", OWN_EXPRESSION, line) for line in lines]
    assert any("own.py" in line for line in lines) and not any(" samples/" in line for line in lines)
    steps = newcomer.follow(lines)
    for step in steps:
        assert keeps_promise(step), "%s:\n%s%s" % (step.line, step.out, step.err)
    report = [step.out for step in steps if step.command() == "report"]
    assert report and all("own.py:" in text for text in report), "a report names no line of the script"


def test_a_line_that_fails_is_found(tmp_path):
    newcomer = Newcomer(tmp_path)
    with pytest.raises(AssertionError, match="exit status 3"):
        newcomer.follow(["export A=1", 'test "$A" = 1', "(exit 3)", "echo never"])
