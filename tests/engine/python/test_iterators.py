"""Iterators, views of dictionaries, ranges and queues are taken wherever lists are, and give what lists give."""
import pickle
from collections import deque

import numpy
import pytest
import theano
import theano.tensor as T

X = numpy.arange(24, dtype="float64").reshape(2, 3, 4)
V, M, N = numpy.array([1.0, 2.0, 3.0]), numpy.arange(6.0).reshape(2, 3), numpy.arange(6.0).reshape(2, 3) * 2

KINDS = {
    "tuple": tuple,
    "iterator": lambda items: iter(list(items)),
    "generator": lambda items: (item for item in list(items)),
    "reversed": lambda items: reversed(list(items)[::-1]),
    "map": lambda items: map(lambda item: item, list(items)),
    "values of a dict": lambda items: dict(enumerate(items)).values(),
    "keys of a dict": lambda items: dict((item, 0) for item in items).keys(),
    "deque": deque,
}
x, v, m, n = T.dtensor3("x"), T.dvector("v"), T.dmatrix("m"), T.dmatrix("n")
c = T.dcol("c")

# What takes a sequence: (name, the sequence, what is made of it).
TENSORS = [
    ("stack", [m, n], lambda s: T.stack(s)),
    ("stack along 1", [m, n], lambda s: T.stack(s, 1)),
    ("stack(tensors=)", [m, n], lambda s: T.stack(tensors=s, axis=-1)),
    ("stack of scalars", [v[0], v[1]], lambda s: T.stack(s)),
    ("stacklists", [v, v * 2], lambda s: T.stacklists(s)),
    ("concatenate", [m, n], lambda s: T.concatenate(s, axis=1)),
    ("concatenate(tensor_list=)", [m, n], lambda s: T.concatenate(tensor_list=s)),
    ("as_tensor_variable", [v[0], v[1], 3], lambda s: T.as_tensor_variable(s)),
    ("as_tensor_variable of numbers", [1.5, 2.5], lambda s: T.as_tensor_variable(s)),
    ("constant", [1, 2, 3], lambda s: T.constant(s)),
    ("constant of a dtype", [1, 2, 3], lambda s: T.constant(s, dtype="float32")),
    ("dot", [1.0, 2.0, 3.0], lambda s: T.dot(s, v)),
    ("operand", [1.0, 2.0, 3.0], lambda s: v + s),
    ("operand of variables", [v[0], v[2], v[1]], lambda s: v * s),
    ("switch", [0, 1, 0], lambda s: T.switch(s, v, -v)),
    ("dimshuffle", [2, "x", 0, 1], lambda s: x.dimshuffle(s)),
    ("T.dimshuffle", [2, 0, 1], lambda s: T.basic.dimshuffle(x, s)),
    ("transpose", [2, 0, 1], lambda s: x.transpose(s)),
    ("T.transpose", [2, 0, 1], lambda s: T.transpose(x, s)),
    ("T.transpose(axes=)", [2, 0, 1], lambda s: T.transpose(x, axes=s)),
    ("moveaxis", [0, 2], lambda s: T.basic.moveaxis(x, s, [1, 0])),
    ("moveaxis to", [1, 0], lambda s: T.basic.moveaxis(x, [0, 2], s)),
    ("reshape", [4, -1], lambda s: x.reshape(s)),
    ("reshape by symbols", [x.shape[2], x.shape[0] * x.shape[1]], lambda s: x.reshape(s)),
    ("reshape with ndim", [4, 6], lambda s: x.reshape(s, 2)),
    ("T.reshape", [4, 6], lambda s: T.reshape(x, s, ndim=2)),
    ("zeros", [2, m.shape[0]], lambda s: T.zeros(s)),
    ("ones", [2, 3], lambda s: T.ones(s, dtype="int8")),
    ("alloc", [2, 3], lambda s: T.alloc(1.5, s)),
    ("specify_shape", [2, 3], lambda s: T.specify_shape(m, s)),
    ("specify_shape by symbols", [m.shape[0], 3], lambda s: T.specify_shape(m, s)),
    ("tile", [2, 3], lambda s: T.tile(m, s)),
    ("tile with ndim", [2, 1, 2], lambda s: T.tile(m, s, ndim=3)),
    ("repeat", [1, 2, 0], lambda s: T.repeat(v, s)),
    ("patternbroadcast", [False, True], lambda s: T.patternbroadcast(c, s)),
    ("tensordot", [[1], [1]], lambda s: T.tensordot(m, n, s)),
    ("axes of tensordot", [0, 1], lambda s: T.tensordot(m, n, [s, [0, 1]])),
    ("batched_tensordot", [[2], [2]], lambda s: T.batched_tensordot(x, x, s)),
    ("choose", [v, -v], lambda s: T.choose(T.constant([1, 0, 1]), s)),
    ("split", [1, 2], lambda s: T.split(v, s, 2)[1]),
    ("index", [2, 0], lambda s: v[s]),
    ("index of two axes", [1, 0], lambda s: m[s, [2, 1]]),
    ("set_subtensor at", [2, 0], lambda s: T.set_subtensor(v[s], 5)),
    ("set_subtensor to", [5.0, 6.0], lambda s: T.set_subtensor(v[:2], s)),
    ("inc_subtensor", [5.0, 6.0], lambda s: T.inc_subtensor(v[[0, 0]], s)),
    ("unravel_index", [2, 3], lambda s: T.unravel_index(T.constant([1, 5]), s)[1]),
    ("ravel_multi_index", [[1, 0], [2, 1]], lambda s: T.ravel_multi_index(s, (2, 3))),
    ("squeeze", [1], lambda s: T.extra_ops.squeeze(c, axis=s)),
    ("searchsorted", [1.5, 2.5], lambda s: T.searchsorted(v, s)),
    ("compress", [1, 0, 1], lambda s: T.compress(s, v)),
    ("bincount", [1, 0, 1], lambda s: T.bincount(s)),
    ("take", [2, 0], lambda s: v.take(s)),
    ("norm", [0, 2], lambda s: x.norm(2, axis=s)),
    ("batch normalization", [0, 2], lambda s: T.nnet.bn.batch_normalization_train(x, T.ones(3), T.zeros(3), axes=s)[0]),
    ("sort", [2.0, 1.0], lambda s: T.sort(s)),
    ("Sum", [0, 2], lambda s: T.elemwise.Sum(axis=s)(x)),
    ("DimShuffle", [1, 0], lambda s: T.elemwise.DimShuffle([False, False], s)(m)),
    ("sum of numbers", [1, 2], lambda s: T.sum(s)),
]
for _name in "sum prod max min mean var std any all argmax argmin ptp".split():
    TENSORS.append(("T." + _name, [0, 2], lambda s, f=getattr(T, _name): f(x, axis=s)))
    if _name != "ptp":
        TENSORS.append(("." + _name, [0, 2], lambda s, f=_name: getattr(x, f)(axis=s, keepdims=True)))
TENSORS += [
    ("mean with dtype", [0, 2], lambda s: T.mean(x, axis=s, dtype="float32")),
    ("sum with dtype", [0, 2], lambda s: T.sum(x, axis=s, dtype="float32")),
    ("var with ddof", [0, 2], lambda s: T.var(x, axis=s, ddof=1)),
    ("max_and_argmax", [0, 2], lambda s: T.max_and_argmax(x, axis=s)[1]),
]


def value(expression):
    given = {x: X, v: V, m: M, n: N, c: M[:, :1]}
    inputs = [leaf for leaf in theano.gof.graph.inputs([expression]) if leaf in given]
    return theano.function(inputs, expression, mode="FAST_COMPILE")(*[given[leaf] for leaf in inputs])


@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_tensors(kind):
    wrong = []
    for name, items, make in TENSORS:
        if kind == "tuple" and name in ("index", "set_subtensor at"):
            continue  # one index an axis
        if kind == "keys of a dict" and (len(set(map(str, items))) < len(items) or any(isinstance(item, list) for item in items)):
            continue
        expected = value(make(items))
        try:
            got = value(make(KINDS[kind](items)))
        except Exception as error:
            wrong.append("%s: %s: %s" % (name, type(error).__name__, error))
            continue
        if got.dtype != expected.dtype or got.shape != expected.shape or not (got == expected).all():
            wrong.append("%s: %s in place of %s" % (name, got, expected))
    assert not wrong, "\n".join(wrong)


def test_a_range_is_a_sequence():
    assert value(x.sum(axis=range(2))).shape == (4,)
    assert value(x.reshape(range(4, 7, 2))).shape == (4, 6)
    assert (value(v[range(2)]) == V[:2]).all()


def test_iterators_of_iterators():
    assert (value(T.as_tensor_variable(map(iter, [[v[0], 2.0], [3.0, v[1]]]))) == [[1, 2], [3, 2]]).all()
    assert (value(T.constant(map(iter, [[1, 2], [3, 4]]))) == [[1, 2], [3, 4]]).all()
    assert (value(T.stacklists(map(iter, [[v[0], v[1]], [v[1], v[2]]]))) == [[1, 2], [2, 3]]).all()
    assert (value(T.tensordot(m, n, map(iter, [[0, 1], [0, 1]]))) == (M * N).sum())


def test_a_single_thing_is_no_list():
    with pytest.raises(TypeError):
        T.concatenate(m)
    with pytest.raises(Exception, match="list"):
        theano.function(v, v)
    assert T.dvectors("ab")[1].name == "b"


@pytest.mark.parametrize("kind", KINDS)
def test_constructors(kind):
    many = KINDS[kind]
    assert [each.name for each in T.dvectors(many(["a", "b"]))] == ["a", "b"]
    assert T.TensorType("float32", many([False])).broadcastable == (False,)
    assert theano.shared(numpy.zeros((1,)), broadcastable=many([True])).broadcastable == (True,)


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_arguments(kind):
    many = KINDS[kind]
    f = theano.function([v], v * 2, allow_input_downcast=False)
    assert (f(many([1, 2, 3])) == [2, 4, 6]).all()
    down = theano.function([T.fvector("f")], [], allow_input_downcast=True, on_unused_input="ignore")
    down(many([1.5, 2.0]))
    s = theano.shared(numpy.zeros(3))
    s.set_value(many([1, 2, 3]))
    assert s.get_value().tolist() == [1, 2, 3]
    assert (v * 2).eval({v: many([1, 2, 3])}).tolist() == [2, 4, 6]
    assert theano.function([m], m)(many([many([1, 2]) if kind != "keys of a dict" else (1, 2), (3, 4)])).shape == (2, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_functions(kind):
    many = KINDS[kind]
    a, b = theano.shared(1.0, "a"), theano.shared(2.0, "b")
    p, q = T.dscalars("p", "q")
    assert theano.function(many([p, q]), many([p + q, p * q]))(2, 3) == [5, 6]
    f = theano.function([p], [], updates=many([(a, a + p), (b, b * p)]))
    f(3)
    assert (a.get_value(), b.get_value()) == (4, 6)
    assert theano.function([p], a * b, givens=many([(a, p), (b, p + 1)]))(2) == 6
    a.default_update, b.default_update = a + 1, b + 1
    theano.function([], a + b, no_default_updates=many([a, b]))()
    assert (a.get_value(), b.get_value()) == (4, 6)
    theano.function([], a + b, no_default_updates=many([b]))()
    assert (a.get_value(), b.get_value()) == (5, 6)
    assert theano.clone(p * q, replace=many([(p, q), (q, p)])) is not None
    assert [str(each) for each in theano.clone(many([p * q]))] == [str(p * q)]
    assert theano.OpFromGraph(many([p, q]), many([p * q]))(p, q).eval({p: 2, q: 3}) == 6


def test_inputs_written_as_tuples():
    p = T.dscalar("p")
    f = theano.function([iter([iter([p, p + 1]), 10.0])], p)
    assert (f(), f()) == (10, 11)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind):
    many = KINDS[kind]
    p, q = T.dscalars("p", "q")
    cost, at = p ** 2 * q, {p: 3.0, q: 2.0}
    assert [g.eval(at) for g in T.grad(cost, many([p, q]))] == [12, 9]
    assert T.grad(cost * p, p, consider_constant=many([cost])).eval(at) == 18
    assert [g.eval(at) for g in T.grad(None, many([p, q]), known_grads=many([(cost, T.constant(1.0))]))] == [12, 9]
    assert T.Rop(many([cost]), many([p, q]), many([T.constant(1.0), T.constant(0.0)]))[0].eval(at) == 12
    assert [g.eval(at) for g in T.Lop(many([cost]), many([p, q]), many([T.constant(1.0)]))] == [12, 9]
    assert T.Lop(cost, p, T.constant(1.0), consider_constant=many([q])).eval(at) == 12
    wrt, end = theano.gradient.subgraph_grad(many([p]), many([q]), cost=cost)
    assert (wrt[0].eval(at), end[0].eval(at)) == (12, 9)
    assert [j.eval(at).tolist() for j in theano.gradient.jacobian(T.stack([p, cost]), many([p, q]))] == [[1, 12], [0, 9]]
    T.verify_grad(lambda a, b: a * b, many([numpy.array(2.0), numpy.array(3.0)]) if kind != "keys of a dict" else [2.0, 3.0],
                  rng=numpy.random.RandomState(1))


@pytest.mark.parametrize("kind", KINDS)
def test_walks(kind):
    many = KINDS[kind]
    graph = theano.gof.graph
    p, q = T.dscalars("p", "q")
    both = p * q
    assert graph.inputs(many([both])) == graph.inputs([both])
    assert graph.ancestors(many([both]), many([p])) == graph.ancestors([both], [p])
    assert graph.variables(many([p, q]), many([both])) == graph.variables([p, q], [both])
    assert graph.orphans(many([p]), many([both])) == [q]
    assert graph.ops(many([p, q]), many([both])) == {both.owner}
    assert graph.io_toposort(many([p, q]), many([both])) == [both.owner]
    assert graph.io_connection_pattern(many([p, q]), many([both])) == [[True], [True]]
    assert len(graph.clone(many([p, q]), many([both]))[1]) == 1
    assert len(theano.gof.FunctionGraph(many([p, q]), many([both])).toposort()) == 1
    assert both.owner.clone_with_new_inputs(many([q, p])).inputs == [q, p]
    assert theano.printing.debugprint(many([both]), file="str") == theano.printing.debugprint([both], file="str")
    assert theano.Apply(both.owner.op, many([p, q]), many([p.type()])).nin == 2


def test_ops_of_the_user():
    class Twice(theano.Op):
        __props__ = ()

        def make_node(self, a):
            return theano.Apply(self, iter([a]), iter([a.type()]))

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * 2

        def infer_shape(self, node, shapes):
            return iter([iter(shapes[0])])

        def grad(self, inputs, gradients):
            return map(lambda g: 2 * g, gradients)

        def R_op(self, inputs, points):
            return map(self, points)

    assert T.grad(Twice()(v).sum(), v).eval({v: V}).tolist() == [2, 2, 2]
    assert T.Rop(Twice()(v), v, v).eval({v: V}).tolist() == [2, 4, 6]
    assert Twice()(v).shape.eval({v: V}).tolist() == [3]

    @theano.compile.ops.as_op(iter([T.dvector, T.dvector]), iter([T.dvector]))
    def added(a, b):
        return a + b

    assert added(v, v).eval({v: V}).tolist() == [2, 4, 6]

    @theano.compile.ops.as_op([T.dvector], [T.dvector, T.dvector])
    def both(a):
        return map(lambda sign: sign * a, (1, -1))

    assert both(v)[1].eval({v: V}).tolist() == [-1, -2, -3]


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_that_is_written_down(kind, tmp_path):
    many = KINDS[kind]
    p, a = T.dscalar("p"), theano.shared(1.0, "a")
    theano.function_dump(str(tmp_path / "f.pkl"), many([p]), many([p * a]), updates=many([(a, a + p)]))
    f = theano.function(**pickle.loads((tmp_path / "f.pkl").read_bytes()))
    assert (f(2.0), f(2.0)) == ([2], [6])
