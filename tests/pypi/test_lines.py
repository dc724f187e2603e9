"""What the mode CROTON keeps of a script's graph: lines and names in errors and graphs; the kind of value a call gives."""
import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest

import croton.pytensor

v, w, n = pt.dvector("v"), pt.dvector("w"), pt.lscalar("n")


def mixed(left, right):
    product = left * right  # here is where the sizes meet
    product.name = "product"
    return product


@pytest.mark.parametrize("mode", ["CROTON", "CROTON_AFTER"])
def test_errors_name_the_lines_that_built_the_graph(mode):
    function = pytensor.function([v, w], pt.exp(mixed(v, w)).sum(), mode=mode)
    with pytest.raises(ValueError) as caught:
        function(np.ones(3), np.ones(4))
    text = str(caught.value)
    assert "product = left * right" in text and "in mixed" in text
    assert "pt.exp(mixed(v, w)).sum()" in text


def test_variables_carry_the_lines_of_theirs():
    function = pytensor.function([v, w], mixed(v, w), mode="CROTON")
    graph = croton.pytensor.compiled(function).maker.fgraph
    innermost = [output.tag.trace[0][-1] for output in graph.outputs]
    assert [(name, text.split("  #")[0]) for _, _, name, text in innermost] == [("mixed", "product = left * right")]
    assert {str(variable) for variable in graph.inputs} == {"v", "w"}
    assert all("pt.dvector" in variable.tag.trace[0][-1][3] for variable in graph.inputs)


def test_a_warning_of_a_conversion_names_the_line():
    class Halved(pytensor.graph.op.Op):
        __props__ = ()
        itypes, otypes = [pt.dvector], [pt.dvector]

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] / 2

    @croton.pytensor.conversion(Halved)
    def halved(op, node, x):
        raise ValueError("not today")
    output = Halved()(v)
    with pytest.warns(UserWarning, match="not today") as heard:
        pytensor.function([v], output, mode="CROTON")
    assert [one.filename for one in heard if "not today" in str(one.message)] == [__file__]


@pytest.mark.parametrize("output", [v.sum(), v[1], v[1] > 0, v.argmax(), v.shape[0], n * 2, n, v, pt.exp(v)], ids=str)
def test_values_are_of_the_class_that_pytensor_gives(output):
    inputs = [variable for variable in (v, n) if variable in set(pytensor.graph.traversal.ancestors([output]))]
    values = [{v: np.arange(3.0), n: np.int64(4)}[variable] for variable in inputs]
    wanted = pytensor.function(inputs, output, mode="FAST_COMPILE")(*values)
    for mode in ("CROTON", "CROTON_AFTER"):
        made = pytensor.function(inputs, output, mode=mode)(*values)
        assert type(made) is type(wanted) and made.dtype == wanted.dtype and made.shape == wanted.shape, mode
