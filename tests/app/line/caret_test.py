"""Below an expression that is wrong stands a caret, under what is wrong: as a terminal shows it."""
import unicodedata

import pytest

LONG = "x: dvector; " + " + ".join(["exp(x)"] * 40)

# The expression, and the text that the caret points to ("" where the text ends too early).
WRONG = [
    ("x: dvector; foo(x)", "foo"),
    ("foo(x)", "foo"),
    ("x: dvectr; x", "dvectr"),
    ("x: dvector; y: dvektor; x + y", "dvektor"),
    ("x: dvector; x + foo(x) + x", "foo"),
    ("x: dvector; x + * x", "* x"),
    ("x: dvector; x @@ x", "@ x"),
    ("x: dvector; (x + 1", "(x"),
    ("x: dvector; exp(x))", ")"),
    ("x: dvector; x[1", "[1"),
    ("x: dvector; [1, 2)", ")"),
    ("x: dvector; 1 +", ""),
    ("x: dvector; ", ""),
    ("x: dvector; log(1, 2)", "log"),
    ("x: dvector; x.foo", "foo"),
    ("x: dvector; 3 = x", "= x"),
    ('x: dvector; "abc', '"abc'),
    ("x: dvector, y: dvector; x", ", y"),
    ("x: dvector; $x", "$x"),
    ("x: float32[3,?]; dot(x, x.T) + foo(x)", "foo"),
    ("x: dvector;\tfoo(x)", "foo"),
    ("\tx: dvector;\texp(x)\t+\tfoo(x)", "foo"),
    ('x: dvector; exp("äöü€", foo(x))', "foo"),
    ('x: dvector; exp("日本語", foo(x))', "foo"),
    ('x: dvector; exp("e\u0301e\u0301", foo(x))', "foo"),
    ("x: dvector; ä + x", "ä"),
    ("x: dvector\ny = exp(x)\nz = y + foo(x)\nz", "foo"),
    ("x: dvector;\n\texp(x) + foo(x)", "foo"),
    ("# ä comment 日\nx: dvector; foo(x)", "foo"),
    ("x: dvectr;\r\nexp(x)", "dvectr"),
    ("x: dvector;\nexp(x) +\n", ""),
    (LONG + " + foo(x)", "foo"),
    (LONG + " + foo(x) + " + " + ".join(["exp(x)"] * 40), "foo"),
    ("x: dvector; exp(\"" + "日" * 60 + "\", foo(x)) + " + "exp(x) + " * 30 + "x", "foo"),
]


def columns(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def under_caret(shown, caret):
    """What stands from the caret on, on a terminal with tabs of eight columns."""
    def at(text):
        place = 0
        for character in text:
            place = place // 8 * 8 + 8 if character == "\t" else place + columns(character)
        return place
    for length in range(len(shown) + 1):
        if at(shown[:length]) >= at(caret[:caret.index("^")]) and not (length < len(shown) and unicodedata.combining(shown[length])):
            return shown[length:]
    raise AssertionError("the caret stands behind the text")


@pytest.mark.parametrize("expression,wrong", WRONG, ids=range(len(WRONG)))
def test_the_caret_stands_under_what_is_wrong(croton, expression, wrong):
    done = croton("expr", expression, check=False)
    assert done.returncode == 1, done.stdout
    shown, caret = done.stderr.splitlines()[:2]
    assert caret.strip() == "^" and caret.startswith("    "), done.stderr
    found = under_caret(shown, caret)
    assert found.startswith(wrong) if wrong else found in ("", "?"), done.stderr
    assert sum(columns(character) for character in shown) <= 240
