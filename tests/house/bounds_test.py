"""A bound of time that is missed does not fail a test that measures time; anything else does."""
import os
import pathlib
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("body, passes, shown", [
    ("bound(True, 'a second')", True, "1 passed"),
    ("bound(False, 'two seconds')", True, "over its bound: two seconds"),
    ("assert False", False, "1 failed"),
    ("os.abort()", False, "Aborted"),
])
def test_only_bounds_are_forgiven(tmp_path, body, passes, shown):
    file = tmp_path / "measures_test.py"
    file.write_text("import os\nimport resource\n\n\ndef test_time(bound):\n    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n    %s\n" % body)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-rx", "-p", "no:cacheprovider", "-p", "conftest", "-c", TESTS / "pytest.ini", file],
                          env=dict(os.environ, PYTHONPATH=str(TESTS)), capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout
    assert shown in done.stdout + done.stderr


def test_the_whole_run_counts_them():
    lines = [line for line in (TESTS / "run").read_text().splitlines() if "ctest " in line and not line.lstrip().startswith("#")]
    assert len(lines) > 3 and all(line.endswith(("|| status=$?", "\\")) for line in lines), lines
