"""Linear algebra against NumPy: values over odd shapes and layouts, gradients by finite differences, errors as sentences."""
import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core
from theano.tensor import nlinalg, slinalg

random = numpy.random.RandomState(5)


def matrix(rows, columns=None, dtype="float64"):
    value = random.uniform(-1, 1, (rows, rows if columns is None else columns))
    if dtype.startswith("complex"):
        value = value + 1j * random.uniform(-1, 1, value.shape)
    return value.astype(dtype)


def square(size, dtype="float64"):
    """Far from singular."""
    return (matrix(size, dtype=dtype) + (2 + size ** 0.5) * numpy.eye(size)).astype(dtype)


def positive(size, dtype="float64"):
    value = matrix(size, dtype=dtype)
    return (value.dot(value.conj().T) + numpy.eye(size)).astype(dtype)


def layouts(value):
    """The same numbers, as they may lie in memory."""
    wide = numpy.zeros((2 * value.shape[0], 3 * value.shape[1]), value.dtype)
    wide[::2, ::3] = value
    backwards = numpy.ascontiguousarray(value[::-1, ::-1])[::-1, ::-1]
    return [value, numpy.asfortranarray(value), wide[::2, ::3], backwards]


def compute(build, *values):
    inputs = [T.TensorType(value.dtype, (False,) * value.ndim)() for value in values]
    result = build(*inputs)
    return theano.function(inputs, list(result) if isinstance(result, (list, tuple)) else [result])(*values)


def close(found, wanted, dtype="float64"):
    wanted = numpy.asarray(wanted)
    assert found.dtype == wanted.dtype or found.dtype == numpy.dtype(dtype)
    assert found.shape == wanted.shape
    single = numpy.dtype(dtype) in (numpy.float32, numpy.complex64)
    numpy.testing.assert_allclose(found, wanted, rtol=2e-3 if single else 1e-8, atol=2e-4 if single else 1e-9)


DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [0, 1, 2, 5, 30]
SHAPES = [(0, 0), (1, 1), (4, 4), (3, 5), (5, 3), (1, 4), (4, 1), (0, 3), (3, 0), (40, 25)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_square_matrices(size, dtype):
    for value in layouts(square(size, dtype)):
        before = value.copy()
        inverse, det, sign, logarithm = compute(lambda x: (nlinalg.matrix_inverse(x), nlinalg.det(x)) + nlinalg.slogdet(x), value)
        close(inverse, numpy.linalg.inv(value), dtype)
        close(det, numpy.linalg.det(value), dtype)
        close(sign, numpy.linalg.slogdet(value)[0], dtype)
        numpy.testing.assert_allclose(logarithm, numpy.linalg.slogdet(value)[1], rtol=1e-3 if dtype in ("float32", "complex64") else 1e-9, atol=1e-5)
        numpy.testing.assert_array_equal(value, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_systems(size, dtype):
    for value in layouts(square(size, dtype)):
        for right in (matrix(size, 3, dtype), matrix(size, 0, dtype), matrix(size, 1, dtype)[:, 0], matrix(3, size, dtype).T):
            wanted = numpy.linalg.solve(value, right) if right.size else numpy.zeros_like(right)
            close(compute(slinalg.solve, value, right)[0], wanted, dtype)
            wanted = numpy.linalg.solve(value.T, right) if right.size else numpy.zeros_like(right)
            close(compute(lambda a, b: slinalg.solve(a, b, trans=1), value, right)[0], wanted, dtype)
    for value in layouts(positive(size, dtype)):
        right = matrix(size, 2, dtype)
        wanted = numpy.linalg.solve(value, right)
        for lower in (False, True):
            close(compute(lambda a, b: slinalg.solve(a, b, assume_a="pos", lower=lower), value, right)[0], wanted, dtype)
            both = (value + value.T) / 2
            close(compute(lambda a, b: slinalg.solve(a, b, assume_a="sym", lower=lower), both, right)[0],
                  numpy.linalg.solve(both, right), dtype)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_systems(lower, trans, unit):
    for dtype in DTYPES:
        for value in layouts(square(6, dtype)):
            right = matrix(6, 2, dtype)
            triangle = numpy.tril(value) if lower else numpy.triu(value)
            if unit:
                triangle[numpy.arange(6), numpy.arange(6)] = 1
            wanted = numpy.linalg.solve(triangle.T if trans else triangle, right)
            found, = compute(lambda a, b: slinalg.solve_triangular(a, b, trans=trans, lower=lower, unit_diagonal=unit), value, right)
            close(found, wanted, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", SIZES)
def test_cholesky_and_symmetric_eigenvalues(size, dtype):
    for value in layouts(positive(size, dtype)):
        close(compute(slinalg.cholesky, value)[0], numpy.linalg.cholesky(value), dtype)
        close(compute(slinalg.Cholesky(lower=False), value)[0], numpy.linalg.cholesky(value).conj().T, dtype)
        for uplo in "LU":
            w, v = compute(lambda x: nlinalg.eigh(x, uplo), value)
            close(w, numpy.linalg.eigvalsh(value, uplo), numpy.zeros(0, dtype).real.dtype)
            close(v * w @ v.conj().T, value, dtype)
            close(v.conj().T @ v, numpy.eye(size, dtype=dtype), dtype)
        other = positive(size, dtype)
        w, = compute(slinalg.eigvalsh, value, other)
        wanted = numpy.sort(numpy.linalg.eigvals(numpy.linalg.solve(other, value)).real)
        numpy.testing.assert_allclose(w, wanted, rtol=2e-2 if dtype in ("float32", "complex64") else 1e-7, atol=1e-4)
        close(compute(slinalg.eigvalsh, value)[0], numpy.linalg.eigvalsh(value), numpy.zeros(0, dtype).real.dtype)


def test_one_triangle_is_read():
    value = positive(5)
    below = value + numpy.triu(numpy.ones((5, 5)), 1) * 7
    close(compute(slinalg.cholesky, below)[0], numpy.linalg.cholesky(value))
    close(compute(nlinalg.eigh, below)[0], numpy.linalg.eigvalsh(value))
    close(compute(lambda a, b: slinalg.solve(a, b, assume_a="pos", lower=True), below, value)[0], numpy.eye(5))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_rectangles(shape, dtype):
    for value in layouts(matrix(*shape, dtype=dtype)):
        s, = compute(lambda x: nlinalg.svd(x, compute_uv=0), value)
        close(s, numpy.linalg.svd(value, compute_uv=False), s.dtype)
        for full in (0, 1):
            u, s, vt = compute(lambda x: nlinalg.svd(x, full_matrices=full), value)
            wanted = numpy.linalg.svd(value, full_matrices=bool(full))
            assert [part.shape for part in (u, s, vt)] == [part.shape for part in wanted]
            close(u[:, :len(s)] * s @ vt[:len(s)], value, dtype)
            close(u.conj().T @ u, numpy.eye(u.shape[1], dtype=dtype), dtype)
            close(vt @ vt.conj().T, numpy.eye(len(vt), dtype=dtype), dtype)
        if 0 not in shape:
            close(compute(nlinalg.pinv, value)[0], numpy.linalg.pinv(value), dtype)
        for mode in ("reduced", "complete"):
            q, r = compute(lambda x: nlinalg.qr(x, mode), value)
            wanted = numpy.linalg.qr(value, mode)
            assert q.shape == wanted[0].shape and r.shape == wanted[1].shape
            close(q @ r, value, dtype)
            close(q.conj().T @ q, numpy.eye(q.shape[1], dtype=dtype), dtype)
            close(r, numpy.triu(r), dtype)
        close(compute(lambda x: nlinalg.qr(x, "r"), value)[0], numpy.linalg.qr(value, "r"), dtype)
        for found, wanted in zip(compute(lambda x: nlinalg.qr(x, "raw"), value), numpy.linalg.qr(value.astype("c16"), "raw")):
            assert found.shape == wanted.shape


@pytest.mark.parametrize("shape", SHAPES)
def test_least_squares(shape):
    for value in layouts(matrix(*shape)):
        for right in (matrix(shape[0], 2), matrix(shape[0], 1)[:, 0]):
            x, residuals, rank, s = compute(lambda a, b: nlinalg.lstsq()(a, b, -1), value, right)
            wanted = numpy.linalg.lstsq(value, right, rcond=-1)
            close(x, wanted[0])
            assert rank == wanted[2]
            if 0 not in shape:
                close(residuals, wanted[1])
            close(s, wanted[3])


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues(dtype):
    for size in SIZES:
        value = positive(size, dtype)
        value[:, :1] *= 2
        w, v = compute(nlinalg.eig, value)
        wanted = numpy.linalg.eig(value) if size else (numpy.zeros(0), numpy.zeros((0, 0)))
        numpy.testing.assert_allclose(numpy.sort(w.real), numpy.sort(wanted[0].real), rtol=1e-3, atol=1e-3)
        if size:
            numpy.testing.assert_allclose(value @ v, v * w, atol=2e-3 if dtype in ("float32", "complex64") else 1e-8)


def series(x):
    total = term = numpy.eye(len(x), dtype=x.dtype)
    for i in range(1, 60):
        term = term @ x / i
        total = total + term
    return total


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponentials(dtype):
    for size in (0, 1, 2, 6):
        for scale in (1e-9, 0.5, 3.0):
            for value in layouts((matrix(size, dtype=dtype) * scale).astype(dtype)):
                wide = value.astype("complex128" if dtype.startswith("c") else "float64")
                close(compute(slinalg.expm, value)[0], series(wide).astype(dtype), dtype)
    close(compute(slinalg.expm, numpy.diag([1.0, 20.0, -30.0]))[0], numpy.diag(numpy.exp([1.0, 20.0, -30.0])))


def test_integers_are_computed_in_float64():
    value = numpy.array([[2, 1], [1, 3]])
    assert compute(nlinalg.matrix_inverse, value)[0].dtype == "float64"
    close(compute(slinalg.solve, value, numpy.array([1, 2], "int8"))[0], numpy.linalg.solve(value, [1, 2]))
    assert compute(slinalg.solve, value.astype("float32"), numpy.array([1.0, 2.0]))[0].dtype == "float64"


GRADIENTS = {
    "inverse": (nlinalg.matrix_inverse, [square(4)]), "det": (nlinalg.det, [square(4)]), "logdet": (lambda x: nlinalg.slogdet(x)[1], [square(4)]),
    "pinv high": (nlinalg.pinv, [matrix(5, 3)]), "pinv wide": (nlinalg.pinv, [matrix(2, 4)]),
    "solve": (slinalg.solve, [square(4), matrix(4, 2)]), "solve vector": (slinalg.solve, [square(3), matrix(3, 1)[:, 0]]),
    "solve transposed": (lambda a, b: slinalg.solve(a, b, trans="T"), [square(3), matrix(3, 2)]),
    "solve symmetric": (lambda a, b: slinalg.solve(a + a.T, b, assume_a="sym"), [square(3), matrix(3, 2)]),
    "solve positive": (lambda a, b: slinalg.solve(T.dot(a, a.T), b, assume_a="pos"), [square(3), matrix(3, 2)]),
    "lower": (lambda a, b: slinalg.solve_triangular(a, b, lower=True), [square(4), matrix(4, 2)]),
    "upper": (slinalg.solve_upper_triangular, [square(4), matrix(4, 1)[:, 0]]),
    "unit": (lambda a, b: slinalg.solve_triangular(a, b, unit_diagonal=True, trans=1), [matrix(4), matrix(4, 2)]),
    "cholesky": (slinalg.cholesky, [positive(4)]), "cholesky upper": (slinalg.Cholesky(lower=False), [positive(3)]),
    "cholesky nan": (slinalg.Cholesky(on_error="nan"), [positive(3)]),
    "eigh": (lambda x: T.sum(nlinalg.eigh(x)[0] ** 3) + T.sum(nlinalg.eigh(x)[1] ** 2 * [[1, 2, 3]] * [[3], [2], [5]]), [positive(3)]),
    "eigh U": (lambda x: T.sum(nlinalg.eigh(x, "U")[0] ** 3), [positive(4)]), "eigvalsh": (slinalg.eigvalsh, [positive(3), positive(3)]),
    "eig": (lambda x: T.sum(nlinalg.eig(T.dot(x, x.T) + 0.3 * T.triu(x))[0] ** 3) + T.sum(nlinalg.eig(T.dot(x, x.T) + 0.3 * T.triu(x))[1] ** 2 * [[1, 2, 3]] * [[3], [2], [5]]), [positive(3)]),
    "eigvalsh of one": (slinalg.eigvalsh, [positive(3)]), "svd values": (lambda x: nlinalg.svd(x, compute_uv=False), [matrix(4, 3)]),
    "svd": (lambda x: sum(T.sum(part ** 2 * numpy.arange(1.0, 1 + size).reshape(shape))
                          for part, size, shape in zip(nlinalg.svd(x, 0), (12, 3, 9), ((4, 3), 3, (3, 3)))), [matrix(4, 3)]),
    "qr high": (lambda x: T.join(0, *nlinalg.qr(x)), [matrix(5, 3)]), "qr wide": (lambda x: T.join(1, *nlinalg.qr(x)), [matrix(3, 5)]),
    "r": (lambda x: nlinalg.qr(x, "r"), [matrix(4, 4)]), "expm": (slinalg.expm, [matrix(3)]),
    "lstsq": (lambda a, b: nlinalg.lstsq()(a, b, -1)[0], [matrix(5, 3), matrix(5, 2)]), "kron": (slinalg.kron, [matrix(2, 3), matrix(3, 2)]),
    "matrix_power": (lambda x: nlinalg.matrix_power(x, 5), [matrix(3)]), "trace": (nlinalg.trace, [matrix(3)]),
    "norm nuc": (lambda x: nlinalg.norm(x, "nuc"), [matrix(3)]), "norm 2": (lambda x: nlinalg.norm(x, 2), [matrix(3)]),
    "tensorinv": (lambda x: nlinalg.tensorinv(x.reshape((2, 3, 6)), 2), [square(6)]),
    "tensorsolve": (lambda a, b: nlinalg.tensorsolve(a.reshape((2, 3, 6)), b), [square(6), matrix(2, 3)]),
}


@pytest.mark.parametrize("name", sorted(GRADIENTS))
def test_gradients(name):
    build, points = GRADIENTS[name]
    T.verify_grad(build, points, rng=numpy.random.RandomState(1), eps=1e-6)


@pytest.mark.parametrize("name", ["inverse", "det", "logdet", "pinv high", "pinv wide", "solve", "solve transposed", "lower", "unit", "cholesky",
                                  "cholesky upper", "expm"])
def test_forward_derivatives(name):
    build, points = GRADIENTS[name]
    inputs = [T.TensorType("float64", (False,) * point.ndim)() for point in points]
    directions = [random.uniform(-1, 1, point.shape) for point in points]
    out = build(*inputs)
    f = theano.function(inputs, [out, T.Rop(out, inputs, [T.constant(one) for one in directions])])
    step = 1e-6
    ahead, behind = (f(*[point + sign * step * one for point, one in zip(points, directions)])[0] for sign in (1, -1))
    numpy.testing.assert_allclose(f(*points)[1], (ahead - behind) / (2 * step), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("lower", [True, False])
def test_gradients_of_the_vectors_of_a_general_eigenproblem(lower):
    def build(a, b):
        w, v = _core.general_eigh(a, b, lower)
        return T.sum(w ** 3) + T.sum(v ** 2 * [[1, 2, 3]] * [[3], [2], [5]])

    T.verify_grad(build, [positive(3), positive(3)], rng=numpy.random.RandomState(3), eps=1e-6)


def folded(g, lower):
    """What a gradient by all elements says where one triangle stands for both."""
    g = g + g.T - numpy.diag(numpy.diag(g))
    return numpy.tril(g) if lower else numpy.triu(g)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_of_eigenvalues_of_two_matrices(lower, dtype):
    """Of their sum, which is the trace of b⁻¹·a, of their weighted sum by differences, and by the op of that name; alike ones, too."""
    a, b, g = T.matrix("a", dtype), T.matrix("b", dtype), T.vector("g", dtype)
    w = slinalg.eigvalsh(a, b, lower)
    f = theano.function([a, b, g], T.grad(None, [a, b], known_grads={w: g}) + slinalg.EigvalshGrad(lower)(a, b, g))
    values = theano.function([a, b], w)
    definite = positive(4)
    for symmetric in (positive(4), 2 * definite):
        first, second = symmetric.astype(dtype), definite.astype(dtype)
        inverse = numpy.linalg.inv(definite)
        wanted = [folded(inverse, lower), folded(-inverse @ symmetric @ inverse, lower)] * 2
        for found, one in zip(f(first, second, numpy.ones(4, dtype)), wanted):
            close(found, one.astype(dtype), dtype)
    if dtype == "float32":
        return
    weights = numpy.array([1.0, -2, 3, 0.5])
    found = f(symmetric + numpy.diag([1.0, 2, 3, 4]), definite, weights)
    for number, gradient in enumerate(found):
        for i, j in ((0, 0), (3, 1), (1, 3), (2, 2)):
            steps = []
            for sign in (1e-6, -1e-6):
                point = [symmetric + numpy.diag([1.0, 2, 3, 4]), definite.copy()]
                point[number % 2][i, j] += sign
                steps.append(weights @ values(*point))
            numpy.testing.assert_allclose(gradient[i, j], (steps[0] - steps[1]) / 2e-6, rtol=1e-6, atol=1e-7)


def test_complex_eigenvalues_have_no_gradient():
    x = T.dmatrix("x")
    f = theano.function([x], T.grad(nlinalg.eig(x)[0].sum(), x))
    assert numpy.isnan(f([[0.0, 1.0], [-1.0, 0.0]])).all()
    numpy.testing.assert_allclose(f([[2.0, 1.0], [0.5, -1.0]]), numpy.eye(2), atol=1e-12)


def test_second_derivatives():
    x, point = T.dmatrix("x"), square(3)
    for build in (nlinalg.matrix_inverse, lambda x: slinalg.cholesky(T.dot(x, x.T)), slinalg.expm):
        first = T.grad(T.sum(T.sqr(build(x))), x)
        T.verify_grad(lambda x: theano.clone(T.grad(T.sum(T.sqr(build(x))), x)), [point], rng=numpy.random.RandomState(2))
        assert first.eval({x: point}).shape == (3, 3)


def test_gradient_ops_that_scripts_call():
    value, gw = positive(4), numpy.arange(4.0)
    a, g = T.dmatrix("a"), T.dvector("g")
    w, v = nlinalg.eigh(a)
    wanted = T.grad(None, a, known_grads={w: g})
    both = theano.function([a, g], [wanted, nlinalg.EighGrad("L")(a, w, v, g, T.zeros_like(v)), slinalg.EigvalshGrad()(a, None, g)])(value, gw)
    close(both[1], both[0])
    close(both[2], both[0])
    l, z = slinalg.cholesky(a), T.dmatrix("z")
    f = theano.function([a, z], [T.grad(None, a, known_grads={l: z}), slinalg.CholeskyGrad()(a, l, z)])
    close(*f(value, matrix(4)))
    e = slinalg.expm(a)
    f = theano.function([a, z], [T.grad(None, a, known_grads={e: z}), slinalg.ExpmGrad()(a, z)])
    close(*f(value, matrix(4)))


def test_powers_norms_products():
    value = matrix(3)
    for n in (-2, -1, 0, 1, 2, 3, 7):
        close(compute(lambda x: nlinalg.matrix_power(x, n), value)[0], numpy.linalg.matrix_power(value, n))
    for order in (None, "fro", "nuc", 1, -1, 2, -2, numpy.inf, -numpy.inf):
        close(compute(lambda x: nlinalg.norm(x, order), value)[0], numpy.linalg.norm(value, order))
    close(compute(lambda x: nlinalg.norm(x, "inf"), value)[0], numpy.linalg.norm(value, numpy.inf))
    for order in (None, 0, 1, 2, 3.5, numpy.inf, -numpy.inf):
        close(compute(lambda x: nlinalg.norm(x, order), value[0])[0], numpy.linalg.norm(value[0], order))
    close(compute(nlinalg.matrix_dot, value, value, value)[0], value @ value @ value)
    one, two = matrix(2, 3), matrix(3, 4)
    close(compute(slinalg.kron, one, two)[0], numpy.kron(one, two))
    close(compute(slinalg.kron, one[0], two)[0], numpy.kron(one[:1], two).ravel())
    for left, right in [((2, 3, 4), (6, 7)), ((2, 3), (3, 4, 5)), ((2, 3, 4), (3, 2, 2)), ((3,), (2, 3, 4)), ((2, 3, 4), (3,))]:
        left, right = numpy.arange(1.0, 1 + numpy.prod(left)).reshape(left), numpy.sin(numpy.arange(numpy.prod(right))).reshape(right)
        blocks = numpy.multiply.outer(left, right)  # as SciPy put them together
        close(compute(slinalg.kron, left, right)[0], numpy.concatenate(numpy.concatenate(blocks, axis=1), axis=1))
    a, b = square(6).reshape(2, 3, 6), matrix(2, 3)
    close(compute(nlinalg.tensorinv, a)[0], numpy.linalg.tensorinv(a))
    close(compute(lambda x: nlinalg.tensorinv(x, 1), a.reshape(6, 3, 2))[0], numpy.linalg.tensorinv(a.reshape(6, 3, 2), 1))
    close(compute(nlinalg.tensorsolve, a, b)[0], numpy.linalg.tensorsolve(a, b))
    moved = numpy.moveaxis(a, 2, 0)
    close(compute(lambda x, y: nlinalg.tensorsolve(x, y, axes=(0,)), moved, b)[0], numpy.linalg.tensorsolve(moved, b, axes=(0,)))
    close(compute(nlinalg.diag, value)[0], numpy.diag(value))
    close(compute(nlinalg.alloc_diag, value[0])[0], numpy.diag(value[0]))


@pytest.mark.parametrize("build, values, error, sentence", [
    (nlinalg.matrix_inverse, [numpy.ones((3, 3))], numpy.linalg.LinAlgError, "Singular matrix"),
    (slinalg.solve, [numpy.ones((30, 30)), numpy.ones(30)], numpy.linalg.LinAlgError, "Singular matrix"),
    (slinalg.solve, [numpy.ones((2, 2)), numpy.ones(2)], numpy.linalg.LinAlgError, "Singular matrix"),
    (slinalg.solve_lower_triangular, [numpy.diag([1.0, 0, 2]), numpy.ones(3)], numpy.linalg.LinAlgError, "pivot 1 is zero"),
    (nlinalg.matrix_inverse, [numpy.ones((2, 3))], numpy.linalg.LinAlgError, "wants a square matrix, got shape \\(2, 3\\)"),
    (nlinalg.det, [numpy.ones((2, 3))], numpy.linalg.LinAlgError, "square"),
    (slinalg.cholesky, [-numpy.eye(3)], numpy.linalg.LinAlgError, "not positive definite"),
    (slinalg.solve, [numpy.eye(3), numpy.ones(4)], ValueError, "right side"),
    (lambda x: nlinalg.svd(x)[1], [numpy.array([[1, numpy.nan], [2, 3]])], numpy.linalg.LinAlgError, "infinite or nan"),
    (lambda x: nlinalg.eig(x)[0], [numpy.array([[1, numpy.inf], [2, 3]])], numpy.linalg.LinAlgError, "infinite or nan"),
])
def test_errors_of_values(build, values, error, sentence):
    with pytest.raises(error, match=sentence):
        compute(build, *values)


def test_errors_of_types():
    with pytest.raises(ValueError, match="wants a matrix, got TensorType\\(float64, vector\\)"):
        nlinalg.matrix_inverse(T.dvector())
    with pytest.raises(TypeError, match="works in float32, float64 and complex"):
        nlinalg.det(T.TensorType("float16", (False, False))())
    with pytest.raises(ValueError, match="on_error"):
        slinalg.Cholesky(on_error="ignore")
    with pytest.raises(ValueError, match="Invalid matrix structure argument"):
        slinalg.Solve("round")
    with pytest.raises(ValueError, match="assume_a"):
        slinalg.solve(T.dmatrix(), T.dmatrix(), assume_a="round")
    with pytest.raises(theano.gradient.NullTypeGradError, match="full_matrices"):
        x = T.dmatrix("x")
        T.grad(T.sum(nlinalg.svd(x)[0]), x)


def test_nan_where_it_was_asked_for():
    nan = slinalg.Cholesky(on_error="nan")
    assert numpy.isnan(compute(nan, -numpy.eye(3))[0]).all()
    x = T.dmatrix("x")
    assert numpy.isnan(theano.function([x], T.grad(T.sum(nan(x)), x))(-numpy.eye(3))).all()


def test_sizes_are_known_before_anything_runs():
    x = T.dmatrix("x")
    u, s, vt = nlinalg.svd(x)
    shapes = theano.function([x], [nlinalg.pinv(x).shape, u.shape, s.shape, vt.shape] + [part.shape for part in nlinalg.qr(x)])
    assert [list(one) for one in shapes(numpy.zeros((3, 5)))] == [[5, 3], [3, 3], [3], [5, 5], [3, 3], [3, 5]]
    assert not any(type(node.op).__name__ in ("SVD", "QRFull", "MatrixPinv") for node in shapes.maker.fgraph.toposort())


def ops_of(f):
    return [type(node.op).__name__ for node in f.maker.fgraph.toposort()]


def test_rewrites():
    x, b = T.dmatrix("x"), T.dvector("b")
    f = theano.function([x, b], T.dot(nlinalg.matrix_inverse(x), b))
    assert "Solve" in ops_of(f) and "MatrixInverse" not in ops_of(f)
    value, right = square(4), matrix(4, 1)[:, 0]
    close(f(value, right), numpy.linalg.solve(value, right))
    f = theano.function([x, b], T.dot(b, nlinalg.matrix_inverse(x)))
    assert "MatrixInverse" not in ops_of(f)
    close(f(value, right), numpy.linalg.solve(value.T, right))
    f = theano.function([x, b], slinalg.solve(slinalg.cholesky(x).T, b))
    solve, = [node.op for node in f.maker.fgraph.toposort() if type(node.op).__name__ == "Solve"]
    assert solve.A_structure == "upper_triangular" and isinstance(solve, slinalg.Solve)
    f = theano.function([x], T.log(nlinalg.det(x)))
    assert "SLogDet" in ops_of(f)
    large = 1e10 * positive(60)
    close(f(large), numpy.linalg.slogdet(large)[1])
    assert numpy.isnan(f(numpy.diag([1.0, -1.0]))) and f(numpy.zeros((2, 2))) == -numpy.inf
    f = theano.function([x], [slinalg.cholesky(x), nlinalg.det(x)])
    assert "Det" not in ops_of(f)
    value = positive(4)
    close(f(value)[1], numpy.linalg.det(value))


def test_names_of_ops_and_their_parameters():
    x = T.dmatrix("x")
    texts = {str(built.owner.op) for built in (nlinalg.matrix_inverse(x), nlinalg.eigh(x)[0], slinalg.cholesky(x), nlinalg.svd(x)[0])}
    assert texts == {"MatrixInverse", "Eigh{UPLO='L'}", "Cholesky{lower=True, destructive=False, on_error='raise'}",
                     "SVD{full_matrices=True, compute_uv=True}"}
    assert slinalg.cholesky(x).owner.op.lower and slinalg.Cholesky(lower=False).lower is False
    assert slinalg.Cholesky(on_error="nan")(x).owner.op.on_error == "nan" and nlinalg.eigh(x, "U")[0].owner.op.UPLO == "U"
    assert type(nlinalg.MatrixInverse()).__module__ == "theano.tensor.nlinalg"
    from theano.sandbox.linalg import ops
    assert ops.matrix_inverse is nlinalg.matrix_inverse


def test_the_programs_of_others():
    """A Gaussian process: its likelihood falls in the direction that the gradient says."""
    x, y, scale = T.dmatrix("x"), T.dvector("y"), T.dscalar("scale")
    distance = T.sum((x.dimshuffle(0, "x", 1) - x.dimshuffle("x", 0, 1)) ** 2, axis=2)
    kernel = T.exp(-distance / scale ** 2) + 0.1 * T.eye(x.shape[0])
    factor = slinalg.cholesky(kernel)
    z = slinalg.solve_lower_triangular(factor, y)
    cost = 0.5 * T.sum(z ** 2) + T.sum(T.log(T.diag(factor)))
    f = theano.function([x, y, scale], [cost, T.grad(cost, scale)])
    points = random.uniform(-2, 2, (20, 2))
    values = numpy.sin(points.sum(1))
    k = numpy.exp(-((points[:, None] - points[None]) ** 2).sum(2) / 0.49) + 0.1 * numpy.eye(20)
    close(f(points, values, 0.7)[0], 0.5 * values @ numpy.linalg.solve(k, values) + 0.5 * numpy.linalg.slogdet(k)[1])
    ahead, behind = f(points, values, 0.7 + 1e-6)[0], f(points, values, 0.7 - 1e-6)[0]
    numpy.testing.assert_allclose(f(points, values, 0.7)[1], (ahead - behind) / 2e-6, rtol=1e-5)
