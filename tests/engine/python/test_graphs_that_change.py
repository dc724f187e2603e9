"""FunctionGraph and its features, as Theano's documentation uses them."""
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof
from theano.gof import toolbox
from theano.gof.graph import Apply, Variable, io_toposort, variables
from theano.gof.opt import check_stack_trace


def doubles():
    x, y, z = T.dscalars("x", "y", "z")
    return x, y, z, T.add(z, T.mul(T.true_div(T.mul(y, x), y), T.true_div(z, x)))


class Simplify(gof.Optimizer):
    def add_requirements(self, fgraph):
        fgraph.attach_feature(toolbox.ReplaceValidate())

    def apply(self, fgraph):
        for node in fgraph.toposort():
            if node.op == T.true_div:
                x, y = node.inputs
                if x.owner and x.owner.op == T.mul:
                    a, b = x.owner.inputs
                    if y == a:
                        fgraph.replace_validate(node.outputs[0], b)
                    elif y == b:
                        fgraph.replace_validate(node.outputs[0], a)


@gof.local_optimizer([T.true_div])
def local_simplify(node):
    if node.op == T.true_div:
        x, y = node.inputs
        if x.owner and x.owner.op == T.mul:
            a, b = x.owner.inputs
            if y == a:
                return [b]
            if y == b:
                return [a]
    return False


def ops_of(fgraph):
    return [str(node.op).split("{")[1].split(",")[0].rstrip("}") for node in fgraph.toposort()]


@pytest.mark.parametrize("optimizer", [
    Simplify(), gof.TopoOptimizer(local_simplify), gof.EquilibriumOptimizer([local_simplify], max_use_ratio=10), gof.out2in(local_simplify),
    gof.in2out(local_simplify, name="simplify"), gof.SeqOptimizer([gof.MergeOptimizer(), Simplify()]),
    gof.TopoOptimizer(gof.PatternSub((T.true_div, (T.mul, "y", "x"), "y"), "x"), order="out_to_in"),
    gof.TopoOptimizer(gof.LocalOptGroup(gof.OpRemove(T.cos), local_simplify)),
    gof.OpKeyOptimizer(gof.PatternSub((T.true_div, (T.mul, "y", "x"), "y"), "x"))], ids=lambda one: type(one).__name__)
def test_optimizers_by_hand(optimizer):
    x, y, z, out = doubles()
    fgraph = gof.FunctionGraph([x, y, z], [out])
    assert ops_of(fgraph) == ["mul", "true_div", "true_div", "mul", "add"]
    optimizer.optimize(fgraph)
    assert ops_of(fgraph) == ["true_div", "mul", "add"]
    fgraph.check_integrity()
    assert len(io_toposort([x, y, z], [out])) == 5, "the graph was a copy"
    f = theano.function(fgraph.inputs, fgraph.outputs, on_unused_input="ignore")
    assert f(2.0, 3.0, 4.0) == [8.0]


def test_op_sub_and_patterns_with_constraints():
    x = T.dvector("x")
    fgraph = gof.FunctionGraph([x], [T.exp(x) + T.exp(T.sin(x))])
    gof.TopoOptimizer(gof.OpSub(T.sin, T.cos)).optimize(fgraph)
    assert sorted(ops_of(fgraph)) == ["add", "cos", "exp", "exp"]
    only_inputs = gof.PatternSub((T.exp, {"pattern": "x", "constraint": lambda v: v.owner is None}), (T.sqr, "x"), name="sqr_of_inputs")
    assert str(only_inputs) == "sqr_of_inputs" and only_inputs.op_key() == T.exp
    gof.TopoOptimizer(only_inputs).optimize(fgraph)
    assert sorted(ops_of(fgraph)) == ["add", "cos", "exp", "sqr"]
    twice = gof.FunctionGraph([x], [T.add(T.mul(x, 2.0), T.mul(x, 3.0))])
    pattern = gof.PatternSub((T.mul, "x", 2.0), (T.add, "x", "x"))
    gof.TopoOptimizer(pattern).optimize(twice)
    # the constant is behind a dimshuffle: not what the pattern says
    assert sorted(ops_of(twice)).count("mul") == 2


def test_who_reads_what():
    x, y, z, out = doubles()
    fgraph = gof.FunctionGraph([x, y, z], [out])
    a, b, c = fgraph.inputs
    assert [str(node.op) for node, _ in a.clients] == ["Elemwise{mul,no_inplace}", "Elemwise{true_div,no_inplace}"]
    assert fgraph.clients[fgraph.outputs[0]] == [("output", 0)] and a.fgraph is fgraph and a.clients[0][0].fgraph is fgraph
    fgraph.replace(fgraph.outputs[0], T.exp(c), reason="why not")
    assert ops_of(fgraph) == ["exp"] and fgraph.clients[a] == [] and fgraph.inputs == [a, b, c]
    with pytest.raises(AttributeError):
        out.clients
    with pytest.raises(TypeError, match="compatible"):
        fgraph.replace(c, T.dvector())
    with pytest.raises(gof.MissingInputError):
        fgraph.replace(fgraph.outputs[0], T.exp(T.dscalar("foreign")))
    with pytest.raises(gof.InconsistencyError, match="cycle"):
        inner = gof.FunctionGraph([x], [T.exp(T.sin(x))])
        inner.replace(inner.outputs[0].owner.inputs[0], T.cos(inner.outputs[0]))


def test_what_is_not_valid_is_undone():
    class NoSine:
        def validate(self, fgraph):
            if any(node.op == T.sin for node in fgraph.toposort()):
                raise gof.InconsistencyError("a sine")
    x = T.dvector("x")
    fgraph = gof.FunctionGraph([x], [T.exp(x)], features=[toolbox.ReplaceValidate(), NoSine()])
    with pytest.raises(gof.InconsistencyError, match="a sine"):
        fgraph.replace_validate(fgraph.outputs[0], T.sin(fgraph.inputs[0]))
    assert ops_of(fgraph) == ["exp"] and fgraph.consistent()
    checkpoint = fgraph.checkpoint()
    fgraph.replace(fgraph.outputs[0], T.cos(fgraph.inputs[0]))
    fgraph.revert(checkpoint)
    assert ops_of(fgraph) == ["exp"]
    node = fgraph.toposort()[0]
    with pytest.raises(toolbox.ReplacementDidntRemovedError):
        fgraph.replace_all_validate_remove([(fgraph.outputs[0], T.cos(fgraph.outputs[0]))], [node], reason="test", warn=False)
    assert ops_of(fgraph) == ["exp"]


def test_features_hear_of_every_change(capsys):
    heard = []

    class Listener(gof.Feature):
        def on_attach(self, fgraph):
            heard.append("attach")

        def on_import(self, fgraph, node, reason):
            heard.append(("import", str(node.op)[9:12], reason))

        def on_prune(self, fgraph, node, reason):
            heard.append(("prune", str(node.op)[9:12], reason))

        def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
            heard.append(("change", node, i))

        def on_detach(self, fgraph):
            heard.append("detach")
    x = T.dvector("x")
    fgraph = gof.FunctionGraph([x], [T.exp(x)])
    listener = Listener()
    fgraph.attach_feature(listener)
    fgraph.attach_feature(toolbox.NodeFinder())
    fgraph.attach_feature(toolbox.PrintListener())
    assert len(fgraph.get_nodes(T.exp)) == 1
    fgraph.replace(fgraph.outputs[0], T.sin(fgraph.inputs[0]), reason="because")
    fgraph.remove_feature(listener)
    assert heard == ["attach", ("import", "sin", "because"), ("change", "output", 0), ("prune", "exp", "because"), "detach"]
    assert fgraph.get_nodes(T.exp) == [] and len(fgraph.get_nodes(T.sin)) == 1
    assert "-- pruning: Elemwise{exp,no_inplace}(x), reason: because" in capsys.readouterr().out


def test_copies_and_pickles():
    x, y, z, out = doubles()
    fgraph = gof.FunctionGraph([x, y, z], [out])
    copy, memo = fgraph.clone_get_equiv()
    Simplify().optimize(copy)
    assert len(fgraph.apply_nodes) == 5 and len(copy.apply_nodes) == 3 and memo[fgraph.inputs[0]] is copy.inputs[0]
    again = pickle.loads(pickle.dumps(copy))
    assert ops_of(again) == ops_of(copy) and theano.function(again.inputs, again.outputs, on_unused_input="ignore")(2.0, 3.0, 4.0) == [8.0]
    assert set(variables(fgraph.inputs, fgraph.outputs)) >= set(fgraph.inputs)


def test_merging_by_hand():
    x = T.dvector("x")
    fgraph = gof.FunctionGraph([x], [T.exp(x) + T.exp(x), T.exp(x) * 2.0, T.sin(x) * 2.0])
    gof.MergeOptimizer().optimize(fgraph)
    assert ops_of(fgraph).count("exp") == 1 and len({id(v) for v in fgraph.variables if isinstance(v, gof.Constant)}) == 1


def test_what_may_not_be_overwritten():
    class Half(theano.Op):
        __props__ = ()
        destroy_map = {0: [0]}

        def make_node(self, v):
            return Apply(self, [v], [v.type()])

        def perform(self, node, inputs, outputs):
            inputs[0] *= 0.5
            outputs[0][0] = inputs[0]
    x = T.dvector("x")
    fgraph = gof.FunctionGraph([x], [T.exp(x) * T.exp(x)], features=[toolbox.ReplaceValidate(), gof.DestroyHandler()])
    first, second = fgraph.outputs[0].owner.inputs
    fgraph.replace_validate(first, Half()(first))
    shared = gof.FunctionGraph([x], [T.sin(x)], features=[toolbox.ReplaceValidate(), gof.DestroyHandler()])
    inner = shared.outputs[0]
    with pytest.raises(gof.InconsistencyError, match="Multiple destroyers"):
        shared.replace_validate(inner, Half()(inner) + Half()(inner))
    order = gof.FunctionGraph([x], [T.exp(x)], features=[toolbox.ReplaceValidate(), gof.DestroyHandler()])
    kept = order.outputs[0]
    order.replace_validate(kept, Half()(kept) + T.sin(kept))
    names = [type(node.op).__name__ + str(node.op) for node in order.toposort()]
    assert next(i for i, name in enumerate(names) if "sin" in name) < next(i for i, name in enumerate(names) if "Half" in name)


def test_applies_made_by_hand():
    matrix = T.TensorType(dtype="float64", broadcastable=(False, False))
    x, y, z = (Variable(type=matrix, name=name) for name in "xyz")
    product = Apply(op=T.mul, inputs=[y, z], outputs=[Variable(type=matrix, name="product")]).outputs[0]
    e = Apply(op=T.add, inputs=[x, product], outputs=[Variable(type=matrix, name="e")]).outputs[0]
    assert e.owner.inputs[1].owner.op == T.mul and theano.pp(e) == "(x + (y * z))"
    numpy.testing.assert_array_equal(theano.function([x, y, z], e)(*[numpy.full((2, 2), value) for value in (1.0, 2.0, 3.0)]), numpy.full((2, 2), 7.0))


def test_the_lines_behind_applies():
    x = T.dvector("x")
    f = theano.function([x], T.exp(x) + 1)
    assert check_stack_trace(f) and check_stack_trace(f, ops_to_check="all") and check_stack_trace(f.maker.fgraph, T.Elemwise)
    made = T.sin(x)
    made.tag.trace = []
    fgraph = gof.FunctionGraph([x], [made], clone=False)
    assert not check_stack_trace(fgraph, bug_print="ignore")
    gof.opt.copy_stack_trace(T.exp(x), made)
    assert check_stack_trace(fgraph)
    with pytest.raises(ValueError):
        check_stack_trace(f, ops_to_check="sometimes")
