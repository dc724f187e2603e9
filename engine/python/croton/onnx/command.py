"""What `croton run M.onnx` and `croton profile M.onnx` do: read a model, give it inputs, show its outputs."""
import argparse
import os
import re
import sys

import numpy

from croton import onnx as models


def listing(path):
    """The text that stands for the model where scripts have their source: a line a node."""
    return "".join(line + "\n" for line in models.load(path).nodes)


def made_inputs(model, declared=None, dims=None):
    """An array for each input: normal numbers, zeros and ones for integers, True for truth values. Open sizes are 1."""
    random = numpy.random.RandomState(0)
    result = {}
    for wanted in model.inputs:
        dtype, sizes = (declared or {}).get(wanted.name, (wanted.dtype, wanted.sizes or []))
        shape = [size if isinstance(size, int) else (dims or {}).get(size, 1) for size in sizes]
        kind = numpy.dtype(dtype).kind
        if kind == "b":
            array = numpy.ones(shape, dtype)
        elif kind in "iu":
            array = random.randint(0, 2, shape).astype(dtype)
        else:
            array = random.standard_normal(shape).astype(dtype)
        result[wanted.name] = numpy.asarray(array)
    return result


def read_array(path):
    if path.endswith(".pb"):
        return models.load_tensor(path)
    return numpy.load(path)


def given_inputs(model, words, options):
    dims = {}
    for word in options.dim:
        name, _, size = word.partition("=")
        if not size.isdigit():
            raise SystemExit("croton: --dim wants NAME=SIZE, as in --dim batch=8, not %s" % word)
        dims[name] = int(size)
    declared, arrays, unnamed = {}, {}, []
    for word in words:
        name, equals, what = word.partition("=")
        made = re.fullmatch(r"(\w+)\[([\d, ]*)\]", what) if equals else None
        if made:
            declared[name] = made.group(1), [int(size) for size in made.group(2).replace(" ", "").split(",") if size]
        elif equals:
            arrays[name] = read_array(what)
        elif word.endswith(".npz"):
            with numpy.load(word) as several:
                arrays.update(several)
        else:
            unnamed.append(read_array(word))
    names = [wanted.name for wanted in model.inputs]
    for name in list(declared) + list(arrays):
        if name not in names:
            raise SystemExit("croton: the model has no input %s; it has %s" % (name, ", ".join(names) or "none"))
    result = made_inputs(model, declared, dims)
    result.update(arrays)
    result.update(zip([name for name in names if name not in arrays and name not in declared], unnamed))
    return result


def summary(name, array):
    text = "%s: %s%s" % (name, array.dtype, list(array.shape))
    if array.size and array.size <= 8:
        return text + " " + " ".join(str(value) for value in array.ravel())
    if array.size and array.dtype.kind in "fiu":
        return text + " from %.6g to %.6g, mean %.6g" % (array.min(), array.max(), array.mean())
    return text


def run(path, words):
    """Returns the exit status."""
    parser = argparse.ArgumentParser(prog="croton run " + os.path.basename(path), allow_abbrev=False, description="runs a model")
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help="values.npz, name=values.npy, values.pb, or name=float32[1,3,224,224]")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="the size of a named dimension")
    parser.add_argument("--calls", type=int, default=1, metavar="N", help="how often the model runs")
    parser.add_argument("--save", metavar="OUT.npz", help="where outputs go")
    options = parser.parse_args(words)
    try:
        dims = {word.partition("=")[0]: int(word.partition("=")[2]) for word in options.dim if word.partition("=")[2].isdigit()}
        model = models.load(path, dims)
        inputs = given_inputs(model, options.inputs, options)
        for _ in range(max(options.calls, 1)):
            outputs = model.run(inputs)
    except (OSError, TypeError, ValueError) as error:
        print("croton: %s" % error, file=sys.stderr)
        return 1
    for name, array in zip(model.outputs, outputs):
        print(summary(name, numpy.asarray(array)))
    if options.save:
        numpy.savez(options.save, **dict(zip(model.outputs, outputs)))
    return 0
