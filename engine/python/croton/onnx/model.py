"""A model in ONNX's format: what it takes, and functions that compute its outputs."""
import os

import numpy

from croton import _core
from croton.compile import function as _function

ModelValueNeeded = _core.ModelValueNeeded


class Input:
    """What a model takes: a name, a dtype, and sizes, which are numbers, names of dimensions, or "?"."""

    def __init__(self, name, dtype, sizes):
        self.name, self.dtype = name, dtype
        self.sizes = None if sizes == ["..."] else [int(size) if size.isdigit() else size for size in sizes]

    def __repr__(self):
        return "%s: %s[%s]" % (self.name, self.dtype, "..." if self.sizes is None else ", ".join(str(size) for size in self.sizes))


class Model:
    """A model. `dims` gives sizes to names of dimensions."""

    def __init__(self, source, dims=None):
        self._is_path = isinstance(source, (str, os.PathLike))
        self._source = os.fspath(source) if self._is_path else bytes(source)
        self._dims = dict(dims or {})
        self._needed = []  # inputs whose values decide how the graph is built
        self._functions = {}
        about = self.read(only_inputs=True)
        self.name, self.producer, self.documentation = about["name"], about["producer"], about["documentation"]
        self.ir_version, self.opsets, self.metadata = about["ir_version"], about["opsets"], about["metadata"]
        self.inputs = [Input(*row[:3]) for row in about["inputs"]]
        self.outputs = [name for name, _ in about["outputs"]]
        self.nodes = about["nodes"]

    def read(self, shapes=None, values=None, only_inputs=False):
        """Variables of inputs and outputs, and what else the file says, as a dictionary. `shapes` and `values` belong to inputs by name;
        an input with a value becomes a constant. Raises ModelValueNeeded where an op needs the value of an input."""
        return _core.read_onnx(self._source, self._is_path, self._dims, {name: list(shape) for name, shape in (shapes or {}).items()},
                               dict(values or {}), only_inputs)

    def arrays(self, inputs):
        """The arrays that belong to inputs, by name: checked and of the right dtype. `inputs` are a dictionary, or a list in order."""
        if not isinstance(inputs, dict):
            inputs = list(inputs)
            if len(inputs) > len(self.inputs):
                raise ValueError("The model takes %d inputs, %d were given." % (len(self.inputs), len(inputs)))
            inputs = {wanted.name: value for wanted, value in zip(self.inputs, inputs)}
        names = [wanted.name for wanted in self.inputs]
        for name in inputs:
            if name not in names:
                raise ValueError("The model has no input %r. It has: %s." % (name, ", ".join(names) or "none"))
        result = {}
        for wanted in self.inputs:
            if wanted.name not in inputs:
                raise ValueError("The input %r is missing. The model takes %s." % (wanted.name, "; ".join(map(repr, self.inputs))))
            array = numpy.asarray(inputs[wanted.name])
            if array.dtype.name != wanted.dtype:
                if not isinstance(inputs[wanted.name], numpy.ndarray) or numpy.can_cast(array.dtype, wanted.dtype):
                    array = array.astype(wanted.dtype)
                elif array.dtype.name == "bfloat16":
                    array = array.astype("float32")
                else:
                    raise TypeError("The input %r wants %s, it was given %s." % (wanted.name, wanted.dtype, array.dtype))
            result[wanted.name] = array
        return result

    def function(self, inputs, mode=None):
        """The compiled function for arrays of those shapes, and the names of what it takes."""
        arrays = self.arrays(inputs)
        shapes = {name: array.shape for name, array in arrays.items()}
        while True:
            values = {name: numpy.ascontiguousarray(arrays[name]) for name in self._needed}
            key = (tuple(shapes.items()), tuple((name, value.tobytes()) for name, value in values.items()), str(mode))
            if key not in self._functions:
                try:
                    read = self.read(shapes, values)
                except ModelValueNeeded as error:
                    if error.input not in arrays or error.input in self._needed:
                        raise
                    self._needed.append(error.input)
                    continue
                variables = [row[3] for row in read["inputs"]]
                outputs = [variable for _, variable in read["outputs"]]
                compiled = _function(variables, outputs, mode=mode, on_unused_input="ignore", name=self.name or None)
                self._functions[key] = compiled, [row[0] for row in read["inputs"]]
            return self._functions[key]

    def run(self, inputs=(), mode=None):
        """The outputs, a list of arrays."""
        arrays = self.arrays(inputs)
        compiled, names = self.function(arrays, mode)
        return list(compiled(*[arrays[name] for name in names]))

    def __repr__(self):
        return "<model %s: %s -> %s>" % (self.name, "; ".join(map(repr, self.inputs)), ", ".join(self.outputs))


def load(source, dims=None):
    """A model from a path or from bytes; what onnx.load() gives, too."""
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    return Model(source, dims)


def load_tensor(source):
    """An array from a file of ONNX's message TensorProto (.pb), or from its bytes."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            source = file.read()
    return _core.read_onnx_tensor(bytes(source))


def ops():
    """What is read: "Add 7" is the op Add as it is from opset 7 on."""
    return _core.onnx_ops()
