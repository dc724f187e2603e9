"""What rewrites are worth, and the graph along its steps, on a training step of each kind: what is known of them is found."""
import json
import re
import sqlite3

import pytest
from conftest import SOURCE

FUNCTIONS = {"logistic_regression": "train", "mlp": "step", "lstm": "train", "lenet": "train"}

each_kind = pytest.mark.parametrize("sample", FUNCTIONS)


@pytest.fixture(scope="module")
def captured(croton, tmp_path_factory):
    folder = tmp_path_factory.mktemp("worth")

    def record(sample):
        path = folder / (sample + ".croton")
        if not path.exists():
            croton("profile", "--capture", SOURCE / "samples" / sample / (sample + ".py"), "-o", path)
        return path

    return record


def one(path, sql):
    with sqlite3.connect(path) as session:
        return session.execute(sql).fetchone()


@pytest.fixture(scope="module")
def by_pass(croton, captured):
    kept = {}

    def ablated(sample):
        if sample not in kept:
            kept[sample] = json.loads(croton("ablate", captured(sample), "--function", FUNCTIONS[sample], "--by", "pass", "--seconds", 30, "--anyway", "--json").stdout)
        return kept[sample]

    return ablated


def row(said, kind, name=None):
    return next(each for each in said["rows"] if each["kind"] == kind and (name is None or each["left_out"] == [name]))


@each_kind
def test_every_pass_is_left_out_and_the_reference_has_more_digits(by_pass, sample):
    said = by_pass(sample)
    assert said["reference"] == "the graph as it was written, in 34 digits"
    # A training step that was trained for a while may have a relu at almost 0, and says so: of a few of its thousands of elements, no more.
    assert all(re.match(r"of [1-9] elements? of ", note) for note in said["notes"]), said["notes"]
    assert not [each for each in said["rows"] if "error" in each]
    nothing, everything = row(said, "nothing"), row(said, "all")
    assert nothing["not_finite"] == 0
    singles = [each for each in said["rows"] if each["kind"] == "single"]
    assert said["sum_of_singles_ns"] == pytest.approx(sum(each["ns"] - nothing["ns"] for each in singles))
    assert said["total_ns"] == pytest.approx(everything["ns"] - nothing["ns"])
    assert everything["applies"] > nothing["applies"] and everything["peak_bytes"] > nothing["peak_bytes"]


@each_kind
def test_without_fusion_there_are_more_applies_and_without_inplace_more_memory(croton, captured, by_pass, sample):
    said = by_pass(sample)
    nothing, fusion, inplace = row(said, "nothing"), row(said, "single", "fusion"), row(said, "single", "inplace")
    assert fusion["applies"] >= 1.1 * nothing["applies"] and fusion["not_finite"] == 0
    assert inplace["peak_bytes"] > nothing["peak_bytes"]
    # By hand: the same function compiled without it, beside itself.
    replayed = json.loads(croton("replay", captured(sample), "--function", FUNCTIONS[sample], "--exclude", "fusion", "--json").stdout)
    assert replayed["asked"]["applies"] == fusion["applies"] and replayed["applies"] == nothing["applies"], replayed


CHAIN = """
import numpy, theano, theano.tensor as T
x = T.dvector("x")
y = x
for k in range(12):
    y = y * (x + k) - x / (k + 1.5)
f = theano.function([x], y, name="f")
for call in range(5):
    f(numpy.linspace(1, 2, 20000))
"""


def test_without_fusion_it_is_slower_by_the_table_and_by_hand(croton, tmp_path):
    """Calls so short that a busy machine seldom takes them apart, and a pass that saves half of their time and more."""
    (tmp_path / "chain.py").write_text(CHAIN)
    croton("profile", "--capture", tmp_path / "chain.py", "-o", tmp_path / "chain.croton")
    ratios = []
    for attempt in range(3):  # what else goes on here may come between the two
        said = json.loads(croton("ablate", tmp_path / "chain.croton", "--by", "pass", "--seconds", 10, "--anyway", "--json").stdout)
        by_hand = json.loads(croton("replay", tmp_path / "chain.croton", "--exclude", "fusion", "--json").stdout)
        by_table = row(said, "single", "fusion")
        assert by_hand["asked"]["ns"] > 1.5 * by_hand["ns"], by_hand
        assert by_table["ns"] > 1.5 * row(said, "nothing")["ns"] and by_table["counts"]
        assert next(each for each in said["rows"] if each["kind"] == "single") == by_table, "what costs most stands first"
        ratios.append((by_table["ns"] / row(said, "nothing")["ns"], by_hand["asked"]["ns"] / by_hand["ns"]))
        if ratios[-1][0] == pytest.approx(ratios[-1][1], rel=0.4):
            return
    raise AssertionError("how many times slower, by the table and by hand: %r" % ratios)


def test_without_blas_the_gradient_of_the_weights_is_an_array_of_its_own(by_pass):
    """Gemm adds it to the weights where they lie: 784 x 500 numbers."""
    said = by_pass("mlp")
    assert row(said, "single", "BlasOpt")["peak_bytes"] > row(said, "nothing")["peak_bytes"] + 784 * 500 * 4


def test_without_stabilize_the_cost_has_lost_its_digits(by_pass):
    said = by_pass("logistic_regression")
    assert row(said, "nothing")["ulp"] < 1e3 and row(said, "nothing")["not_finite"] == 0
    without = row(said, "single", "stabilize")
    # How many are lost differs from call to call, and the slowest one is kept.
    assert without["ulp"] > 1e4 or without["not_finite"] > 0, without


@each_kind
def test_the_last_point_of_along_is_the_function_as_it_ran(croton, captured, by_pass, sample):
    path, name = captured(sample), FUNCTIONS[sample]
    said = json.loads(croton("along", path, "--function", name, "--seconds", 30, "--json").stdout)
    assert not [each for each in said["rows"] if "error" in each]
    first, last = said["rows"][0], said["rows"][-1]
    original, optimized, steps = one(path, "SELECT applies_original, applies_optimized, step_count FROM functions WHERE name = '%s'" % name)
    assert (first["step"], first["applies"]) == (0, original) and (last["step"], last["applies"]) == (steps, optimized)
    arena, measured = one(path, "SELECT arena_bytes, measured_peak_bytes FROM plans p JOIN functions f ON f.id = p.function WHERE f.name = '%s'" % name)
    assert last["planned_bytes"] == arena
    assert last["peak_bytes"] == pytest.approx(measured, rel=0.05)
    assert last["ulp"] == row(by_pass(sample), "nothing")["ulp"]
    # What works in place changes no value; nor does the body of a loop, which is the same one in all rows.
    assert {each["ulp"] for each in said["rows"] if each["phase"] == "inplace"} == {last["ulp"]}
    assert one(path, "SELECT count(*), max(step) FROM along_steps") == (len(said["rows"]), steps)
    assert one(path, "SELECT tried, offered, reference FROM trials WHERE question = 'along'") == (len(said["rows"]), len(said["rows"]), said["reference"])


def test_both_sums_are_printed(croton, captured):
    text = croton("ablate", captured("logistic_regression"), "--function", "train", "--by", "tag", "--seconds", 5).stdout
    assert re.search(r"^  sum of the single differences  [+-]", text, re.M) and re.search(r"^  all of them left out +[+-]", text, re.M), text


def test_bisect_says_what_it_does_not_understand(croton, captured):
    done = croton("bisect", captured("logistic_regression"), "--until", "nonsense", check=False)
    assert done.returncode == 2 and "--until does not say 'nonsense'" in done.stderr and "nan" in done.stderr, done.stderr
