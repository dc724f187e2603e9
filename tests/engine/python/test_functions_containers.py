"""Where functions keep the values of their inputs: containers, defaults, inputs written as tuples."""
import copy
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano import In, function, shared

x, s, y = T.dscalars("x", "s", "y")


def counter():
    return function([x, In(s, value=0.0, update=s + x)], s)


def test_a_container_joins_type_and_value():
    f = counter()
    container = f.container[s]
    assert isinstance(container, theano.gof.Container)
    assert (container.value, container.data, container.storage, container.name) == (0, 0, [0], "s")
    f(3)
    assert container.value == 3
    container.value = 7
    assert f(1) == 7 and f["s"] == f[s] == f.value[s] == 8
    with pytest.raises(TypeError, match="Wrong number of dimensions"):
        container.value = [1, 2]


def test_functions_share_a_container():
    inc = counter()
    dec = function([x, In(s, update=s - x, value=inc.container[s], implicit=False)], [])
    inc[s] = 2
    dec(1)
    assert (inc[s], dec[s]) == (1, 1)
    inc(5)
    assert (inc[s], dec[s]) == (6, 6)


def test_a_container_makes_an_input_implicit():
    inc = counter()
    read = function([x, In(s, value=inc.container[s])], s + x)
    inc(4)
    assert read(0) == 4
    for give in (lambda: read(1, 2), lambda: read(1, s=2)):
        with pytest.raises(TypeError, match="Tried to provide value for implicit input"):
            give()


def test_a_value_given_for_a_container_stays_there():
    inc = counter()
    f = function([x, In(s, value=inc.container[s], implicit=False)], s * x)
    inc(4)
    assert [f(1), f(2, 9), f(1)] == [4, 18, 9] and inc[s] == 9


def test_a_shared_variable_as_value_is_updated():
    w = shared(3.0)
    f = function([x, In(s, value=w, update=s + x)], s)
    assert [f(1), f(1)] == [3, 4] and w.get_value() == 5
    w.set_value(10.0)
    assert f(1) == 10 and f.container[s].value == 11


def test_a_default_comes_back_after_each_call():
    f = function([x, In(y, value=10)], x + y)
    f["y"] = 20
    assert [f(1), f(1)] == [21, 11] and f["y"] == 10
    f["y"] = 20
    assert f(1, 2) == 3 and f["y"] == 10
    f["y"] = 20
    with pytest.raises(TypeError):
        f("one")
    assert f["y"] == 10


def test_a_value_given_to_an_input_with_an_update_survives_an_error():
    v, m = T.dvector("v"), T.dmatrix("m")
    f = function([v, m, In(s, value=5.0, update=s * 2)], T.dot(v, m) * s)
    with pytest.raises(ValueError):
        f([1.0], [[1, 2], [3, 4]], 7)
    assert f[s] == 7


def test_an_input_with_an_update_and_no_value_is_required():
    f = function([x, In(s, update=s + x)], s)
    assert f(1, 2) == 2 and f[s] == 3
    with pytest.raises(TypeError, match="Missing required input: s"):
        f(1)


def test_a_mutable_default_is_not_overwritten():
    v = T.dvector("v")
    start = numpy.zeros(2)
    f = function([In(v, value=start, mutable=True)], T.inc_subtensor(v[0], 1, inplace=True))
    assert [f().tolist(), f().tolist(), start.tolist()] == [[1, 0], [1, 0], [0, 0]]
    g = function([In(v, value=start, mutable=True, borrow=True, update=v + 1)], v.sum())
    assert [g(), g(), start.tolist()] == [0, 2, [0, 0]]


def test_what_finds_containers():
    w = shared(2.0, name="w")
    f = function([x, In(y, value=3)], x + y + w)
    assert sorted(map(str, f.finder)) == ["0", "1", "2", "w", "w", "x", "x", "y", "y"]
    assert [container.value for container in f.input_storage] == [None, 3, 2]
    assert [slot.shared for slot in f.maker.inputs] == [False, False, True] and f.maker.inputs[2].variable is w
    assert f.inv_finder[f.finder["x"]].variable is x
    assert f["w"] == f[w] == f[2] == 2 and w in f and "y" in f and 1 in f and "z" not in f
    f.container[w].value = 7
    assert w.get_value() == 7 and f(1) == 11
    assert f.defaults == [(True, False, None), (False, True, 3), (False, False, None)]


def test_unknown_and_ambiguous_names():
    twin = T.dscalar("x")
    f = function([x, twin], x + 2 * twin)
    for use in (lambda: f["x"], lambda: f(1, x=2)):
        with pytest.raises(TypeError, match="Ambiguous name: x"):
            use()
    with pytest.raises(TypeError, match="Unknown input or state: z"):
        f["z"] = 1
    with pytest.raises(KeyError):
        f.container["z"]


def test_a_copy_says_by_what_its_inputs_are_found():
    s = T.dscalar("s")
    twin = copy.deepcopy(function([In(s, value=3.0)], s))
    assert twin["s"] == 3
    with pytest.raises(TypeError, match=r"found by it: f\['s'\]"):
        twin[s]


def test_containers_of_copies():
    f = counter()
    f(3)
    assert [f.copy()(1), f(1)] == [[0], 3], "a copy starts with the first value"
    bare = f.copy(delete_updates=True)
    assert [bare(1), bare(1), bare(1, 5), bare(1)] == [[0], [0], [5], [0]]
    other = copy.deepcopy(f)
    assert [other(1), f(10), other(1)] == [4, 4, 5]


@pytest.mark.parametrize("twins", [copy.deepcopy, lambda functions: pickle.loads(pickle.dumps(functions))], ids=["deepcopy", "pickle"])
def test_twins_of_functions_share_what_the_functions_shared(twins):
    f = counter()
    g = function([x, In(s, value=f.container[s], update=s - x)], s)
    a, b = twins([f, g])
    a(5)
    assert b(1) == 5 and a["s"] == 4 and f["s"] == 0


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f)), lambda f: f.copy()], ids=["deepcopy", "pickle", "copy"])
def test_twins_keep_the_default(twin):
    f = function([x, In(y, value=10)], [x + y])
    f["y"] = 20
    g = twin(f)
    g(1)
    assert g(1) == [11] and g["y"] == 10 and f(1) == [21]


def test_an_update_of_an_unused_input():
    f = function([x, In(y, value=0.0, update=x)], x)
    assert f(4) == 4 and f[y] == 4


def test_inputs_written_as_tuples():
    f = function([x, ((s, s + x), 10.0)], s)
    assert [f(1), f(1), f[s]] == [10, 11, 12]
    g = function([x, (y, 3.0)], x + y)
    assert [g(1), g(1, 5), g(1, y=7), g(1)] == [4, 6, 8, 4]
    h = function([("k", x), ("q", (s, s + x), 1)], s)
    assert [h(k=1), h(1), h["q"]] == [1, 2, 3]
    for wrong in ((), (y, 1, 2), ("k",), ((s, s, s), 1)):
        with pytest.raises(TypeError, match="Invalid input syntax"):
            function([x, wrong], x)
    with pytest.raises(NotImplementedError, match="theano.In"):
        function([x, (y, 1.0)], x + y, updates=[(shared(1.0), x)])


def test_the_flag_of_the_function_does_not_change_the_input():
    given = In(T.fscalar("f"))
    function([given], given.variable, allow_input_downcast=True)
    assert given.allow_downcast is None


@pytest.mark.parametrize("mode", ["FAST_COMPILE", "DebugMode", "NanGuardMode"])
def test_containers_in_modes(mode):
    inc = function([x, In(s, value=0.0, update=s + x)], s, mode=mode)
    read = function([x, In(s, value=inc.container[s]), In(y, value=2.0)], s * x * y, mode=mode)
    assert [inc(3), inc(4), read(10), read(10, y=1), read(10)] == [0, 3, 140, 70, 140]
