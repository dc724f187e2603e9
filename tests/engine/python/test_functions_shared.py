"""Shared variables: dtypes, borrow, containers, what they refuse."""
import numpy
import pytest
import theano
import theano.tensor as T


def test_dtype_comes_from_the_value():
    assert theano.shared(1).dtype == "int64" and theano.shared(1.0).dtype == "float64"
    assert theano.shared(numpy.float32(1)).dtype == "float32"
    w = theano.shared(numpy.ones((2, 3), "int8"), name="w")
    assert (w.dtype, w.ndim, w.broadcastable, w.name) == ("int8", 2, (False, False), "w")
    assert theano.shared(numpy.ones((1, 3)), broadcastable=(True, False)).broadcastable == (True, False)


def test_values_are_copied():
    a = numpy.ones(3)
    w = theano.shared(a)
    a[:] = 7
    assert w.get_value().tolist() == [1] * 3
    w.get_value()[:] = 7
    assert w.get_value().tolist() == [1] * 3
    b = numpy.zeros(3)
    w.set_value(b)
    b[:] = 7
    assert w.get_value().tolist() == [0] * 3


def test_borrow():
    a = numpy.ones(3)
    w = theano.shared(a, borrow=True)
    a[:] = 7
    assert w.get_value().tolist() == [7] * 3
    w.get_value(borrow=True)[:] = 8
    assert a.tolist() == [8] * 3
    b = numpy.zeros(3)
    w.set_value(b, borrow=True)
    b[:] = 9
    assert w.get_value().tolist() == [9] * 3


def test_values_of_another_shape():
    w = theano.shared(numpy.ones(3))
    w.set_value(numpy.ones(5))
    assert theano.function([], w.sum())() == 5


def test_set_value_checks():
    w = theano.shared(numpy.ones(3, "float32"), name="w")
    with pytest.raises(TypeError):
        w.set_value(numpy.ones((3, 3), "float32"))
    with pytest.raises(TypeError):
        w.set_value(numpy.asarray([0.1]))
    row = theano.shared(numpy.ones((1, 3)), broadcastable=(True, False))
    with pytest.raises(TypeError):
        row.set_value(numpy.ones((2, 3)))


def test_zero():
    w = theano.shared(numpy.ones((2, 2)))
    w.zero()
    assert w.get_value().tolist() == [[0, 0], [0, 0]]


def test_value_attribute_is_gone():
    w = theano.shared(1.0)
    with pytest.raises(Exception, match="get_value"):
        w.value
    with pytest.raises(Exception, match="set_value"):
        w.value = 3


def test_symbolic_values_are_refused():
    with pytest.raises(TypeError, match="not symbolic"):
        theano.shared(T.dscalar())


def test_list_becomes_generic():
    w = theano.shared([1, 2])
    assert w.get_value() == [1, 2]
    with pytest.raises(TypeError):
        w[0]
    with pytest.raises(TypeError):
        w + 1


def test_one_container_for_all_functions():
    w = theano.shared(0.0)
    up = theano.function([], updates=[(w, w + 1)])
    down = theano.function([], updates=[(w, w - 10)])
    read = theano.function([], w)
    up(), up(), down()
    assert read() == -8 == w.get_value()


def test_clone_of_a_shared_variable_shares_the_container():
    w = theano.shared(1.0, name="w")
    v = w.clone()
    v.set_value(5.0)
    assert w.get_value() == 5


def test_strict_shared():
    w = theano.shared(numpy.ones(2), strict=True)
    with pytest.raises(TypeError):
        w.set_value([1, 2])


def test_random_state():
    w = theano.shared(numpy.random.RandomState(3))
    assert isinstance(w.get_value(), numpy.random.RandomState)


def test_an_update_leaves_values_that_were_taken():
    w = theano.shared(numpy.zeros(3))
    f = theano.function([], updates=[(w, w + 1)])
    before = w.get_value()
    f()
    assert before.tolist() == [0] * 3 and w.get_value().tolist() == [1] * 3


def test_values_may_be_set_and_read_by_other_threads_while_a_function_runs():
    import threading
    w, v = theano.shared(numpy.zeros(300000), "w"), T.dvector("v")
    # w stays uniform: who sees two different elements has seen two values.
    step = theano.function([v], T.tanh(w).max() - T.tanh(w).min(), updates=[(w, w * 0.5 + v.sum())],
                           mode=theano.compile.mode.FAST_RUN.excluding("inplace"))
    problems, ones = [], numpy.ones(3)

    def repeat(body):
        def run():
            for i in range(60):
                try:
                    if not body(i):
                        problems.append(i)
                except Exception as error:
                    problems.append(repr(error))
        return threading.Thread(target=run)

    def look(i):
        value = w.get_value(borrow=bool(i % 2))
        return value.min() == value.max()

    def put(i):
        w.set_value(numpy.full(300000 - i, float(i)), borrow=True)
        return True

    def free(i):
        step.free()
        return True

    threads = [repeat(lambda i: step(ones) == 0), repeat(look), repeat(put), repeat(free)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_what_is_borrowed_is_the_array_itself():
    a = numpy.ones(3)
    w = theano.shared(a, borrow=True)
    assert w.get_value(borrow=True) is a and w.get_value() is not a
    b = numpy.zeros((2, 3)).T[:, 0]
    w.set_value(b, borrow=True)
    assert w.get_value(borrow=True) is b


def test_objects_are_not_copied():
    import threading
    unique = threading.Lock()
    held = {"lock": unique}
    assert theano.shared(held).get_value(borrow=True) is held
    assert theano.shared(True).dtype == "bool" and theano.shared(True).get_value() == numpy.True_


def test_copies_of_a_variable():
    import copy
    import pickle
    w = theano.shared(numpy.zeros(2, "float32"), name="w", strict=True)
    w.tag.mine, w.default_update = 3, w + 1
    shallow, clone, deep, unpickled = copy.copy(w), w.clone(), copy.deepcopy(w), pickle.loads(pickle.dumps(w))
    theano.function([], deep)()
    w.set_value(numpy.ones(2, "float32") * 5)
    assert [float(one.get_value()[0]) for one in (shallow, clone, deep, unpickled)] == [5, 5, 1, 0]
    assert [one.name for one in (shallow, clone, deep, unpickled)] == ["w"] * 4
    assert [one.tag.mine for one in (shallow, clone, deep, unpickled)] == [3] * 4
    assert all(one.container.strict for one in (shallow, clone, deep, unpickled))
    assert shallow.default_update is w.default_update


def test_the_container_of_a_variable():
    w = theano.shared(numpy.zeros(3), name="w")
    container = w.container
    container.value = [1.0, 2]
    assert w.get_value().tolist() == [1, 2] and (container.name, container.type, container.readonly) == ("w", w.type, False)
    container.storage[0] = numpy.ones(2)
    assert w.container is container and theano.function([], w * 2).maker.inputs[0].value is container
    assert w.get_value().tolist() == [1, 1] and container.storage[0].tolist() == container.data.tolist() == [1, 1]


def test_a_copied_value_lies_in_memory_of_the_engine():
    for give in (theano.shared, lambda value: set_to(theano.shared(numpy.zeros(3)), value)):
        for _ in range(20):
            w = give(numpy.arange(40.0)[::-2])
            array = w.get_value(borrow=True)
            assert array.ctypes.data % 64 == 0 and array.flags.c_contiguous


def set_to(w, value):
    w.set_value(value)
    return w


def test_the_type_of_a_shared_variable_can_be_set():
    """As PyMC3 does, which gives a shape where a pattern belongs."""
    row = theano.shared(numpy.ones((1, 3)), name="row")
    before = row * 2
    row.type = T.TensorType("float64", (True, False))
    x = T.dmatrix("x")
    assert row.broadcastable == (True, False) == row.type.broadcastable and (row + x).broadcastable == (False, False)
    assert theano.function([x], row + x)(numpy.zeros((2, 3))).tolist() == [[1] * 3] * 2
    row.set_value(numpy.full((1, 3), 2.0))  # what was built before reads the same value
    assert before.eval().tolist() == [[4] * 3] and row.name == "row" and row.eval().tolist() == [[2] * 3]
    several = theano.shared(numpy.arange(3.0))
    several.type = T.TensorType("float64", (3,))
    assert several.type == T.dvector and several.eval().tolist() == [0, 1, 2]
    for wrong in (T.fvector, T.dmatrix, theano.gof.generic):
        with pytest.raises(TypeError, match="keeps its dtype and rank"):
            several.type = wrong
