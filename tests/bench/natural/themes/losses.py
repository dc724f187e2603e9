"""Losses, most of them with gradients."""
from natural.row import row

row("mean squared error", "x f4 1e6; y f4 1e6", "mean((x - y) ** 2)")
row("mean squared error and gradient", "x f4 {1e4|1e6}; y f4 {1e4|1e6}", "mean((x - y) ** 2)", gradient="x")
row("mean absolute error and gradient", "x f8 1e6; y f8 1e6", "mean(abs(x - y))", gradient="x")
row("Huber", "x f4 1e6; y f4 1e6", "mean(where(abs(x - y) < 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5))")
row("Huber and gradient", "x f4 1e6; y f4 1e6", "mean(where(abs(x - y) < 1, 0.5 * (x - y) ** 2, abs(x - y) - 0.5))", gradient="x")
row("log-cosh and gradient", "x f8 1e5; y f8 1e5", "mean(log(cosh(x - y)))", gradient="x")
row("hinge", "x f4 1e6; y f4 1e6", "mean(maximum(0, 1 - y * x))")
row("hinge and gradient", "x f4 1e6; y f4 1e6", "mean(maximum(0, 1 - y * x))", gradient="x")
row("squared hinge and gradient", "x f8 1e5; y f8 1e5", "mean(maximum(0, 1 - y * x) ** 2)", gradient="x")
row("binary cross-entropy", "x f4 1e6; y f4 1e6 unit", "-mean(y * log(sigmoid(x)) + (1 - y) * log(1 - sigmoid(x)))")
row("binary cross-entropy and gradient", "x f4 1e5; y f4 1e5 unit", "-mean(y * log(sigmoid(x)) + (1 - y) * log(1 - sigmoid(x)))", gradient="x")
row("stable cross-entropy on logits", "x f4 1e6; y f4 1e6 unit", "mean(maximum(x, 0) - x * y + log(1 + exp(-abs(x))))")
row("stable cross-entropy on logits and gradient", "x f4 1e5; y f4 1e5 unit", "mean(maximum(x, 0) - x * y + log1p(exp(-abs(x))))", gradient="x")
row("focal loss and gradient", "x f4 1e5; y f4 1e5 unit",
    "-mean(y * (1 - sigmoid(x)) ** 2 * log(sigmoid(x)) + (1 - y) * sigmoid(x) ** 2 * log(1 - sigmoid(x)))", gradient="x")
row("cross-entropy with soft targets", "x f4 1000x1000; t f4 1000x1000 unit", "-mean((t * log_softmax(x)).sum(axis=1))")
row("cross-entropy with soft targets and gradient", "x f4 1000x1000; t f4 1000x1000 unit", "-mean((t * log_softmax(x)).sum(axis=1))", gradient="x")
row("cross-entropy of labels", "x f4 {1000x1000|10000x10}; k i8 {1000|10000} <10", "-mean(log_softmax(x)[arange(k.shape[0]), k])")
row("cross-entropy of labels and gradient", "x f4 {1000x1000|10000x10}; k i8 {1000|10000} <10", "-mean(log_softmax(x)[arange(k.shape[0]), k])", gradient="x")
row("cross-entropy of labels and gradient", "x f8 1000x20; k i8 1000 <20", "-mean(log(softmax(x))[arange(k.shape[0]), k])", gradient="x")
row("Kullback-Leibler of rows", "p f4 1000x100 pos; q f4 1000x100 pos", "(p * log(p / q)).sum(axis=1)")
row("Kullback-Leibler and gradient", "p f4 1000x100 pos; q f4 1000x100 pos", "(p * (log(p) - log(q))).sum()", gradient="q")
row("cosine loss and gradient", "x f4 1000x128; y f4 1000x128",
    "mean(1 - (x * y).sum(axis=1) / (sqrt((x ** 2).sum(axis=1)) * sqrt((y ** 2).sum(axis=1))))", gradient="x")
row("triplet loss and gradient", "a f4 1000x64; p f4 1000x64; n f4 1000x64",
    "mean(maximum(0, ((a - p) ** 2).sum(axis=1) - ((a - n) ** 2).sum(axis=1) + 0.2))", gradient="a")
row("contrastive loss and gradient", "x f4 256x64 small; y f4 256x64 small", "-mean(diagonal(log_softmax(dot(x, y.T) / 0.1)))", gradient="x y")
row("total variation", "x f4 1000x1000", "mean(abs(x[1:] - x[:-1])) + mean(abs(x[:, 1:] - x[:, :-1]))")
row("total variation and gradient", "x f4 1000x1000", "sum((x[1:] - x[:-1]) ** 2) + sum((x[:, 1:] - x[:, :-1]) ** 2)", gradient="x")
row("ridge regression and gradient", "x f8 1000x50; y f8 1000; w f8 50", "sum((y - dot(x, w)) ** 2) + 0.1 * sum(w ** 2)", gradient="w")
row("lasso and gradient", "x f4 2000x200; y f4 2000; w f4 200", "mean((y - dot(x, w)) ** 2) + 0.1 * sum(abs(w))", gradient="w")
for rows, columns in ((400, 784), (10000, 20), (100, 5)):
    row("logistic regression and gradient", "x f4 %dx%d; w f4 %d small; y f4 %d unit" % (rows, columns, columns, rows),
        "mean(softplus(dot(x, w)) - y * dot(x, w))", gradient="w")
row("Poisson regression and gradient", "x f8 2000x20 small; w f8 20; k f8 2000 pos", "mean(exp(dot(x, w)) - k * dot(x, w))", gradient="w")
row("softmax regression and gradient", "x f4 500x784; w f4 784x10 small; b f4 10; k i8 500 <10",
    "-mean(log(softmax(dot(x, w) + b))[arange(k.shape[0]), k])", gradient="w b")
row("quantile loss and gradient", "x f8 1e5; y f8 1e5", "mean(maximum(0.9 * (y - x), -0.1 * (y - x)))", gradient="x")
row("Dice loss and gradient", "x f4 16x10000; y f4 16x10000 unit",
    "1 - mean(2 * (sigmoid(x) * y).sum(axis=1) / (sigmoid(x).sum(axis=1) + y.sum(axis=1)))", gradient="x")
row("gradient of a sum of tanh", "x f4 1e6", "sum(tanh(x) ** 2)", gradient="x")
row("gradient of layer normalisation", "x f4 1000x256; g f4 256; t f4 1000x256",
    "sum(t * ((x - x.mean(axis=1, keepdims=True)) / sqrt(x.var(axis=1, keepdims=True) + 1e-5) * g))", gradient="x g")
row("gradient of batch normalisation", "x f4 512x256; g f4 256; t f4 512x256",
    "sum(t * ((x - x.mean(axis=0)) / sqrt(x.var(axis=0) + 1e-5) * g))", gradient="x g")
row("gradient of a softmax", "x f4 1000x100; t f4 1000x100", "sum(softmax(x) * t)", gradient="x")
