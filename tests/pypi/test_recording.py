"""What a session holds of PyTensor's rewrites: its steps, replayed, give PyTensor's graphs, and recording them takes little time."""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys

import pytensor
import pytest
from models import MODELS
from pytensor.compile.function import types
from pytensor.compile.mode import Mode
from pytensor.graph.basic import equal_computations

import croton
from croton import _pytensor_record, _pytensor_rewriters as rewriters
from croton.session import Writer

CROTON = os.environ["CROTON_PROGRAM"]
_pytensor_record.watch(types)


class Kept(rewriters.Steps):
    """Steps that keep every node and leaf of PyTensor by its number."""

    def __init__(self, *arguments):
        self.nodes, self.leaves = {}, {}
        super().__init__(*arguments)

    def _add(self, node, inputs):
        super()._add(node, inputs)
        self.nodes[self.applies[node].number] = node

    def _leaf(self, variable, kind):
        number = super()._leaf(variable, kind)
        self.leaves[number] = variable
        return number


def compiled(model, mode=None):
    made = model.compile_fn([model.logp(), model.dlogp()], mode=mode or Mode(linker="py", optimizer="fast_run"), inputs=model.value_vars,
                            point_fn=False, on_unused_input="ignore", name="model")
    return made


class Replay:
    """The graph of PyTensor that the journal of a session builds, with the ops and leaves that `nodes` and `leaves` name."""

    def __init__(self, nodes, leaves):
        self.nodes, self.leaves = nodes, leaves
        self.inputs_of, self.owner, self.outputs = {}, {}, []

    def take(self, edit):
        kind = edit["edit"]
        if kind == "add apply":
            self.inputs_of[edit["apply"]] = list(edit["inputs"])
            for port, output in enumerate(edit["outputs"]):
                self.owner[output["variable"]] = edit["apply"], port
        elif kind == "set input":
            assert self.inputs_of[edit["apply"]][edit["port"]] == edit["before"]
            self.inputs_of[edit["apply"]][edit["port"]] = edit["after"]
        elif kind == "set output":
            self.outputs[edit["output"]:edit["output"] + 1] = [edit["after"]]
        elif kind == "prune apply":
            del self.inputs_of[edit["apply"]]

    def graph(self):
        made = {}

        def variable(number):
            if number not in self.owner:
                return self.leaves[number]
            apply, port = self.owner[number]
            if apply not in made:
                op = self.nodes[apply].op
                made[apply] = self.nodes[apply].clone_with_new_inputs([variable(one) for one in self.inputs_of[apply]], strict=False)
                assert made[apply].op == op
            return made[apply].outputs[port]
        return [variable(number) for number in self.outputs]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_steps_give_the_final_graph(name, monkeypatch, tmp_path):
    monkeypatch.setattr(rewriters, "Steps", Kept)
    session, journal = tmp_path / "model.croton", tmp_path / "journal.json"
    model = MODELS[name]()
    with Writer(session, producer="PyTensor") as writer:
        _pytensor_record.record_into(writer)
        try:
            function = compiled(model)
        finally:
            _pytensor_record.record_into(None)
        _pytensor_record._recorded.clear()
    done = function.maker.croton_record.steps
    assert not done.problem
    subprocess.run([CROTON, "graph", str(session), "--function", "model", "--journal", str(journal), "-o", str(tmp_path / "graph.txt")], check=True)
    told = json.loads(journal.read_text())
    replay = Replay(done.nodes, done.leaves)
    for step in told["steps"]:
        for edit in step["edits"]:
            replay.take(edit)
    assert len(told["steps"]) > 20
    final = function.maker.fgraph
    assert len(replay.inputs_of) == len(final.apply_nodes)
    assert equal_computations(replay.graph(), final.outputs, list(final.inputs), list(final.inputs))


def rewriting_seconds(model, writer):
    _pytensor_record.record_into(writer)
    began = pytensor.compile.profiling.total_graph_rewrite_time
    try:
        compiled(model)
    finally:
        _pytensor_record.record_into(None)
        _pytensor_record._recorded.clear()
    return pytensor.compile.profiling.total_graph_rewrite_time - began


@pytest.mark.timing
@pytest.mark.filterwarnings("ignore")
def test_recording_costs_little(tmp_path, bound):
    """At most 30% of what rewriting takes."""
    without = recorded = 0.0
    for number, name in enumerate(list(MODELS)[:6]):
        model = MODELS[name]()
        rewriting_seconds(model, None)
        times = {False: [], True: []}
        for turn in range(3):
            for is_recorded in (False, True):
                with Writer(tmp_path / ("%d_%d_%d.croton" % (number, turn, is_recorded)), producer="PyTensor") as writer:
                    times[is_recorded].append(rewriting_seconds(model, writer if is_recorded else None))
        without += min(times[False])
        recorded += min(times[True])
        print("%-24s %6.1f ms, recorded %6.1f ms: %+.0f%%"
              % (name, 1e3 * min(times[False]), 1e3 * min(times[True]), 100 * (min(times[True]) / min(times[False]) - 1)))
    print("all %.1f ms, recorded %.1f ms: %+.0f%%" % (1e3 * without, 1e3 * recorded, 100 * (recorded / without - 1)))
    bound(recorded < 1.3 * without, "recording took %.0f%% of rewriting" % (100 * (recorded / without - 1)))


SCRIPT = """
import numpy as np
import pytensor
import pytensor.tensor as pt
import croton.pytensor

x = pt.dvector("x")
y = pt.log1p(pt.exp(x))
f = pytensor.function([x], y.sum() + pt.exp(x).sum(), mode=%r, name="f")
for _ in range(7):
    f(np.ones(5))
"""


def rows(session, question):
    with contextlib.closing(sqlite3.connect(session)) as database:
        return database.execute(question).fetchall()


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "FAST_RUN", "NUMBA", "CROTON"])
def test_profile_of_a_script(mode, tmp_path):
    script, session = tmp_path / "model.py", tmp_path / "model.croton"
    script.write_text(SCRIPT % mode)
    subprocess.run([sys.executable, "-m", "croton.worker", "profile", "--session", str(session), str(script)], check=True)
    (line, steps, written), = rows(session, "SELECT line, step_count, applies_original FROM functions WHERE name = 'f' AND id >= %d" % (1 << 24))
    assert line == 9 and written == 6  # log1p, two exp, two sums, add
    calls = dict(rows(session, "SELECT id >= %d, sum(calls) FROM functions GROUP BY 1" % (1 << 24)))
    if mode == "CROTON":  # the calls are those of Croton's own function
        assert calls == {0: 7, 1: 0} and steps == 0
        return
    assert calls == {1: 7} and steps > 0
    report = subprocess.run([CROTON, "report", str(session)], check=True, capture_output=True, text=True).stdout
    passes = subprocess.run([CROTON, "passes", str(session)], check=True, capture_output=True, text=True).stdout
    assert "MergeOptimizer" in passes
    timed = rows(session, "SELECT count(*) FROM apply_stats")[0][0]
    if mode == "NUMBA":
        assert timed == 0 and "one thunk" in str(rows(session, "SELECT text FROM messages"))
    else:
        assert timed > 0 and "model.py:" in report
    merged = rows(session, "SELECT count(*) FROM graph_applies WHERE fate = 'merged'")[0][0]
    assert merged == 1  # one exp


def test_rewriters_that_did_not_fire_answer(tmp_path):
    session = tmp_path / "model.croton"
    with Writer(session, producer="PyTensor") as writer:
        _pytensor_record.record_into(writer)
        try:
            x = pytensor.tensor.dvector("x")
            function = pytensor.function([x], pytensor.tensor.exp(x) + 1, mode="FAST_COMPILE", name="f")
        finally:
            _pytensor_record.record_into(None)
        record = function.maker.croton_record
        answers = [words for apply, words in record.steps.why_not(record.fgraph).items()]
        _pytensor_record.finish()
    assert any("local_add_canonizer" in words for words in answers)
    assert all(answer.startswith(("declined", "raised", "would give")) for words in answers for answer in words.values())
    assert rows(session, "SELECT count(*) FROM last_declines")[0][0] == len(answers)


def test_model_is_shown():
    shown = croton.show(MODELS["schools"]())
    assert "tau_log__" in repr(shown)
    assert len(repr(croton.show(MODELS["schools"](), stage="original"))) > 1000


def test_documentation_is_plain_text():
    told = rewriters._plain("Rewrites a sum\nof products.\n\nIt is\nstable.\n\nParameters\n----------\nmain\n    An op.")
    assert told == "Rewrites a sum of products.\nIt is stable."
