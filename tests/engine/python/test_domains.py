"""Programs as people of many fields write them, each against the same in NumPy, in three modes."""
import numpy as np
import pytest
import theano
import theano.tensor as T
from fields import MODES, Programs, close, logsumexp, sigmoid, slope, softmax

program = Programs()


@program
def policy_gradient(mode, rng):
    """REINFORCE with a baseline: returns by scan, log-probabilities of what was done."""
    states, actions, rewards = T.matrix("s"), T.ivector("a"), T.vector("r")
    w, v = theano.shared(rng.randn(4, 3) * 0.1, "w"), theano.shared(np.zeros(4), "v")
    returns, _ = theano.scan(lambda r, g, gamma: r + gamma * g, sequences=rewards[::-1], outputs_info=T.zeros(()), non_sequences=np.float64(0.9))
    returns = returns[::-1]
    baseline = T.dot(states, v)
    p = T.nnet.softmax(T.dot(states, w))
    chosen = T.log(p)[T.arange(actions.shape[0]), actions]
    entropy = -(p * T.log(p)).sum(axis=1)
    advantage = theano.gradient.disconnected_grad(returns - baseline)
    cost = -(chosen * advantage).mean() - 0.01 * entropy.mean() + 0.5 * T.sqr(returns - baseline).mean()
    step = theano.function([states, actions, rewards], [cost, returns], updates=[(one, one - 0.1 * T.grad(cost, one)) for one in (w, v)], mode=mode)
    s, a, r = rng.randn(6, 4), rng.randint(0, 3, 6).astype("int32"), rng.rand(6)
    w0, v0 = w.get_value(), v.get_value()
    found, g = step(s, a, r)
    wanted = np.zeros(6)
    for i in reversed(range(6)):
        wanted[i] = r[i] + (0.9 * wanted[i + 1] if i < 5 else 0)
    close(g, wanted)
    p0, adv = softmax(s @ w0), wanted - s @ v0
    ent = -(p0 * np.log(p0)).sum(1)
    close(found, -(np.log(p0[range(6), a]) * adv).mean() - 0.01 * ent.mean() + 0.5 * (adv ** 2).mean())
    dz = -(np.eye(3)[a] - p0) * adv[:, None] / 6 + 0.01 / 6 * p0 * (np.log(p0) + ent[:, None])
    close(w.get_value(), w0 - 0.1 * s.T @ dz)
    close(v.get_value(), v0 + 0.1 * s.T @ adv / 6)


@program
def matrix_factorisation(mode, rng):
    """Ratings of users and items, by rows that are looked up, with biases."""
    (users, items), ratings = T.ivectors("u", "i"), T.vector("r")
    p, q, b = theano.shared(rng.rand(5, 3)), theano.shared(rng.rand(7, 3)), theano.shared(np.zeros(5))
    guess = (p[users] * q[items]).sum(axis=1) + b[users]
    cost = T.sqr(ratings - guess).sum() + 0.1 * (T.sqr(p[users]).sum() + T.sqr(q[items]).sum())
    step = theano.function([users, items, ratings], cost, mode=mode,
                           updates=[(one, one - 0.05 * T.grad(cost, one)) for one in (p, q, b)])
    u, i, r = np.int32([0, 1, 1, 4, 0]), np.int32([2, 2, 6, 0, 2]), rng.rand(5) * 5
    P, Q, B = p.get_value(), q.get_value(), b.get_value()
    error = r - (P[u] * Q[i]).sum(1) - B[u]
    close(step(u, i, r), (error ** 2).sum() + 0.1 * ((P[u] ** 2).sum() + (Q[i] ** 2).sum()))
    dp, dq, db = np.zeros_like(P), np.zeros_like(Q), np.zeros_like(B)
    np.add.at(dp, u, -2 * error[:, None] * Q[i] + 0.2 * P[u])
    np.add.at(dq, i, -2 * error[:, None] * P[u] + 0.2 * Q[i])
    np.add.at(db, u, -2 * error)
    for shared, wanted in ((p, P - 0.05 * dp), (q, Q - 0.05 * dq), (b, B - 0.05 * db)):
        close(shared.get_value(), wanted)


@program
def gaussian_process(mode, rng):
    """The marginal likelihood of a kernel, its gradient, and predictions through Cholesky."""
    x, y, new = T.matrix("x"), T.vector("y"), T.matrix("new")
    length, noise = theano.shared(0.3, "length"), theano.shared(-1.0, "noise")

    def kernel(a, b):
        d = T.sqr(a).sum(axis=1).dimshuffle(0, "x") + T.sqr(b).sum(axis=1).dimshuffle("x", 0) - 2 * T.dot(a, b.T)
        return T.exp(-0.5 * T.maximum(d, 0) / T.exp(2 * length))
    k = kernel(x, x) + T.exp(2 * noise) * T.eye(x.shape[0])
    chol = T.slinalg.cholesky(k)
    alpha = T.slinalg.solve_upper_triangular(chol.T, T.slinalg.solve_lower_triangular(chol, y))
    nll = 0.5 * T.dot(y, alpha) + T.log(T.nlinalg.diag(chol)).sum() + 0.5 * x.shape[0] * np.log(2 * np.pi)
    mean = T.dot(kernel(new, x), alpha)
    f = theano.function([x, y, new], [nll, mean] + T.grad(nll, [length, noise]), mode=mode)
    X, Y, N = rng.rand(6, 2), rng.rand(6), rng.rand(3, 2)

    def reference(l, n):
        def kern(a, b):
            return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(2) / np.exp(2 * l))
        K = kern(X, X) + np.exp(2 * n) * np.eye(6)
        inverse = np.linalg.solve(K, Y)
        return 0.5 * Y @ inverse + 0.5 * np.linalg.slogdet(K)[1] + 3 * np.log(2 * np.pi), kern(N, X) @ inverse
    value, means, dl, dn = f(X, Y, N)
    close(value, reference(0.3, -1.0)[0])
    close(means, reference(0.3, -1.0)[1])
    close(dl, (reference(0.3 + 1e-5, -1)[0] - reference(0.3 - 1e-5, -1)[0]) / 2e-5, rtol=1e-5)
    close(dn, (reference(0.3, -1 + 1e-5)[0] - reference(0.3, -1 - 1e-5)[0]) / 2e-5, rtol=1e-5)


@program
def skip_gram(mode, rng):
    """Word vectors with negative samples: only the rows that are read are written."""
    centre, context, negative = T.iscalar("c"), T.iscalar("o"), T.ivector("n")
    vectors, outputs = theano.shared(rng.randn(8, 4) * 0.3), theano.shared(rng.randn(8, 4) * 0.3)
    v, u, others = vectors[centre], outputs[context], outputs[negative]
    cost = -T.log(T.nnet.sigmoid(T.dot(u, v))) - T.sum(T.log(T.nnet.sigmoid(-T.dot(others, v))))
    gv, gu, go = T.grad(cost, [v, u, others])
    new_outputs = T.inc_subtensor(outputs[negative], -0.1 * go)
    new_outputs = T.inc_subtensor(new_outputs[context], -0.1 * gu)
    step = theano.function([centre, context, negative], cost, mode=mode,
                           updates=[(vectors, T.inc_subtensor(v, -0.1 * gv)), (outputs, new_outputs)])
    V, U = vectors.get_value(), outputs.get_value()
    n = np.int32([1, 5, 1])
    found = step(3, 2, n)
    plus, minus = sigmoid(U[2] @ V[3]), sigmoid(U[n] @ V[3])
    close(found, -np.log(plus) - np.log(1 - minus).sum())
    dv = (plus - 1) * U[2] + minus @ U[n]
    W = U.copy()
    np.add.at(W, n, -0.1 * minus[:, None] * V[3])
    W[2] -= 0.1 * (plus - 1) * V[3]
    close(outputs.get_value(), W)
    V[3] -= 0.1 * dv
    close(vectors.get_value(), V)


@program
def masked_convolution(mode, rng):
    """PixelCNN: filters that see only what is above and to the left; a categorical loss over levels."""
    images = T.tensor4("x")
    mask = np.ones((4, 1, 3, 3))
    mask[:, :, 1, 1:] = 0
    mask[:, :, 2:] = 0
    w = theano.shared(rng.randn(4, 1, 3, 3), "w")
    mix = theano.shared(rng.randn(3, 4, 1, 1), "mix")
    hidden = T.nnet.relu(T.nnet.conv2d(images, w * mask, border_mode="half"))
    logits = T.nnet.conv2d(hidden, mix).dimshuffle(0, 2, 3, 1)
    levels = T.cast(images[:, 0] * 2, "int32").flatten()
    rows = logits.reshape((-1, 3))
    loss = T.nnet.categorical_crossentropy(T.nnet.softmax(rows), levels).mean()
    f = theano.function([images], [loss, logits, T.grad(loss, w)], mode=mode)
    X = rng.randint(0, 3, (2, 1, 5, 5)) / 2.0
    value, out, gradient = f(X)
    W, M = w.get_value() * mask, mix.get_value()[:, :, 0, 0]
    padded = np.pad(X[:, 0], ((0, 0), (1, 1), (1, 1)))
    hid = np.zeros((2, 4, 5, 5))
    for i in range(3):
        for j in range(3):
            hid += padded[:, None, i:i + 5, j:j + 5] * W[None, :, 0, 2 - i, 2 - j, None, None]
    wanted = np.einsum("nkij,ck->nijc", np.maximum(hid, 0), M)
    close(out, wanted, rtol=1e-10, atol=1e-12)
    flat, labels = wanted.reshape(-1, 3), (X[:, 0] * 2).astype(int).ravel()
    close(value, (logsumexp(flat, 1) - flat[range(50), labels]).mean())
    assert (gradient[mask == 0] == 0).all() and (gradient[mask == 1] != 0).any()


@program
def adversaries(mode, rng):
    """A generator and a discriminator, each with updates of its own over the same graph."""
    real, z = T.matrix("real"), T.matrix("z")
    g, d = theano.shared(rng.randn(2, 3), "g"), theano.shared(rng.randn(3), "d")
    fake = T.tanh(T.dot(z, g))
    on_real, on_fake = T.nnet.sigmoid(T.dot(real, d)), T.nnet.sigmoid(T.dot(fake, d))
    d_loss = -(T.log(on_real) + T.log(1 - on_fake)).mean()
    g_loss = -T.log(on_fake).mean()
    train_d = theano.function([real, z], d_loss, updates=[(d, d - 0.5 * T.grad(d_loss, d))], mode=mode)
    train_g = theano.function([z], g_loss, updates=[(g, g - 0.5 * T.grad(g_loss, g))], mode=mode)
    G, D = g.get_value(), d.get_value()
    for _ in range(3):
        R, Z = rng.randn(4, 3) * 30, rng.randn(4, 2)
        F = np.tanh(Z @ G)
        close(train_d(R, Z), (np.logaddexp(0, -R @ D) + np.logaddexp(0, F @ D)).mean())
        D = D - 0.5 * (-R.T @ (1 - sigmoid(R @ D)) + F.T @ sigmoid(F @ D)) / 4
        close(d.get_value(), D)
        close(train_g(Z), np.logaddexp(0, -F @ D).mean())
        G = G + 0.5 * Z.T @ ((1 - sigmoid(F @ D))[:, None] * D * (1 - F ** 2)) / 4
        close(g.get_value(), G)


@program
def siamese_network(mode, rng):
    """Two branches with the same weights, a contrastive loss with a margin."""
    a, b, same = T.matrix("a"), T.matrix("b"), T.vector("same")
    w = theano.shared(rng.randn(5, 3), "w")
    branch = lambda x: T.tanh(T.dot(x, w))  # noqa: E731
    distance = T.sqrt(T.sum(T.sqr(branch(a) - branch(b)), axis=1) + 1e-6)
    loss = T.mean(same * T.sqr(distance) + (1 - same) * T.sqr(T.maximum(0, 1.5 - distance)))
    f = theano.function([a, b, same], [loss, T.grad(loss, w)], mode=mode)
    A, B, S, W = rng.randn(6, 5), rng.randn(6, 5), np.array([1, 0, 1, 0, 0, 1.0]), w.get_value()
    B[1] = A[1] + 0.01

    def reference(W):
        D = np.sqrt(((np.tanh(A @ W) - np.tanh(B @ W)) ** 2).sum(1) + 1e-6)
        return (S * D ** 2 + (1 - S) * np.maximum(0, 1.5 - D) ** 2).mean()
    value, gradient = f(A, B, S)
    close(value, reference(W))
    for at in ((0, 0), (4, 2)):
        close(gradient[at], slope(reference, W, at), rtol=1e-5, atol=1e-8)


@program
def mixture_density(mode, rng):
    """A mixture of Gaussians as the output of a network; targets so far off that every density underflows."""
    x, y = T.matrix("x"), T.vector("y")
    w = theano.shared(rng.randn(3, 6) * 0.5, "w")
    out = T.dot(x, w)
    shares, means, sigmas = T.nnet.softmax(out[:, :2]), out[:, 2:4], T.exp(out[:, 4:])
    density = T.exp(-0.5 * T.sqr((y.dimshuffle(0, "x") - means) / sigmas)) / (sigmas * np.sqrt(2 * np.pi))
    loss = -T.log(T.sum(shares * density, axis=1))
    f = theano.function([x, y], [loss, T.grad(loss.sum(), w)], mode=mode)
    X, Y, W = rng.randn(4, 3), np.array([0.5, -1, 300, -500.0]), w.get_value()

    def reference(W):
        o = X @ W
        logs = o[:, :2] - logsumexp(o[:, :2], 1)[:, None]
        parts = logs - 0.5 * ((Y[:, None] - o[:, 2:4]) / np.exp(o[:, 4:])) ** 2 - o[:, 4:] - 0.5 * np.log(2 * np.pi)
        return -logsumexp(parts, 1)
    if mode == "FAST_COMPILE":  # nothing is made stable there
        X, Y = X[:2], Y[:2]
    value, gradient = f(X, Y)
    close(value, reference(W))
    assert np.isfinite(gradient).all()
    for at in ((0, 0), (2, 3), (1, 5)):
        close(gradient[at], slope(lambda w: reference(w).sum(), W, at), rtol=1e-4, atol=1e-4)


@program
def kalman_filter(mode, rng):
    """Means and covariances by scan, the likelihood of what was seen, its gradient."""
    seen = T.matrix("y")
    a, c = theano.shared(np.array([[1.0, 0.1], [0, 0.9]]), "a"), np.array([[1.0, 0]])
    q, r = 0.1 * np.eye(2), np.array([[0.5]])

    def step(y, m, p, a):
        m, p = T.dot(a, m), T.dot(T.dot(a, p), a.T) + q
        s = T.dot(T.dot(c, p), c.T) + r
        gain = T.dot(T.dot(p, c.T), T.nlinalg.matrix_inverse(s))
        off = y - T.dot(c, m)
        ll = -0.5 * (T.log(T.nlinalg.det(s)) + T.dot(off, T.dot(T.nlinalg.matrix_inverse(s), off)) + np.log(2 * np.pi))
        return m + T.dot(gain, off), p - T.dot(T.dot(gain, c), p), ll
    (means, covariances, lls), _ = theano.scan(step, sequences=seen, outputs_info=[T.zeros(2), T.eye(2), None], non_sequences=a)
    f = theano.function([seen], [means, covariances[-1], lls.sum(), T.grad(lls.sum(), a)], mode=mode)
    Y, A = rng.randn(5, 1), a.get_value()

    def reference(A):
        m, p, total, ms = np.zeros(2), np.eye(2), 0, []
        for y in Y:
            m, p = A @ m, A @ p @ A.T + q
            s = c @ p @ c.T + r
            gain, off = p @ c.T @ np.linalg.inv(s), y - c @ m
            total += -0.5 * (np.log(np.linalg.det(s)) + off @ np.linalg.inv(s) @ off + np.log(2 * np.pi))
            m, p = m + gain @ off, p - gain @ c @ p
            ms.append(m)
        return total, ms, p
    total, ms, p = reference(A)
    m, last, value, gradient = f(Y)
    close(m, ms)
    close(last, p)
    close(value, total)
    close(gradient[0, 1], slope(lambda a: reference(a)[0], A, (0, 1)), rtol=1e-6)


@program
def hidden_markov_model(mode, rng):
    """The forward algorithm by scan in logarithms; its gradient is what is expected of each state."""
    seen = T.ivector("seen")
    start, move, emit = (theano.shared(np.log(softmax(rng.randn(*shape)))) for shape in ((3,), (3, 3), (3, 4)))

    def step(o, before, move, emit):
        joint = before.dimshuffle(0, "x") + move
        top = joint.max(axis=0, keepdims=True)
        return T.log(T.sum(T.exp(joint - top), axis=0)) + top[0] + emit[:, o]
    first = start + emit[:, seen[0]]
    forward, _ = theano.scan(step, sequences=seen[1:], outputs_info=first, non_sequences=[move, emit])
    ll = T.log(T.sum(T.exp(forward[-1])))
    f = theano.function([seen], [ll, T.grad(ll, emit)], mode=mode)
    O = np.int32([0, 3, 1, 1, 2, 0])
    s, m, e = start.get_value(), move.get_value(), emit.get_value()
    alpha = [s + e[:, O[0]]]
    for o in O[1:]:
        alpha.append(logsumexp(alpha[-1][:, None] + m, 0) + e[:, o])
    beta = [np.zeros(3)]
    for o in O[:0:-1]:
        beta.append(logsumexp(m + e[:, o] + beta[-1], 1))
    total = logsumexp(alpha[-1], 0)
    value, gradient = f(O)
    close(value, total)
    wanted = np.zeros((3, 4))
    for t, o in enumerate(O):
        wanted[:, o] += np.exp(alpha[t] + beta[len(O) - 1 - t] - total)
    close(gradient, wanted)


@program
def spatial_transformer(mode, rng):
    """An affine grid and bilinear sampling by indices; gradients reach the transformation."""
    image, theta = T.matrix("image"), T.matrix("theta")
    h, w = image.shape[0], image.shape[1]
    ys = T.cast(T.arange(h), "float64") / (h - 1) * 2 - 1
    xs = T.cast(T.arange(w), "float64") / (w - 1) * 2 - 1
    grid = T.stack([T.tile(xs, h), T.repeat(ys, w), T.ones((h * w,))])
    at = T.dot(theta, grid)
    x, y = (at[0] + 1) * (w - 1) / 2.0, (at[1] + 1) * (h - 1) / 2.0
    x0, y0 = T.floor(x), T.floor(y)

    def pixel(column, row):
        return image[T.cast(T.clip(row, 0, h - 1), "int64"), T.cast(T.clip(column, 0, w - 1), "int64")]
    out = ((x0 + 1 - x) * (y0 + 1 - y) * pixel(x0, y0) + (x - x0) * (y0 + 1 - y) * pixel(x0 + 1, y0)
           + (x0 + 1 - x) * (y - y0) * pixel(x0, y0 + 1) + (x - x0) * (y - y0) * pixel(x0 + 1, y0 + 1)).reshape((h, w))
    f = theano.function([image, theta], [out, T.grad(T.sqr(out).sum(), theta), T.grad(T.sqr(out).sum(), image)], mode=mode)
    I = rng.rand(4, 5)
    same, _, gradient = f(I, np.array([[1.0, 0, 0], [0, 1, 0]]))
    close(same, I)
    close(gradient, 2 * I)

    def reference(t):
        total = np.zeros((4, 5))
        for i in range(4):
            for j in range(5):
                px, py = t @ np.array([j / 2.0 - 1, i / 1.5 - 1, 1])
                px, py = (px + 1) * 2, (py + 1) * 1.5
                ax, ay = np.floor(px), np.floor(py)
                for dx in (0, 1):
                    for dy in (0, 1):
                        weight = abs(ax + 1 - dx - px) * abs(ay + 1 - dy - py)
                        total[i, j] += weight * I[int(np.clip(ay + dy, 0, 3)), int(np.clip(ax + dx, 0, 4))]
        return total
    turned = np.array([[0.83, -0.157, 0.05], [0.11, 0.7, -0.07]])
    out, gradient, _ = f(I, turned)
    close(out, reference(turned))
    close(gradient[0, 2], slope(lambda t: (reference(t) ** 2).sum(), turned, (0, 2)), rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", program)
def test_program(name, mode):
    program.run(name, mode)
