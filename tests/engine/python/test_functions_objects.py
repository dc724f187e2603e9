"""The function object: copies, pickles, what scripts look at."""
import copy
import os
import pickle

import numpy
import pytest
import theano
import theano.tensor as T


def counting(name=None):
    x = T.dscalar("x")
    w = theano.shared(0.0, name="w")
    return theano.function([x], w + x, updates=[(w, w + x)], name=name), w


def test_name_is_the_place_of_the_call():
    x = T.dscalar("x")
    f = theano.function([x], x + 1)
    line = test_name_is_the_place_of_the_call.__code__.co_firstlineno + 2
    assert f.name.endswith("test_functions_objects.py:%d" % line)
    assert theano.function([x], x + 1, name="mine").name == "mine"


def test_name_has_to_be_text():
    x = T.dscalar("x")
    with pytest.raises(TypeError):
        theano.function([x], x, name=3)


def test_shared_variables_of_a_function():
    f, w = counting()
    assert f.get_shared() == [w]
    assert f["w"] == 0
    f["w"] = 5.0
    assert w.get_value() == 5
    assert f(1) == 6
    assert f[w] == 6


def test_copy_has_shared_variables_of_its_own_only_if_swapped():
    f, w = counting("count")
    g = f.copy()
    assert g(1) == [1]
    assert w.get_value() == 1
    assert f(1) == 2


def test_copy_with_swap():
    f, w = counting()
    other = theano.shared(100.0, name="other")
    g = f.copy(swap={w: other})
    assert g(1) == [101]
    assert (w.get_value(), other.get_value()) == (0, 101)
    assert g.get_shared() == [other]


def test_copy_swap_checks():
    f, w = counting()
    with pytest.raises(ValueError, match="not found"):
        f.copy(swap={theano.shared(1.0, name="stranger"): theano.shared(2.0)})
    with pytest.raises(TypeError):
        f.copy(swap={w: theano.shared(numpy.ones(3))})
    with pytest.raises(TypeError):
        f.copy(swap={w: 3.0})


def test_copy_without_updates():
    f, w = counting()
    g = f.copy(delete_updates=True)
    assert g(1) == [1]
    assert w.get_value() == 0
    updating = theano.function([T.dscalar("x")], [], updates=[(w, w + 1)], on_unused_input="ignore")
    assert updating.copy(delete_updates=True)(1) == [] and w.get_value() == 0


def test_copies_return_lists():
    """As Theano's do; deepcopy and pickle keep the form of the outputs."""
    x = T.dscalar("x")
    for outputs, given, copied in ((x + 1, 2, [2]), ([x + 1], [2], [2]), ([x, x + 1], [1, 2], [1, 2]), ({"b": x, "a": x + 1}, {"a": 2, "b": 1}, [2, 1])):
        f = theano.function([x], outputs)
        for twin in (f.copy(), copy.copy(f), f.copy().copy()):
            assert isinstance(twin(1), list) and twin(1) == copied
        for twin in (f, copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
            assert type(twin(1)) is type(f(1)) and twin(1) == given


def test_copies_check_their_arguments():
    """As Theano's; deepcopy and pickle go on as the function was."""
    x = T.dscalar("x")
    f = theano.function([x], x)
    f.trust_input = True
    assert not f.copy().trust_input and copy.deepcopy(f).trust_input and pickle.loads(pickle.dumps(f)).trust_input


def test_copy_names():
    f, _ = counting("count")
    assert f.copy(name="second").name == "second"
    assert f.copy().name == "count copy"


def test_copy_with_shared_memory():
    f, w = counting()
    g = f.copy(share_memory=True)
    assert [float(f(1)), float(g(1)[0]), float(f(1))] == [1, 2, 3]


def test_copy_module():
    f, w = counting()
    assert copy.copy(f)(1) == [1] and w.get_value() == 1


def test_a_deep_copy_owns_its_shared_values():
    f, w = counting()
    w.set_value(1.0)
    g = copy.deepcopy(f)
    assert [f(1), g(1), g(1)] == [2, 2, 3] and w.get_value() == 2
    assert g.get_shared()[0] is not w and f.get_shared() == [w]
    twin, copied = copy.deepcopy((f, w))
    assert twin(1) == 3 and copied.get_value() == 3 and w.get_value() == 2


def test_free_drops_intermediates():
    x = T.dvector("x")
    with theano.configparser.change_flags(allow_gc=False):
        f = theano.function([x], T.dot(T.exp(x), x) + 1)
    before = float(f([1.0, 2.0]))
    f.free()
    assert float(f([1.0, 2.0])) == before


def test_function_survives_a_pickle():
    x = T.dmatrix("x")
    w = theano.shared(numpy.arange(3.0), name="w")
    f = theano.function([x, theano.In(T.dscalar("k"), value=2.0)], T.dot(x, w), updates=[(w, w + 1)], name="kept",
                        on_unused_input="ignore")
    g = pickle.loads(pickle.dumps(f))
    a = numpy.ones((2, 3))
    assert g(a).tolist() == f(a).tolist() == [3, 3]
    assert g(a).tolist() == [6, 6]
    assert w.get_value().tolist() == [1, 2, 3]
    assert g.name == "kept"
    assert g["k"] == 2


class Twice(theano.Op):
    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2

    def grad(self, inputs, gradients):
        return [gradients[0] * 2]


def test_a_loop_survives_a_pickle():
    start, factor = T.dvector("start"), T.dscalar("factor")
    inner, _ = theano.scan(lambda x: x * factor, outputs_info=start, n_steps=2)
    steps, _ = theano.scan(lambda x, f: T.tanh(x) * theano.scan(lambda y: y + f, outputs_info=x, n_steps=2)[0][-1],
                           outputs_info=start, non_sequences=factor, n_steps=3)
    in_python, _ = theano.scan(lambda x, f: Twice()(x) - f, outputs_info=start, non_sequences=factor, n_steps=4)
    for step in (inner, steps, in_python):
        f = theano.function([start, factor], [step, T.grad(step.sum(), start)])
        for again in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
            for one, other in zip(f([0.1, 0.7], 1.5), again([0.1, 0.7], 1.5)):
                assert numpy.array_equal(one, other)


def test_shared_variable_and_graph_survive_a_pickle():
    x = T.dvector("x")
    w = theano.shared(numpy.arange(3.0), name="w")
    x2, w2, y2 = pickle.loads(pickle.dumps((x, w, T.exp(x) * w + 1)))
    value = theano.function([x2], y2)(numpy.zeros(3))
    assert value.tolist() == [1, 2, 3]
    assert w2.name == "w" and x2.name == "x"
    w2.set_value(numpy.zeros(3))
    assert w.get_value().tolist() == [0, 1, 2]


@pytest.mark.parametrize("view", ["zero_grad(x)", "disconnected_grad(x)", "grad_clip(x, -1, 1 / 3)", "grad_scale(x, float('inf'))"])
def test_identities_with_a_gradient_of_their_own_survive_a_pickle(view):
    x = T.dvector("x")
    y = eval("theano.gradient." + view, {"theano": theano, "x": x})
    again = pickle.loads(pickle.dumps(y))
    assert again.owner.op == y.owner.op and theano.pprint(again) == theano.pprint(y)


def test_maker_and_fn():
    f, w = counting()
    assert [type(n.op).__name__ for n in f.maker.fgraph.toposort()]
    assert f.maker.mode is not None
    assert "w" in [variable.name for variable in f.fn.storage_map]
    assert any(v.name == "x" for v in f.maker.fgraph.inputs)
    assert len(f.maker.fgraph.outputs) == 2
    assert [slot.variable.name for slot in f.maker.inputs] == ["x", "w"] and len(f.maker.outputs) == len(f.outputs) == 1
    assert f.maker.fgraph.update_mapping == {1: 1}


def test_compiling_a_pickled_call(tmp_path):
    x = T.dscalar("x")
    path = str(tmp_path / "call.pkl")
    theano.function_dump(path, [x], x * 2, name="dumped")
    with open(path, "rb") as stream:
        arguments = pickle.load(stream)
    arguments = {key: value for key, value in arguments.items() if value is not None}
    assert theano.function(**arguments)(4) == 8


def test_equality_is_identity():
    f, _ = counting()
    g, _ = counting()
    assert f == f and f != g and len({f, g}) == 2


def test_mode_by_name_and_object():
    x = T.dscalar("x")
    for mode in ("FAST_RUN", "FAST_COMPILE", "DebugMode", "NanGuardMode", theano.compile.get_default_mode(),
                 theano.compile.Mode(linker="py", optimizer="fast_compile")):
        assert theano.function([x], x + 1, mode=mode)(1) == 2
    with pytest.raises(Exception, match="NO_SUCH"):
        theano.function([x], x + 1, mode="NO_SUCH")


@theano.compile.ops.as_op([T.dvector, T.dvector], [T.dvector])
def product(a, b):
    return a * b


def thrice(a):
    return 3 * a


def test_ops_of_python_functions_are_pickled():
    x = T.dvector("x")
    by_name = pickle.loads(pickle.dumps(product(x, x)))
    assert by_name.owner.op is product
    f = pickle.loads(pickle.dumps(theano.function([x], product(x, x + 1))))
    assert list(f([1.0, 2.0])) == [2, 6]
    op = theano.compile.ops.as_op([T.dvector], [T.dvector])(thrice)
    assert pickle.loads(pickle.dumps(op(x))).owner.op == op
    text = pickle.dumps(product, protocol=0).replace(b"product", b"vanished")
    with pytest.raises(AttributeError, match="define it again with as_op"):
        pickle.loads(text)


def test_a_call_may_not_call_itself():
    x = T.dscalar("x")
    calls = []

    @theano.compile.ops.as_op([T.dscalar], [T.dscalar])
    def again(value):
        calls.append(value)
        return f(value) if len(calls) < 3 else value
    f = theano.function([x], again(x))
    with pytest.raises(RuntimeError, match="called itself"):
        f(1)


def test_a_maker_by_hand():
    from theano.compile.function_module import FunctionMaker
    x = T.dvector("x")
    maker = FunctionMaker([theano.In(x, value=[5.0])], [theano.Out(x * 2)], mode=theano.compile.get_default_mode())
    first, second = maker.create(), maker.create([[7.0]])
    assert first is not second and isinstance(first.maker, FunctionMaker) and len(maker.fgraph.outputs) == 1
    assert first()[0].tolist() == [10] and first([1.0])[0].tolist() == [2] and second()[0].tolist() == [14]


def test_what_runs_by_hand():
    x = T.dvector("x")
    f = theano.function([x], [x * 2, x + 1])
    f.input_storage[0].data = [1.0, 2.0]
    assert f.fn() is None
    assert [container.data.tolist() for container in f.output_storage] == [[2, 4], [2, 3]]
