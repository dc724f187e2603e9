"""ONNX's own tests of its ops, by croton.onnx.Backend: which pass, and why the others do not."""
import fnmatch
import os

import numpy
import pytest

onnx = pytest.importorskip("onnx")
import onnx.backend.test.loader  # noqa: E402
from onnx import numpy_helper  # noqa: E402

import croton.onnx  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ORDINARY = ("FLOAT", "DOUBLE", "INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "BOOL", "FLOAT16", "BFLOAT16",
            "COMPLEX64", "COMPLEX128")
LEAST = 1500  # of the node tests with ordinary arrays


def reasons():
    """Patterns of names and why those tests do not pass."""
    with open(os.path.join(HERE, "onnx_left_out.txt"), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    return [tuple(part.strip() for part in line.split("|")) for line in lines]


def is_ordinary(model):
    values = list(model.graph.input) + list(model.graph.output)
    return all(value.type.WhichOneof("value") == "tensor_type" and
               onnx.TensorProto.DataType.Name(value.type.tensor_type.elem_type) in ORDINARY for value in values)


def arrays_of(messages):
    return [numpy_helper.to_array(one) if isinstance(one, onnx.TensorProto) else numpy.asarray(one) for one in messages]


def difference(case):
    """Why a case does not give what it has to; empty: it does."""
    try:
        prepared = croton.onnx.Backend.prepare(case.model)
        for inputs, wanted in case.data_sets:
            results = prepared.run(arrays_of(inputs))
            for result, expected in zip(results, arrays_of(wanted)):
                if expected.dtype.name == "bfloat16":
                    expected = expected.astype("float32")
                if result.dtype != expected.dtype:
                    return "gives %s, not %s" % (result.dtype, expected.dtype)
                numpy.testing.assert_allclose(result, expected, rtol=case.rtol, atol=case.atol)
    except (AssertionError, ValueError, TypeError, RuntimeError, NotImplementedError) as error:
        return " ".join(str(error).split())[:300] or type(error).__name__
    return ""


def test_node_tests():
    known = reasons()
    passed, surprises, seen = 0, [], set()
    for case in onnx.backend.test.loader.load_model_tests(kind="node"):
        if not is_ordinary(case.model):
            continue
        why = difference(case)
        fitting = [pattern for pattern, _ in known if fnmatch.fnmatchcase(case.name, pattern)]
        seen.update(fitting)
        passed += not why
        if why and not fitting:
            surprises.append("%s: %s" % (case.name, why))
        if not why and fitting and fitting[0] == case.name:
            surprises.append("%s passes: onnx_left_out.txt need not name it" % case.name)
    print("%d node tests with ordinary arrays pass" % passed)
    assert not surprises, "\n".join(surprises)
    assert passed >= LEAST
    idle = [pattern for pattern, _ in known if pattern not in seen and not pattern.startswith("model ")]
    assert not idle, "no test has these names: %s" % idle


@pytest.mark.parametrize("kind, least", [("pytorch-converted", 77), ("pytorch-operator", 34), ("simple", 7)])
def test_models(kind, least):
    passed, failed = 0, []
    for case in onnx.backend.test.loader.load_model_tests(kind=kind):
        model = onnx.load(os.path.join(case.model_dir, "model.onnx"))
        if not is_ordinary(model):
            continue
        sets = []
        for folder in sorted(os.listdir(case.model_dir)):
            if folder.startswith("test_data_set_"):
                place = os.path.join(case.model_dir, folder)
                read = lambda kind: [onnx.load_tensor(os.path.join(place, "%s_%d.pb" % (kind, i)))  # noqa: E731
                                     for i in range(len([name for name in os.listdir(place) if name.startswith(kind)]))]
                sets.append((read("input"), read("output")))
        why = difference(case._replace(model=model, data_sets=sets) if hasattr(case, "_replace") else
                         type(case)(**{**case.__dict__, "model": model, "data_sets": sets}))
        passed += not why
        if why:
            failed.append("%s: %s" % (case.name, why))
    print("\n".join(failed))
    assert passed >= least, "\n".join(failed)
