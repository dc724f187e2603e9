"""Programs for PyCUDA, on a card or the simulated one, and what they are told where there is no card. PyCUDA itself is not installed."""
import os
import subprocess
import sys
import textwrap

import pytest
from cards import environment, needs_card, needs_simulation

try:
    import pycuda
    is_installed = not pycuda.__file__.startswith(os.path.dirname(__import__("croton").__file__))
except ImportError:
    is_installed = False
pytestmark = [needs_card, pytest.mark.skipif(is_installed, reason="PyCUDA is installed: its programs are its own")]


def python(code, flags="", **env):
    return subprocess.run([sys.executable, "-c", "import croton\n" + textwrap.dedent(code)], env=environment(flags, **env), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def printed(code, **kwargs):
    done = python(code, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


KERNEL = """
    import numpy, pycuda.autoinit, pycuda.driver as drv
    from pycuda.compiler import SourceModule
    module = SourceModule('''
    __constant__ float offset[2];
    __global__ void scale(float *to, const float *from, float by, int n)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) to[i] = from[i] * by + offset[1];
    }
    __global__ void tile(int *to)
    {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        to[y * gridDim.x * blockDim.x + x] = 100 * y + x;
    }
    __global__ void back(const float *from, float *to)
    {
        extern __shared__ float part[];
        part[threadIdx.x] = from[threadIdx.x];
        __syncthreads();
        to[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
    }
    ''')
    scale, tile, back = map(module.get_function, ("scale", "tile", "back"))
"""


def test_arrays_of_the_host_go_there_and_back():
    lines = printed(KERNEL + """
    a = numpy.arange(1000, dtype="float32")
    to = numpy.zeros_like(a)
    scale(drv.Out(to), drv.In(a), numpy.float32(3), numpy.int32(a.size), block=(128, 1, 1), grid=(8, 1))
    print(numpy.array_equal(to, 3 * a))
    scale(drv.InOut(a), drv.In(to), numpy.float32(1), numpy.intc(500), block=(128, 1, 1), grid=(8,))
    print(a[499], a[500])
    tiles = numpy.zeros((4, 6), "int32")
    tile(drv.Out(tiles), block=(3, 2, 1), grid=(2, 2))
    print(numpy.array_equal(tiles, 100 * numpy.arange(4)[:, None] + numpy.arange(6)))
    row, result = numpy.arange(64, dtype="float32"), numpy.empty(64, "float32")
    back(drv.In(row), drv.Out(result), block=(64, 1, 1), shared=256)
    print(numpy.array_equal(result, row[::-1]))
    """)
    assert lines == ["True", "1497.0 500.0", "True", "True"]


def test_memory_is_taken_copied_and_freed():
    lines = printed(KERNEL + """
    free = drv.mem_get_info()[0]
    a = numpy.arange(12, dtype="float32").reshape(3, 4)
    memory = drv.mem_alloc(a.nbytes)
    print(drv.mem_get_info()[0] < free, memory.size)
    drv.memcpy_htod(memory, numpy.asfortranarray(a))
    other = drv.mem_alloc(a.nbytes)
    drv.memcpy_dtod(other, memory, a.nbytes)
    there = numpy.empty_like(a)
    drv.memcpy_dtoh(there, other)
    print(sorted(there.ravel()) == sorted(a.ravel()), drv.from_device(drv.to_device(a), a.shape, a.dtype)[2].tolist())
    tail = numpy.empty(4, "float32")
    drv.memcpy_dtoh(tail, int(drv.to_device(a)) + 32)
    print(tail.tolist())
    place, size = module.get_global("offset")
    drv.memcpy_htod(place, numpy.float32([0, 50]))
    scale.prepare("PPfi").prepared_call((1, 1), (12, 1, 1), other, memory, 0, 12)
    drv.memcpy_dtoh(there, other)
    print(size, there.min(), there.max())
    drv.memset_d32(other, 7, 12)
    print(drv.from_device(other, (12,), "int32").tolist() == 12 * [7])
    memory.free(), other.free()
    try:
        drv.memcpy_dtoh(there, other)
    except drv.LogicError as error:
        print(error)
    """)
    assert lines == ["True 48", "True [8.0, 9.0, 10.0, 11.0]", "[8.0, 9.0, 10.0, 11.0]", "8 50.0 50.0", "True", "this memory was freed"]


def test_what_is_wrong_is_told():
    lines = printed(KERNEL + """
    from pycuda.driver import CompileError, LaunchError, LogicError
    def told(what):
        try:
            print(what())
        except (CompileError, LaunchError, LogicError, TypeError, ValueError) as error:
            print(type(error).__name__, str(error).splitlines()[0])
    a = drv.to_device(numpy.zeros(4, "float32"))
    told(lambda: SourceModule("__global__ void f(float *x) { x[0] = nothing; }"))
    told(lambda: module.get_function("other"))
    told(lambda: module.get_global("other"))
    told(lambda: scale(a, a, numpy.float32(1), block=(1, 1, 1)))
    told(lambda: scale(a, a, numpy.float64(1), numpy.int32(1), block=(1, 1, 1)))
    told(lambda: scale(a, a, 1.5, 1, block=(1, 1, 1)))
    told(lambda: scale(a, a, numpy.float32(1), numpy.int32(1)))
    told(lambda: scale(a, a, numpy.float32(1), numpy.int32(1), block=(2048, 1, 1)))
    told(lambda: drv.Device(5))
    told(lambda: drv.mem_alloc(0))
    """)
    assert lines[0].startswith("CompileError nvcc compilation of the text failed: cuda0 cannot build the kernel of a SourceModule: ")
    assert lines[1].startswith("LogicError cuModuleGetFunction failed: cuda0 cannot build the kernel other: cudaErrorSymbolNotFound")
    assert lines[2].startswith("LogicError cuModuleGetGlobal failed: cuda0 has no variable other")
    assert lines[3] == "LaunchError the kernel scale takes more than the 3 arguments that were given"
    assert lines[4].startswith("LaunchError the kernel scale takes 4 bytes as argument 2, and 8 bytes were given: numpy.int32(")
    assert lines[5].startswith("TypeError invalid type on parameter #2 (0-based): float; numbers are given as numpy.int32(")
    assert lines[6].startswith("ValueError must specify block size")
    assert "could not launch the kernel scale: cudaErrorInvalidValue" in lines[7]
    assert lines[8:] == ["LogicError there is no card 5: this machine has 1", "LogicError mem_alloc() was asked for 0 bytes: it has to be one at least"]


@needs_simulation
def test_a_kernel_that_fails_is_told_by_what_waits():
    lines = printed(KERNEL + """
    memory = drv.to_device(numpy.zeros(4, "float32"))
    try: # the call itself waits for nothing, but may come late enough to see it
        scale(memory, memory, numpy.float32(1), numpy.int32(1), block=(1, 1, 1))
        drv.Context.synchronize()
    except drv.LaunchError as error:
        print(error)
    """, CROTON_CUDA_SIM="kernel=1")
    told = ("cuda0 failed in the kernel scale: ", "cuda0 could not launch the kernel scale: ")  # by what waits, or by the launch itself
    assert len(lines) == 1 and any(one + "cudaErrorIllegalAddress" in lines[0] for one in told), lines


def test_options_that_nvrtc_does_not_take_are_told():
    done = python("""
        import pycuda.autoinit
        from pycuda.compiler import SourceModule
        SourceModule("#include <stdio.h>\\n__global__ void f(int *x) { x[0] = BY; }", options=["-O3", "-D", "BY=3", "--use_fast_math", "-Xcompiler", "-Wall"])
    """)
    assert done.returncode == 0, done.stderr
    assert "SourceModule leaves an option out: -O3: NVRTC always optimizes" in done.stderr
    assert "SourceModule leaves an option out: -Xcompiler=-Wall: NVRTC compiles kernels only" in done.stderr
    assert done.stderr.count("leaves an option out") == 2


def test_arrays_of_the_card_count_as_numpy_does():
    lines = printed("""
        import operator, numpy, pycuda.autoinit, pycuda.gpuarray as gpuarray, pycuda.cumath as cumath
        from pycuda.elementwise import ElementwiseKernel
        from pycuda.reduction import ReductionKernel
        rng = numpy.random.RandomState(0)
        wrong = []
        for kind in ("float32", "float64", "int32"):
            x, y = (rng.uniform(1, 9, (3, 5)).astype(kind) for _ in range(2))
            a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
            for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq, operator.ge):
                for there, here in ((f(a, b), f(x, y)), (f(a, 3), f(x, 3)), (f(2, a), f(2, x)), (f(a, 0.5), f(x, 0.5))):
                    if there.dtype != here.dtype or not numpy.allclose(there.get(), here, rtol=1e-6):
                        wrong.append((kind, f.__name__, str(there.dtype), str(here.dtype)))
            a += b
            a *= 2
            if not (numpy.allclose(a.get(), (x + y) * 2) and numpy.allclose((-a).get(), -(x + y) * 2) and numpy.allclose(abs(-a).get(), (x + y) * 2)):
                wrong.append((kind, "in place"))
            for there, here in ((gpuarray.sum(b), y.sum()), (gpuarray.dot(b, b), (y * y).sum()), (gpuarray.max(b), y.max()), (gpuarray.min(b), y.min())):
                if not numpy.allclose(there.get(), here, rtol=1e-5):
                    wrong.append((kind, "reduction", float(there), float(here)))
        print(wrong)
        big = gpuarray.arange(100000, dtype="float64")
        print(float(gpuarray.sum(big)), float(big[10:20].sum()), float(big[99999]), len(big), big.reshape(100, -1).shape, big[:6].reshape(2, 3)[1].get())
        x = gpuarray.to_gpu(numpy.linspace(0, 1, 7).astype("float32"))
        print(numpy.allclose(cumath.exp(x).get(), numpy.exp(x.get())), cumath.sqrt(x).dtype, (x ** 2).dtype)
        z = gpuarray.empty_like(x)
        ElementwiseKernel("float by, float *x, float *z", "z[i] = by * x[i] + 1")(5, x, z)
        print(numpy.allclose(z.get(), 5 * x.get() + 1))
        norm = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*x[i]", arguments="float *x")
        print(numpy.allclose(norm(x).get(), (x.get() ** 2).sum()))
        z[2:4] = 0
        z[0] = x[6]
        print(z.get()[[0, 2, 3]].tolist(), gpuarray.zeros((2, 2), "int32").get().tolist(), gpuarray.ones_like(x).get().sum())
        try:
            x[::2]
        except NotImplementedError as error:
            print(error)
        try:
            import pycuda.gl
        except ImportError as error:
            print(error)
    """)
    assert lines == ["[]", "4999950000.0 145.0 99999.0 100000 (100, 1000) [3. 4. 5.]", "True float32 float32", "True", "True",
                     "[1.0, 0.0, 0.0] [[0, 0], [0, 0]] 7.0",
                     "arrays of Croton's pycuda take a[i] and a[i:j]; get() gives NumPy's array, which takes all",
                     "pycuda.gl is not in Croton's pycuda, which has the basics: install pycuda for the rest"], lines


@needs_simulation
def test_times_of_the_simulation_are_no_times():
    lines = printed(KERNEL + """
    begin, end = drv.Event().record(), drv.Event().record()
    a = drv.to_device(numpy.zeros(4, "float32"))
    print(end.time_since(begin), scale(a, a, numpy.float32(1), numpy.int32(1), block=(1, 1, 1), time_kernel=True), scale.num_regs)
    print(drv.Device(0).name())
    """)
    assert lines == ["nan nan 0", "simulated CUDA on the processor (not a GPU)"]


@needs_simulation
def test_without_a_card_it_is_said_what_is_missing():
    done = python("import pycuda.autoinit", CROTON_CUDA_SIM="driver=0")
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == ("croton.pycuda._device.RuntimeError: PyCUDA programs run on a card of CUDA, and there is none: the CUDA "
                                            "driver is missing: libcuda.so.1 was not found. `croton devices` says what there is"), done.stderr
    done = python("import theano.misc.pycuda_init as init; print(init.pycuda_available)", CROTON_CUDA_SIM="driver=0")
    assert done.stdout == "False\n" and "PyCUDA import failed in theano.misc.pycuda_init: PyCUDA programs run on" in done.stderr, done.stderr


TRIPLE = """
    import numpy, theano
    import theano.misc.pycuda_init
    from pycuda.compiler import SourceModule
    import theano.sandbox.cuda as cuda

    class Triple(theano.Op):
        __props__ = ()
        def make_node(self, x):
            x = cuda.basic_ops.gpu_contiguous(cuda.basic_ops.as_cuda_ndarray_variable(x))
            return theano.Apply(self, [x], [x.type()])
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            kernel = SourceModule("__global__ void triple(float *x, float *z, int n) {"
                                  "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = 3 * x[i]; }").get_function("triple")
            x, z = storage_map[node.inputs[0]], storage_map[node.outputs[0]]
            def thunk():
                if z[0] is None or z[0].shape != x[0].shape:
                    z[0] = cuda.CudaNdarray.zeros(x[0].shape)
                if x[0].size:
                    kernel(x[0], z[0], numpy.intc(x[0].size), block=(64, 1, 1), grid=((x[0].size + 63) // 64, 1))
            thunk.lazy = False
            return thunk
"""


def test_an_op_runs_its_kernel_between_those_of_a_function():
    lines = printed(TRIPLE + """
    x = theano.tensor.fmatrix()
    f = theano.function([x], Triple()(x + 1).sum(axis=0) * 2)
    print([type(node.op).__name__ for node in f.maker.fgraph.toposort()])
    for shape in ((4, 5), (1, 1), (0, 3), (70, 3)):
        value = numpy.random.RandomState(1).rand(*shape).astype("float32")
        print(numpy.allclose(f(value), ((value + 1) * 3).sum(axis=0) * 2, rtol=1e-5))
    s = theano.shared(numpy.ones(3, "float32"))
    g = theano.function([], cuda.basic_ops.gpu_from_host(Triple()(s)))
    print(type(g()).__name__, numpy.asarray(g()))
    """, flags="device=cuda0,floatX=float32")
    names = eval(lines[0])
    assert "Triple" in names and names[0] == "GpuFromHost" and names[-1] == "HostFromGpu", names
    assert lines[1:] == ["True", "True", "True", "True", "GpuArray [3. 3. 3.]"], lines


def test_an_op_that_gives_something_else_is_told():
    done = python(TRIPLE + """
    class Wrong(Triple):
        def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
            return lambda: storage_map[node.outputs[0]].__setitem__(0, cuda.CudaNdarray.zeros((3,)))
    x = theano.tensor.fmatrix()
    theano.function([x], Wrong()(x))(numpy.ones((2, 2), "float32"))
    """, flags="device=cuda0,floatX=float32")
    assert "the op Wrong gave float32 with 1 dimensions for output 0, its type says GpuArrayType<cuda0>(float32, matrix)" in done.stderr, done.stderr


def test_arrays_go_between_functions_and_pycuda_without_a_copy():
    lines = printed("""
        import numpy, theano, theano.misc.pycuda_init, pycuda.gpuarray
        from theano.misc import pycuda_utils
        x = theano.shared(numpy.arange(4, dtype="float32"))
        inside = x.get_value(borrow=True, return_internal_type=True)
        there = pycuda_utils.to_gpuarray(inside)
        there *= 2
        print(x.get_value().tolist(), int(there.gpudata) == inside.gpudata)
        back = pycuda_utils.to_cudandarray(pycuda.gpuarray.to_gpu(numpy.float32([1, 2])))
        y = theano.gpuarray.type.GpuArrayType("float32", (False,))("y")
        print(theano.function([y], (y * 3).transfer("cpu"))(back).tolist())
    """, flags="device=cuda0,floatX=float32")
    assert lines == ["[0.0, 2.0, 4.0, 6.0] True", "[3.0, 6.0]"]
