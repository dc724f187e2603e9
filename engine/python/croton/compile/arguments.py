"""What a call does with arguments that the engine does not take as they are."""
import numpy

from croton import _core
from croton.compile.requests import compiled


def _filter(function_, index, value):
    """`value` as the function's input wants it; the message names function, input and place."""
    slot = _core.function_slot(function_, index)
    type_ = slot["type"]
    if function_.trust_input and isinstance(value, numpy.ndarray) and str(value.dtype) == getattr(type_, "dtype", None) and \
            value.ndim == type_.ndim:
        return numpy.require(value, requirements="A")
    if function_.trust_input and isinstance(value, numpy.ndarray) and value.size == 1 and getattr(type_, "ndim", None) == 0:
        value = value.reshape(())
    try:
        own = function_.__dict__["_slots"][index].variable.type if "_slots" in function_.__dict__ else type_
        result = own.filter(value, strict=slot["strict"], allow_downcast=slot["allow_downcast"])
    except (TypeError, ValueError) as error:
        function_name = "theano function"
        if getattr(function_, "name", None):
            function_name += ' with name "%s"' % function_.name
        argument = 'argument with name "%s"' % slot["name"] if slot["name"] else "argument"
        where = ""
        lines = _core.trace_lines(_core.variable_trace(function_.__dict__["_slots"][index].variable)) if "_slots" in function_.__dict__ else []
        if lines:
            where = "\nBacktrace when that variable is created:\n\n" + "".join(
                '  File "%s", line %d, in %s\n    %s\n' % line for line in reversed(lines))
        message = "Bad input %s to %s at index %d (0-based). %s%s" % (argument, function_name, index, where,
                                                                     " ".join(str(part) for part in error.args))
        raise type(error)(message) from None
    if isinstance(result, numpy.ndarray):
        if type(result) is not numpy.ndarray or not result.dtype.isnative:
            result = numpy.array(result, dtype=type_.dtype, subok=False)
        elif not result.flags.aligned:
            result = result.copy()
    return result


_core.register_filter(_filter)


def _call_subset(function_, arguments, keywords):
    """f(…, output_subset=[0, 2]): some of the outputs, by a function made for them; updates run all the same."""
    subset = keywords.pop("output_subset")
    if subset is None:
        return function_(*arguments, **keywords)
    state = function_.__dict__
    request = state["_request"]
    keys, visible = request.keys, request.visible
    places = []
    for wanted in subset:
        if keys is not None and isinstance(wanted, str):
            if wanted not in keys:
                raise KeyError("output_subset: the function has no output called %r" % (wanted,))
            wanted = keys.index(wanted)
        if isinstance(wanted, bool) or not isinstance(wanted, (int, numpy.integer)) or not 0 <= wanted < visible:
            raise IndexError("output_subset: %r is no place of an output, the function has %d" % (wanted, visible))
        places.append(int(wanted))
    subsets = state.setdefault("_subsets", {})
    made = subsets.get(tuple(places))
    if made is None:
        kept = places + list(range(visible, len(request.outputs)))
        own = request.but(outputs=[request.outputs[place] for place in kept], borrow=[request.borrow[place] for place in kept],
                               keys=None if keys is None else [keys[place] for place in places], bare=False,
                               on_unused_input="ignore", name="%s%s" % (request.name, places))
        made = subsets[tuple(places)] = compiled(own, state["_mode"])
        made.name = function_.name
        made.__dict__.update({"_mode": state["_mode"], "_slots": state["_slots"], "_request": own})
    made.trust_input = function_.trust_input
    return made(*arguments, **keywords)


_core.register_subset(_call_subset)
