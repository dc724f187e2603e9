"""What scripts use most: function(), shared variables, updates, givens, grad. Numbers are ranks of use."""
import collections
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano import In, Out, config, function, shared


def run(inputs, outputs, *values, **keywords):
    return function(inputs, outputs, **keywords)(*values)


def test_function_arguments_and_results():  # 1, 17, 21, 22, 41, 183
    x, y = T.dvectors("x", "y")
    f = theano.function(inputs=[x, y], outputs=[x + y, x * y], name="both")
    added, product = f([1, 2], [3, 4])
    assert isinstance(f([1, 2], [3, 4]), list) and f.name == "both"
    assert added.tolist() == [4, 6] and product.tolist() == [3, 8]
    assert type(run([x], x.sum(), [1, 2])) is numpy.ndarray and run([x], x.sum(), [1, 2]).shape == ()
    assert float(run([x], x.sum(), [1, 2])) == 3 and run([x], x.sum(), [1, 2]) == 3
    assert "%f" % run([x], x.sum(), [1, 2]) == "3.000000" and "{:.2f}".format(float(run([x], x.sum(), [1, 2]))) == "3.00"
    state = shared(0)
    assert run([], None, updates=[(state, state + 1)]) == [] and state.get_value() == 1
    assert run([], [], updates=[(state, state + 1)]) == [] and state.get_value() == 2
    assert run([x], {"sum": x.sum(), "twice": 2 * x}, [1, 2])["sum"] == 3
    assert f.name in repr(f)


def test_feeding_values():
    f64, f32, i32 = T.dvector("f64"), T.fvector("f32"), T.ivector("i32")
    assert run([f64], f64, [1, 2]).dtype == numpy.float64
    assert run([f32], f32, [1.5, 2]).dtype == numpy.float32
    with pytest.raises(TypeError, match="loss of precision"):
        run([f32], f32, [0.1, 2])
    with pytest.raises(TypeError, match="without risking loss of precision.*allow_input_downcast"):
        run([f32], f32, numpy.zeros(2))
    assert run([f32], f32, numpy.zeros(2), allow_input_downcast=True).dtype == numpy.float32  # 135
    assert run([f64], f64, numpy.zeros(2, "float32")).dtype == numpy.float64
    assert run([f64], f64, numpy.arange(2)).tolist() == [0, 1]
    assert run([i32], i32, [1, 2]).dtype == numpy.int32
    with pytest.raises(TypeError):
        run([i32], i32, [1.5, 2])
    with pytest.raises(TypeError, match="Wrong number of dimensions: expected 1, got 2 with shape \\(1, 2\\)"):
        run([f64], f64, [[1, 2]])
    scalar = T.fscalar()
    with config.change_flags(floatX="float32"):
        assert run([scalar], scalar, 0.1).dtype == numpy.float32
    with pytest.raises(TypeError):
        run([scalar], scalar, 0.1)
    with pytest.raises(TypeError, match="found a Variable"):
        run([f64], f64, f64)
    row = T.row()
    with pytest.raises(TypeError, match="Non-unit value"):
        run([row], row, numpy.zeros((2, 2)))


def test_unusual_layouts():
    x = T.dmatrix()
    f = function([x], x * 2)
    base = numpy.arange(24.0).reshape(4, 6)
    for value in (base[::2, ::-1], numpy.asfortranarray(base), base.T, base[:0], base[:, :1], numpy.matrix(base),
                  base.astype(">f8"), numpy.frombuffer(b"\0" + base.tobytes(), "u1")[1:].view("f8").reshape(4, 6)):
        numpy.testing.assert_array_equal(f(value), numpy.asarray(value) * 2)


def test_keyword_calls_and_defaults():  # 164, 181
    x, y, w = T.dscalars("x", "y", "w")
    f = function([x, In(y, value=1), In(w, value=2, name="w_by_name")], (x + y) * w)
    assert f(33) == 68 and f(33, 2) == 70 and f(33, 0, 1) == 33
    assert f(33, w_by_name=1) == 34 and f(33, w_by_name=1, y=0) == 33 and f(y=2, x=1) == 6
    assert f["w_by_name"] == 2 and f[y] == 1
    f["w_by_name"] = 10
    assert f(1) == 20
    with pytest.raises(TypeError, match="Missing required input"):
        f()
    with pytest.raises(TypeError, match="Too many parameter"):
        f(1, 2, 3, 4)
    with pytest.raises(TypeError, match="Multiple values"):
        f(1, x=1)
    with pytest.raises(TypeError, match="no input called"):
        f(1, q=1)


def test_input_with_update():
    x, state = T.dscalar("x"), T.dscalar("state")
    f = function([x, In(state, value=0.0, update=state + x)], state)
    assert f(1) == 0 and f(2) == 1 and f(0) == 3


def test_updates():  # 8, 13, 86, 112
    forms = [lambda s: [(s, s + 1)], lambda s: [[s, s + 1]], lambda s: {s: s + 1}, lambda s: collections.OrderedDict([(s, s + 1)]),
             lambda s: theano.updates.OrderedUpdates([(s, s + 1)]), lambda s: [] + [(s, s + 1)] + []]
    for form in forms:
        s = shared(5)
        assert run([], s, updates=form(s)) == 5 and s.get_value() == 6
    a, b = shared(1.0), shared(2.0)
    function([], updates=[(a, b), (b, a)])()
    assert (a.get_value(), b.get_value()) == (2, 1)
    s = shared(numpy.zeros(3))
    for value in (numpy.ones(3), s * 0 + 1):
        function([], updates=[(s, value)])()
        assert s.get_value().tolist() == [1, 1, 1]


def test_update_errors():
    s = shared(numpy.zeros(3, "float32"), name="s")
    with pytest.raises(TypeError, match="same type.*astype"):
        function([], updates=[(s, s + numpy.ones(3))])
    with pytest.raises(TypeError):
        function([], updates=[(s, s.sum())])
    with pytest.raises(ValueError, match="already has an update"):
        function([], updates=[(s, s), (s, s)])
    with pytest.raises(TypeError, match="SharedVariable"):
        function([], updates=[(T.fvector(), s)])


def test_givens():  # 51, 55
    data, index, x = shared(numpy.arange(10.0)), T.lscalar(), T.dvector()
    for givens in ({x: data[index * 2:(index + 1) * 2]}, [(x, data[index * 2:(index + 1) * 2])]):
        assert function([index], x.sum(), givens=givens)(1) == 5
    inner = x * 2
    assert run([x], inner + 1, [1.0], givens={inner: x * 0}).tolist() == [1]
    assert run([], x.sum(), givens={x: numpy.ones(4)}) == 4
    replaced = shared(7.0)
    assert run([], data.sum() + replaced, givens={replaced: numpy.float64(1)}) == 46
    y = T.dvector()
    with pytest.raises(AssertionError, match="not allowed"):
        function([], x + y, givens={x: y, y: x + 1})


def test_unused_and_missing_inputs():  # 136
    x, y = T.dscalars("x", "y")
    with pytest.raises(theano.compile.UnusedInputError):
        function([x, y], x)
    function([x, y], x, on_unused_input="ignore")
    with pytest.warns(UserWarning, match="not part of the computational graph"):
        function([x, y], x, on_unused_input="warn")
    with pytest.raises(theano.gof.MissingInputError):
        function([x], x + y)
    with pytest.raises(TypeError, match="givens"):
        function([shared(1)], x)
    with pytest.raises(Exception, match="list"):
        function(x, x)


def test_shared_variables():  # 5, 14, 23, 50, 67, 76, 78, 239
    assert shared(1).dtype == "int64" and shared(1.0).dtype == "float64" and shared(numpy.float32(1)).dtype == "float32"
    value = numpy.zeros((2, 3), "float32")
    w = shared(value=value, name="w", borrow=True)
    assert w.type == T.fmatrix and w.name == "w" and str(w) == "w" and w.broadcastable == (False, False)
    w = shared(value, name="w")
    value[0, 0] = 9
    assert w.get_value()[0, 0] == 0
    w.get_value()[0, 0] = 5
    assert w.get_value()[0, 0] == 0
    w.get_value(borrow=True)[0, 0] = 5
    assert w.get_value()[0, 0] == 5
    w.set_value(numpy.ones((4, 4), "float32"))
    assert w.get_value(borrow=True).shape == (4, 4)
    with pytest.raises(TypeError):
        w.set_value(numpy.ones((4, 4)))
    with pytest.raises(TypeError):
        w.set_value(numpy.ones(4, "float32"))
    assert shared(numpy.zeros((1, 3)), broadcastable=(True, False)).broadcastable == (True, False)
    assert shared([1, 2]).get_value() == [1, 2]
    with pytest.raises(TypeError, match="list"):
        shared([1, 2])[0]
    state = shared(numpy.random.RandomState(1))
    assert isinstance(state.get_value(), numpy.random.RandomState)
    assert isinstance(w, theano.compile.SharedVariable) and isinstance(w, T.TensorVariable) is False  # 234
    with pytest.raises(TypeError):
        shared(T.vector())
    with pytest.raises(Exception, match="get_value"):
        w.value


def test_default_update():  # 223
    s = shared(0)
    s.default_update = s + 1
    f = function([], s)
    assert [int(f()) for _ in range(3)] == [0, 1, 2]
    assert run([], s, updates=[(s, s + 10)]) == 3 and s.get_value() == 13
    run([], s, no_default_updates=True)
    run([], s, no_default_updates=[s])
    assert s.get_value() == 13


def test_output_aliasing():
    s = shared(numpy.zeros(3))
    f = function([], [s, s])
    a, b = f()
    a[0] = 1
    assert b[0] == 0 and s.get_value()[0] == 0
    c = function([], theano.Out(T.constant(numpy.ones(2))))()
    c[0] = 7
    assert function([], T.constant(numpy.ones(2)))()[0] == 1
    x = T.dvector()
    g = function([In(x, borrow=True)], Out(x, borrow=True))
    assert g(numpy.ones(2)).tolist() == [1, 1]


def test_results_outlive_the_function():
    x = T.dmatrix()
    f = function([x], x + 1)
    results = [f(numpy.full((50, 50), i)) for i in range(20)]
    del f
    for i, result in enumerate(results):
        assert (result == i + 1).all()


def test_trust_input():
    x = T.dscalar()
    f = function([x], x + 1)
    f.trust_input = True
    assert f.trust_input and f(numpy.asarray(2.0)) == 3


def test_copy_swap_free():
    s, t, x = shared(1.0, name="s"), shared(10.0, name="t"), T.dscalar("x")
    f = function([x], s + x, updates=[(s, s + 1)], name="f")
    g = f.copy(swap={s: t})
    assert g(1) == [11] and t.get_value() == 11 and s.get_value() == 1
    h = f.copy(delete_updates=True, name="h")
    assert h(0) == [1] and s.get_value() == 1 and h.name == "h"
    f.free()
    assert f(0) == 1 and f.get_shared() == [s]
    with pytest.raises(ValueError, match="not found"):
        f.copy(swap={t: s})


def test_modes():  # 94, 146, 147
    x = T.dvector()
    expression = T.exp(x).sum()
    mode = theano.compile.mode.get_default_mode()
    for m in ("FAST_RUN", "FAST_COMPILE", "DebugMode", "DEBUG_MODE", "NanGuardMode", "Mode", None, mode.excluding("fusion"),
              mode.including("fusion").excluding("inplace"), theano.Mode(linker="py", optimizer="fast_compile"),
              theano.Mode(linker="vm", optimizer=None), theano.Mode(optimizer="None"), theano.compile.MonitorMode()):
        assert abs(run([x], expression, [0.0, 1.0], mode=m) - (1 + numpy.e)) < 1e-12
    fused = function([x], T.exp(x) * 2 + 1)
    apart = function([x], T.exp(x) * 2 + 1, mode=mode.excluding("fusion"))
    assert len(fused.maker.fgraph.toposort()) < len(apart.maker.fgraph.toposort())
    with pytest.raises(ValueError, match="there is no mode called"):
        function([x], x, mode="FAST_WALK")


def test_nan_guard_and_monitor():
    x = T.dvector("x")
    guarded = function([x], T.log(x) * 2, mode="NanGuardMode")
    guarded([1.0])
    with pytest.raises(AssertionError, match="NaN detected"):
        guarded([-1.0])
    with pytest.raises(AssertionError, match="Inf detected"):
        guarded([0.0])
    seen = []
    mode = theano.compile.MonitorMode(post_func=lambda i, node, fn: seen.append((i, str(node.op), fn.outputs[0][0].sum())))
    run([x], T.exp(x), [0.0, 0.0], mode=mode.excluding("fusion"))
    assert len(seen) == 1 and seen[0][2] == 2


def test_function_as_an_object():
    x = T.dvector("x")
    w = shared(numpy.ones(3), name="w")
    f = function([x], T.dot(x, w), updates=[(w, w * 2)])
    graph = f.maker.fgraph
    assert [type(v) for v in graph.inputs] and graph.inputs[0].name == "x" and len(graph.outputs) == 2
    assert graph.update_mapping == {1: 1}
    assert all(isinstance(node, theano.Apply) for node in graph.toposort())
    assert any(isinstance(v, T.TensorConstant) or v is w for v in f.fn.storage_map)
    assert f.maker.mode is not None and f.profile is None
    with pytest.raises(TypeError):
        theano.compile.Function()


def test_profile():  # 129
    import io
    x = T.dvector("x")
    f = function([x], T.exp(x).sum(), profile=True, name="profiled")
    for _ in range(3):
        f(numpy.ones(10))
    text = io.StringIO()
    f.profile.summary(text)
    assert "Message: profiled" in text.getvalue() and "Time in 3 calls" in text.getvalue() and "theano.tensor" in text.getvalue()
    assert function([x], x, profile=False).profile is None
    theano.compile.profiling._printed.clear()


def test_eval():  # 157
    x, y = T.dvectors("x", "y")
    assert (x + y).eval({x: [1], y: [2]}).tolist() == [3]
    assert T.constant(3).eval() == 3
    assert (x * 2).eval({"x": [4]}).tolist() == [8]


def test_clone():  # 232, 233
    x, y = T.dscalars("x", "y")
    z = theano.clone(x * 2 + 1, replace={x: y + 1})
    assert run([y], z, 1.0) == 5
    copies = theano.clone([x * 2, x + 1], replace=[(x, y)], share_inputs=True)
    assert run([y], copies, 3.0)[1] == 4
    fresh = theano.clone(x * 2, share_inputs=False)
    assert theano.gof.graph.inputs([fresh])[0] is not x


def test_grad():  # 11, 58, 84, 173, 184
    x, w = T.dvectors("x", "w")
    cost = ((x * w) ** 2).sum()
    assert isinstance(T.grad(cost, [x, w]), list) and isinstance(T.grad(cost, (x,)), tuple)
    for term in (T.grad(cost, w), theano.grad(cost=cost, wrt=w), theano.gradient.grad(cost, wrt=[w])[0]):
        assert run([x, w], term, [1.0, 2.0], [3.0, 4.0]).tolist() == [6, 32]
    product = x * w
    held = T.grad((product * x).sum(), x, consider_constant=[product])
    assert run([x, w], held, [2.0], [3.0]).tolist() == [6]
    assert run([x], T.grad(None, x, known_grads={x * 2: T.ones_like(x)}), [1.0]).tolist() == [2]
    middle = x * 2
    assert run([x], T.grad(None, x, known_grads={middle: T.ones_like(middle) * 5}), [1.0]).tolist() == [10]
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(x.sum(), w)
    assert run([w], T.grad(x.sum(), w, disconnected_inputs="ignore"), [1.0, 2.0]).tolist() == [0, 0]
    with pytest.warns(UserWarning):
        T.grad(x.sum(), w, disconnected_inputs="warn")
    with pytest.raises(TypeError, match="scalar"):
        T.grad(x, x)
    with pytest.raises(TypeError):
        T.grad(cost, {x, w})
    named = T.dscalar("cost_")
    c = named * named
    c.name = "c"
    assert T.grad(c, named).name == "(dc/dcost_)"
    second = T.grad(T.grad(x[0] ** 3, x)[0], x)
    assert run([x], second, [2.0]).tolist() == [12]


def test_lop_rop_jacobian_hessian():
    x, v = T.dvectors("x", "v")
    y = T.stack([x[0] ** 2, x[0] * x[1]])
    assert run([x, v], theano.Lop(y, x, v), [2.0, 3.0], [1.0, 1.0]).tolist() == [7, 2]
    assert run([x, v], theano.Rop(y, x, v), [2.0, 3.0], [1.0, 1.0]).tolist() == [4, 5]
    assert run([x], theano.gradient.jacobian(y, x), [2.0, 3.0]).tolist() == [[4, 0], [3, 2]]
    z = T.stack([T.dscalar("a"), T.dscalar("b")])
    a, b = z.owner.inputs
    hessian = theano.gradient.hessian(z[0] ** 2 * z[1], z)
    assert run([a, b], hessian, 1.0, 2.0).tolist() == [[4, 2], [2, 0]]


def test_special_gradients():
    x = T.dscalar()
    assert run([x], T.grad(theano.gradient.grad_clip(x, -1, 1) ** 2, x), 3.0) == 1
    assert run([x], T.grad(theano.gradient.grad_scale(x, 4) ** 2, x), 3.0) == 24
    assert run([x], T.grad(theano.gradient.zero_grad(x) * x, x), 3.0) == 3
    assert run([x], T.grad(theano.gradient.consider_constant(x) * x, x), 3.0) == 3
    assert run([x], T.grad(theano.gradient.disconnected_grad(x) * x, x), 3.0) == 3
    with pytest.raises(TypeError):
        T.grad(theano.gradient.undefined_grad(x), x)


def test_pickling():
    x, w = T.dvector("x"), shared(numpy.ones(3), name="w")
    w.tag.note = "kept"
    y = (x * w).sum()
    w2, y2 = pickle.loads(pickle.dumps((w, y)))
    assert w2.name == "w" and w2.tag.note == "kept" and (w2.get_value() == 1).all()
    assert w2 in theano.gof.graph.inputs([y2])
    f = function([x], y, updates={w: w + 1}, name="f")
    g = pickle.loads(pickle.dumps(f))
    assert g([1, 1, 1]) == 3 and g([1, 1, 1]) == 6 and f([1, 1, 1]) == 3 and g.name == "f"

    class Model:
        def __init__(self):
            self.w = shared(numpy.zeros((2, 2)), name="W")
            self.params = [self.w]
    globals()["Model"] = Model
    Model.__qualname__ = "Model"
    model = pickle.loads(pickle.dumps(Model()))
    assert model.params[0] is model.w


def test_op_from_graph():
    x, y = T.dscalars("x", "y")
    s = shared(10.0)
    op = theano.OpFromGraph([x, y], [x * y + s])
    a = T.dscalar()
    result = op(a, a + 1)
    assert type(result.owner.op).__name__ == "OpFromGraph"
    assert run([a], result, 2.0) == 16 and run([a], T.grad(result, a), 2.0) == 5
    s.set_value(0.0)
    assert run([a], result, 2.0) == 6
    inline = theano.OpFromGraph([x], [x * 3], inline=True)
    assert run([a], inline(a), 2.0) == 6
    mine = theano.OpFromGraph([x], [x * x], grad_overrides=lambda inputs, grads: [grads[0] * 100])
    assert run([a], T.grad(mine(a), a), 2.0) == 100


def test_threads_and_recursion():
    import threading
    x = T.dmatrix()
    f = function([x], T.dot(x, x).sum())
    value = numpy.ones((60, 60))
    results = []
    threads = [threading.Thread(target=lambda: results.extend(float(f(value)) for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [60.0 ** 3] * 80

    class Recursive(theano.Op):
        itypes, otypes = [T.dmatrix], [T.dmatrix]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = g(inputs[0])
    g = function([x], Recursive()(x))
    with pytest.raises(RuntimeError, match="called itself"):
        g(value)
