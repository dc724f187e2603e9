"""The programs of tutorials, recorded: loops are in the session as graphs of their own, with the steps that made them and the times inside."""
import json
import sqlite3

import pytest

from samples_test import BUILD, MOST_COMPARED, SOURCE, croton, run

FOLDER = SOURCE / "tests" / "engine" / "python"
DRIVER = """import sys
sys.path.insert(0, %r)
import %s
%s.%s(%s)
"""
# module, program, its arguments, loops of its training step
PROGRAMS = [("test_tutorials", "test_logistic_regression_with_minibatches_by_givens", "'FAST_RUN'", 0), ("test_tutorials", "test_mlp_with_dropout", "'FAST_RUN'", 0),
            ("test_tutorials", "test_denoising_autoencoder", "'FAST_RUN'", 0), ("test_tutorials", "test_boltzmann_machine_with_contrastive_divergence", "'FAST_RUN'", 1),
            ("test_tutorials", "test_lstm_with_truncated_gradient", "'FAST_RUN', 3", 2), ("test_tutorials_deep", "test_lenet", "'FAST_RUN'", 0),
            ("test_tutorials_deep", "test_stacked_autoencoder", "'FAST_RUN'", 0), ("test_tutorials_deep", "test_gru_with_masks_and_attention", "'FAST_RUN'", 2),
            ("test_tutorials_deep", "test_word_embedding", "'FAST_RUN'", 0), ("test_tutorials_deep", "test_transformer_block", "'FAST_RUN'", 0),
            ("test_tutorials_deep", "test_variational_autoencoder_with_adam", "'FAST_RUN'", 0)]


@pytest.mark.parametrize("module, program, arguments, loops", PROGRAMS, ids=[row[1][5:] for row in PROGRAMS])
def test_the_session_has_what_is_inside_of_loops(module, program, arguments, loops, tmp_path):
    script, path = tmp_path / "program.py", tmp_path / "program.croton"
    script.write_text(DRIVER % (str(FOLDER), module, module, program, arguments))
    croton("profile", "-o", path, script)
    session = sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    rows = lambda query, *values: session.execute(query, values).fetchall()  # noqa: E731
    found = rows("SELECT graph, apply FROM graph_applies WHERE in_optimized AND op_class LIKE '%.Scan'")
    assert len(found) >= loops, found
    for graph, apply in found:
        (body, steps, applies), = rows("SELECT id, step_count, applies_optimized FROM graphs WHERE kind = 'scan' AND parent_graph = ? AND parent_apply = ?",
                                       graph, apply)
        # Step 0 is the graph as it was written.
        assert rows("SELECT count(*) FROM rewrite_steps WHERE graph = ?", body) == [(steps + 1,)]
        inside, = rows("SELECT count(DISTINCT apply), min(calls), sum(total_ns) FROM apply_stats WHERE graph = ?", body)
        outside, = rows("SELECT sum(calls), sum(total_ns) FROM apply_stats WHERE graph = ? AND apply = ?", graph, apply)
        assert inside[0] == applies > 0 and inside[1] > 0 and outside[0] > 0
        assert 0 < inside[2] < outside[1], "a loop takes longer than what it runs"
    run(BUILD / "bin" / "walk_session", path, MOST_COMPARED)
    report = json.loads(croton("report", "--json", path))
    assert report
