"""Every column of a recorded session says something: what is empty or zero in all rows is named here, with the reason."""
import sqlite3

import pytest

SCRIPT = """
import sys, warnings
import numpy as np, theano, theano.tensor as T
x, w = T.dmatrix('x'), theano.shared(np.ones(784), name='w')
def unit(z): return T.nnet.sigmoid(z + 1) * 3
y = unit(T.dot(x, w)) - T.dot(x, w)
train = theano.function([x], [y.sum(), T.log(1 + T.exp(y)).mean()], updates=[(w, w - .1 * T.grad((y ** 2).mean(), w))], name='train')
for k in range(40): train(np.ones((20000, 784)))
w.set_value(w.get_value())
print('printed')
checked = theano.function([x], T.log(1 + T.exp(x)), mode='DebugMode')
checked(np.linspace(-9, 9, 300).reshape(3, 100))
v = T.dvector('v')
f = theano.OpFromGraph([v], [T.exp(v) * 2])
theano.function([v], f(v + 1).sum(), profile='told')(np.ones(5))
try: theano.function([v], v + T.ones((3,)))(np.ones(4))
except ValueError: pass
"""

FIRST = "numbers from 0, and this run has one"
DEVICE = "of a device other than the host"
FAULT = "nothing went wrong here"
JOB = "this run is one process; ranks_test.py has jobs of several"
LATER = "what was not asked for: captures and what is found in them have tests of their own"
CACHE = "nothing, when kernels come from the cache"
# A table, or table.column, that may be empty or zero in all rows: why.
EMPTY = {
    "apply_groups.grp": FIRST, "buffer_pages.page": FIRST, "buffer_pages.plan": FIRST, "buffers.plan": FIRST, "cost_pages.page": FIRST,
    "events.lane": FIRST, "lanes.id": FIRST, "line_pages.page": FIRST, "plan_item_pages.page": FIRST, "plan_item_pages.plan": FIRST,
    "plan_items.plan": FIRST, "plans.plan": FIRST, "size_pages.page": FIRST, "stat_pages.page": FIRST, "variable_pages.page": FIRST,
    "chain_pages.page": FIRST, "variable_chain_pages.page": FIRST, "op_document_pages.page": FIRST, "leaf_pages.page": FIRST,
    "apply_groups": "pays only where no cache holds the data", "plan_items.grp": "pays only where no cache holds the data",
    "apply_stats.blocking_ns": DEVICE, "apply_stats.device_ns": DEVICE, "clocks.offset_ns": DEVICE, "device_kernels": DEVICE,
    "devices.reason": "what runs on the processor looks for no other device",
    "events.bytes": DEVICE, "events.correlation": DEVICE, "events.name": DEVICE, "transfers": DEVICE,
    "collectives": JOB, "communication": JOB, "ranks": JOB, "rank_communication": JOB, "rank_functions": JOB,
    "captured_functions": LATER, "captured_calls": LATER, "captured_values": LATER, "captured_arrays": LATER, "ablations": LATER,
    "along_steps": LATER, "verified_runs": LATER, "trials": LATER, "call_values": LATER, "value_notes": LATER, "device_work": DEVICE,
    "checks.apply": FAULT, "checks.step": FAULT, "drops": FAULT,
    "messages.hint": FAULT, "messages.graph": FAULT, "messages.apply": FAULT, "rewrite_counts.failed": FAULT,
    "functions.warmup_calls": CACHE, "kernels.compile_ns": CACHE, "kernels.from_cache": CACHE,
    "functions.import_ns": "Theano's time for loading modules: kernels are loaded while functions run",
    "memory_events.function": "the allocator is not told for whom it works", "memory_events.graph": "as its function",
    "memory_events.apply": "as its function",
    "progress.call": "the script had the last word", "progress.step": "the script had the last word",
}


@pytest.fixture(scope="module")
def recorded(croton, tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    (folder / "s.py").write_text(SCRIPT)
    croton("profile", folder / "s.py", "-o", folder / "s.croton")
    with sqlite3.connect(folder / "s.croton") as database:
        yield database


def empty_columns(database):
    found = []
    for table, in database.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name").fetchall():
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        if not database.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone():
            found.append(table)
            continue
        for column in columns:
            if not database.execute(f"SELECT 1 FROM {table} WHERE \"{column}\" NOT IN ('', 0, -1) AND \"{column}\" != x'' LIMIT 1").fetchone():
                found.append(f"{table}.{column}")
    return found


def test_every_column_says_something(recorded):
    unexplained = [name for name in empty_columns(recorded) if name not in EMPTY]
    assert unexplained == [], "empty in all rows: measure it, delete it, or say why here"


def test_the_report_says_how_far_values_differ(croton, recorded):
    path = recorded.execute("PRAGMA database_list").fetchone()[2]
    most, relative = recorded.execute("SELECT max(max_absolute), max(max_relative) FROM checks").fetchone()
    assert 0 < relative < 1e-9
    assert f"values differ by at most {most:.2g} ({relative:.2g} of a value)" in croton("report", "--style", "summary", path).stdout


def test_what_may_be_empty_exists(recorded):
    for name in EMPTY:
        table, _, column = name.partition(".")
        columns = [row[1] for row in recorded.execute(f"PRAGMA table_info({table})")]
        assert columns and (not column or column in columns), name
