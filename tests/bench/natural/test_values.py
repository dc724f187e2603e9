"""Each row of natural.py gives NumPy's values at small sizes, gradients those of central differences; and what finds jumps finds one."""
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from natural import row, sides, sweep, themes

PART, PARTS = (int(word) for word in os.environ.get("CROTON_PART", "0/1").split("/"))


@pytest.mark.parametrize("one", themes.rows()[PART::PARTS], ids=lambda one: "%s: %s" % (one.theme, one.name))
def test_values_are_numpys(one):
    small = one.small()
    assert sides.difference(small, sides.Croton(small).values(), sides.reference(small)) is None


def test_a_wrong_value_is_seen():
    one = row.Row("square", "x f8 8", "x ** 2", "x ** 2 + 1e-3", "test")
    assert "differs by up to 0.001" in sides.difference(one, sides.Croton(one).values(), sides.reference(one))
    assert "shape" in sides.difference(one, sides.Croton(one).values(), [sides.reference(one)[0][:4]])


def test_a_wrong_gradient_is_seen():
    one = row.Row("square", "x f8 8", "sum(x ** 2)", "sum(x ** 2) + 0 * x[0]", "test", gradient="x")
    assert sides.difference(one, sides.Croton(one).values(), sides.reference(one)) is None
    wrong = row.Row("square", "x f8 8", "sum(x ** 2)", "sum(x ** 2 + x) - sum(x)", "test", gradient="x")
    values = sides.reference(wrong)
    values[1] = values[1] + 1e-3
    assert "result 1 differs" in sides.difference(one, sides.Croton(one).values(), values)


def test_there_are_rows_enough_with_names_of_their_own():
    names = [(one.theme, one.name) for one in themes.rows()]
    assert len(names) >= 300
    assert len(set(names)) == len(names), sorted(name for name in names if names.count(name) > 1)


def test_braces_stand_for_a_row_each():
    assert row.expand("x f4 {10|20x3}; y f4 {10|20}") == ["x f4 10; y f4 10", "x f4 20x3; y f4 20"]


class Even:
    """A machine that copies as fast at any size."""

    @staticmethod
    def copying(bytes_):
        return bytes_ / 1e10


def point(note, elements, nanoseconds):
    made = object.__new__(sweep.Point)
    made.note, made.elements, made.bytes, made.seconds = note, elements, 8 * elements, 1e-9 * nanoseconds * elements
    return made


def test_a_jump_between_sizes_and_beside_one_is_found():
    points = [(64, point("64", 64, 1.0)), (64, point("65", 65, 1.7)), (128, point("128", 128, 1.4)), (256, point("256", 256, 2.2))]
    found = list(sweep.jumps_of_sizes(points, Even))
    assert len(found) == 2
    assert "from 64 to 65" in " ".join(found) and "from 128 to 256" in " ".join(found)
