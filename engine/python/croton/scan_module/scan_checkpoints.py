"""Loops that keep few steps and compute the others again for the gradient."""
from croton.scan_module.scan import scan
from croton.tensor import basic
from croton.tensor.subtensor import set_subtensor


def _listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def scan_checkpoints(fn, sequences=(), outputs_info=None, non_sequences=(), name="checkpointscan_fn", n_steps=None, save_every_N=10,
                     padding=True):
    """scan that returns every N-th step; the gradient runs the steps between them again. Sequences without padding have a length
    that N divides."""
    sequences, outputs_info, non_sequences = _listed(sequences), _listed(outputs_info), _listed(non_sequences)
    for info in outputs_info:
        if isinstance(info, dict) and "taps" in info:
            raise RuntimeError("scan_checkpoints doesn't work with taps: give the initial states as they are")
    if n_steps is None:
        if not sequences:
            raise ValueError("scan_checkpoints needs n_steps, or a sequence that tells the number of steps")
        n_steps = sequences[0].shape[0]
    n_steps = basic.as_tensor_variable(n_steps)
    every = int(save_every_N)
    outer_steps = (n_steps + every - 1) // every
    rest = n_steps % every
    last = basic.switch(basic.eq(rest, 0), every, rest)
    inner_steps = set_subtensor((every * basic.ones((outer_steps,), "int64"))[-1], basic.cast(last, "int64"))
    blocks = []
    for sequence in sequences:
        sequence = basic.as_tensor_variable(sequence)
        if padding:
            over = sequence.shape[0] % every
            extra = basic.switch(basic.gt(over, 0), every - over, 0)
            pad = basic.zeros([extra] + [sequence.shape[axis] for axis in range(1, sequence.ndim)], sequence.dtype)
            sequence = basic.join(0, sequence, pad)
        shape = [sequence.shape[0] // every, every] + [sequence.shape[axis] for axis in range(1, sequence.ndim)]
        blocks.append(sequence.reshape(shape, sequence.ndim + 1))
    maps = [info for info in outputs_info if info is None]
    states = [info for info in outputs_info if info is not None]

    def block(*args):
        several = len(blocks) + 1
        inner_sequences = list(args[:several])
        previous = list(args[several:several + len(states)])
        fixed = list(args[several + len(states):])
        results, updates = scan(fn, inner_sequences[:-1], previous + [None] * len(maps), fixed, n_steps=inner_sequences[-1],
                                name=name + "_inner", return_list=True)
        return [result[-1] for result in results], updates

    return scan(block, blocks + [inner_steps], outputs_info, non_sequences, n_steps=outer_steps, name=name + "_outer")
