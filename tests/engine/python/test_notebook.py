"""What a notebook shows: croton.show, and %%croton."""
import re
import sqlite3

import croton
import pytest
import theano
import theano.tensor as T


class Shell:
    """As much of IPython's shell as an extension meets."""

    def __init__(self):
        self.magics, self.names = {}, {"theano": theano, "T": T}

    def register_magic_function(self, function, magic_kind, magic_name):
        self.magics[magic_kind, magic_name] = function

    def run_cell(self, cell):
        class Result:
            success = True
        try:
            exec(compile(cell, "<cell>", "exec"), self.names)
        except ZeroDivisionError:
            Result.success = False
        return Result

    def profile(self, line, cell):
        return self.magics["cell", "croton"](line, cell)


@pytest.fixture
def shell():
    made = Shell()
    croton.load_ipython_extension(made)
    return made


CELL = """x = T.dvector("x")
f = theano.function([x], T.exp(x) * 2)
f([1.0, 2.0])
"""


def test_a_cell_is_profiled(shell, tmp_path, capsys):
    session = tmp_path / "cell.croton"
    text = shell.profile("-o %s" % session, CELL)
    assert str(session) in capsys.readouterr().out
    assert "1 function, 1 call" == text.title and "Elemwise" in repr(text)
    assert "<pre>" in text._repr_html_()
    assert "f" in shell.names  # the cell ran in the notebook's own names
    with sqlite3.connect(session) as database:
        assert database.execute("SELECT text FROM sources WHERE file = '<cell>'").fetchone()[0] == CELL
    # The next cell is a session of its own.
    assert shell.profile("-o %s" % (tmp_path / "next.croton"), CELL).title == text.title


def test_a_cell_that_fails_says_so_in_its_session(shell, tmp_path):
    session = tmp_path / "failed.croton"
    shell.profile("-o %s" % session, CELL + "1 / 0\n")
    with sqlite3.connect(session) as database:
        assert "error" in "".join(str(row) for row in database.execute("SELECT * FROM meta"))


@pytest.mark.parametrize("line, part", [("-x a", "takes -o FILE"), ("-o /nowhere/at/all.croton", "was not run")])
def test_mistakes_get_a_sentence(shell, capsys, line, part):
    assert shell.profile(line, "ran = True") is None
    assert part in capsys.readouterr().err
    assert "ran" not in shell.names


def test_a_cell_without_functions_says_so(shell, tmp_path, capsys):
    assert shell.profile("-o %s" % (tmp_path / "none.croton"), "a = 1") is None
    assert "no function was compiled" in capsys.readouterr().err


def test_show_draws_both_graphs_and_the_profile():
    x = T.dvector("x")
    f = theano.function([x], T.log(1 + T.exp(x)), profile=True)
    f([1.0])
    assert re.search("softplus", repr(croton.show(f)))
    assert "softplus" not in repr(croton.show(f, "original"))
    assert "Function profiling" in croton.show(f)._repr_html_()
    with pytest.raises(ValueError, match="original"):
        croton.show(f, "nothing")
