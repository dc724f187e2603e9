"""Programs for PyOpenCL on the device of OpenCL that is there (PoCL in tests). PyOpenCL itself is not installed."""
import os
import subprocess
import sys
import textwrap

import pytest
from croton import _core

try:
    import pyopencl
    is_installed = not pyopencl.__file__.startswith(os.path.dirname(__import__("croton").__file__))
except ImportError:
    is_installed = False
DEVICES = [name for name, hardware, reason in _core.offered_devices() if name.startswith("opencl") and not reason]
pytestmark = pytest.mark.skipif(is_installed, reason="PyOpenCL is installed: its programs are its own")
needs_device = pytest.mark.skipif(not DEVICES, reason="there is no device of OpenCL")


def python(code, flags="", **env):
    return subprocess.run([sys.executable, "-c", "import croton\n" + textwrap.dedent(code)], env=dict(os.environ, THEANO_FLAGS=flags, **env),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def printed(code, **kwargs):
    done = python(code, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


START = """
    import numpy as np, pyopencl as cl, pyopencl.array
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    mf = cl.mem_flags
    program = cl.Program(context, '''
    __kernel void scale(__global const float *from, float by, __global float *to) { int i = get_global_id(0); to[i] = by * from[i]; }
    __kernel void tile(__global int *to) { to[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 100 * get_global_id(1) + get_local_id(0); }
    __kernel void back(__global const float *from, __global float *to, __local float *part)
    {
        int i = get_local_id(0), n = get_local_size(0);
        part[i] = from[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        to[get_global_id(0)] = part[n - 1 - i];
    }
    ''').build()
"""


@needs_device
def test_buffers_and_kernels():
    lines = printed(START + """
    a = np.arange(1000, dtype="float32")
    there, result = cl.Buffer(context, mf.READ_ONLY | mf.COPY_HOST_PTR, hostbuf=a), cl.Buffer(context, mf.WRITE_ONLY, a.nbytes)
    program.scale(queue, a.shape, None, there, np.float32(3), result)
    back = np.empty_like(a)
    cl.enqueue_copy(queue, back, result)
    print(np.array_equal(back, 3 * a))
    tiles = cl.array.zeros(queue, (4, 6), "int32")
    program.tile(queue, (6, 4), (3, 1), tiles)
    print(np.array_equal(tiles.get(), 100 * np.arange(4)[:, None] + np.arange(6) % 3))
    program.back(queue, (8,), (4,), there, result, cl.LocalMemory(16)).wait()
    cl.enqueue_copy(queue, back[:8], result)
    print(back[:8].tolist())
    program.scale.set_args(there, np.float32(2), result)
    cl.enqueue_nd_range_kernel(queue, program.scale, (10,), None)
    other = cl.Buffer(context, mf.READ_WRITE, 40)
    cl.enqueue_copy(queue, other, result, byte_count=40)
    cl.enqueue_copy(queue, back[:10], other)
    print(back[:10].tolist() == (2 * a[:10]).tolist())
    cl.enqueue_fill_buffer(queue, other, np.float32(7), 0, 40)
    cl.enqueue_copy(queue, back[:10], other)
    print(set(back[:10].tolist()))
    x = cl.array.to_device(queue, np.asfortranarray(a.reshape(10, 100)))
    print(np.array_equal(x.get(), a.reshape(10, 100)))
    timed = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = program.scale(timed, a.shape, None, there, np.float32(3), result)
    print(event.profile.end > event.profile.start)
    """)
    assert lines == ["True", "True", "[3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0]", "True", "{7.0}", "True", "True"], lines


@needs_device
def test_what_is_wrong_is_told():
    lines = printed(START + """
    there = cl.Buffer(context, mf.READ_WRITE, 40)
    def told(what):
        try:
            print(what())
        except (cl.Error, TypeError, AttributeError, NotImplementedError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
    told(lambda: cl.Program(context, "__kernel void f(__global float *x) { x[0] = nothing; }").build())
    told(lambda: cl.Program(context, "__kernel void f(__global float *x) { x[0] = BY; }").build("-DBY=2").f(queue, (1,), None, there).wait())
    told(lambda: program.other)
    told(lambda: program.scale(queue, (1,), None, there, there))
    told(lambda: program.scale(queue, (1,), None, there, np.float64(1), there))
    told(lambda: program.scale(queue, (1,), None, there, 2.5, there))
    told(lambda: program.scale(queue, (10,), (3,), there, np.float32(1), there))
    told(lambda: cl.enqueue_copy(queue, there, np.zeros(11, "float32")))
    told(lambda: cl.enqueue_copy(queue, np.zeros(11, "float32"), there))
    told(lambda: cl.Image)
    """)
    assert lines[0].startswith("RuntimeError") and "cannot build the kernel of a Program: " in lines[0]
    assert lines[1] == "None" and lines[2].startswith("AttributeError") and lines[2].endswith("CL_INVALID_KERNEL_NAME")
    assert lines[3:] == ["LogicError the kernel scale takes 3 arguments, and 2 were given",
                         "LogicError the kernel scale refuses argument 1 (CL_INVALID_ARG_SIZE): numpy.int32(…), numpy.float32(…) and the like say what "
                         "a number is",
                         "TypeError argument 1 (0-based) of the kernel is a float: buffers are given as they are, numbers as numpy.int32(…), "
                         "numpy.float32(…) and the like",
                         "LogicError (10, 1, 1) is no multiple of the group's size (3, 1, 1)",
                         "LogicError 44 bytes do not fit into the buffer of 40", "LogicError 44 bytes were asked for of a buffer of 40",
                         "AttributeError pyopencl.Image is not in Croton's pyopencl, which has the basics: install pyopencl for the rest"], lines


@needs_device
def test_an_op_runs_its_kernel_between_those_of_a_function():
    lines = printed(START + """
    import theano
    from theano.gpuarray import as_gpuarray_variable, gpu_contiguous

    class Twice(theano.Op):
        __props__ = ()
        def make_node(self, x):
            x = gpu_contiguous(as_gpuarray_variable(x))
            return theano.Apply(self, [x], [x.type()])
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            x, z = storage_map[node.inputs[0]], storage_map[node.outputs[0]]
            def thunk():
                z[0] = theano.gpuarray.GpuArray.zeros(x[0].shape)
                if x[0].size:
                    program.scale(queue, (x[0].size,), None, x[0], np.float32(2), z[0])
            return thunk

    x = theano.tensor.fmatrix()
    f = theano.function([x], Twice()(x + 1).sum(axis=0) * 2)
    print([type(node.op).__name__ for node in f.maker.fgraph.toposort()])
    for shape in ((4, 5), (1, 1), (0, 3), (70, 3)):
        value = np.random.RandomState(1).rand(*shape).astype("float32")
        print(np.allclose(f(value), ((value + 1) * 2).sum(axis=0) * 2, rtol=1e-5))
    """, flags="device=%s,floatX=float32" % (DEVICES or ["none"])[0])
    names = eval(lines[0])
    assert "Twice" in names and names[0] == "GpuFromHost" and names[-1] == "HostFromGpu", names
    assert lines[1:] == 4 * ["True"], lines


def test_without_a_device_it_is_said_what_is_missing(tmp_path):
    done = python("import pyopencl as cl; cl.create_some_context()", OCL_ICD_VENDORS=str(tmp_path))
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith("croton.pyopencl.LogicError: there is no device of OpenCL: ") and last.endswith("`croton devices` says what there is"), last


@needs_device
def test_a_kernel_takes_inputs_wherever_a_function_has_them():
    lines = printed(START + """
    import theano
    from theano.gpuarray import GpuArray, as_gpuarray_variable, gpu_contiguous

    both = cl.Program(context, '''__kernel void both(__global const float *x, __global const float *y, __global const float *z, __global float *sum) {
        int i = get_global_id(0);
        sum[i] = x[i] + 10 * y[i] + 100 * z[i]; }''').build().both

    class Sum(theano.Op):
        __props__ = ()
        def make_node(self, *inputs):
            inputs = [gpu_contiguous(as_gpuarray_variable(each)) for each in inputs]
            return theano.Apply(self, inputs, [inputs[0].type()])
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            x, y, z, out = [storage_map[variable] for variable in node.inputs + node.outputs]
            def thunk():
                out[0] = GpuArray.zeros(x[0].shape)
                both(queue, (x[0].size,), None, x[0], y[0], z[0], out[0])
            return thunk
        def infer_shape(self, node, shapes):
            return [shapes[0]]

    x, y, z = theano.tensor.fvectors("xyz")
    f = theano.function([x, y, z], Sum()(x, y + 1, z))
    for size in (1, 3, 70):
        print(np.asarray(f(*[np.full(size, value, "float32") for value in (1, 1, 3)])).tolist() == size * [321.0])
    """, flags="device=%s,floatX=float32" % (DEVICES or ["none"])[0])
    assert lines == 3 * ["True"], lines
