"""Do the applies of a compiled graph know the lines of the script that they come from?"""
import inspect

from croton.configparser import config
from croton.gof import opt
from croton.gof.fg import FunctionGraph
from croton.gof.op import Op
from croton.gof.opt import Optimizer
from croton.gof.toolbox import Feature
from croton.gof.utils import also_in


def check_stack_trace(f_or_fgraph, ops_to_check="last", bug_print="raise"):
    """Do the applies of these ops (last: of the outputs; all: of all) know a line of the script?"""
    fgraph = f_or_fgraph if isinstance(f_or_fgraph, FunctionGraph) else getattr(getattr(f_or_fgraph, "maker", None), "fgraph", None)
    if fgraph is None:
        raise ValueError("The type of f_or_fgraph is not supported")
    if isinstance(ops_to_check, str):
        if ops_to_check == "last":
            chosen = [output.owner for output in fgraph.outputs if output.owner is not None]
        elif ops_to_check == "all":
            chosen = fgraph.toposort()
        else:
            raise ValueError("The string ops_to_check is not recognised")
    else:
        several = ops_to_check if isinstance(ops_to_check, (tuple, list, set)) else (ops_to_check,)
        for one in several:
            if not (isinstance(one, (Op, str)) or inspect.isclass(one)):
                raise ValueError("The type of ops_to_check is not supported")
        chosen = [node for node in fgraph.toposort() if any(_is_op(node.op, one) for one in several)]
    for node in chosen:
        for output in node.outputs:
            if getattr(output.tag, "trace", None):
                continue
            if bug_print == "raise":
                raise AssertionError("empty stack trace of the output %s of %s" % (output, node.op))
            if bug_print == "warn":
                print("tag.trace is empty for the output %s of %s" % (output, node.op))
            return False
    return True


def _is_op(op, wanted):
    return str(op) == wanted if isinstance(wanted, str) else isinstance(op, wanted) if inspect.isclass(wanted) else op == wanted


class CheckStrackTraceFeature(Feature):
    def on_import(self, fgraph, node, reason):
        if config.check_stack_trace in ("raise", "warn") and not check_stack_trace(fgraph, node.op, "ignore"):
            if config.check_stack_trace == "raise":
                raise AssertionError("Empty stack trace! The optimization that inserted this variable is %s" % (reason,))


class CheckStackTraceOptimization(Optimizer):
    """Attaches a feature that looks for applies without a line of the script."""

    def add_requirements(self, fgraph):
        fgraph.attach_feature(CheckStrackTraceFeature())

    def apply(self, fgraph):
        pass


also_in(opt, globals())
