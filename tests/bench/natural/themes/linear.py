"""Products, solutions and decompositions."""
from natural.row import row

for rows, inner, columns in ((10, 10, 10), (64, 64, 64), (100, 100, 100), (512, 512, 512), (1000, 1000, 10), (10, 1000, 1000), (2000, 30, 2000), (333, 555, 77)):
    row("product", "x f4 %dx%d; y f4 %dx%d" % (rows, inner, inner, columns), "dot(x, y)")
row("product", "x f8 300x300; y f8 300x300", "dot(x, y)")
for rows, columns in ((1000, 1000), (100, 100), (10000, 50), (50, 10000)):
    row("matrix times vector", "x f4 %dx%d; v f4 %d" % (rows, columns, columns), "dot(x, v)")
row("vector times matrix", "v f8 1000; x f8 1000x1000", "dot(v, x)")
row("transposed matrix times vector", "x f4 1000x500; v f4 1000", "dot(x.T, v)")
row("Gram matrix", "x f4 {1000x200|10000x20}", "dot(x.T, x)")
row("covariance matrix", "x f8 2000x50", "dot((x - x.mean(axis=0)).T, x - x.mean(axis=0)) / (x.shape[0] - 1)")
row("correlation matrix", "x f8 2000x30",
    "dot(((x - x.mean(axis=0)) / x.std(axis=0)).T, (x - x.mean(axis=0)) / x.std(axis=0)) / x.shape[0]")
row("quadratic form", "x f8 500; a f8 500x500", "dot(x, dot(a, x))")
row("quadratic forms of rows", "x f8 1000x20; a f8 20x20", "(dot(x, a) * x).sum(axis=1)")
row("three products", "a f4 300x300; b f4 300x300; c f4 300x300", "dot(dot(a, b), c)")
row("product and bias", "x f4 128x784; w f4 784x256; b f4 256", "dot(x, w) + b")
row("layer", "x f4 128x784; w f4 784x256 small; b f4 256", "tanh(dot(x, w) + b)")
row("layer with relu", "x f4 64x512; w f4 512x512 small; b f4 512", "maximum(dot(x, w) + b, 0)")
for count, size in ((10000, 4), (5000, 6), (2000, 8), (500, 16), (100, 64)):
    row("many products", "x f4 %dx%dx%d; y f4 %dx%dx%d" % (count, size, size, count, size, size), "batched_dot(x, y)")
row("product by spreading", "x f4 300x40; y f4 40x50", "(x[:, :, None] * y[None]).sum(axis=1)")
row("many matrices times vectors", "x f4 2000x8x8; v f4 2000x8", "(x * v[:, None, :]).sum(axis=2)")
row("scores of attention", "q f4 64x50x32; k f4 64x50x32", "batched_dot(q, k.dimshuffle(0, 2, 1))", "matmul(q, k.transpose((0, 2, 1)))")
row("Kronecker product by hand", "x f8 30x30; y f8 20x20",
    "(x[:, None, :, None] * y[None, :, None, :]).reshape((x.shape[0] * y.shape[0], x.shape[1] * y.shape[1]))")
row("Cholesky factor", "a f8 {10x10|50x50|300x300} spd", "cholesky(a)")
row("triangular solution", "a f8 300x300 lower; b f8 300", "solve_lower(a, b)")
row("triangular solutions", "a f8 200x200 lower; b f8 200x50", "solve_lower(a, b)")
row("linear solution", "a f8 20x20 spd; b f8 20x1", "solve(a, b)")
row("linear solution", "a f8 200x200 spd; b f8 200x10", "solve(a, b)")
row("inverse", "a f8 {10x10|100x100} spd", "inv(a)")
row("determinant", "a f8 {10x10|50x50} spd", "det(a)")
row("eigenvalues", "a f8 50x50 spd", "eigh(a)[0]")
row("singular values", "a f8 100x30", "svd(a)[1]")
row("least squares by normal equations", "x f8 1000x20; y f8 1000x1", "solve(dot(x.T, x), dot(x.T, y))")
row("gradient of a quadratic form", "x f8 300; a f8 300x300", "dot(x, dot(a, x)) / 2", gradient="x a")
row("log-determinant of a kernel and gradient", "x f8 50x5", "2 * sum(log(diagonal(cholesky(dot(x, x.T) + eye(x.shape[0])))))", gradient="x")
row("projection", "x f8 1000x10; y f8 1000", "dot(x, dot(x.T, y)) / x.shape[0]")
row("bilinear form of rows", "x f4 500x50; w f4 50x50; y f4 500x50", "(dot(x, w) * y).sum(axis=1)")
row("factors of a matrix and gradient", "u f4 300x10; v f4 200x10; r f4 300x200", "mean((r - dot(u, v.T)) ** 2)", gradient="u v")
