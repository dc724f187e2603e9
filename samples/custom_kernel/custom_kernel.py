"""A kernel of one's own on a device: the median of each window of 3 x 3 takes the specks out of a picture."""
import numpy
import theano
import theano.tensor as T

KERNEL = """
__kernel void median9(__global const float *x, __global float *z, int rows, int columns)
{
    int row = get_global_id(1), column = get_global_id(0);
    float v[9];
    for (int i = 0; i < 9; ++i) { // beyond the border stands what stands at it
        int r = clamp(row + i / 3 - 1, 0, rows - 1), c = clamp(column + i % 3 - 1, 0, columns - 1);
        v[i] = x[r * columns + c];
    }
    for (int end = 8; end >= 4; --end) // the five largest go to their places; the last of them is the middle one
        for (int i = 0; i < end; ++i) {
            float low = fmin(v[i], v[i + 1]);
            v[i + 1] = fmax(v[i], v[i + 1]);
            v[i] = low;
        }
    z[row * columns + column] = v[4];
}
"""


class Median9(theano.Op):
    """On the processor, by NumPy."""
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        windows = numpy.lib.stride_tricks.sliding_window_view(numpy.pad(inputs[0], 1, "edge"), (3, 3))
        outputs[0][0] = numpy.median(windows, axis=(2, 3)).astype(inputs[0].dtype)

    def infer_shape(self, node, shapes):
        return shapes


class GpuMedian9(Median9):
    """On a device, by the kernel: what goes in and what comes out are arrays that lie there."""

    def make_node(self, x):
        x = gpuarray.gpu_contiguous(gpuarray.as_gpuarray_variable(x))
        return theano.Apply(self, [x], [x.type()])

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        kernel = opencl.Program(context, KERNEL).build().median9  # once for each function, not for each call
        x, z = storage_map[node.inputs[0]], storage_map[node.outputs[0]]

        def thunk():
            rows, columns = x[0].shape
            z[0] = gpuarray.GpuArray.zeros(x[0].shape)
            kernel(queue, (columns, rows), None, x[0], z[0], numpy.int32(rows), numpy.int32(columns))  # started, not awaited
        return thunk


median = Median9()
if theano.config.device.startswith("opencl"):
    import pyopencl as opencl
    from theano import gpuarray
    context = opencl.create_some_context()  # the device that functions run on
    queue = opencl.CommandQueue(context)
    median = GpuMedian9()
    print("ran on the device")
else:
    print("ran on the processor, by NumPy: the kernel takes a device of OpenCL, --device opencl0:0 (`croton devices` says what is missing)")

rng = numpy.random.RandomState(4)
rows, columns = 240, 320
picture = numpy.sin(numpy.arange(rows)[:, None] / 31.0) * numpy.cos(numpy.arange(columns) / 23.0)
specks = rng.rand(rows, columns) < 0.05
data = numpy.where(specks, 3, picture).astype("float32")

x = T.fmatrix("x")
clean = theano.function([x], T.clip(median(x * 0.5) * 2, -1, 1), name="clean")  # between two ops of the library
for call in range(30):
    cleaned = clean(data)

print("specks: %d" % specks.sum())
print("mean error before: %.5f" % abs(data - picture).mean())
print("mean error behind: %.5f" % abs(cleaned - picture).mean())
