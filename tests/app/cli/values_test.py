"""`croton values` against mpmath: the digits that each node has lost, worked out by somebody else and with 2000 digits."""
import json
import math
import os
import pathlib
import subprocess

import mpmath
import pytest

CROTON = pathlib.Path(os.environ["CROTON_BUILD"]) / "bin" / "croton"
mpmath.mp.dps = 2000

# The formulas of samples/stable_log and samples/unstable_loss, and others that lose digits in ways of their own. For each node in the
# order in which it is computed: its op, and what it should be.
one = mpmath.mpf(1)
FORMULAS = {
    "log(1 + exp(x))": [("exp", mpmath.exp), ("+", lambda x: one + mpmath.exp(x)), ("log", lambda x: mpmath.log(one + mpmath.exp(x)))],
    "log(1 - 1 / (1 + exp(-x)))": [("−x", lambda x: -x), ("exp", lambda x: mpmath.exp(-x)), ("+", lambda x: one + mpmath.exp(-x)),
                                   ("÷", lambda x: one / (one + mpmath.exp(-x))), ("−", lambda x: one - one / (one + mpmath.exp(-x))),
                                   ("log", lambda x: mpmath.log(one - one / (one + mpmath.exp(-x))))],
    "log(1 + x)": [("+", lambda x: one + x), ("log", lambda x: mpmath.log(one + x) if x > -1 else mpmath.nan)],
    "log(1 - sigmoid(x))": [("σ", lambda x: one / (one + mpmath.exp(-x))), ("log", lambda x: mpmath.log(one - one / (one + mpmath.exp(-x))))],
    "1 - cos(x)": [("cos", mpmath.cos), ("−", lambda x: one - mpmath.cos(x))],
    "1 - tanh(x)": [("tanh", mpmath.tanh), ("−", lambda x: one - mpmath.tanh(x))],
    "1 - erf(x)": [("erf", mpmath.erf), ("−", lambda x: one - mpmath.erf(x))],
    "exp(x) - 1": [("exp", mpmath.exp), ("−", lambda x: mpmath.exp(x) - one)],
    "sqrt(x * x + 1) - 1": [("√", lambda x: mpmath.sqrt(x * x + one)), ("−", lambda x: mpmath.sqrt(x * x + one) - one)],
    "sin(x * 1125899906842624)": [("×", lambda x: x * 2**50), ("sin", lambda x: mpmath.sin(x * 2**50))],
}
POINTS = [-800.0, -40.0, -3.25, -1e-20, 0.0, 1e-20, 1e-9, 0.3, 5.5, 40.0, 800.0]
BITS = {"float64": 53, "float32": 24}


def values(formula, x, floatX):
    done = subprocess.run([CROTON, "values", "x: %s[1]; %s" % (floatX, formula), "--values", "x = [%r]" % x, "--floatX", floatX, "--json"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def lost(got, right, bits):
    """Decimal digits of `got` that are wrong."""
    all_of_them = bits * math.log10(2)
    if isinstance(got, str):  # nan, inf, -inf
        if got == "nan" or mpmath.isnan(right):
            return 0 if got == "nan" and mpmath.isnan(right) else all_of_them
        return 0 if mpmath.isinf(right) and (right < 0) == (got == "-inf") else all_of_them
    if mpmath.isnan(right) or mpmath.isinf(right):
        return all_of_them
    if mpmath.mpf(got) == right:
        return 0
    if right == 0:
        return all_of_them
    off = abs((mpmath.mpf(got) - right) / right)
    return min(max(float(mpmath.log10(off)) + all_of_them, 0), all_of_them)


@pytest.mark.parametrize("floatX", sorted(BITS))
@pytest.mark.parametrize("formula", sorted(FORMULAS))
def test_digits_are_those_of_mpmath(formula, floatX):
    seen = 0
    for x in POINTS:
        answer = values(formula, x, floatX)["original"]["values"]
        point = mpmath.mpf(answer[0]["first"][0])
        for op, function in FORMULAS[formula]:
            row = [row for row in answer if row["op"] == op][-1]
            right = function(point)
            bits = BITS["float64" if "float64" in row["type"] else "float32"]
            assert abs(row["digits"] - bits * math.log10(2)) < 1e-9
            assert abs(row["lost"] - lost(row["first"][0], right, bits)) < 0.02, (x, op, row["first"], row.get("worst"), mpmath.nstr(right, 20))
            assert row["unsure"] == 0, (x, op)
            seen += 1
    assert seen == len(POINTS) * len(FORMULAS[formula])


def test_what_stabilize_repairs():
    answer = values("log(1 - sigmoid(x))", 40.0, "float64")
    written, compiled = (answer[side]["values"][-1] for side in ("original", "optimized"))
    assert written["first"] == ["-inf"] and written["lost"] > 15.9 and answer["original"]["born"]["inf"]["op"] == "log"
    assert compiled["lost"] < 1 and not answer["optimized"]["born"]
