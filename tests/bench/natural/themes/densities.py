"""Log-densities and log-posteriors in float64, most of them with gradients."""
from natural.row import row

LOG_2PI = "1.8378770664093453"
NORMAL = "-0.5 * ((x - mu) / sigma) ** 2 - log(sigma) - 0.5 * " + LOG_2PI
row("normal log-density", "x f8 {100|1e4|1e6}; mu f8 scalar; sigma f8 scalar pos", "sum(%s)" % NORMAL)
row("normal log-density and gradient", "x f8 {100|1e4|1e5}; mu f8 scalar; sigma f8 scalar pos", "sum(%s)" % NORMAL, gradient="mu sigma")
row("normal log-densities", "x f8 1e5; mu f8 1e5; sigma f8 1e5 pos", NORMAL)
row("Student log-density and gradient", "x f8 1e4; mu f8 scalar; sigma f8 scalar pos; nu f8 scalar pos",
    "sum(gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * log(nu * 3.141592653589793) - log(sigma) - (nu + 1) / 2 * log1p(((x - mu) / sigma) ** 2 / nu))",
    gradient="mu sigma nu")
row("gamma log-density and gradient", "x f8 1e4 pos; a f8 scalar pos; b f8 scalar pos",
    "sum(a * log(b) - gammaln(a) + (a - 1) * log(x) - b * x)", gradient="a b")
row("gamma log-densities", "x f8 1e5 pos; a f8 1e5 pos; b f8 1e5 pos", "a * log(b) - gammaln(a) + (a - 1) * log(x) - b * x")
row("beta log-density and gradient", "p f8 1e4 unit; a f8 scalar pos; b f8 scalar pos",
    "sum((a - 1) * log(p + 1e-9) + (b - 1) * log(1 - p + 1e-9) - gammaln(a) - gammaln(b) + gammaln(a + b))", gradient="a b")
row("Poisson log-density and gradient", "k f8 1e4 pos; r f8 1e4", "sum(k * r - exp(r) - gammaln(k + 1))", gradient="r")
row("negative binomial and gradient", "k f8 1e4 pos; mu f8 1e4 pos; a f8 scalar pos",
    "sum(gammaln(k + a) - gammaln(k + 1) - gammaln(a) + a * log(a / (a + mu)) + k * log(mu / (a + mu)))", gradient="mu a")
row("binomial log-density and gradient", "k f8 1e4 unit; t f8 1e4", "sum(k * t - softplus(t))", gradient="t")
row("exponential log-density and gradient", "x f8 1e5 pos; r f8 scalar pos", "sum(log(r) - r * x)", gradient="r")
row("Laplace log-density and gradient", "x f8 1e5; mu f8 scalar; b f8 scalar pos", "sum(-abs(x - mu) / b - log(2 * b))", gradient="mu b")
row("Cauchy log-density and gradient", "x f8 1e5; mu f8 scalar; b f8 scalar pos", "sum(-log(b) - log1p(((x - mu) / b) ** 2))", gradient="mu b")
row("log-normal log-density and gradient", "x f8 1e4 pos; mu f8 scalar; s f8 scalar pos",
    "sum(-log(x) - log(s) - (log(x) - mu) ** 2 / (2 * s ** 2))", gradient="mu s")
row("Weibull log-density and gradient", "x f8 1e4 pos; k f8 scalar pos; s f8 scalar pos",
    "sum(log(k) - log(s) + (k - 1) * (log(x) - log(s)) - (x / s) ** k)", gradient="k s")
row("von Mises log-density and gradient", "x f8 1e5; mu f8 scalar; c f8 scalar pos", "sum(c * cos(x - mu))", gradient="mu c")
row("half normal log-density and gradient", "x f8 1e5 pos; s f8 scalar pos", "sum(-log(s) - 0.5 * (x / s) ** 2)", gradient="x s")
row("mixture of two normals and gradient", "x f8 1e4; m f8 2; t f8 2",
    "sum(log(0.4 * exp(-0.5 * (x - m[0]) ** 2) + 0.6 * exp(-0.5 * ((x - m[1]) / 2) ** 2) / 2)) + 0 * sum(t)", gradient="m")
row("mixture of five normals and gradient", "x f8 5000; m f8 5; w f8 5",
    "sum(log(sum(exp(-0.5 * (x[:, None] - m) ** 2 + w - log(sum(exp(w)))), axis=1)))", gradient="m w")
row("linear regression posterior and gradient", "x f8 500x10; y f8 500; w f8 10; s f8 scalar",
    "sum(-0.5 * ((y - dot(x, w)) / exp(s)) ** 2 - s) - 0.5 * sum(w ** 2) - 0.5 * s ** 2", gradient="w s")
row("logistic posterior and gradient", "x f8 1000x20; y f8 1000 unit; w f8 20", "sum(y * dot(x, w) - softplus(dot(x, w))) - 0.5 * sum(w ** 2)", gradient="w")
row("logistic posterior by log of sigmoid and gradient", "x f8 1000x20; y f8 1000 unit; w f8 20",
    "sum(y * log(sigmoid(dot(x, w))) + (1 - y) * log(1 - sigmoid(dot(x, w)))) - 0.5 * sum(w ** 2)", gradient="w")
row("robust regression posterior and gradient", "x f8 1000x10; y f8 1000; w f8 10; s f8 scalar",
    "sum(-2.5 * log1p(((y - dot(x, w)) / exp(s)) ** 2 / 4) - s) - 0.5 * sum(w ** 2)", gradient="w s")
row("hierarchical posterior and gradient", "y f8 2000; g i8 2000 <50; a f8 50; m f8 scalar; t f8 scalar; s f8 scalar",
    "sum(-0.5 * ((y - a[g]) / exp(s)) ** 2 - s) + sum(-0.5 * ((a - m) / exp(t)) ** 2 - t) - 0.5 * (m ** 2 + t ** 2 + s ** 2)", gradient="a m t s")
row("varying slopes and gradient", "x f8 5000; y f8 5000; g i8 5000 <100; a f8 100; b f8 100",
    "sum(-0.5 * (y - a[g] - b[g] * x) ** 2) - 0.5 * sum(a ** 2) - 0.5 * sum(b ** 2)", gradient="a b")
row("eight schools and gradient", "y f8 8; e f8 8 pos; z f8 8; m f8 scalar; t f8 scalar",
    "sum(-0.5 * ((y - m - exp(t) * z) / e) ** 2) - 0.5 * sum(z ** 2) - 0.5 * (m / 5) ** 2 - 0.5 * t ** 2", gradient="z m t")
row("multivariate normal log-density", "x f8 50; a f8 50x50 spd", "-0.5 * sum(solve_lower(cholesky(a), x) ** 2) - sum(log(diagonal(cholesky(a))))")
row("Gaussian process and gradient", "x f8 100; y f8 100; l f8 scalar pos",
    lambda m, x, y, l: process(m, x, y, l), gradient="l", close=1e-5)
row("Bradley-Terry and gradient", "s f8 100; i i8 5000 <100; j i8 5000 <100", "-sum(softplus(s[j] - s[i])) - 0.5 * sum(s ** 2)", gradient="s")
row("item responses and gradient", "t f8 200; d f8 50; y f8 200x50 unit",
    "sum(y * (t[:, None] - d) - softplus(t[:, None] - d)) - 0.5 * sum(t ** 2)", gradient="t d")
row("ordinal steps and gradient", "e f8 5000; c f8 scalar; d f8 scalar pos", "sum(log(sigmoid(c + d - e) - sigmoid(c - e)))", gradient="e c d")
row("autoregression and gradient", "y f8 5000; a f8 scalar; s f8 scalar", "sum(-0.5 * ((y[1:] - a * y[:-1]) / exp(s)) ** 2 - s)", gradient="a s")
row("random walk prior and gradient", "x f8 1e4; s f8 scalar", "sum(-0.5 * ((x[1:] - x[:-1]) / exp(s)) ** 2 - s)", gradient="x s")
row("horseshoe and gradient", "b f8 1000; l f8 1000; t f8 scalar",
    "sum(-0.5 * (b / exp(l + t)) ** 2 - l - t) - sum(log1p(exp(2 * l)))", gradient="b l t")
row("probit and gradient", "e f8 5000; y f8 5000 unit", "sum(y * log(0.5 * (1 + erf(e / 1.4142135623730951)) * 0.999 + 0.0005))", gradient="e")
row("zero-inflated counts and gradient", "k f8 5000 pos; r f8 5000; p f8 scalar",
    "sum(where(k < 0.3, log(sigmoid(p) + (1 - sigmoid(p)) * exp(-exp(r))), log(1 - sigmoid(p)) + k * r - exp(r)))", gradient="r p")


def process(m, x, y, l):
    k = m.exp(-0.5 * ((x[:, None] - x) / l) ** 2) + 0.1 * m.eye(x.shape[0])
    c = m.cholesky(k)
    return -0.5 * m.sum(m.solve_lower(c, y) ** 2) - m.sum(m.log(m.diagonal(c)))
