"""The op of a loop."""
from croton import _core
from croton.gof.op import Op, declare, named as _settable


class Scan(Op):
    """A graph that runs step after step; scan() makes it."""

    def __new__(cls, *args, **kwargs):
        raise NotImplementedError("the op Scan is made by theano.scan(fn, sequences, outputs_info, …)")

    info = property(_core.scan_info)
    inputs = property(lambda self: _core.op_inner(self)[0])
    outputs = property(lambda self: _core.op_inner(self)[1])
    name = _settable(lambda self: self.info["name"])
    as_while = property(lambda self: self.info["as_while"])
    truncate_gradient = property(lambda self: self.info["truncate_gradient"])
    n_seqs = property(lambda self: self.info["n_seqs"])
    n_mit_mot = property(lambda self: len(self.info["mit_mot"]))
    n_mit_sot = property(lambda self: len(self.info["mit_sot"]))
    n_sit_sot = property(lambda self: self.info["n_sit_sot"])
    n_nit_sot = property(lambda self: self.info["n_nit_sot"])
    n_shared_outs = property(lambda self: self.info["n_shared_outs"])


declare("Scan", Scan)
