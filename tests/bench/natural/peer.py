"""The process of the peers: told the number of a row, it answers with values, then with times. Started by natural.py."""
import json
import sys
import time

import numpy


def make(row, names):
    from natural.sides import PEERS
    made, why = {}, {}
    for name in names:
        try:
            side = PEERS[name](row)
            start = time.perf_counter()
            values = side.values()
            if time.perf_counter() - start > 20:
                raise ValueError("a call takes over 20 s")
            made[name] = (side, values)
        except Exception as error:
            why[name] = "%s: %s" % (type(error).__name__, str(error).split("\n")[0][:120])
    return made, why


def serve(rows, timing):
    import os
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print goes beside
    say = lambda what: print(json.dumps(what), file=answers, flush=True)
    names, versions = [], {"numpy": numpy.__version__}
    for name in ("jax", "numpy", "numexpr"):
        try:
            versions[name] = __import__(name).__version__
            names.append(name)
        except ImportError:
            pass
    if "jax" in names:
        import jax
        jax.config.update("jax_enable_x64", True)
    say(versions)
    actions = {}
    for line in sys.stdin:
        word, *rest = json.loads(line)
        if word == "row":
            number, folder = rest
            made, why = make(rows[number], names)
            for name, (_, values) in made.items():
                numpy.savez("%s/%s.npz" % (folder, name), *values)
            flops = made["jax"][0].flops() if "jax" in made else 0
            actions = {name: (side.call, timing.count_of(side.call)) for name, (side, _) in made.items()}
            say({"peers": list(made), "why": why, "flops": flops})
        elif word == "time":
            say(timing.spent(*actions[rest[0]]))
