"""Names that other releases gave to what is there: Theano-PyMC 1.1, and the GPU back ends where there is no GPU."""
import importlib

import numpy
import pytest
import theano
import theano.tensor as T

# As PyMC3 3.9 to 3.11, its extensions and exoplanet import them, beside what each is.
MOVED = {
    "theano.graph.basic": ("theano.gof.graph", "Apply Constant Variable ancestors clone clone_get_equiv equal_computations general_toposort graph_inputs io_toposort "
                           "is_in_ancestors list_of_nodes view_roots"),
    "theano.graph.op": ("theano.gof.op", "COp Op get_test_value missing_test_message ops_with_inner_function"), "theano.graph.type": ("theano.gof.type", "Generic Type generic"),
    "theano.graph.fg": ("theano.gof.fg", "FunctionGraph MissingInputError"), "theano.graph.utils": ("theano.gof.utils", "TestValueError MethodNotDefined scratchpad hashtype"),
    "theano.graph.opt": ("theano.gof.opt", "EquilibriumOptimizer local_optimizer out2in in2out PatternSub"),
    "theano.graph.optdb": ("theano.gof.optdb", "DB EquilibriumDB Query SequenceDB"), "theano.graph.null_type": ("theano.gof.null_type", "NullType"),
    "theano.graph.params_type": ("theano.gof.params_type", "Params ParamsType"), "theano.graph.toolbox": ("theano.gof.toolbox", "Feature ReplaceValidate"),
    "theano.link.basic": ("theano.gof.link", "Container PerformLinker WrapLinker"), "theano.link.vm": ("theano.gof.vm", "VM_Linker"),
    "theano.link.c.interface": ("theano.gof", "CLinkerObject CLinkerType HideC"), "theano.link.c.basic": ("theano.gof", "CLinker DualLinker OpWiseCLinker"),
    "theano.scan.basic": ("theano.scan_module.scan", "scan"), "theano.scan": ("theano.scan_module", "scan until foldl foldr map reduce clone"),
    "theano.scan.op": ("theano.scan_module.scan_op", "Scan"), "theano.scan.utils": ("theano.scan_module.scan_utils", "until"),
    "theano.compile.function": ("theano", "function"), "theano.compile.function.types": ("theano.compile.function_module", "Function FunctionMaker UnusedInputError"),
    "theano.compile.function.pfunc": ("theano.compile.pfunc", "pfunc"), "theano.breakpoint": ("theano.tests.breakpoint", "PdbBreakpoint"),
}


@pytest.mark.parametrize("module", MOVED)
def test_modules_of_theano_pymc(module):
    home, names = MOVED[module]
    for name in names.split():
        found = getattr(importlib.import_module(module), name)
        assert found is getattr(importlib.import_module(home), name), name
        assert type(found).__name__ != "Missing", name


def test_packages_of_theano_pymc_keep_apart():
    """Each has a module called basic; theano.scan stays the function that it is."""
    import theano.graph.basic
    import theano.link.basic
    import theano.scan.basic
    assert theano.graph.basic.Apply is theano.gof.Apply and theano.link.basic.Container is theano.gof.Container
    assert callable(theano.scan) and theano.compile.function is theano.function
    from theano.scan import until
    values, _ = theano.scan(lambda x: (x * 2, until(x > 2)), T.arange(6))
    assert values.eval().tolist() == [0, 2, 4, 6]
    with pytest.raises(ImportError):
        importlib.import_module("theano.graph.nothing")


def test_functions_of_theano_pymc():
    from theano.graph.basic import applys_between, orphans_between, vars_between, walk
    from theano.graph.op import compute_test_value, get_test_values
    x, y = T.dscalars("x", "y")
    z = T.exp(x) * y
    assert set(orphans_between([x], [z])) == {y} and set(vars_between([x], [z])) >= {x, y, z, z.owner.inputs[0]}
    assert [str(node.op) for node in applys_between([x], [z])] == ["Elemwise{exp,no_inplace}", "Elemwise{mul,no_inplace}"]
    below = lambda variable: variable.owner.inputs if variable.owner else None
    assert list(walk([z], below)) == [z, z.owner.inputs[0], y, x] and list(walk([z], below, bfs=False)) == [z, y, z.owner.inputs[0], x]
    assert dict(walk([z], below, return_children=True))[y] is None and len(list(walk([z, z], below, hash_fn=str))) == 4
    x.tag.test_value, y.tag.test_value = 0.0, 3.0
    compute_test_value(z.owner.inputs[0].owner)
    compute_test_value(z.owner)
    assert z.tag.test_value == 3
    with theano.config.change_flags(compute_test_value="raise"):
        assert [tuple(map(float, values)) for values in get_test_values(x, y)] == [(0, 3)]


def test_flags_with_two_underscores():
    before = theano.config.gcc.cxxflags
    assert theano.config.gcc__cxxflags == before and theano.config.blas__ldflags == theano.config.blas.ldflags
    theano.config.gcc__cxxflags = "-DA"
    try:
        assert theano.config.gcc.cxxflags == "-DA"
        with theano.config.change_flags(gcc__cxxflags="-DB"):
            assert theano.config.gcc__cxxflags == "-DB"
    finally:
        theano.config.gcc.cxxflags = before
    with pytest.raises(AttributeError, match="no flag called"):
        theano.config.gcc__nothing


def test_names_of_the_gpu_back_ends_are_there_without_a_gpu():
    from theano.compat.six import Iterator
    from theano.compat.six.moves import cStringIO
    from theano.gof import HideC, Op, ParamsType
    from theano.gof.cmodule import get_lib_extension
    from theano.gpuarray.basic_ops import GpuKernelBase, HideC as OfGpu, Kernel, gpuarray_helper_inc_dir  # noqa: F401
    from theano.gpuarray.fp16_help import load_w, work_dtype, write_w
    from theano.gpuarray.opt import op_lifter, register_opt, register_opt2
    from theano.gpuarray.type import ContextNotDefined, get_context, gpu_context_type
    from theano.sandbox.cuda import CudaNdarrayType, GpuOp, nvcc_compiler  # noqa: F401
    assert theano.compile.debugmode.default_make_thunk[0] is Op.make_thunk
    assert cStringIO("a\nb").readline() == "a\n" and Iterator is object and get_lib_extension() == "so"
    assert (work_dtype("float16"), work_dtype("float64"), load_w("float16"), write_w("float32")) == ("float32", "float64", "ga_half2float", "")
    assert HideC is OfGpu and not isinstance(T.fmatrix().type, CudaNdarrayType)
    assert isinstance(ParamsType(context=gpu_context_type, keep=theano.scalar.bool), theano.gof.Type)
    with pytest.raises(ContextNotDefined):
        get_context(None)

    class OfTheGpu(GpuKernelBase, Op):
        params_type = ParamsType(context=gpu_context_type)

    with pytest.raises(AttributeError, match="GpuKernelBase is not in this version of Croton"):
        OfTheGpu()

    @register_opt("fast_compile")
    @op_lifter([T.AdvancedSubtensor1])
    @register_opt2([T.AdvancedSubtensor1], "fast_compile")
    def local_of_a_script(op, context_name, inputs, outputs):
        raise AssertionError("there is no GPU")

    x = T.dvector("x")
    assert theano.function([x], x[[1, 0]])([3, 4]).tolist() == [4, 3]


def test_an_op_that_hides_its_c_code_is_performed():
    from theano.gof import HideC

    class InC(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [T.as_tensor_variable(x)], [T.dvector()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1

        def c_code(self, node, name, inputs, outputs, sub):
            return "#error this is not compiled"

    class Performed(HideC, InC):
        pass

    x = T.dvector("x")
    assert theano.function([x], Performed()(x))([1, 2]).tolist() == [2, 3]
    with pytest.raises(theano.gof.MethodNotDefined):
        Performed().c_code(None, "", [], [], {})
    numpy.testing.assert_array_equal(Performed()(x).eval({x: [0.]}), [1.])
