import numpy


def check(said, script):
    data = script.data
    middle = numpy.median(data, axis=1)
    numpy.testing.assert_allclose(said("medians"), middle, rtol=1e-6)
    numpy.testing.assert_allclose(said("mean distance"), abs(data - middle[:, None]).mean(), atol=1e-6)
    numpy.testing.assert_array_equal(said("slope"), (data == middle[:, None]).ravel())
    assert said("rows")[0] == len(data) and said.text("ops that count the rows") == "Shape_i{0}"
