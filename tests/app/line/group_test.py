"""Two products with one big matrix run as one kernel: what report, graph and picture say of it."""
import json
import re

import pytest

from profile_test import query, shares

REGRESSION = """
import numpy, theano, theano.tensor as T
samples, features = %d, 784
rng = numpy.random.RandomState(0)
x, y = T.matrix('x'), T.vector('y')
w = theano.shared(rng.randn(features).astype('float32') * 0.01, name='w')
b = theano.shared(numpy.float32(0), name='b')
p = T.nnet.sigmoid(T.dot(x, w) + b)
cost = T.nnet.binary_crossentropy(p, y).mean()
gw, gb = T.grad(cost, [w, b])
train = theano.function([x, y], cost, updates=[(w, w - 0.1 * gw), (b, b - 0.1 * gb)], name='train')
data, labels = rng.randn(samples, features).astype('float32'), rng.randint(size=samples, low=0, high=2).astype('float32')
for k in range(%d):
    train(data, labels)
"""


def profiled(croton, folder, samples, steps):
    script = folder / f"regression{samples}.py"
    script.write_text(REGRESSION % (samples, steps))
    session = folder / f"s{samples}.croton"
    croton("profile", script, "-o", session, env={"THEANO_FLAGS": "floatX=float32"})
    return session


@pytest.fixture(scope="module")
def beyond_the_cache(croton, tmp_path_factory):
    return profiled(croton, tmp_path_factory.mktemp("groups"), 20000, 30)


@pytest.fixture(scope="module")
def inside_the_cache(croton, tmp_path_factory):
    return profiled(croton, tmp_path_factory.mktemp("groups"), 100, 30)


def test_the_group_is_in_the_session_and_in_the_plan(beyond_the_cache):
    members = query(beyond_the_cache, "SELECT apply FROM apply_groups ORDER BY graph, grp, position")
    assert len(members) >= 3
    assert members == query(beyond_the_cache, "SELECT apply FROM plan_items WHERE grp >= 0 ORDER BY position")
    assert query(beyond_the_cache, "SELECT DISTINCT rewrite FROM apply_groups") == [("one_pass_over_rows",)]


def test_times_of_the_parts_are_kept_apart_and_add_up(croton, beyond_the_cache):
    report = croton("report", beyond_the_cache).stdout
    for title in ("Class", "Ops", "Apply"):
        numbers = shares(report, title)
        assert abs(sum(numbers) - 100) < 0.06 * len(numbers), (title, numbers)
    assert re.search(r"Applies [0-9, ]+ and [0-9]+ run as one kernel", report), report
    counts = query(beyond_the_cache, """SELECT sum(s.calls), min(s.total_ns) FROM apply_stats s
        JOIN apply_groups g ON g.graph = s.graph AND g.apply = s.apply GROUP BY s.apply""")
    assert {calls for calls, _ in counts} == {30}
    assert all(ns > 0 for _, ns in counts)
    spent = query(beyond_the_cache, "SELECT sum(total_ns) FROM apply_stats")[0][0]
    assert spent == query(beyond_the_cache, "SELECT sum(thunk_ns) FROM functions")[0][0]


def test_text_picture_and_json_show_the_group(croton, beyond_the_cache):
    text = croton("graph", beyond_the_cache).stdout
    line = [line for line in text.splitlines() if line.startswith("one kernel: one_pass_over_rows")]
    assert len(line) == 1 and line[0].count("CGemv") == 2 and "Composite" in line[0]
    dot = croton("graph", beyond_the_cache, "--format", "dot").stdout
    assert 'label="one kernel: one_pass_over_rows"' in dot
    assert "cluster" not in croton("graph", beyond_the_cache, "--format", "dot", "--stage", "original").stdout
    assert "one_pass_over_rows" in croton("graph", beyond_the_cache, "--format", "svg").stdout
    groups = json.loads(croton("graph", beyond_the_cache, "--json").stdout)["groups"]
    assert [group["runs_as_one"] for group in groups] == [True]


def test_what_a_cache_holds_runs_one_by_one_and_says_so(croton, inside_the_cache):
    assert "may run as one kernel: one_pass_over_rows" in croton("graph", inside_the_cache).stdout
    assert query(inside_the_cache, "SELECT count(*) FROM plan_items WHERE grp >= 0") == [(0,)]
    assert "run as one kernel" not in croton("report", inside_the_cache).stdout
