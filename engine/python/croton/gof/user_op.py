"""What the engine calls for ops written in Python."""
import warnings

import numpy

from croton import _core
from croton.configparser import change_flags, config
from croton._kinds import TENSOR
from croton.gof.errors import BadDestroyMap, BadThunkOutput, BadViewMap, InvalidValueError, MethodNotDefined, ShapeError
from croton.gof.graph import Variable, params_of
from croton.gof.op import Op
from croton.gof.type import DisconnectedType
from croton.gof.utils import listed, scratchpad


class PerformNode:
    """What perform() is shown as its node: op, inputs and outputs of the Apply."""

    def __init__(self, op, inputs, outputs):
        self.op, self.inputs, self.outputs = op, inputs, outputs
        self.tag = scratchpad()
        self.tag.trace = []

    nin = property(lambda self: len(self.inputs))
    nout = property(lambda self: len(self.outputs))
    out = property(lambda self: self.outputs[0])

    def __str__(self):
        return "%s(%s)" % (self.op, ", ".join(str(variable) for variable in self.inputs))

    __repr__ = __str__

    def run_params(self):
        return params_of(self)


def perform(op, node, inputs, found, strict=False, compiles=True):
    """Runs the op's code, which finds these values where its outputs go; returns its outputs, checked. Strict, as in DebugMode: what is put right otherwise is an error.
    Without `compiles`, as in FAST_COMPILE, C code runs only where there is no method perform."""
    outputs = _performed(op, node, inputs, found, strict, compiles)
    declared = {(number, index) for map_ in (op.view_map, op.destroy_map) for number, list_ in (map_ or {}).items() for index in list_}
    for number, output in enumerate(outputs):
        if not isinstance(output, numpy.ndarray) or not output.size:
            continue
        for index, value in enumerate(inputs):
            if (number, index) not in declared and isinstance(value, numpy.ndarray) and numpy.may_share_memory(output, value):
                if strict:
                    raise BadViewMap("output %d of the op %s shares memory with its input %d, which its view_map does not say" % (number, op, index))
                outputs[number] = output.copy()
                break
        # Whoever reads it next may write over it.
        if not outputs[number].flags.writeable and not any(which == number for which, _ in declared):
            outputs[number] = outputs[number].copy()
    if strict:
        _tell_of_unused(op, inputs, outputs)
    return outputs


_unused = set()


def _tell_of_unused(op, inputs, outputs):
    """Warns once of an op whose maps say more than it does."""
    if not config.DebugMode.warn_input_not_reused or op in _unused:
        return
    for name, map_ in (("view_map", op.view_map), ("destroy_map", op.destroy_map)):
        for number, positions in (map_ or {}).items():
            for position in positions:
                value, output = inputs[position], outputs[number]
                if isinstance(output, numpy.ndarray) and output.size and not numpy.may_share_memory(value, output):
                    _unused.add(op)
                    warnings.warn("the op %s says by %s that output %d uses the memory of input %d, but it does not"
                                  % (op, name, number, position), stacklevel=3)


def _performed(op, node, inputs, found, strict, compiles):
    defined = type(op)
    if defined.make_thunk is not Op.make_thunk:
        return _run_thunk(op, node, inputs, found, strict)
    compiled = _compiled(op, node) if _wants_c_code(defined, compiles) else None
    if compiled is None:
        return _run_python(op, node, inputs, found, strict)
    if not strict or defined.perform is Op.perform:
        return _run_c(op, node, compiled, inputs, found, strict)
    copies = [value.copy() if isinstance(value, numpy.ndarray) else value for value in inputs]
    wanted = _run_python(op, node, copies, [None] * len(found), strict)
    outputs = _run_c(op, node, compiled, inputs, found, strict)
    for number, (variable, ours, theirs) in enumerate(zip(node.outputs, outputs, wanted)):
        if not variable.type.values_eq_approx(ours, theirs):
            raise BadThunkOutput("output %d of the op %s: its C code gives %s, its method perform %s" % (number, op, ours, theirs))
    return outputs


def _run_c(op, node, compiled, inputs, found, strict):
    storage = [[value] for value in found]
    compiled.run(node, list(inputs), storage)
    return [checked(op, variable, cell[0], index, strict) for index, (variable, cell) in enumerate(zip(node.outputs, storage))]


_told = set()


def _compiled(op, node):
    """The op's C code, compiled once an apply; None where perform() has to do: then it is said why, once a class."""
    if "_compiled" not in node.__dict__:
        from croton.gof import c_code
        compiled = None
        try:
            _prepare(op, node, "c")
            compiled = c_code.Compiled(node)
        except c_code.NoCompiler as problem:
            defined = type(op)
            if defined.perform is Op.perform:
                raise MethodNotDefined("the op %s of class %s has C code only, and %s: install g++, set the flag cxx to a C++ compiler, or give it "
                                       "a method perform" % (op, defined.__name__, problem)) from problem
            if defined not in _told:
                _told.add(defined)
                warnings.warn("the op %s has C code (c_code), but %s: it runs the method perform" % (op, problem), stacklevel=3)
        except (MethodNotDefined, NotImplementedError):
            pass  # not for these types
        node._compiled = compiled  # not where something else went wrong: the next call says so again
    return node._compiled


def _prepare(op, node, how):
    """Tells the op, once an apply, how it is about to run."""
    if type(op).prepare_node is not Op.prepare_node and node.__dict__.setdefault("_prepared", None) != how:
        node._prepared = how
        cells = {variable: [None] for variable in list(node.inputs) + list(node.outputs)}
        op.prepare_node(node, cells, {variable: [variable not in node.outputs] for variable in cells}, how)


def _run_python(op, node, inputs, found, strict):
    _prepare(op, node, "py")
    defined = type(op)
    if defined.perform is Op.perform:
        raise MethodNotDefined("the op %s of class %s has no method perform: Croton runs ops written in Python through it, or through their C "
                               "code" % (op, defined.__name__))
    storage = [[value] for value in found]
    destroyed = {which for list_ in (op.destroy_map or {}).values() for which in list_}
    arguments = []
    for index, value in enumerate(inputs):
        if isinstance(value, numpy.ndarray) and index not in destroyed and value.flags.writeable:
            value = value.view()
            value.flags.writeable = False
        arguments.append(value[()] if node.inputs[index].type.is_number else value)
    try:
        if getattr(op, "params_type", None) is not None:
            op.perform(node, arguments, storage, node.run_params())
        else:
            op.perform(node, arguments, storage)
    except ValueError as error:
        if "read-only" in str(error) and "destroy_map" not in str(error):
            if strict:
                raise BadDestroyMap("the op %s writes to an input, which its destroy_map does not say (%s)" % (op, error)) from error
            error.args = ("%s: perform of the op %s writes to an input; copy the input first, or declare that it is overwritten with "
                          "destroy_map = {output: [input]}" % (error, op),)
        raise
    return [checked(op, variable, cell[0], index, strict) for index, (variable, cell) in enumerate(zip(node.outputs, storage))]


def _run_thunk(op, node, inputs, found, strict):
    """Runs what make_thunk gave; it is asked once an apply."""
    if "_thunk" not in node.__dict__:
        storage_map = {variable: [None] for variable in list(node.inputs) + list(node.outputs)}
        compute_map = {variable: [variable not in node.outputs] for variable in storage_map}
        node._thunk = op.make_thunk(node, storage_map, compute_map, []), storage_map, compute_map
    thunk, storage_map, compute_map = node._thunk
    for variable, value in zip(node.inputs, inputs):
        storage_map[variable][0] = value
    for variable, value in zip(node.outputs, found):
        storage_map[variable][0] = value
        compute_map[variable][0] = False
    try:
        thunk()
        return [checked(op, variable, storage_map[variable][0], index, strict) for index, variable in enumerate(node.outputs)]
    finally:
        for cell in storage_map.values():
            cell[0] = None


def _refuse(kind, sentence, strict):
    if strict:
        raise InvalidValueError(sentence)
    raise kind(sentence)


def _wants_c_code(cls, compiles):
    return cls.c_code is not Op.c_code and (compiles or cls.perform is Op.perform)


def runs_c_code(op, node, compiles):
    """Whether the op's own C code will run. Compiles it: the first run would do it otherwise."""
    return type(op).make_thunk is Op.make_thunk and _wants_c_code(type(op), compiles) and _compiled(op, node) is not None


def checked(op, variable, value, index, strict=False):
    wanted = variable.type
    if value is None and not hasattr(wanted, "_kind"):
        _refuse(ValueError, "perform of the op %s left output %d empty: it has to write output_storage[%d][0]" % (op, index, index), strict)
    if not _core.type_kind(wanted) == TENSOR:
        return value
    if isinstance(value, _core.DeviceArray) and wanted.device == value.device:
        if value._dtype != wanted.dtype or value.ndim != wanted.ndim:
            _refuse(TypeError, "the op %s gave %s with %d dimensions for output %d, its type says %s" %
                    (op, value._dtype, value.ndim, index, wanted), strict)
        return value
    if isinstance(value, (bool, int, float, complex)) and wanted.is_number:
        value = numpy.asarray(value)
    if not isinstance(value, numpy.ndarray) and not isinstance(value, numpy.generic):
        _refuse(TypeError, "perform of the op %s has to give an array for output %d, got %s" % (op, index, type(value).__name__), strict)
    value = numpy.asarray(value)
    if wanted.is_number and value.ndim == 0 and not strict:
        return wanted.filter(value)
    if str(value.dtype) != wanted.dtype:
        _refuse(TypeError, "perform of the op %s gave dtype %s for output %d, its type says %s" % (op, value.dtype, index, wanted.dtype), strict)
    if value.ndim != wanted.ndim:
        _refuse(ValueError, "perform of the op %s gave %d dimensions for output %d, its type says %d"
                % (op, value.ndim, index, wanted.ndim), strict)
    for axis, (size, one) in enumerate(zip(value.shape, wanted.broadcastable)):
        if one and size != 1:
            _refuse(ValueError, "perform of the op %s gave size %d for axis %d of output %d, which is broadcastable"
                    % (op, size, axis, index), strict)
    return value


def gradient_terms(op, node, output_grads):
    """grad or L_op of the op, one term an input, checked as Theano does."""
    inputs, outputs = node.inputs, node.outputs
    pattern = connection_pattern(op, node)
    arrives = [not _core.is_disconnected(g) for g in output_grads]
    reached = [any(connected and there for connected, there in zip(row, arrives)) for row in pattern]
    if not any(reached):
        return [DisconnectedType()() for _ in inputs]
    if type(op).L_op is Op.L_op and type(op).grad is Op.grad:
        return [_core.undefined_gradient("the op %s has no method grad" % op) if there else DisconnectedType()() for there in reached]
    answer = op.L_op(inputs, outputs, list(output_grads))
    terms = listed(answer)
    if terms is None:
        raise TypeError("grad of the op %s has to return a list or tuple, got %s" % (op, type(answer).__name__))
    if len(terms) != len(inputs):
        raise ValueError("%s returned the wrong number of gradient terms: %d for %d inputs." % (op, len(terms), len(inputs)))
    result = []
    for index, (term, variable) in enumerate(zip(terms, inputs)):
        if term is None:
            raise TypeError("%s.grad returned None for a gradient term, this is prohibited. Return zeros_like(input), "
                            "a DisconnectedType variable, or theano.gradient.grad_undefined for input %d." % (op, index))
        if not isinstance(term, Variable):
            term = _core.as_variable(term)
        if _core.is_disconnected(term) or _core.is_undefined(term):
            result.append(term)
            continue
        if not reached[index]:
            if any(pattern[index]):  # of what does not reach the cost nothing comes back, whatever the op says
                result.append(DisconnectedType()())
                continue
            raise TypeError("%s.grad returned a term of type %s for input %d, but connection_pattern says that no output depends on "
                            "that input: return theano.gradient.DisconnectedType()(), or correct the pattern" % (op, term.type, index))
        if getattr(term, "dtype", "float64").startswith(("int", "uint", "bool")):
            raise TypeError("%s.grad illegally returned an integer-valued variable for input %d (dtype %s)" % (op, index, term.dtype))
        wanted = None if hasattr(variable.type, "as_gradient") else getattr(variable, "ndim", None)
        if wanted is not None and getattr(term, "ndim", wanted) != wanted:
            raise ValueError("%s.grad returned a term with %d dimensions, but the corresponding input %d has %d dimensions."
                             % (op, term.ndim, index, wanted))
        result.append(term)
    return result


def rop_terms(op, node, eval_points):
    terms = listed(op.R_op(node.inputs, list(eval_points)))
    if terms is None or len(terms) != node.nout:
        raise ValueError("R_op of the op %s has to return one term an output" % op)
    return terms


def connection_pattern(op, node):
    rule = getattr(op, "connection_pattern", None)
    if rule is None:
        return [[True] * node.nout for _ in node.inputs]
    pattern = [list(map(bool, row)) for row in rule(node)]
    if len(pattern) != node.nin or any(len(row) != node.nout for row in pattern):
        raise ValueError("connection_pattern of the op %s has to be a list of %d lists of %d booleans" % (op, node.nin, node.nout))
    return pattern


def symbolic_shapes(op, node):
    """What infer_shape says: ([(size variable, input, axis)], [[size of an output as a variable]]), or None."""
    rule = getattr(op, "infer_shape", None)
    if rule is None:
        return None
    if "_shapes" not in node.__dict__:
        node._shapes = _asked_shapes(op, node, rule)
    return node._shapes


def _asked_shapes(op, node, rule):
    known, shapes = [], []
    for index, variable in enumerate(node.inputs):
        sizes = [_core.tensor_type("int64", [])() for _ in range(getattr(variable, "ndim", 0))]
        known.extend((size, index, axis) for axis, size in enumerate(sizes))
        shapes.append(tuple(sizes) if hasattr(variable, "ndim") else None)
    with change_flags(compute_test_value="off"):
        try:
            answers = rule(node, shapes)
        except (ShapeError, NotImplementedError):
            return None  # the op gives up: sizes are known after it ran
        except Exception as error:
            if config.on_shape_error == "raise":
                raise
            warnings.warn("infer_shape of the op %s failed, so its sizes are known only after it ran: %s: %s (the flag "
                          "on_shape_error=raise shows where)" % (op, type(error).__name__, error), stacklevel=2)
            return None
        several = listed(answers)
        if several is None or len(several) != node.nout:
            raise ValueError("infer_shape of the op %s has to return a list of one shape an output, got %r" % (op, answers))
        result = []
        for number, (variable, shape) in enumerate(zip(node.outputs, several)):
            rank = getattr(variable, "ndim", 0)
            if shape is None or isinstance(shape, Variable):
                return None
            shape = listed(shape)
            if shape is None:
                raise ValueError("infer_shape of the op %s has to give a tuple of sizes for output %d" % (op, number))
            if len(shape) != rank:
                raise ValueError("infer_shape of the op %s gave %d sizes for output %d, which has %d dimensions"
                                 % (op, len(shape), number, rank))
            sizes = [_core.as_variable(size) for size in shape]
            if any(size.ndim or size.dtype not in _INTEGERS for size in sizes):
                raise TypeError("infer_shape of the op %s has to give whole numbers as sizes of output %d, got %s"
                                % (op, number, ", ".join(str(size.type) for size in sizes)))
            result.append(sizes)
    return known, result


_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")


def default_shapes(op, node, shapes):
    return [tuple(variable.shape[axis] for axis in range(variable.ndim)) for variable in node.outputs]
