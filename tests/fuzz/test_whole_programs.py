"""Random whole programs against NumPy in three modes, with their derivatives of both orders.

CROTON_PROGRAMS sets how many run (500; 20,000 with CROTON_LONG_TESTS), CROTON_SEED the first seed, CROTON_PART=2/8 the share of one process.
A failure prints its seed and a small script that shows it. `python3 test_whole_programs.py SEED` prints what is run of one seed as scripts.
"""
import collections
import os
import sys

import pytest
import theano
from program_steps import program_of
from program_trial import CURVATURES, SLOPES, VALUES, Trial, failure_of, smaller
from whole_programs import Program, Step

COUNT = int(os.environ.get("CROTON_PROGRAMS", "20000" if os.environ.get("CROTON_LONG_TESTS") else "500"))
SEED = int(os.environ.get("CROTON_SEED", "0"))
PART, PARTS = (int(number) for number in os.environ.get("CROTON_PART", "0/1").split("/"))
SEEDS = range(SEED + PART * COUNT // PARTS, SEED + (PART + 1) * COUNT // PARTS)
AT_ONCE = 50
# Merging and fusion know nothing of ops that overwrite: then the in-place rewrites give up, and what is overwritten is copied.
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings("ignore:.*in-place work makes a cycle")]


def trials_of(seed):
    """The values of a program, and its derivatives of one order."""
    program = program_of(seed, Program)
    rng = program.rng
    outputs = program.sinks() + [line.number for line in program.lines if isinstance(line, Step) and rng.rand() < 0.1]
    outputs = sorted(set(outputs)) or [program.lines[-1].number]
    updates = {}
    for leaf in program.leaves("shared"):
        fit = [line.number for line in program.lines if line.number != leaf.number and
               program.variable(line.number).type == program.variable(leaf.number).type and program.array(line.number).shape == leaf.array.shape]
        if fit:
            updates[leaf.number] = fit[rng.randint(len(fit))]
    order = CURVATURES if rng.rand() < 0.4 else SLOPES
    with_kernels = seed % 5 == 0  # a compiler takes longer than all else
    return [Trial(program, outputs, updates, VALUES, with_kernels=with_kernels),
            Trial(program, program.sinks() or outputs, {}, order, with_kernels=with_kernels)]


def check(seed):
    did = []
    for trial in trials_of(seed):
        failure = failure_of(trial)
        if failure:
            small = smaller(trial, failure)
            raise AssertionError("seed %d: %s\n\n# --- a small script that shows it ---\n%s\n" % (seed, failure, small.script()))
        did += trial.did
    return did


@pytest.fixture(autouse=True)
def flags_as_before(monkeypatch):
    for name in ("check_finite", "check_c"):
        monkeypatch.setattr(theano.config.DebugMode, name, getattr(theano.config.DebugMode, name))


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_programs(first):
    did = collections.Counter()
    seeds = range(first, min(first + AT_ONCE, SEEDS.stop))
    for seed in seeds:
        did.update(check(seed))
    if len(seeds) >= 20:  # the programs are not empty, and many can be differentiated
        assert did["values"] == len(seeds) and did["derivatives in modes"] > len(seeds) / 4 and did["derivatives by differences"] > len(seeds) / 8, did


if __name__ == "__main__":
    for trial in trials_of(int(sys.argv[1])):
        print(trial.script(), end="\n\n\n")
