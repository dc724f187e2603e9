#!/usr/bin/env python3
"""bench_models.py [NAME...]: for the models of models.py, the log-density with its gradient: milliseconds until the first result, compilation
included, and microseconds a warm call, in turns, for the modes CROTON and CROTON_AFTER and for PyTensor's C and Numba.
Run it by `tests/pypi/run build tests/pypi/bench_models.py`; empty build/pypi/compiled first for cold figures of C and Numba."""
import sys
import time
import warnings

import numpy as np
import pytensor
from models import MODELS

import croton.pytensor

MODES = ("CROTON", "CROTON_AFTER", "CVM", "NUMBA")


def prepared(model, mode):
    """(function, values, seconds until the first result)."""
    point = model.initial_point(1)
    values = [np.asarray(point[variable.name]) for variable in model.value_vars]
    density = model.logp()
    outputs = [density, *pytensor.grad(density, model.value_vars)]
    start = time.perf_counter()
    function = model.compile_fn(outputs, inputs=model.value_vars, mode=mode, point_fn=False)
    function(*values)
    return function, values, time.perf_counter() - start


def call_time(function, values, seconds=0.02):
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        function(*values)
        count += 1
    return (time.perf_counter() - start) / count


def main():
    warnings.simplefilter("ignore")
    print("PyTensor %s; ms until the first result, us a call (least of 10 turns)" % pytensor.__version__)
    print("%-24s" % "model" + "".join("%22s" % mode for mode in MODES) + "   best peer / CROTON   in Python")
    ratios = []
    for name in sys.argv[1:] or MODELS:
        made = {mode: prepared(MODELS[name](), mode) for mode in MODES}
        least = {mode: min(times) for mode, times in zip(MODES, zip(*[[call_time(*made[mode][:2]) for mode in MODES] for _ in range(10)]))}
        ratio = min(least["CVM"], least["NUMBA"]) / least["CROTON"]
        ratios.append(ratio)
        print("%-24s" % name + "".join("%11.0f ms %5.1f us" % (made[mode][2] * 1e3, least[mode] * 1e6) for mode in MODES)
              + "   %18.2f   %d" % (ratio, len(croton.pytensor.python_applies(made["CROTON"][0]))), flush=True)
    print("geometric mean of best peer / CROTON: %.2f; at least 1.11 in %d of %d" %
          (np.exp(np.mean(np.log(ratios))), sum(ratio >= 1 / 0.9 for ratio in ratios), len(ratios)))


if __name__ == "__main__":
    main()
