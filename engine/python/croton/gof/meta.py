"""Rewrites that are chosen by the clock: of several that fit an apply the one whose result runs fastest."""
import collections
import time

from croton.compile.function import function
from croton.compile.sharedvalue import shared
from croton.configparser import config
from croton import gof
from croton.gof import opt
from croton.gof.graph import SharedVariableBase
from croton.gof.opt import LocalOptimizer
from croton.gof.utils import also_in


class LocalMetaOptimizerSkipAssertionError(AssertionError):
    """A choice that does not count."""


class LocalMetaOptimizer(LocalOptimizer):
    """Runs what each registered optimizer makes of an apply on values of its inputs, and takes the fastest. The values are test values; for inputs that
    have none, provide_inputs(node, inputs) may give shared variables."""

    def __init__(self):
        self.verbose = config.metaopt.verbose
        self.track_dict, self.tag_dict = collections.defaultdict(list), collections.defaultdict(list)
        self._tracks, self.optimizers = [], []

    def register(self, optimizer, tag_list):
        self.optimizers.append(optimizer)
        for tracked in optimizer.tracks():
            self.track_dict[tracked].append(optimizer)
            self._tracks.append(tracked)
        for tag in tag_list:
            self.tag_dict[tag].append(optimizer)

    def tracks(self):
        return self._tracks

    def get_opts(self, node):
        """The optimizers that may be asked."""
        return self.track_dict[type(node.op)] or self.track_dict[node.op]

    def provide_inputs(self, node, inputs):
        """{variable: shared variable with a value to try with}"""
        raise NotImplementedError("%s has to define provide_inputs(node, inputs), or the inputs of %s need test values" % (type(self).__name__, node))

    def time_call(self, fn):
        start = time.perf_counter()
        fn()
        return time.perf_counter() - start

    def transform(self, node, *args, **kwargs):
        givens, unknown = {}, set()
        for variable in node.inputs:
            if isinstance(variable, SharedVariableBase):
                continue
            if hasattr(variable.tag, "test_value"):
                givens[variable] = shared(variable.type.filter(variable.tag.test_value), variable.name, broadcastable=variable.broadcastable)
            else:
                unknown.add(variable)
        if unknown:
            givens.update(self.provide_inputs(node, unknown))
        if not unknown.issubset(givens):
            self._say(1, "%s cannot choose for %s: %d of its inputs have no value to try with" % (self, node, len(unknown.difference(givens))))
            return False
        best = None
        for optimizer in self.get_opts(node):
            outputs = optimizer.transform(node)
            if not outputs:
                self._say(1, "* %s: not applicable" % optimizer)
                continue
            try:
                compiled = function([], outputs, givens=givens, on_unused_input="ignore")
                seconds = min(self.time_call(compiled) for _ in range(2))
            except LocalMetaOptimizerSkipAssertionError:
                continue
            except Exception as error:
                self._say(1, "* %s: %s" % (optimizer, error))
                continue
            self._say(2, "* %s: %.5g sec" % (optimizer, seconds))
            if best is None or seconds < best[0]:
                best = seconds, outputs
        return best[1] if best is not None else False

    def _say(self, level, text):
        if self.verbose >= level:
            print(text)

    def __str__(self):
        return type(self).__name__


also_in(opt, globals())
also_in(gof, globals())
