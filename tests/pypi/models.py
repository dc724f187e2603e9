"""Models of PyMC as people write them: what a mode of PyTensor has to get right. Each function gives one model."""
import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

MODELS = {}


def model(function):
    def built():
        with pm.Model() as made:
            function(np.random.default_rng(len(function.__name__)))
        return made
    MODELS[function.__name__] = built
    return function


@model
def schools(rng):
    y, sigma = rng.normal(5, 10, 8), rng.uniform(9, 18, 8)
    mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
    theta = pm.Normal("theta", 0, 1, shape=8)
    pm.Normal("y", mu + tau * theta, sigma, observed=y)


@model
def linear_regression(rng):
    X = rng.normal(size=(200, 5))
    b, a, s = pm.Normal("b", 0, 2, shape=5), pm.Normal("a", 0, 2), pm.HalfNormal("s", 1)
    pm.Normal("y", a + X @ b, s, observed=X @ np.arange(5.) + rng.normal(size=200))


@model
def robust_regression(rng):
    x = rng.normal(size=150)
    a, b = pm.Normal("a", 0, 1), pm.Normal("b", 0, 1)
    s, nu = pm.HalfCauchy("s", 1), pm.Gamma("nu", 2, 0.1)
    pm.StudentT("y", nu=nu, mu=a + b * x, sigma=s, observed=1 + 2 * x + rng.standard_t(3, 150))


@model
def logistic_regression(rng):
    X = rng.normal(size=(300, 4))
    b = pm.Laplace("b", 0, 1, shape=4)
    pm.Bernoulli("y", logit_p=X @ b, observed=rng.integers(0, 2, 300))


@model
def radon(rng):
    county, floor = rng.integers(0, 40, 500), rng.integers(0, 2, 500)
    mu_a, s_a, mu_b, s_b = pm.Normal("mu_a", 0, 10), pm.HalfNormal("s_a", 5), pm.Normal("mu_b", 0, 10), pm.HalfNormal("s_b", 5)
    a, b = pm.Normal("a", mu_a, s_a, shape=40), pm.Normal("b", mu_b, s_b, shape=40)
    pm.Normal("y", a[county] + b[county] * floor, pm.HalfCauchy("s", 5), observed=rng.normal(size=500))


@model
def poisson_counts(rng):
    group = rng.integers(0, 10, 200)
    rate = pm.Normal("rate", 0, pm.Exponential("s", 1), shape=10)
    pm.Poisson("y", pm.math.exp(rate[group]), observed=rng.poisson(2, 200))


@model
def overdispersed_counts(rng):
    x = rng.normal(size=200)
    mu = pm.math.exp(pm.Normal("a", 0, 1) + pm.Normal("b", 0, 1) * x)
    pm.NegativeBinomial("y", mu=mu, alpha=pm.Exponential("alpha", 1), observed=rng.poisson(3, 200))


@model
def zero_inflated(rng):
    psi, theta = pm.Beta("psi", 2, 2), pm.Gamma("theta", 2, 1)
    pm.ZeroInflatedPoisson("y", psi, theta, observed=rng.poisson(2, 150) * rng.integers(0, 2, 150))


@model
def mixture(rng):
    w = pm.Dirichlet("w", np.ones(3))
    mu, s = pm.Normal("mu", np.array([-2., 0., 2.]), 1, shape=3), pm.HalfNormal("s", 1, shape=3)
    pm.NormalMixture("y", w, mu, sigma=s, observed=rng.normal(size=200))


@model
def ordinal(rng):
    x = rng.normal(size=200)
    cuts = pm.Normal("cuts", np.array([-1., 0., 1.]), 1, shape=3, transform=pm.distributions.transforms.ordered)
    pm.OrderedLogistic("y", eta=pm.Normal("b", 0, 1) * x, cutpoints=cuts, observed=rng.integers(0, 4, 200))


@model
def survival_with_censoring(rng):
    x = rng.normal(size=100)
    alpha, beta = pm.HalfNormal("alpha", 1), pm.math.exp(pm.Normal("b", 0, 1) * x + pm.Normal("a", 0, 1))
    pm.Censored("t", pm.Weibull.dist(alpha, beta, shape=100), lower=None, upper=2.0, observed=np.minimum(rng.weibull(1.5, 100), 2.0))


@model
def autoregression(rng):
    rho, s = pm.Normal("rho", 0, 0.5, shape=2), pm.HalfNormal("s", 1)
    pm.AR("y", rho, sigma=s, init_dist=pm.Normal.dist(0, 1), observed=rng.normal(size=120))


@model
def stochastic_volatility(rng):
    step = pm.Exponential("step", 10)
    volatility = pm.GaussianRandomWalk("volatility", sigma=step, init_dist=pm.Normal.dist(0, 1), steps=199)
    pm.StudentT("r", nu=pm.Exponential("nu", 0.1), lam=pm.math.exp(-2 * volatility), observed=rng.normal(size=200))


@model
def gp_marginal(rng):
    X = np.linspace(0, 5, 40)[:, None]
    cov = pm.HalfNormal("eta", 1) ** 2 * pm.gp.cov.ExpQuad(1, pm.Gamma("ell", 2, 1))
    pm.gp.Marginal(cov_func=cov).marginal_likelihood("y", X=X, y=np.sin(X[:, 0]) + rng.normal(0, .1, 40), sigma=pm.HalfNormal("s", 1))


@model
def gp_latent(rng):
    X = np.linspace(0, 5, 30)[:, None]
    cov = pm.HalfNormal("eta", 1) ** 2 * pm.gp.cov.Matern52(1, pm.Gamma("ell", 2, 1))
    f = pm.gp.Latent(cov_func=cov).prior("f", X=X)
    pm.Bernoulli("y", logit_p=f, observed=rng.integers(0, 2, 30))


@model
def gp_hsgp(rng):
    X = np.linspace(0, 5, 60)[:, None]
    cov = pm.HalfNormal("eta", 1) ** 2 * pm.gp.cov.ExpQuad(1, pm.Gamma("ell", 2, 1))
    f = pm.gp.HSGP(m=[15], c=1.5, cov_func=cov).prior("f", X=X)
    pm.Normal("y", f, pm.HalfNormal("s", 1), observed=rng.normal(size=60))


@model
def lkj(rng):
    chol, _, _ = pm.LKJCholeskyCov("chol", n=3, eta=2, sd_dist=pm.Exponential.dist(1.0), compute_corr=True)
    pm.MvNormal("y", pm.Normal("mu", 0, 1, shape=3), chol=chol, observed=rng.normal(size=(80, 3)))


@model
def spatial_car(rng):
    W = np.eye(12, k=1) + np.eye(12, k=-1)
    phi = pm.CAR("phi", mu=np.zeros(12), W=W, alpha=pm.Beta("alpha", 2, 2), tau=pm.Gamma("tau", 2, 2))
    pm.Poisson("y", pm.math.exp(phi), observed=rng.poisson(2, 12))


@model
def item_response(rng):
    person, item = rng.integers(0, 30, 400), rng.integers(0, 12, 400)
    ability, hard = pm.Normal("ability", 0, 1, shape=30), pm.Normal("hard", 0, 2, shape=12)
    sharp = pm.LogNormal("sharp", 0, 0.5, shape=12)
    pm.Bernoulli("y", logit_p=sharp[item] * (ability[person] - hard[item]), observed=rng.integers(0, 2, 400))


@model
def dirichlet_multinomial(rng):
    frac, conc = pm.Dirichlet("frac", np.ones(4)), pm.LogNormal("conc", 1, 1)
    pm.DirichletMultinomial("y", n=20, a=frac * conc, observed=rng.multinomial(20, [.1, .2, .3, .4], 15))


@model
def ode_by_scan(rng):
    a, b, start = pm.LogNormal("a", 0, .2), pm.LogNormal("b", 0, .2), pm.LogNormal("start", 0, .2)

    def step(x, v, a, b):
        return x + 0.05 * v, v - 0.05 * (a * x + b * v)
    (x, _), _ = pytensor.scan(step, outputs_info=[start, pt.zeros(())], non_sequences=[a, b], n_steps=50)
    pm.Normal("y", x, pm.HalfNormal("s", 1), observed=rng.normal(size=50))


@model
def neural_network(rng):
    X = rng.normal(size=(100, 3))
    w1, w2 = pm.Normal("w1", 0, 1, shape=(3, 8)), pm.Normal("w2", 0, 1, shape=8)
    pm.Bernoulli("y", p=pm.math.sigmoid(pm.math.tanh(X @ w1) @ w2), observed=rng.integers(0, 2, 100))


@model
def skewed(rng):
    pm.SkewNormal("y", mu=pm.Normal("mu", 0, 1), sigma=pm.HalfNormal("s", 1), alpha=pm.Normal("alpha", 0, 2), observed=rng.normal(size=100))


@model
def truncated(rng):
    pm.TruncatedNormal("y", mu=pm.Normal("mu", 0, 1), sigma=pm.HalfNormal("s", 1), lower=-1, upper=3, observed=rng.uniform(-1, 3, 100))


@model
def beta_binomial(rng):
    n = rng.integers(5, 30, 40)
    pm.BetaBinomial("y", alpha=pm.HalfNormal("a", 5), beta=pm.HalfNormal("b", 5), n=n, observed=rng.binomial(n, .3))


@model
def change_point(rng):
    years = np.arange(110)
    switch = pm.Uniform("switch", 0, 110)
    early, late = pm.Exponential("early", 1), pm.Exponential("late", 1)
    pm.Poisson("y", pm.math.switch(switch >= years, early, late), observed=rng.poisson(2, 110))


@model
def hidden_markov(rng):
    P = pm.Dirichlet("P", np.ones((3, 3)))
    mu = pm.Normal("mu", np.array([-1., 0., 1.]), 1, shape=3)
    log_b = pm.logp(pm.Normal.dist(mu, 1.0, shape=(60, 3)), rng.normal(size=(60, 3)))

    def step(b, alpha, log_P):
        return b + pt.logsumexp(alpha[:, None] + log_P, axis=0)
    alphas, _ = pytensor.scan(step, sequences=[log_b[1:]], outputs_info=[log_b[0] - np.log(3)], non_sequences=[pt.log(P)])
    pm.Potential("y", pt.logsumexp(alphas[-1]))
