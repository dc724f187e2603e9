"""Steps of logistic regression and of a network with one hidden layer on cuda0: microseconds a step, best of five. Beside PyTorch's and JAX's
where they are, unless --alone says otherwise."""
import os
import sys
import time

os.environ.setdefault("THEANO_FLAGS", "device=cuda0,floatX=float32")
import numpy
import theano
import theano.tensor as T

STEPS = int(os.environ.get("CROTON_STEPS", "2000"))
rng = numpy.random.RandomState(5)
N, feats = 400, 784
X, Y = rng.randn(N, feats).astype("float32"), rng.randint(size=N, low=0, high=2).astype("float32")


def best(step, finish):
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        finish()
        times.append((time.perf_counter() - begin) / STEPS * 1e6)
    return min(times)


def ours(stays):
    x, y = theano.shared(X), theano.shared(Y)
    w, b = theano.shared(numpy.zeros(feats, "float32")), theano.shared(numpy.asarray(0, "float32"))
    p_1 = 1 / (1 + T.exp(-T.dot(x, w) - b))
    xent = -y * T.log(p_1) - (1 - y) * T.log(1 - p_1)
    cost = T.cast(xent.mean(), "float32") + numpy.float32(0.01) * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    outputs = [p_1 > 0.5, xent]
    if stays:
        outputs = [theano.gpuarray.basic_ops.gpu_from_host(one) for one in outputs]
    train = theano.function([], outputs, updates=[(w, w - numpy.float32(0.01) * gw), (b, b - numpy.float32(0.01) * gb)],
                            name="train, outputs " + ("there" if stays else "here"))
    train()
    return best(train, lambda: w.get_value())


def layers():
    def weights(rows, columns):
        return theano.shared((rng.rand(rows, columns) / rows).astype("float32"))
    x, t = theano.shared(X), theano.shared(numpy.eye(10, dtype="float32")[rng.randint(0, 10, size=N)])
    parameters = [weights(feats, 500), theano.shared(numpy.zeros(500, "float32")), weights(500, 10), theano.shared(numpy.zeros(10, "float32"))]
    w1, b1, w2, b2 = parameters
    output = T.nnet.softmax(T.dot(T.tanh(T.dot(x, w1) + b1), w2) + b2)
    cost = T.cast(-T.mean(T.sum(t * T.log(output), axis=1)), "float32")
    train = theano.function([], theano.gpuarray.basic_ops.gpu_from_host(cost), name="layers",
                            updates=[(p, p - numpy.float32(0.1) * g) for p, g in zip(parameters, T.grad(cost, parameters))])
    train()
    return best(train, lambda: b2.get_value())


def with_graphs(measured):
    def run():
        theano.config.cuda.graphs = True
        try:
            return measured()
        finally:
            theano.config.cuda.graphs = False
    return run


def torchs():
    import torch
    device = torch.device("cuda")
    x, y = torch.tensor(X, device=device), torch.tensor(Y, device=device)
    w, b = torch.zeros(feats, device=device, requires_grad=True), torch.zeros((), device=device, requires_grad=True)

    def step():
        p_1 = 1 / (1 + torch.exp(-(x @ w) - b))
        xent = -y * torch.log(p_1) - (1 - y) * torch.log(1 - p_1)
        cost = xent.mean() + 0.01 * (w ** 2).sum()
        gw, gb = torch.autograd.grad(cost, [w, b])
        with torch.no_grad():
            w.sub_(0.01 * gw)
            b.sub_(0.01 * gb)
        return p_1 > 0.5, xent
    step()
    return best(step, torch.cuda.synchronize)


def jaxs():
    import jax
    import jax.numpy as jnp

    def cost(w, b):
        p_1 = 1 / (1 + jnp.exp(-(X @ w) - b))
        xent = -Y * jnp.log(p_1) - (1 - Y) * jnp.log(1 - p_1)
        return xent.mean() + 0.01 * (w ** 2).sum(), (p_1 > 0.5, xent)

    @jax.jit
    def train(w, b):
        (gw, gb), out = jax.grad(cost, argnums=(0, 1), has_aux=True)(w, b)
        return w - 0.01 * gw, b - 0.01 * gb, out
    state = [jnp.zeros(feats), jnp.zeros(())]

    def step():
        state[0], state[1], _ = train(*state)
    step()
    return best(step, lambda: state[0].block_until_ready())


OURS = (("outputs left on the device", lambda: ours(True)), ("outputs returned", lambda: ours(False)), ("hidden layer", layers))
for name, measured in OURS:
    print("Croton, %s: %.1f us a step" % (name, measured()), flush=True)
for name, measured in OURS:
    print("Croton, cuda.graphs, %s: %.1f us a step" % (name, with_graphs(measured)()), flush=True)
for name, measured in () if "--alone" in sys.argv else (("PyTorch eager", torchs), ("JAX jit", jaxs)):
    try:
        print("%s: %.1f us a step" % (name, measured()), flush=True)
    except ImportError:
        print("%s: not here" % name)
    except Exception as error:  # another's trouble with this card is no failure of ours
        print("%s: %s" % (name, error), file=sys.stderr)
