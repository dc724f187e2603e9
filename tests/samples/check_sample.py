"""check_sample.py FOLDER: runs the sample of the folder, then its check.py on what was printed and made."""
import contextlib
import io
import pathlib
import re
import runpy
import sys
import types

import numpy

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*(?:e[-+]?\d+)?|inf|nan)(?![\w])")


class Said:
    """What the script printed. said("label") has the numbers behind "label:", or of all lines that begin with it."""

    def __init__(self, printed):
        self.printed = printed

    def text(self, label):
        lines = self.printed.splitlines()
        found = [index for index, line in enumerate(lines) if line.startswith(label + ":")]
        found = found or [index for index, line in enumerate(lines) if line.startswith(label + " ")]
        assert found, "no line begins with %r:\n%s" % (label, self.printed)
        parts = []
        for index in found:
            parts.append(lines[index][len(label):].lstrip(": "))
            for line in lines[index + 1:]:  # an array may go on below, indented
                if not line.startswith(" "):
                    break
                parts.append(line.strip())
        return " ".join(parts)

    def __call__(self, label):
        found = NUMBER.findall(self.text(label))
        assert found, "no numbers stand behind %r:\n%s" % (label, self.printed)
        return numpy.array([float(number.replace(",", "")) for number in found])


folder = pathlib.Path(sys.argv[1])
script = str(folder / (folder.name + ".py"))
sys.argv = [script]
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    made = runpy.run_path(script, run_name="__main__")
check = runpy.run_path(str(folder / "check.py"))["check"]
check(Said(printed.getvalue()), types.SimpleNamespace(**made))
