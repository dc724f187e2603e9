"""Operators of Python on variables, and their names in theano.tensor."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

A = numpy.array([[-7.0, 7, 0.5], [3, -2, 1e3]])
B = numpy.array([[2.0, -3, 0.25], [-3, 5, 7]])
I, J = numpy.array([-7, 7, 6, 0]), numpy.array([2, -2, 4, 5])
x, y = T.dmatrices("x", "y")
i, j = T.lvectors("i", "j")


@item(2, "op *")
def test_times():
    """Element by element; an axis stretches only where the type says that its size is one."""
    same(run([x, y], x * y, A, B), A * B)
    row = T.drow()
    same(run([x, row], x * row, A, B[:1]), A * B[:1])
    with pytest.raises(ValueError, match="[Ii]nput dimension mis-match"):
        run([x, y], x * y, A, B[:1])


@item(3, "op +")
def test_plus():
    """As *: a vector meets every row of a matrix."""
    v = T.dvector()
    same(run([x, v], x + v, A, B[0]), A + B[0])


@item(4, "op: number or array on the left")
def test_left():
    """A number or an array on the left gives a variable, not an array of objects."""
    for made, wanted in ((2 - x, 2 - A), (1 / x, 1 / (A)), (B + x, B + A), (B * x, B * A), (numpy.float64(3) * x, 3 * A), (2 ** x, 2 ** A), (7 % x, 7 % A)):
        assert isinstance(made, theano.Variable)
        same(run([x], made, A), wanted)


@item(9, "op -")
def test_minus():
    """As *; of bools it is refused, with what to use."""
    same(run([x, y], x - y, A, B), A - B)
    with pytest.raises(TypeError):
        (x > 0) - (y > 0)


@item(12, "op **")
def test_power():
    """Whole and broken powers, of negative numbers as NumPy has them."""
    with numpy.errstate(invalid="ignore"):
        for power in (2, 3, 0, -1, 0.5, 1.7):
            same(run([x], x ** power, A), A ** power)
    same(run([i], i ** 2, I), I ** 2, "int64")


@item(15, "op /")
def test_divide():
    """True division: of two ints it gives floatX."""
    same(run([x, y], x / y, A, B), A / B)
    same(run([i, j], i / j, I, J), I / J, "float64")


@item(19, "op unary -")
def test_negate():
    """Element by element."""
    same(run([x], -x, A), -A)


@item(64, "op %")
def test_modulo():
    """The sign of the divisor, as Python has it."""
    same(run([i, j], i % j, I, J), I % J, "int64")
    same(run([x, y], x % y, A, B), A % B)


@item(102, "op //")
def test_floor_divide():
    """Rounds down, also below zero."""
    same(run([i, j], i // j, I, J), I // J, "int64")
    same(run([x, y], x // y, A, B), A // B)


@item(57, "op += (rebinding)")
def test_plus_rebinds():
    """Makes a new variable; the old one is what it was."""
    total = x
    total += 1
    assert total is not x
    same(run([x], [x, total], A)[1], A + 1)


@item(77, "op *= (rebinding)")
def test_times_rebinds():
    """Makes a new variable."""
    scaled = x
    scaled *= y
    same(run([x, y], scaled, A, B), A * B)


@item(159, "op /= (rebinding)")
def test_divide_rebinds():
    """Makes a new variable, by true division."""
    part = i
    part /= 2
    same(run([i], part, I), I / 2, "float64")


@item(39, "op compare >")
def test_greater():
    """bools that multiply with floats."""
    found = run([x], (x > 0.5) * x, A)
    same(found, (A > 0.5) * A, "float64")
    assert (x > 0).dtype == "bool"


@item(105, "op compare <")
def test_less():
    """Element by element."""
    same(run([x, y], x < y, A, B), A < B, "bool")


@item(228, "op compare >=")
def test_greater_equal():
    """Element by element, the boundary in."""
    same(run([x], x >= 7, A), A >= 7, "bool")


@item(334, "op compare <=")
def test_less_equal():
    """Element by element, the boundary in."""
    same(run([x], x <= 0.5, A), A <= 0.5, "bool")


@item(103, "op compare ==")
def test_equal_is_identity():
    """Whether two names are one variable; T.eq compares values."""
    assert (x == y) is False and (x == x) is True and (x == 3) is False and {x: 1}[x] == 1


@item(227, "op compare !=")
def test_unequal_is_identity():
    """Whether two names are two variables; T.neq compares values."""
    assert (x != y) is True and (x != x) is False


@item(332, "op &")
def test_and():
    """Bit by bit: of bools it is and."""
    same(run([i, j], i & j, I, J), I & J, "int64")
    same(run([x], (x > 0) & (x < 5), A), (A > 0) & (A < 5), "bool")


@item(333, "op ^")
def test_xor():
    """Bit by bit."""
    same(run([i, j], i ^ j, I, J), I ^ J, "int64")


@item(335, "op |")
def test_or():
    """Bit by bit; of floats it is refused."""
    same(run([i, j], i | j, I, J), I | J, "int64")
    with pytest.raises(TypeError):
        x | y


@item(336, "op ~")
def test_invert():
    """Bit by bit: of bools it is not."""
    same(run([i], ~i, I), ~I, "int64")
    same(run([x], ~(x > 0), A), ~(A > 0), "bool")


@item(107, "T.eq")
def test_eq():
    """Which elements are equal."""
    same(run([i], T.eq(i, 7), I), I == 7, "bool")


@item(109, "T.neq")
def test_neq():
    """Which elements are not equal: the errors of a classifier."""
    same(run([i, j], T.neq(i, j).sum(), I, I[::-1]), (I != I[::-1]).sum())


@item(166, "T.lt")
def test_lt():
    """Less than."""
    same(run([x], T.lt(x, 1), A), A < 1, "bool")


@item(197, "T.ge")
def test_ge():
    """Greater or equal."""
    same(run([x], T.ge(x, 7), A), A >= 7, "bool")


@item(265, "T.le")
def test_le():
    """Less or equal."""
    same(run([x], T.le(x, 0.5), A), A <= 0.5, "bool")


@item(192, "T.add")
def test_add():
    """Of any number of variables."""
    same(run([x, y], T.add(x, y, 1), A, B), A + B + 1)


@item(268, "T.mod")
def test_mod():
    """The operator % as a function."""
    same(run([i, j], T.mod(i, j), I, J), I % J, "int64")


@item(207, "T.Elemwise")
def test_elemwise():
    """Makes an op out of a scalar op; exp, add and the others are such."""
    double = T.Elemwise(theano.scalar.add)
    same(run([x, y], double(x, y), A, B), A + B)
    assert isinstance(T.exp, T.Elemwise) and T.exp.scalar_op == theano.scalar.exp


@item(245, "T.Elemwise(name=)")
def test_elemwise_name():
    """Taken; graphs show the op by its function, Elemwise{mul,no_inplace}, and its scalar op stays what it is."""
    named = T.Elemwise(theano.scalar.mul, name="scaled")
    same(run([x, y], named(x, y), A, B), A * B)
    assert named.scalar_op == theano.scalar.mul and "Elemwise{mul,no_inplace}" in theano.printing.debugprint(named(x, y), file="str")


@item(260, "T.inplace.add_inplace")
def test_add_inplace():
    """Writes its sum over the first operand; what function() gives is the same."""
    import theano.tensor.inplace
    same(run([theano.In(x, mutable=True), y], T.inplace.add_inplace(x, y), A.copy(), B, accept_inplace=True), A + B)
