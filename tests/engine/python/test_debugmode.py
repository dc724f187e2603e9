"""DebugMode: what it lets pass, and what it finds."""
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano.compile import debugmode


def training(mode):
    x, y = T.matrix("x"), T.vector("y")
    w = theano.shared(numpy.linspace(-1, 1, 5), name="w")
    p = T.nnet.sigmoid(T.dot(x, w))
    cost = T.nnet.binary_crossentropy(p, y).mean()
    train = theano.function([x, y], cost, updates=[(w, w - 0.5 * T.grad(cost, w))], mode=mode)
    random = numpy.random.RandomState(0)
    data = random.randn(20, 5)
    return [float(train(data, (data[:, 0] > 0) * 1.0)) for _ in range(3)], w.get_value()


def test_right_functions_pass_with_the_same_numbers():
    costs, w = training(debugmode.DebugMode())
    expected, expected_w = training("FAST_RUN")
    numpy.testing.assert_allclose(costs, expected, rtol=1e-10)
    numpy.testing.assert_allclose(w, expected_w, rtol=1e-10)


def test_a_value_that_rewriting_makes_finite_passes():
    x = T.vector("x")
    f = theano.function([x], T.log(1 + T.exp(x)), mode="DebugMode")
    assert f(numpy.array([1000.0]))[0] == 1000


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_overflow_that_ends_in_a_finite_number_passes_and_is_told(dtype):
    x = T.vector("x", dtype=dtype)
    f = theano.function([x], T.exp(x - T.log(T.sum(T.exp(x)))), mode="DebugMode")
    told = r"output 0: Elemwise\{exp,no_inplace\}\(x\) is too large for its dtype on these inputs.*croton_softmax_of_log_sum \(step 1, .*0.0 became 0.2689"
    with pytest.warns(UserWarning, match=told):
        values = f(numpy.array([1000, 1001, 990], dtype))
    wanted = numpy.exp(numpy.array([-1, 0, -11.0]))
    numpy.testing.assert_allclose(values, wanted / wanted.sum(), rtol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once a function
        f(numpy.array([1000, 2000, 990], dtype))
        theano.function([x], T.log(T.sum(T.exp(x))), mode="DebugMode")(numpy.array([1000, 1001, 990], dtype))


def test_kernels_and_updates_pass(monkeypatch):
    x, y = T.vectors("x", "y")
    values = numpy.linspace(-3, 3, 37), numpy.linspace(1, 2, 37)
    for checks in ({}, {"check_c_code": False}, {"check_py_code": False}):
        f = theano.function([x, y], 3 * x * x + 2 * x * y - y / 3, mode=debugmode.DebugMode(**checks))
        numpy.testing.assert_allclose(f(*values), 3 * values[0] ** 2 + 2 * values[0] * values[1] - values[1] / 3)
    with pytest.raises(ValueError, match="at least one of c and py"):
        debugmode.DebugMode(check_c_code=False, check_py_code=False)


def test_values_that_are_not_finite_are_found():
    x = T.vector("x")
    f = theano.function([x], T.log(x), mode="DebugMode")
    with pytest.raises(debugmode.InvalidValueError, match="not finite"):
        f(numpy.array([-1.0]))


class Negate(theano.Op):
    """Breaks one promise or another."""
    __props__ = ("writes", "views")

    def __init__(self, writes=False, views=False):
        self.writes, self.views = writes, views

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        if self.views:
            storage[0][0] = inputs[0][:]
            return
        storage[0][0] = -inputs[0]
        if self.writes:
            inputs[0][:] = 7


# Inputs that an op does not declare as destroyed are read-only arrays, in every mode.
@pytest.mark.parametrize("flaw, error, word", [("writes", debugmode.BadDestroyMap, "read-only"), ("views", debugmode.BadViewMap, "view_map")])
def test_broken_promises_of_user_ops_are_found(flaw, error, word):
    x = T.vector("x")
    f = theano.function([x], Negate(**{flaw: True})(x * 2), mode="DebugMode")
    with pytest.raises(error, match=word):
        f(numpy.ones(3))


class Answers(theano.Op):
    """Gives something else than its type says."""
    __props__ = ("flaw",)

    def __init__(self, flaw):
        self.flaw = flaw

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        if self.flaw != "nothing":
            storage[0][0] = {"dtype": lambda x: x.astype("float32"), "rank": lambda x: x[None], "kind": str}[self.flaw](inputs[0])


@pytest.mark.parametrize("flaw", ["dtype", "rank", "kind", "nothing"])
def test_values_that_a_type_does_not_allow_are_found(flaw):
    x = T.dvector("x")
    with pytest.raises(debugmode.InvalidValueError, match="perform of the op Answers"):
        theano.function([x], Answers(flaw)(x * 2), mode="DebugMode")(numpy.ones(3))
    with pytest.raises((TypeError, ValueError), match="perform of the op Answers"):
        theano.function([x], Answers(flaw)(x * 2))(numpy.ones(3))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digits_that_rewriting_brings_back_are_no_fault(dtype):
    z = T.vector("z", dtype=dtype)
    p = 1 / (1 + T.exp(-z))
    f = theano.function([z], [T.log(1 - p), T.log(p), p > 0.5], mode="DebugMode")
    values = numpy.linspace(-60, 60, 2001).astype(dtype)
    expected = -numpy.logaddexp(0, values.astype("float64"))
    numpy.testing.assert_allclose(f(values)[0], expected, rtol=1e-5)


class Own(theano.Op):
    """Copies its input; tests break it."""
    __props__ = ()

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0].copy()


def run_own(op, values=(1.0, 2.0)):
    x = T.vector("x")
    f = theano.function([x], op(x) + 1, mode="DebugMode")  # the line to be named
    return f(numpy.array(values))


def test_an_op_that_gives_other_values_each_time_is_named():
    class Counter(Own):
        calls = 0

        def perform(self, node, inputs, outputs):
            Counter.calls += 1
            outputs[0][0] = inputs[0] * Counter.calls
    with pytest.raises(debugmode.BadThunkOutput, match="op Counter differs when perform runs again") as caught:
        run_own(Counter())
    assert "the line to be named" in str(caught.value)


def test_an_op_that_writes_undeclared_is_a_bad_destroy_map():
    class Writer(Own):
        def perform(self, node, inputs, outputs):
            inputs[0][...] *= 2
            outputs[0][0] = inputs[0] + 0
    with pytest.raises(debugmode.BadDestroyMap, match="op Writer writes to an input, which its destroy_map does not say"):
        run_own(Writer())


def test_ops_that_overwrite_what_others_read_pass():
    """As it was written, nothing in the graph protects what is overwritten: a later pass does."""
    class Halved(Own):
        destroy_map = {0: [0]}

        def perform(self, node, inputs, outputs):
            outputs[0][0] = numpy.multiply(inputs[0], 0.5, inputs[0])

        def grad(self, inputs, gradients):
            return [gradients[0] * 0.5]
    x = T.vector()
    sums = T.cumsum(x * 2)
    run = theano.function([x], [T.tanh(sums), Halved()(sums), sums], mode=debugmode.DebugMode())
    assert [value.tolist() for value in run([0., 0.])] == [[0, 0]] * 3 and run([1., 2.])[1].tolist() == [1, 3]
    known = Halved()(T.constant(numpy.array([1., 2])) / 4)  # of a constant by the time that it is folded
    run = theano.function([x], [known, x + known], mode=debugmode.DebugMode())
    for _ in range(2):
        assert [value.tolist() for value in run([1., 2])] == [[0.125, 0.25], [1.125, 2.25]]
    rows, _ = theano.scan(lambda a, h: a / (1 + h * h), x, numpy.float64(1))
    slope = T.grad(T.tanh(Halved()(rows)).sum(), x)
    values = [theano.function([x], slope, mode=mode)([1., 2, 3]) for mode in ("FAST_COMPILE", debugmode.DebugMode())]
    assert numpy.allclose(*values)


def test_maps_that_are_not_used_are_told():
    class Boaster(Own):
        view_map = {0: [0]}
    with pytest.warns(UserWarning, match="op Boaster says by view_map that output 0 uses the memory of input 0, but it does not"):
        run_own(Boaster())


def test_values_that_are_not_finite_come_with_their_line():
    with pytest.raises(debugmode.InvalidValueError, match="1 of 2 .the others: from 1.0 to 1.0.") as caught:
        run_own(Own(), (1.0, numpy.inf))
    assert "the line to be named" in str(caught.value)


def test_a_wrong_linker_is_refused():
    with pytest.raises(ValueError, match="no linker called 'bogus'"):
        debugmode.DebugMode(linker="bogus")


class Chance(Own):
    """Says something else every time."""
    __props__ = ("name",)
    asked = 0

    def __init__(self, name=""):
        self.name = name

    @classmethod
    def turn(cls):
        Chance.asked += 1
        return Chance.asked % 2 == 1


class ChanceTwin(Chance):
    def __eq__(self, other):
        return self is other or (type(self) is type(other) and self.turn() and Chance.asked == 1)

    def __hash__(self):
        return 7


class ChanceFold(Chance):
    def do_constant_folding(self, node):
        return self.turn()


class ChanceValue(Chance):
    def perform(self, node, inputs, outputs):
        Chance.asked += 1
        outputs[0][0] = inputs[0] + Chance.asked


CHANCES = {
    "twin": (lambda x: ChanceTwin("a")(x) + ChanceTwin("a")(x), "MergeOptimizer in .* of ChanceTwin"),
    "fold": (lambda x: ChanceFold()(T.constant([1.0, 2.0])) + x, "fold"),
    "value": (lambda x: ChanceValue()(T.constant([1.0, 2.0])) + x, r"of ChanceValue.* made the constant \[.*, now .*of ChanceValue"),
}


@pytest.mark.parametrize("what", sorted(CHANCES))
def test_rewriting_that_depends_on_chance_is_found(what):
    build, words = CHANCES[what]
    x = T.dvector("x")
    Chance.asked = 0
    with pytest.raises(debugmode.StochasticOrder, match="(?s)goes another way from step [0-9]+ on .phase [a-z]+.*: the first time .*%s.*DebugMode.patience=1" % words):
        theano.function([x], build(x), mode="DebugMode")
    Chance.asked = 0
    theano.function([x], build(x), mode=debugmode.DebugMode(stability_patience=1))
    Chance.asked = 0
    with theano.configparser.change_flags(DebugMode__patience=1):
        theano.function([x], build(x), mode="DebugMode")


def test_rewriting_is_repeated_as_often_as_the_flag_says():
    class Counts(Own):
        asked = 0

        def do_constant_folding(self, node):
            Counts.asked += 1
            return False

    x, asked = T.dvector("x"), {}
    for patience in (1, 2, 10):
        Counts.asked = 0
        theano.function([x], Counts()(T.constant([1.0, 2.0])) * 2 + x, mode=debugmode.DebugMode(stability_patience=patience))
        asked[patience] = Counts.asked
    assert asked[1] > 0 and asked[2] == 2 * asked[1] and asked[10] == 10 * asked[1]


def test_an_op_runs_once_more_unless_check_py_is_off():
    class Counts(Own):
        ran = 0

        def perform(self, node, inputs, outputs):
            Counts.ran += 1
            outputs[0][0] = inputs[0].copy()

    x, ran = T.dvector("x"), {}
    for check in (True, False):
        Counts.ran = 0
        theano.function([x], Counts()(x) + 1, mode=debugmode.DebugMode(check_py_code=check))(numpy.ones(2))
        ran[check] = Counts.ran
    assert ran[True] == ran[False] + 1


class Reuses(theano.Op):
    """Doubles its input into what it finds where its output goes."""
    __props__ = ("trusts",)

    def __init__(self, trusts=None):
        self.trusts = trusts

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        (x,), cell = inputs, outputs[0]
        found = cell[0]
        if found is None or (found.shape != x.shape and self.trusts != "sizes"):
            found = cell[0] = numpy.zeros_like(x)
        elif self.trusts != "values":
            found[...] = 0
        if self.trusts == "strides":
            found.reshape(-1)[:] += 2 * x.reshape(-1)  # of a copy where it is not contiguous
        else:
            found += 2 * x


@pytest.mark.parametrize("trusts,kind", [("sizes", "wrong_size"), ("values", "c_contiguous"), ("values", "previous"), ("strides", "strided"),
                                         ("strides", "f_contiguous")])
def test_an_op_that_trusts_what_it_finds_for_its_output(trusts, kind):
    x = T.dmatrix("x")
    value = numpy.arange(6.0).reshape(2, 3) + 1
    for checks in ("", kind, "ALL"):
        f = theano.function([x], Reuses(trusts)(x) + 1, mode=debugmode.DebugMode(check_preallocated_output=checks))
        if not checks:
            numpy.testing.assert_array_equal(f(value), 2 * value + 1)
            continue
        with pytest.raises(debugmode.BadThunkOutput, match="of the op Reuses.* when it is given memory for its outputs|the op Reuses.* fails"):
            f(value)


def test_what_the_call_before_left():
    class Counts(Reuses):
        def perform(self, node, inputs, outputs):
            was = outputs[0][0]
            outputs[0][0] = inputs[0] + (0.0 if was is None or was[0] != 8 else 1.0)

    x = T.dvector("x")
    f = theano.function([x], Counts()(x) * 1.5, mode=debugmode.DebugMode(check_preallocated_output="initial"))
    assert f([8.0])[0] == 12
    with pytest.raises(debugmode.BadThunkOutput, match=r"given memory for its outputs \(initial\)"):
        f([9.0])


def test_right_ops_pass_whatever_they_find():
    x = T.dmatrix("x")
    value = numpy.arange(6.0).reshape(2, 3) + 1
    outputs = [Reuses()(x) + 1, T.dot(x, x.T).sum(axis=1), T.nnet.softmax(x), x[::2].argmax(axis=1), T.cumsum(x, axis=1), T.sort(x)]
    f = theano.function([x], outputs, mode=debugmode.DebugMode(check_preallocated_output=["initial", "ALL"]))
    for _ in range(2):
        numpy.testing.assert_array_equal(f(value)[0], 2 * value + 1)
    with pytest.raises(ValueError, match="knows no preallocated output 'fortran'"):
        theano.function([x], x + 1, mode=debugmode.DebugMode(check_preallocated_output="fortran"))


def test_strides_that_depend_on_something_else():
    class Turns(Reuses):
        ran = 0

        def perform(self, node, inputs, outputs):
            Turns.ran += 1
            outputs[0][0] = numpy.array(inputs[0], order="CF"[Turns.ran % 2])

    x = T.dmatrix("x")
    value = numpy.arange(6.0).reshape(2, 3)
    theano.function([x], Turns()(x) + 1, mode=debugmode.DebugMode())(value)
    with pytest.warns(UserWarning, match=r"output 0 of the op Turns.* has strides \((8, 16|24, 8)\), and \("):
        theano.function([x], Turns()(x) + 1, mode=debugmode.DebugMode(require_matching_strides=1))(value)
    with theano.config.change_flags(**{"DebugMode.check_strides": 2}):
        with pytest.raises(debugmode.BadThunkOutput, match="strides"):
            theano.function([x], Turns()(x) + 1, mode=debugmode.DebugMode())(value)
    with pytest.raises(ValueError, match="check_strides is 0"):
        debugmode.DebugMode(require_matching_strides=3)
