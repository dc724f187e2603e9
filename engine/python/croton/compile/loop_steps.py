"""The steps of a loop one apply after the other in Python: to find the apply inside that first makes something wrong."""
import numpy

from croton import _core
from croton.gof.graph import Constant


class _Rows:
    """A buffer of states; short ones keep the last rows only."""

    def __init__(self, values, taps):
        self.values, self.history = numpy.array(values), max([0] + [-tap for tap in taps])

    def _place(self, step, tap):
        return (step + tap + self.history) % len(self.values)

    def read(self, step, tap):
        return self.values[self._place(step, tap)]

    def write(self, step, tap, value):
        self.values[self._place(step, tap)] = value


def steps_of(op, inputs):
    """Runs the loop on these inputs; gives (step, inner apply, what it made) as it goes."""
    info, body_inputs, body_outputs = op.info, op.inputs, op.outputs
    order = _core.toposort(body_outputs, body_inputs)
    given = iter(inputs)
    count = int(next(given))
    sequences = [next(given) for _ in range(info["n_seqs"])]
    states = [(list(taps_in), list(taps_out)) for taps_in, taps_out in info["mit_mot"]]
    states += [(list(taps), [0]) for taps in info["mit_sot"]] + [([-1], [0])] * info["n_sit_sot"]
    rows = [_Rows(next(given), taps_in) for taps_in, _ in states]
    shared = [next(given) for _ in range(info["n_shared_outs"])]
    for _ in range(info["n_nit_sot"]):
        next(given)
    fixed = list(given)
    for step in range(count):
        arguments = [sequence[step] for sequence in sequences]
        arguments += [one.read(step, tap) for one, (taps_in, _) in zip(rows, states) for tap in taps_in]
        values = dict(zip(body_inputs, [numpy.asarray(one) if isinstance(one, numpy.generic) else one for one in arguments + shared + fixed]))

        def value_of(variable):
            return variable.data if isinstance(variable, Constant) else values[variable]
        for apply in order:
            made = _core.run_apply(apply, [value_of(variable) for variable in apply.inputs])
            values.update(zip(apply.outputs, made))
            yield step, apply, made
        results = [value_of(variable) for variable in body_outputs]
        place = 0
        for one, (_, taps_out) in zip(rows, states):
            for tap in taps_out:
                one.write(step, tap, results[place])
                place += 1
        place += info["n_nit_sot"]
        shared = results[place:place + len(shared)]
        if info["as_while"] and results[-1]:
            return
