"""That no item is left out, and each says what holds."""
import items


def test_every_rank_has_one_test_that_says_what_holds():
    rows = items.listed()
    assert [rank for rank, _, _ in rows] == list(range(1, 372))
    assert len({name for _, name, _ in rows}) == len(rows)
    assert [name for _, name, said in rows if not said.endswith((".", ":"))] == []
