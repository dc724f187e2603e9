import numpy


def check(said, script):
    assert said.text("results") == "float64 float32"
    leaking, repaired = said("apply nodes that make float64 arrays")
    assert leaking > 0 and repaired == 0
    hidden = numpy.tanh(script.data.astype("float64") @ script.V.get_value()) * script.seen[:, None]
    wanted = numpy.tanh(hidden @ script.W.get_value()).mean(axis=1)[:3]
    numpy.testing.assert_allclose(said("first three, leaking"), wanted, atol=1e-6)
    numpy.testing.assert_allclose(said("first three, repaired"), wanted, atol=1e-6)
