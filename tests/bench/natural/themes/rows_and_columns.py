"""What is done to each row or column: softmaxes, normalisations."""
from natural.row import row

row("softmax", "x f4 {1000x1000|10000x10|1000x100|128x50257|100000x3}", "softmax(x)")
row("softmax", "x f8 1000x100", "softmax(x)")
row("softmax of half precision", "x f2 1000x1000", "softmax(x)", "softmax(x)")
row("softmax by hand", "x f4 1000x1000", "exp(x) / exp(x).sum(axis=1, keepdims=True)")
row("softmax with care by hand", "x f4 {1000x1000|5000x20}",
    "exp(x - x.max(axis=1, keepdims=True)) / exp(x - x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)")
row("softmax of columns", "x f4 1000x1000", "exp(x - x.max(axis=0)) / exp(x - x.max(axis=0)).sum(axis=0)")
row("softmax of attention", "x f4 8x12x64x64",
    "exp(x - x.max(axis=3, keepdims=True)) / exp(x - x.max(axis=3, keepdims=True)).sum(axis=3, keepdims=True)")
row("log-softmax", "x f4 {1000x1000|10000x10}", "log_softmax(x)")
row("log-softmax by hand", "x f4 1000x1000", "x - log(exp(x).sum(axis=1, keepdims=True))")
row("naive log-sum-exp of rows", "x f4 {1000x1000|1000x1024|1000x1100}", "log(sum(exp(x), axis=1))")
row("log-sum-exp of rows", "x f4 {1000x1000|10000x10|2000x33}", "log(sum(exp(x - max(x, axis=1, keepdims=True)), axis=1)) + max(x, axis=1)")
row("log-sum-exp of columns", "x f8 500x500", "log(sum(exp(x - max(x, axis=0)), axis=0)) + max(x, axis=0)")
for rows, columns in ((1000, 1000), (4096, 64), (512, 768), (20000, 16)):
    row("layer normalisation", "x f4 %dx%d; g f4 %d; b f4 %d" % (rows, columns, columns, columns),
        "(x - x.mean(axis=1, keepdims=True)) / sqrt(x.var(axis=1, keepdims=True) + 1e-5) * g + b")
row("normalisation by root mean square", "x f4 1000x768; g f4 768", "x / sqrt(mean(x ** 2, axis=1, keepdims=True) + 1e-6) * g")
for rows, columns in ((1000, 1000), (128, 4096), (2000, 300), (4000, 4000)):
    row("batch normalisation", "x f4 %dx%d; g f4 %d; b f4 %d" % (rows, columns, columns, columns),
        "(x - x.mean(axis=0)) / sqrt(x.var(axis=0) + 1e-5) * g + b")
row("batch normalisation of images", "x f4 32x16x28x28; g f4 16; b f4 16",
    "(x - x.mean(axis=(0, 2, 3), keepdims=True)) / sqrt(x.var(axis=(0, 2, 3), keepdims=True) + 1e-5) * g[None, :, None, None] + b[None, :, None, None]")
row("standardisation of columns", "x f4 {1000x1000|1500x1000|300x4000}", "(x - x.mean(axis=0)) / x.std(axis=0)")
row("standardisation of columns", "x f8 10000x20", "(x - x.mean(axis=0)) / x.std(axis=0)")
row("standardisation of rows", "x f4 1000x1000", "(x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)")
row("min-max of columns", "x f4 {1000x1000|1000x200}", "(x - x.min(axis=0)) / (x.max(axis=0) - x.min(axis=0))")
row("min-max of rows", "x f8 1000x300", "(x - x.min(axis=1, keepdims=True)) / (x.max(axis=1, keepdims=True) - x.min(axis=1, keepdims=True))")
row("centring of columns", "x f4 {1000x1000|5000x50}", "x - x.mean(axis=0)")
row("centring of rows", "x f4 {1000x1000|5000x50}", "x - x.mean(axis=1, keepdims=True)")
row("double centring", "x f8 500x500", "x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()")
row("unit rows", "x f4 {1000x1000|20000x50|100000x3}", "x / sqrt((x ** 2).sum(axis=1, keepdims=True))")
row("unit columns", "x f4 1000x1000", "x / sqrt((x ** 2).sum(axis=0))")
row("rows that sum to one", "x f4 1000x1000 pos", "x / x.sum(axis=1, keepdims=True)")
row("columns that sum to one", "x f8 1000x500 pos", "x / x.sum(axis=0)")
row("squared distances of pairs", "x f4 200x10; y f4 300x10", "((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)")
row("squared distances of pairs by a product", "x f4 1000x50; y f4 1000x50",
    "(x ** 2).sum(axis=1)[:, None] + (y ** 2).sum(axis=1) - 2 * dot(x, y.T)")
row("Manhattan distances of pairs", "x f4 200x20; y f4 300x20", "abs(x[:, None, :] - y[None, :, :]).sum(axis=2)")
row("Gaussian kernel of pairs", "x f8 300x5; y f8 300x5", "exp(-0.5 * ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))")
row("product written as a sum", "a f4 100x80; b f4 80x90", "sum(a[:, :, None] * b[None], axis=1)")
row("expectation under a softmax", "x f4 1000x100; v f4 100", "(softmax(x) * v).sum(axis=1)")
row("entropy of rows", "x f4 1000x100", "-(softmax(x) * log_softmax(x)).sum(axis=1)")
row("masked mean of rows", "x f4 500x100x16; k f4 500x100 unit", "(x * k[:, :, None]).sum(axis=1) / k.sum(axis=1)[:, None]")
