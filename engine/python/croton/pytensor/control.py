"""Choices, loops, checks, and ops that are graphs."""
from pytensor.compile.builders import OpFromGraph
from pytensor.ifelse import IfElse
from pytensor.raise_op import CheckAndRaise
from pytensor.scan.op import Scan

import croton
import croton.tensor as T
from croton import _core
from croton.pytensor.graph import Converter
from croton.pytensor.table import NoConversion, conversion


@conversion(IfElse)
def choice(op, node, condition, *branches):
    made = croton.ifelse.ifelse(condition, list(branches[:op.n_outs]), list(branches[op.n_outs:]))
    return made


@conversion(OpFromGraph)
def inlined(op, node, *inputs):
    converter = Converter()
    converter.bind(op.inner_inputs, inputs)
    outputs = converter.outputs(op.inner_outputs)
    if converter.in_python:
        raise NoConversion(str(converter.in_python[0].op))
    return outputs


@conversion(CheckAndRaise)
def check(op, node, x, *conditions):
    if not isinstance(x.type, T.TensorType):
        raise NoConversion("%s of what is no array" % op)
    return T.opt.Assert(op.msg or "Assert")(x, *conditions)


@conversion(Scan)
def loop(op, node, *inputs):
    info = op.info
    converter = Converter()
    inner = [converter.input(variable) for variable in op.inner_inputs]
    outputs = converter.outputs(op.inner_outputs)
    if converter.in_python:
        raise NoConversion(str(converter.in_python[0].op))
    mit_mot = [(list(read), list(written)) for read, written in zip(info.mit_mot_in_slices, info.mit_mot_out_slices, strict=True)]
    ours = _core.scan_op(inner, outputs, op.name or "", info.n_seqs, mit_mot, [list(taps) for taps in info.mit_sot_in_slices], info.n_sit_sot,
                         info.n_nit_sot, info.n_untraced_sit_sot, info.n_non_seqs, info.as_while, -1)
    return ours(*inputs, return_list=True)
