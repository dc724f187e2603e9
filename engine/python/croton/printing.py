"""Graphs as text and pictures; Print."""
import hashlib
import logging
import re
import shutil
import sys

from croton import _core, _files
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Apply, Constant, SharedVariableBase, Variable
from croton.gof.op import Op
from croton.gof.utils import listed
from croton.printers import default_printer, leaf_printer  # noqa: F401
from croton.printers import (DefaultPrinter, FunctionPrinter, IgnorePrinter, LeafPrinter, MemberPrinter, OperatorPrinter, PPrinter,  # noqa: F401
                             PatternPrinter, PrinterState, pp, pprint)


def _graph_of(obj):
    """(outputs, order, number of outputs before updates) of whatever can be printed."""
    if isinstance(obj, Variable):
        return [obj], []
    if isinstance(obj, Apply):
        return list(obj.outputs), []
    if isinstance(obj, _core.Function):
        graph = obj.maker.fgraph
        return list(graph.outputs), graph.toposort()
    if isinstance(obj, FunctionGraph):
        return list(obj.outputs), obj.toposort()
    several = listed(obj)
    if several is not None:
        outputs, order = [], []
        for one in several:
            more, its_order = _graph_of(one)
            outputs += more
            order += its_order
        return outputs, order
    raise TypeError("debugprint cannot print an object of this type: %s; give it a variable, an Apply, a function or a list of them"
                    % type(obj).__name__)


def debugprint(obj, depth=-1, print_type=False, file=None, ids="CHAR", stop_on_name=False, done=None, print_storage=False,
               print_clients=False, used_ids=None, print_view_map=False, print_destroy_map=False):
    """The graph as a tree, one line a variable; file='str' returns the text."""
    outputs, order = _graph_of(obj)
    notes, timed = [], []
    for function in _functions_of(obj):
        if print_storage:
            notes += [(variable, " %s" % (cell,)) for variable, cell in function.fn.storage_map.items()]
        if print_clients:
            notes += _notes_of_clients(function.maker.fgraph, order)
        profile = function.__dict__.get("profile")
        if profile is not None and profile.fct_callcount:
            timed += _notes_of_times(profile)
    text = _core.debug_print(outputs, int(depth) if depth is not None else -1, bool(print_type), bool(stop_on_name),
                             ids if ids in ("CHAR", "int", "") else "int", order, bool(print_view_map or print_destroy_map), notes + timed)
    if timed:
        text = _TIMES + text
    if print_storage and not all(function.fn.allow_gc for function in _functions_of(obj)):
        text += _NOT_KEPT
    if not text.endswith("\n"):
        text += "\n"
    if file == "str":
        return text
    stream = sys.stdout if file is None else file
    stream.write(text)
    if hasattr(stream, "flush"):
        stream.flush()
    return stream


_NOT_KEPT = """
Computed results are [None] though allow_gc is False: they share memory that a call uses again. MonitorMode(post_func=...) sees each of them.
"""

_TIMES = """
Timing Info
-----------
--> <time> <% time> - <total time> <% total time>'

<time> computation time for this node
<% time> fraction of total computation time for this node
<total time> time for this node + total times for this node's ancestors
<% total time> total time for this node over total computation time

N.B.:
* <total time> and <% total time> may over-count computation times
  if inputs to a node share a common ancestor and should be viewed as a
  loose upper bound. Their intended use is to help rule out potential nodes
  to remove when optimizing a graph because their <total time> is very low.

"""


def _functions_of(obj):
    if isinstance(obj, _core.Function):
        return [obj]
    return [one for part in obj for one in _functions_of(part)] if isinstance(obj, (list, tuple)) else []


def _notes_of_clients(graph, order):
    """Who reads what more than one reads: (toposort index, input) of each."""
    places = {apply: index for index, apply in enumerate(order)}
    return [(output, " clients:%s" % [(places.get(client, ""), index) for client, index in graph.clients[output]])
            for apply in graph.toposort() for output in apply.outputs if len(graph.clients[output]) > 1]


def _notes_of_times(profile):
    """The seconds of each apply, and those with what it is computed from, with their shares of all calls."""
    times, call_time = profile.apply_time, profile.fct_call_time
    totals = profile.compute_total_times()
    return [(output, " --> %8.2es %4.1f%% %8.2es %4.1f%%" % (seconds, 100 * seconds / call_time, totals[apply], 100 * totals[apply] / call_time))
            for apply, seconds in times.items() for output in apply.outputs]


def min_informative_str(obj, indent_level=0, _prev_obs=None, _tag_generator=None):
    """A short text that still tells expressions apart."""
    known = {} if _prev_obs is None else _prev_obs
    counter = [0] if _tag_generator is None else _tag_generator
    indent = " " * indent_level
    if id(obj) in known:
        return indent + "<" + known[id(obj)] + ">"
    tag = ""
    n = counter[0]
    counter[0] += 1
    while True:
        tag = chr(ord("A") + n % 26) + tag
        n = n // 26 - 1
        if n < 0:
            break
    known[id(obj)] = tag
    if getattr(obj, "name", None):
        name = obj.name
    elif isinstance(obj, Variable) and obj.owner is not None:
        name = str(obj.owner.op)
        for child in obj.owner.inputs:
            name += "\n" + min_informative_str(child, indent_level + 1, known, counter)
    else:
        name = str(obj)
    return indent + tag + ". " + name


def hex_digest(value):
    return hashlib.sha256(value.tobytes()).hexdigest()


class Print:
    """Print('message')(x) is x, and prints when it runs."""

    def __init__(self, message="", attrs=("__str__",), global_fn=None):
        self.message, self.attrs = message, list(attrs)
        self.global_fn = global_fn

    def __call__(self, x):
        if self.global_fn is not None:
            return _PrintWith(self)(x)
        return _core.print(x, self.message, self.attrs)

    def __str__(self):
        return "Print{message='%s', attrs=%s}" % (self.message, tuple(self.attrs))


class _PrintWith(Op):
    """Calls a function of the user's with the value, which passes through."""
    __props__ = ("printer",)
    view_map = {0: [0]}

    def __init__(self, printer):
        self.printer = printer

    def __str__(self):
        return str(self.printer)

    def make_node(self, x):
        x = x if isinstance(x, Variable) else _core.as_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.printer.global_fn(self.printer, inputs[0])
        output_storage[0][0] = inputs[0]

    def infer_shape(self, node, shapes):
        return shapes

    def do_constant_folding(self, node):
        return False

    def grad(self, inputs, output_grads):
        return output_grads

    def R_op(self, inputs, eval_points):
        return eval_points


def _sink(message, attribute, value):
    value = getattr(value, attribute)
    if callable(value):
        value = value()
    print(message, attribute, "=", value)


_core.set_print_sink(_sink)
_logger = logging.getLogger("theano.printing")


def pydotprint(fct, outfile=None, compact=True, format="png", with_ids=False, high_contrast=True, cond_highlight=None,
               colorCodes=None, max_label_size=70, scan_graphs=False, var_with_name_simple=False, print_output_file=True,
               return_image=False):
    """Draws the graph to a file (png, svg, pdf, dot), whose folder is made if need be; needs Graphviz for all but dot."""
    if cond_highlight is not None and not _has_choice(fct):
        _logger.warning("pydotprint: cond_highlight is set but there is no IfElse node in the graph")
    text = dot_text(fct, compact=compact, high_contrast=high_contrast, max_label_size=max_label_size,
                    var_with_name_simple=var_with_name_simple)
    if return_image:
        return _rendered(text, format)
    if outfile is None:
        outfile = "theano.pydotprint.%s.%s" % (re.sub(r"[^\w.-]+", "_", getattr(fct, "name", None) or "graph"), format)
    if outfile.rsplit(".", 1)[-1].lower() in ("png", "pdf", "svg", "dot", "jpg", "jpeg", "ps", "gif"):
        format = outfile.rsplit(".", 1)[-1].lower()
    else:
        outfile += "." + format
    data = text.encode() if format == "dot" else _rendered(text, format)
    _files.write(outfile, data)
    if print_output_file:
        print("The output file is available at", outfile)
    return outfile


def _has_choice(obj):
    outputs, order = _graph_of(obj)
    return any(type(node.op).__name__ == "IfElse" for node in order or _core.toposort(outputs, []))


def dot_text(obj, types=True, compact=True, high_contrast=True, max_label_size=70, var_with_name_simple=False):
    """The graph in Graphviz's language."""
    if isinstance(obj, _core.Function):
        return _core.dot_of_function(obj, types, bool(var_with_name_simple), bool(compact), bool(high_contrast), int(max_label_size))
    outputs, _ = _graph_of(obj)
    leaves = _core.leaves(outputs, [])
    inputs = [leaf for leaf in leaves if not isinstance(leaf, (Constant, SharedVariableBase))]
    return _core.dot_of_graph(inputs, outputs, types, bool(var_with_name_simple), bool(compact), bool(high_contrast), int(max_label_size))


def _why_no_pictures(format="pictures"):
    """'' where the program is there that draws them."""
    if shutil.which("dot"):
        return ""
    return "pydotprint needs the program 'dot' of Graphviz to write %s; install graphviz, or write a .dot file" % format


# What scripts ask before they draw.
pydot_imported_msg = _why_no_pictures()
pydot_imported = not pydot_imported_msg


def _rendered(text, format):
    import subprocess
    program = shutil.which("dot")
    if program is None:
        raise RuntimeError(_why_no_pictures(format))
    result = subprocess.run([program, "-T" + format], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode:
        raise RuntimeError("Graphviz could not draw the graph: %s" % result.stderr.decode(errors="replace").strip())
    return result.stdout


def pydotprint_variables(vars, outfile=None, format="png", depth=-1, high_contrast=True, colorCodes=None, max_label_size=50,
                         var_with_name_simple=False, **kwargs):
    """Draws expressions; the same as pydotprint of them."""
    if outfile is None:
        outfile = "theano.pydotprint." + format
    return pydotprint(vars, outfile=outfile, format=format,
                      high_contrast=high_contrast, max_label_size=max_label_size, var_with_name_simple=var_with_name_simple)


def var_descriptor(obj, *args, **kwargs):
    return str(obj)
