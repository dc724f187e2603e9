"""The blocks of the page on PyTensor, one after the other, print what their comments say."""
import contextlib
import io
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "resources/docs/pytensor.md"


@pytest.mark.filterwarnings("ignore")
def test_blocks_print_what_they_say():
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    names, printed = {"__name__": "page"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
    wanted = re.findall(r"^print\(.*\)  # (\S+(?: [\d.\]]+)*)", "\n".join(blocks), re.MULTILINE)
    assert len(wanted) == 4
    assert printed.getvalue().splitlines() == wanted
