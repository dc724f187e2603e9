"""What hands an array on, as it is or not at all: choices, checks, prints and views with a gradient of their own work where the array lies.
Numbers that follow from sizes are given to kernels, not sent."""
import numpy
import pytest

from test_device import device, printed, python  # noqa: F401

START = """
    import numpy, theano, theano.tensor as T
    from theano.ifelse import IfElse, ifelse
    rng = numpy.random.RandomState(4)
    def weights(*shape):
        return theano.shared((rng.randn(*shape) * 0.2).astype("float32"))
    def numbers(*shape):
        return rng.randn(*shape).astype("float32")
    def names(f):
        return [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    def transfers(f):
        return [names(f).count(name) for name in ("GpuFromHost", "HostFromGpu")]
    def on_host(f):
        return [node for node in f.maker.fgraph.toposort()
                if any(v.ndim and not all(v.broadcastable) and "Gpu" not in str(v.type) for v in node.inputs + node.outputs)
                and type(node.op).__name__ not in ("GpuFromHost", "HostFromGpu", "Shape_i", "MakeVector")]
"""


@pytest.fixture
def both(printed, device):
    """The lines of a script there and here, which are the same but for rounding where they are numbers."""
    def run(code):
        code = START + code
        there, here = printed(code), printed(code, "floatX=float32,device=cpu")
        return there, here
    return run


def as_numbers(lines):
    return [float(word) for line in lines for word in line.strip("[]").split(", ")]


def test_a_shared_array_is_updated_by_what_is_no_variable(printed):
    assert printed(START + """
    w, k = weights(2, 3), theano.shared(numpy.arange(3))
    constant = w.type.make_constant(numpy.full((2, 3), 5, "float32"))
    print(w.type == constant.type, numpy.asarray(constant.data).tolist())
    f = theano.function([], updates=[(w, numpy.full((2, 3), 7, "float32")), (k, numpy.array([4, 5, 6]))])
    f()
    print(w.get_value().tolist(), k.get_value().tolist())
    print(theano.function([], w + constant)().tolist())
    """) == ["True [[5.0, 5.0, 5.0], [5.0, 5.0, 5.0]]", "[[7.0, 7.0, 7.0], [7.0, 7.0, 7.0]] [4, 5, 6]",
             "[[12.0, 12.0, 12.0], [12.0, 12.0, 12.0]]"]
