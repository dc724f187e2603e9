import numpy


def check(said, script):
    padded = numpy.pad(script.data, 1, "edge")
    rows, columns = script.data.shape
    nine = [padded[i:i + rows, j:j + columns] for i in range(3) for j in range(3)]
    middle = numpy.clip(numpy.sort(nine, axis=0)[4], -1, 1)
    numpy.testing.assert_allclose(script.cleaned, middle, rtol=1e-6)
    numpy.testing.assert_allclose(said("mean error behind"), abs(middle - script.picture).mean(), atol=1e-5)
    assert said("specks")[0] == (abs(script.data - script.picture) > 1e-3).sum()
    wanted = "device" if script.theano.config.device.startswith("opencl") else "processor"
    assert said.text("ran on the").split(",")[0] == wanted
    ops = [type(node.op).__name__ for node in script.clean.maker.fgraph.toposort()]
    assert ("GpuMedian9" if wanted == "device" else "Median9") in ops, ops
