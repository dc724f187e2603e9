"""Rewrites that scripts write in Python: registered, they run in compiles as the engine's own do."""
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof
from theano.compile import optdb
from theano.gof.opt import local_optimizer
from theano.tensor.opt import register_canonicalize, register_specialize, register_stabilize

x = T.dvector("x")
V = numpy.array([0.5, 1.0, 2.0])
FAST = theano.compile.mode.get_mode("FAST_RUN")


class Marked(theano.Op):
    """A function that no rewrite of the engine knows."""
    __props__ = ("name",)

    def __init__(self, name):
        self.name = name

    def make_node(self, v):
        v = T.as_tensor_variable(v)
        return theano.Apply(self, [v], [v.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + 1000.0

    def infer_shape(self, node, shapes):
        return shapes


def names(f):
    return [str(node.op) for node in f.maker.fgraph.toposort()]



def test_canonicalize():
    @register_canonicalize
    @local_optimizer([Marked])
    def local_own_canonical(node):
        if node.op.name == "canonical":
            return [T.sqr(node.inputs[0])]

    f = theano.function([x], Marked("canonical")(x) + 1)
    numpy.testing.assert_array_equal(f(V), V**2 + 1)
    assert not any("canonical" in name for name in names(f))
    without = theano.function([x], Marked("canonical")(x) + 1, mode=FAST.excluding("local_own_canonical"))
    numpy.testing.assert_array_equal(without(V), V + 1001)
    numpy.testing.assert_array_equal(theano.function([x], Marked("canonical")(x), mode="FAST_COMPILE")(V), V + 1000)
    with pytest.raises(ValueError, match="name of"):
        register_canonicalize(local_own_canonical)
    assert optdb["canonicalize"]["local_own_canonical"] is local_own_canonical and "local_own_canonical" in optdb


def test_tags_and_fast_compile():
    @register_specialize("fast_compile", "own_tag")
    @local_optimizer([Marked("tagged")])
    def local_own_tagged(node):
        return [node.inputs[0] * 3.0]

    for mode, wanted in ((FAST, V * 3), (theano.compile.mode.get_mode("FAST_COMPILE"), V * 3), (FAST.excluding("own_tag"), V + 1000)):
        numpy.testing.assert_array_equal(theano.function([x], Marked("tagged")(x), mode=mode)(V), wanted)


def test_stabilize_by_pattern():
    register_stabilize(gof.PatternSub((Marked("outer"), (Marked("inner"), "v")), (T.neg, "v"), name="local_own_pattern"))
    numpy.testing.assert_array_equal(theano.function([x], Marked("outer")(Marked("inner")(x)))(V), -V)
    numpy.testing.assert_array_equal(theano.function([x], Marked("outer")(x))(V), V + 1000)
    # an inner one that somebody else reads stays, as in Theano
    inner = Marked("inner")(x)
    numpy.testing.assert_array_equal(theano.function([x], [Marked("outer")(inner), inner])(V)[0], V + 2000)


def test_what_a_local_one_sees():
    seen = []

    @register_specialize
    @local_optimizer([Marked("looked at")])
    def local_own_looks(node):
        (out,) = node.outputs
        seen.append((len(out.clients), sorted(type(reader).__name__ for reader, _ in out.clients), node.inputs[0].name,
                     len(node.fgraph.clients[node.inputs[0]]), len(node.fgraph.outputs)))
        assert node in node.fgraph.apply_nodes and out.fgraph is node.fgraph
        with pytest.raises(gof.InconsistencyError):
            node.fgraph.replace(out, node.inputs[0])
        return False

    v = Marked("looked at")(x)
    theano.function([x], [v, T.dot(v, x)])
    assert seen and all(one == (2, sorted(["str", "Apply"]), "x", 2, 2) for one in seen[:1])


def test_failures_are_told_and_skipped():
    @register_specialize
    @local_optimizer([Marked("broken")])
    def local_own_broken(node):
        raise RuntimeError("no idea")

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        f = theano.function([x], Marked("broken")(x))
    assert any("local_own_broken" in str(one.message) and "RuntimeError: no idea" in str(one.message) and "test_own_rewrites.py" in str(one.message)
               for one in told)
    numpy.testing.assert_array_equal(f(V), V + 1000)
    with theano.configparser.change_flags(on_opt_error="raise"), pytest.raises(RuntimeError, match="no idea"):
        theano.function([x], Marked("broken")(x))


def test_replacements_of_other_types():
    @register_specialize
    @local_optimizer([Marked("typed")])
    def local_own_typed(node):
        return [T.cast(node.inputs[0], "float32")]

    with pytest.warns(UserWarning, match="local_own_typed.*type of the replacement"):
        theano.function([x], Marked("typed")(x))

    @register_specialize
    @local_optimizer([Marked("counted")])
    def local_own_counted(node):
        return [node.inputs[0], node.inputs[0]]

    with pytest.warns(UserWarning, match="wrong number of replacements"):
        theano.function([x], Marked("counted")(x))


def test_a_whole_optimizer_at_its_place():
    order = []

    class Swap(gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            order.append([type(node.op).__name__ for node in fgraph.toposort()])
            for node in fgraph.toposort():
                if node.op == Marked("swapped"):
                    fgraph.replace_validate(node.outputs[0], T.exp(node.inputs[0]), reason="exp is faster")

    optdb.register("own_swap", Swap(), 1.3, "fast_run")
    f = theano.function([x], T.log(Marked("swapped")(x)) + 0 * x)
    assert order[-1].count("Marked") == 1 and "own_swap" in optdb
    numpy.testing.assert_allclose(f(V), V, rtol=1e-15)
    numpy.testing.assert_array_equal(theano.function([x], Marked("swapped")(x), mode=FAST.excluding("own_swap"))(V), V + 1000)


def test_a_whole_optimizer_that_fails_changes_nothing():
    @gof.optimizer
    def half_way(fgraph):
        for node in fgraph.toposort():
            if node.op == Marked("half"):
                fgraph.replace_validate(node.outputs[0], node.inputs[0] * 2.0)
                raise RuntimeError("lost the way")

    optdb.register("own_half_way", half_way, 1.35, "fast_run")
    with pytest.warns(UserWarning, match="own_half_way.*lost the way"):
        f = theano.function([x], Marked("half")(x) + 1)
    numpy.testing.assert_array_equal(f(V), V * 2 + 1)


def test_databases_of_ones_own():
    own = gof.EquilibriumDB()
    optdb.register("own_db", own, 1.31, "fast_run")

    @local_optimizer([Marked("in db")])
    def local_own_in_db(node):
        return [Marked("in db again")(node.inputs[0])]

    @local_optimizer([Marked("in db again")])
    def local_own_again(node):
        return [node.inputs[0] - 5.0]

    own.register("local_own_in_db", local_own_in_db, "fast_run")
    own.register("local_own_again", local_own_again, "fast_run", "later")
    numpy.testing.assert_array_equal(theano.function([x], Marked("in db")(x))(V), V - 5)
    numpy.testing.assert_array_equal(theano.function([x], Marked("in db")(x), mode=FAST.excluding("later"))(V), V + 1000)


def test_modes_with_an_optimizer_of_ones_own():
    @gof.optimizer
    def to_cosine(fgraph):
        for node in fgraph.toposort():
            if node.op == T.sin:
                fgraph.replace_validate(node.outputs[0], T.cos(node.inputs[0]))

    y = T.sin(x) * 1.0
    only = theano.function([x], y, mode=theano.Mode(linker="py", optimizer=to_cosine))
    numpy.testing.assert_allclose(only(V), numpy.cos(V))
    assert any("mul" in name for name in names(only)), "nothing else ran"
    numpy.testing.assert_allclose(theano.function([x], y, mode=FAST.register((to_cosine, 2.5)))(V), numpy.cos(V))
    query = gof.Query(include=["fast_run"], exclude=["fusion"], extra_optimizations=[(to_cosine, 2.5)])
    numpy.testing.assert_allclose(theano.function([x], T.exp(y), mode=theano.Mode(optimizer=query))(V), numpy.exp(numpy.cos(V)))
    numpy.testing.assert_allclose(theano.function([x], y)(V), numpy.sin(V))


def test_the_engines_rewrites_by_query_and_by_name():
    fgraph = gof.FunctionGraph([x], [T.log(1 + T.exp(x)) + 0 * x])
    optdb.query(gof.Query(include=["fast_run"], exclude=["fusion", "inplace"])).optimize(fgraph)
    assert [str(node.op) for node in fgraph.toposort()] == ["Elemwise{softplus,no_inplace}"]
    fgraph = gof.FunctionGraph([x], [T.exp(x) * T.exp(x), T.exp(x)])
    optdb.query("+merge").optimize(fgraph)
    assert len(fgraph.apply_nodes) == 2
    fgraph = gof.FunctionGraph([x], [T.log(1 + x)])
    gof.out2in(T.opt.local_log1p).optimize(fgraph)
    assert [str(node.op) for node in fgraph.toposort()] == ["Elemwise{log1p,no_inplace}"]
    assert str(T.opt.local_log1p) == "local_log1p" and optdb["stabilize"]["local_log1p"].name == "local_log1p"
    fgraph = gof.FunctionGraph([x], [T.log(1 + x)])
    optdb["stabilize"].query("+fast_run").optimize(fgraph)
    assert [str(node.op) for node in fgraph.toposort()] == ["Elemwise{log1p,no_inplace}"]
    mode = theano.Mode(optimizer=optdb.query("+fast_run", "-local_log1p", "-fusion"))
    assert any("Log}" in name for name in names(theano.function([x], T.log(1 + x), mode=mode)))
    for name in ("canonicalize", "stabilize", "specialize", "uncanonicalize", "useless", "specialize_device"):
        assert name in optdb and "local_cast_cast" in optdb[name]


def test_multiple_outputs_and_dictionaries():
    class Pair(theano.Op):
        __props__ = ()

        def make_node(self, v):
            return theano.Apply(self, [v], [v.type(), v.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0], outputs[1][0] = inputs[0] * 2, inputs[0] * 3

    @register_specialize
    @local_optimizer([Pair])
    def local_own_pair(node):
        return {node.outputs[1]: node.inputs[0] * 30.0}

    first, second = Pair()(x)
    numpy.testing.assert_array_equal(theano.function([x], [first, second])(V), [V * 2, V * 30])


def test_a_large_graph_and_many_rewrites():
    @register_canonicalize
    @local_optimizer([Marked("many")])
    def local_own_many(node):
        return [T.sin(node.inputs[0])]

    y, wanted = x, V
    for _ in range(300):
        y, wanted = Marked("many")(y) * 1.01, numpy.sin(wanted) * 1.01
    numpy.testing.assert_allclose(theano.function([x], y)(V), wanted, rtol=1e-12)


def test_inside_of_loops():
    @register_canonicalize
    @local_optimizer([Marked("in loop")])
    def local_own_in_loop(node):
        return [node.inputs[0] + 1.0]

    out, _ = theano.scan(lambda s: Marked("in loop")(s), outputs_info=x, n_steps=5)
    numpy.testing.assert_array_equal(theano.function([x], out[-1])(V), V + 5)


def test_debugmode_names_the_one_that_is_wrong():
    @register_canonicalize
    @local_optimizer([Marked("wrong")])
    def local_own_wrong(node):
        return [node.inputs[0] * 2.0]

    with pytest.raises(theano.compile.debugmode.BadOptimization, match="The rewrite local_own_wrong did it"):
        theano.function([x], Marked("wrong")(x), mode="DebugMode")(V)


def test_debugmode_excuses_an_overflow_and_no_more():
    @register_canonicalize
    @local_optimizer([Marked("wrong beside")])
    def local_own_wrong_beside(node):
        return [node.inputs[0] * 2.0]

    large = numpy.array([1000.0, 1.0, 990])
    excused = T.exp(x - T.log(T.sum(T.exp(x))))
    for outputs in (Marked("wrong beside")(x) + 1 / (1 + T.exp(x)), [excused, Marked("wrong beside")(x)]):
        with pytest.raises(theano.compile.debugmode.BadOptimization, match="The rewrite local_own_wrong_beside did it"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theano.function([x], outputs, mode="DebugMode")(large)


class AddOne(theano.Op):
    __props__ = ("inplace",)

    def __init__(self, inplace):
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        value = inputs[0] if self.inplace else inputs[0].copy()
        value += 1
        output_storage[0][0] = value


def test_rewrites_that_work_in_place_reach_nothing_that_others_need():
    @gof.local_optimizer([AddOne(False)], inplace=True)
    def add_one_in_place(node):
        return [AddOne(True)(*node.inputs)]

    optdb.register("add_one_in_place", gof.TopoOptimizer(add_one_in_place, failure_callback=gof.TopoOptimizer.warn_inplace), 60.5,
                   "adding_in_place")
    mode = FAST.including("adding_in_place")
    shared, y = theano.shared(numpy.zeros(2)), T.exp(x)
    f = theano.function([x], [AddOne(False)(x), AddOne(False)(shared), AddOne(False)(y), y, AddOne(False)(T.constant(numpy.ones(2)))], mode=mode)
    argument = numpy.zeros(2)
    for _ in range(2):
        assert [value.tolist() for value in f(argument)] == [[1, 1], [1, 1], [2, 2], [1, 1], [2, 2]]
    assert argument.tolist() == [0, 0] and shared.get_value().tolist() == [0, 0]
    g = theano.function([x], AddOne(False)(x * 2), mode=mode)
    assert [type(node.op).__name__ for node in g.maker.fgraph.toposort()] == ["Elemwise", "AddOne"]
    assert g.maker.fgraph.toposort()[1].op.inplace and g([1.0, 2.0]).tolist() == [3, 5]
    h = theano.function([theano.In(x, mutable=True)], AddOne(False)(x), mode=mode)
    assert h(argument).tolist() == [1, 1]
