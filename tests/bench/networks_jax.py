"""The training steps of networks.py by JAX, on one thread: what its --jax runs."""
import os
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy  # noqa: E402

rng = numpy.random.RandomState(0)


def floats(*shape, scale=1.0):
    return jnp.array((rng.randn(*shape) * scale).astype("float32"))


def measured(name, cost, parameters, rate, *data):
    @jax.jit
    def train(parameters, *data):
        value, slopes = jax.value_and_grad(cost)(parameters, *data)
        return value, [one - rate * slope for one, slope in zip(parameters, slopes)]

    begin = time.perf_counter()
    jax.block_until_ready(train(parameters, *data))
    first, spent = time.perf_counter() - begin, []
    for _ in range(20):
        before = time.process_time()
        jax.block_until_ready(train(parameters, *data))
        spent.append(time.process_time() - before)
    print("%-40s %9.3f ms, median %.3f, first result after %.2f s" % ("JAX " + jax.__version__ + ": " + name, min(spent) * 1e3, sorted(spent)[10] * 1e3, first))


def lstm():
    batch, units, steps = 32, 256, 100

    def cost(parameters, x):
        W, U, b = parameters

        def step(state, x_t):
            memory, hidden = state
            gates = x_t + hidden @ U
            admit, keep, tell = [jax.nn.sigmoid(gates[:, k * units:(k + 1) * units]) for k in range(3)]
            memory = keep * memory + admit * jnp.tanh(gates[:, 3 * units:])
            hidden = tell * jnp.tanh(memory)
            return (memory, hidden), hidden

        nothing = jnp.zeros((batch, units), "float32")
        return (jax.lax.scan(step, (nothing, nothing), x @ W + b)[1] ** 2).mean()

    measured("a step", cost, [floats(units, 4 * units, scale=0.05), floats(units, 4 * units, scale=0.05), jnp.zeros(4 * units, "float32")], 0.1,
             floats(steps, batch, units))


def network(name, images, size, sides, filters, pools, hidden, classes=10):
    def stage(x, kernels, bias, pool):
        x = jax.lax.conv(x, kernels, (1, 1), "VALID")
        if pool > 1:
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, pool, pool), (1, 1, pool, pool), "VALID")
        return jnp.tanh(x + bias[None, :, None, None])

    def cost(parameters, x, y):
        out = stage(stage(x, *parameters[:2], pools[0]), *parameters[2:4], pools[1]).reshape(images, -1)
        if hidden:
            out = jnp.tanh(out @ parameters[6] + parameters[7])
        return -jax.nn.log_softmax(out @ parameters[4] + parameters[5])[jnp.arange(images), y].mean()

    after = (size - sides[0] + 1) // pools[0]
    features = filters[1] * ((after - sides[1] + 1) // pools[1]) ** 2
    top = hidden or features
    parameters = [floats(filters[0], 1, sides[0], sides[0], scale=0.1), floats(filters[0], scale=0), floats(filters[1], filters[0], sides[1], sides[1], scale=0.1),
                  floats(filters[1], scale=0), floats(top, classes, scale=top ** -0.5), floats(classes, scale=0)]
    if hidden:
        parameters += [floats(features, hidden, scale=features ** -0.5), floats(hidden, scale=0)]
    measured(name, cost, parameters, 0.01, floats(images, 1, size, size), jnp.arange(images) % classes)


def networks():
    network("LeNet", 60, 28, (5, 5), (20, 50), (2, 2), 500)
    for images in (1, 10):
        network("two stages, batch of %d" % images, images, 256, (7, 7), (6, 16), (5, 1), 0)


if __name__ == "__main__":
    {"lstm": lstm, "networks": networks}.get(sys.argv[1], lambda: None)()
