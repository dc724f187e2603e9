"""RandomStreams: every draw has a generator of NumPy in a shared variable of its own."""
import copy

import numpy

from croton import _core
from croton._kinds import RANDOM_STATE, SHARED
from croton.compile.sharedvalue import shared
from croton.tensor import raw_random
from croton.tensor.var import SharedVariable


class RandomStateSharedVariable(SharedVariable):
    """A shared numpy.random.RandomState."""


_core.register_variable_class(RANDOM_STATE, SHARED, RandomStateSharedVariable)


def randomstate_constructor(value, name=None, strict=False, allow_downcast=None, borrow=False):
    if not isinstance(value, numpy.random.RandomState):
        raise TypeError("a numpy.random.RandomState is wanted, got %s" % type(value).__name__)
    return shared(value if borrow else copy.deepcopy(value), name=name, borrow=True)


class RandomStreams(raw_random.RandomStreamsBase):
    """Random variables with the numbers of numpy.random.RandomState; a generator seeded by `seed` gives the seeds of the streams."""

    def __init__(self, seed=None):
        self.state_updates = []
        self.default_instance_seed = seed
        self.gen_seedgen = numpy.random.RandomState(seed)

    def updates(self):
        return list(self.state_updates)

    def seed(self, seed=None):
        """Begins all streams anew."""
        seeds = numpy.random.RandomState(self.default_instance_seed if seed is None else seed)
        for state, _ in self.state_updates:
            state.set_value(numpy.random.RandomState(int(seeds.randint(2 ** 30))), borrow=True)

    def __getitem__(self, item):
        return item.get_value(borrow=True)

    def __setitem__(self, item, value):
        item.set_value(value, borrow=True)

    def gen(self, op, *args, **kwargs):
        """op(state, …) drawn from a new stream."""
        state = shared(numpy.random.RandomState(int(self.gen_seedgen.randint(2 ** 30))), borrow=True)
        state.tag.is_rng = True
        after, drawn = op(state, *args, **kwargs)
        drawn.rng = state
        drawn.update = (state, after)
        self.state_updates.append(drawn.update)
        state.default_update = after
        return drawn
