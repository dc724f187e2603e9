"""What walks over graphs find, in which order; iterators in the place of lists."""
import pytest
import theano
import theano.tensor as T
from theano import shared
from theano.gof import graph

W, b, x, y = T.dscalars("W", "b", "x", "y")
first, second, third = (shared(0.0, name=name) for name in ("first", "second", "third"))


def names(variables):
    return [str(variable) for variable in variables]


def test_the_last_variable_comes_first():
    assert names(graph.inputs([W, b])) == ["b", "W"]
    assert names(graph.inputs(reversed([W, b]))) == ["W", "b"]


def test_below_a_variable_the_first_input_comes_first():
    low = x * first + second
    high = low * third + x
    assert names(graph.inputs([high])) == ["x", "first", "second", "third"]
    assert [variable for variable in graph.ancestors([high]) if variable.owner is None] == graph.inputs([high])
    assert graph.ancestors([high])[:3] == [high, high.owner.inputs[0], low]
    assert names(graph.inputs([high, y])) == ["y", "x", "first", "second", "third"]


def test_blockers_are_found_but_not_looked_into():
    low = x * first
    high = low + second
    assert names(graph.inputs([high], blockers=[low])) == ["second"]
    assert graph.ancestors([high], blockers=iter([low])) == [high, low, second]


def test_variables_and_orphans():
    product = x * first
    total = product + y
    assert graph.variables([x], [total]) == [total, product, x, first, y]
    assert graph.orphans([x], [total]) == [first, y]
    assert graph.variables_and_orphans([x], [total]) == (graph.variables([x], [total]), [first, y])
    assert graph.ops([x], [total]) == {total.owner, product.owner}
    largest, place = T.max_and_argmax(T.dmatrix("m"), axis=1)
    assert set(graph.variables([], [largest])) >= {largest, place}


def test_iterators_in_walks():
    total = x + y
    once = lambda *values: (value for value in values)  # noqa: E731
    assert graph.inputs(once(W, b)) == [b, W] and graph.inputs({W: 1, b: 2}.keys()) == [b, W]
    assert graph.orphans(once(x), once(total)) == [y]
    assert graph.io_toposort(once(x, y), once(total)) == [total.owner]
    (new_x, _), (copied,) = graph.clone(once(x, y), once(total))
    assert new_x is not x and copied.owner.inputs[0] is new_x


def test_a_memo_is_filled_in_place():
    memo = {}
    graph.clone_get_equiv([x], [x + y], memo=memo)
    assert x in memo and memo[x] is not x


def test_iterators_in_calls():
    once = lambda *values: (value for value in values)  # noqa: E731
    w = shared(1.0)
    f = theano.function(once(x, y), once(x + y, x * w), updates=zip([w], [w + 1]))
    assert [f(2, 3), f(2, 3)] == [[5, 2], [5, 4]]
    assert theano.function([x], x + y, givens=zip([y], [x * 2]))(1) == 3
    assert theano.function([x], {"a": x, "b": y}.values(), givens=once((y, x)))(1) == [1, 1]
    assert len(T.grad(x * y, once(x, y))) == 2 and len(T.grad(x * y, {"a": x, "b": y}.values())) == 2
    assert names(graph.inputs([T.grad(x * y, x, consider_constant=once(x))])) == names(graph.inputs([T.grad(x * y, x, consider_constant=[x])]))
    assert len(T.Rop(once(x * y, x + y), once(x), once(y))) == 2 and len(T.Lop(once(x * y), once(x, y), once(x))) == 2
    assert [theano.pp(one) for one in theano.clone(once(x + y, x), replace=zip([x], [y]))] == ["(y + y)", "y"]
    op = theano.OpFromGraph(once(x, y), once(x + y))
    assert theano.function([x], op(x, x))(2) == 4


def test_what_is_no_list_of_inputs():
    for wrong in (x, "x", {x}, {x: 1}, 5):
        with pytest.raises(Exception, match="should be contained in a list"):
            theano.function(wrong, x)


def test_the_class_of_shared_variables_makes_one():
    from theano.compile import SharedVariable
    from theano.tensor.sharedvar import TensorSharedVariable
    w = TensorSharedVariable(name="w", type=T.dvector, value=[1, 2], strict=False)
    assert isinstance(w, SharedVariable) and w.get_value().tolist() == [1, 2] and w.name == "w"
    twin = SharedVariable("twin", w.type, None, None, container=w.container)
    w.set_value([3, 4])
    assert twin.get_value().tolist() == [3, 4]
    with pytest.raises(TypeError):
        TensorSharedVariable("w", T.dvector, [1, 2], True)


def test_the_graph_of_a_function_knows_the_clients():
    x = T.dvector("x")
    compiled = theano.function([x], T.exp(x)).maker.fgraph
    assert [place for _, place in compiled.clients[compiled.inputs[0]]] == [0] and compiled.clients[compiled.outputs[0]] == [("output", 0)]
    assert compiled.inputs[0].clients == compiled.clients[compiled.inputs[0]]
    with pytest.raises(AttributeError, match="fgraph.clients"):
        x.clients


def test_graphs_as_text():
    x, y = T.dscalars("x", "y")
    a = T.add(x, y)
    once = "Elemwise{add,no_inplace}(x, y)"
    assert theano.gof.graph.as_string([x, y], [a, T.exp(a)]) == [once, "Elemwise{exp,no_inplace}(%s)" % once]
    assert theano.gof.graph.as_string([x, y], [T.mul(a, a)]) == ["Elemwise{mul,no_inplace}(*1 -> %s, *1)" % once]
    assert theano.gof.graph.as_string([a], [T.exp(a)]) == ["Elemwise{exp,no_inplace}(Elemwise{add,no_inplace}.0)"]
    assert theano.gof.graph.op_as_string([x, y], a.owner) == once


def test_a_graph_of_ones_own_as_text():
    """The program of the tutorial on rewrites, with the ops of theano.scalar."""
    from theano.scalar import add, float64, mul, true_div
    x, y, z = float64("x"), float64("y"), float64("z")
    graph = theano.gof.FunctionGraph([x, y, z], [add(z, mul(true_div(mul(y, x), y), true_div(z, x)))])
    def text(graph):
        return str(graph).replace("Elemwise{", "").replace(",no_inplace}", "")

    assert text(graph) == "[add(z, mul(true_div(mul(y, x), y), true_div(z, x)))]" and str(graph) == repr(graph)

    class Simplify(theano.gof.Optimizer):
        def add_requirements(self, fgraph):
            fgraph.attach_feature(theano.gof.toolbox.ReplaceValidate())

        def apply(self, fgraph):
            for node in fgraph.toposort():
                if node.op == true_div and node.inputs[0].owner and node.inputs[0].owner.op == mul:
                    a, b = node.inputs[0].owner.inputs
                    if node.inputs[1] in (a, b):
                        fgraph.replace_validate(node.outputs[0], b if node.inputs[1] == a else a)

    Simplify().optimize(graph)
    assert text(graph) == "[add(z, mul(x, true_div(z, x)))]"
    v = T.dvector("v")
    assert str(theano.function([v], T.exp(v)).maker.fgraph) == "[Elemwise{exp,no_inplace}(v)]"


def test_printers_of_ones_own():
    from theano import printing
    x, y = T.dvectors("x", "y")
    own = printing.pprint.clone()
    own.assign(T.exp, printing.FunctionPrinter("EXP"))
    own.assign(lambda pstate, r: r.owner is not None and r.owner.op == T.tanh, printing.PatternPrinter(("TH<%(0)s>", -1)))
    own.assign(T.sub, printing.OperatorPrinter("minus", -2, "left"))
    assert own(T.exp(x + T.exp(y)) * y + y) == "((EXP((x + EXP(y))) * y) + y)"
    assert own(T.tanh(x - y) + x) == "(TH<(x minus y)> + x)"
    assert own.clone_assign(T.exp, printing.IgnorePrinter())(T.exp(x) * y) == "(x * y)"
    assert theano.pp(T.exp(x)) == printing.pprint(T.exp(x)) == "exp(x)"
    assert own.process_graph([x], [T.exp(x)], display_inputs=True) == "inputs: x\nout = EXP(x)"
    with pytest.raises(TypeError, match="prints what ops make; x is made by none"):
        printing.FunctionPrinter("f").process(x, printing.PrinterState(pprinter=own))


def test_applies_come_in_the_order_that_files_of_theano_count_on():
    """The first output first; behind an apply its last input first. With orderings or clients: leaves first, from the last output on, level by level."""
    x, y, z = T.dvectors("x", "y", "z")
    a, b = T.exp(x), T.log(y)
    c = a + b
    first, second = T.split(c, [1, 1], 2)
    d, e = first * z, T.sqr(second)
    assert graph.io_toposort([], [d, e]) == [b.owner, a.owner, c.owner, first.owner, d.owner, e.owner]
    assert graph.io_toposort([c], [e, d]) == [first.owner, e.owner, d.owner]
    assert graph.io_toposort([x, a], [c]) == [b.owner, c.owner] and graph.io_toposort([c], [c]) == []
    readers = {}
    assert graph.io_toposort([], [c], clients=readers) == [b.owner, a.owner, c.owner]
    assert readers[a] == [c.owner] and readers[a.owner] == [a]
    assert graph.io_toposort([], [T.add(a, b)], {b.owner: [a.owner]})[:2] == [a.owner, b.owner]
    chain = x
    for _ in range(3000):
        chain = T.exp(chain)
    assert len(graph.io_toposort([], [chain + chain])) == 3001
