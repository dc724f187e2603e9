"""Tasks of lessons whose solution is a whole script: its run does all that is asked for, and the recorded sample does not."""
import re

import pytest

from conftest import SOURCE

TASK = re.compile(r"^::: task (\S+)\n((?:(?!:::)[^\n]*\n)*):::\n\n::: solution\n```\n(import [^`]*)```\n:::", re.MULTILINE)
PAGE = re.compile(r"^sample: (\w+)$", re.MULTILINE)


def whole_tasks():
    for lesson in sorted((SOURCE / "resources/lessons").glob("*.md")):
        text = lesson.read_text()
        for match in TASK.finditer(text):
            needs = re.findall(r"^needs: (.*?) \| ", match[2], re.MULTILINE)
            yield pytest.param(PAGE.findall(text[:match.start()])[-1], needs, match[3], id=lesson.stem + " " + match[1])


@pytest.fixture(scope="module")
def device(croton):
    if not re.search(r"^opencl0:0 +yes", croton("devices").stdout, re.MULTILINE):
        pytest.skip("no device of OpenCL: install pocl-opencl-icd")
    return "opencl0:0"


@pytest.mark.parametrize("sample, needs, script", whole_tasks())
def test_the_solution_solves_it_and_the_sample_does_not(croton, device, tmp_path, sample, needs, script):
    def unmet(session):
        return [need for need in needs if croton("lesson", "ask", session, need).stdout.strip() != "1"]

    path, session = tmp_path / "solution.py", tmp_path / "solution.croton"
    path.write_text(script)
    croton("profile", "--device", device, "--floatX", "float32", path, "-o", session)
    assert unmet(session) == []
    assert unmet(SOURCE / "samples" / sample / (sample + ".croton"))


def test_there_are_such_tasks():
    assert len(list(whole_tasks())) >= 3
