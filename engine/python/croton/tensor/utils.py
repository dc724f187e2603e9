"""Hashes of arrays; sizes of a whole graph."""
import numpy

from croton.compile.function import function
from croton.gof.utils import hash_from_code
from croton.tensor import basic


def hash_from_ndarray(data):
    """A text that is equal for arrays of equal content, shape, strides and dtype."""
    data = numpy.ascontiguousarray(data) if not data.flags["C_CONTIGUOUS"] else data
    parts = [data.tobytes(), str(data.shape), str(data.strides), str(data.dtype)]
    return hash_from_code("".join(hash_from_code(part) for part in parts))


def shape_of_variables(fgraph, input_shapes):
    """{variable: its sizes, a tuple of arrays of rank 0} for all tensors of the graph, given {input: sizes}."""
    for variable in input_shapes:
        if variable not in fgraph.inputs:
            raise ValueError("input_shapes has %s, which is no input of the graph" % variable)
    tensors = [variable for variable in fgraph.variables if hasattr(variable, "ndim")]
    run = function(list(fgraph.inputs), [basic.shape(variable) for variable in tensors], on_unused_input="ignore")
    sizes = run(*[numpy.zeros(input_shapes[variable], variable.dtype) for variable in fgraph.inputs])
    return {variable: tuple(map(numpy.asarray, size)) for variable, size in zip(tensors, sizes)}
