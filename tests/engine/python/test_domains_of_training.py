"""Programs that train in less usual ways, or remember: each against the same in NumPy, in three modes."""
import itertools

import numpy as np
import pytest
import theano
import theano.tensor as T
from fields import MODES, Programs, close, logsumexp, sigmoid, slope, softmax
from theano.sandbox.rng_mrg import MRG_RandomStreams

program = Programs()


@program
def addressed_memory(mode, rng):
    """A Turing machine's head: cosine similarity, sharpened, interpolated, shifted by a circular convolution, then read, erased and written."""
    keys, memory = T.matrix("keys"), theano.shared(rng.rand(5, 3), "memory")
    shift = T.nnet.softmax(theano.shared(np.array([[0.2, 1.0, -0.3]])))[0]

    def step(key, weights, m, shift):
        similar = T.dot(m, key) / (T.sqrt(T.sqr(m).sum(axis=1)) * T.sqrt(T.sqr(key).sum()) + 1e-8)
        content = T.nnet.softmax(4.0 * similar.dimshuffle("x", 0))[0]
        mixed = 0.7 * content + 0.3 * weights
        turned = sum(shift[k] * T.roll(mixed, k - 1) for k in range(3))
        sharp = turned ** 1.5
        weights = sharp / sharp.sum()
        read = T.dot(weights, m)
        m = m * (1 - T.outer(weights, 0.5 * T.ones(3))) + T.outer(weights, key)
        return weights, m, read
    (weights, memories, reads), _ = theano.scan(step, sequences=keys, outputs_info=[T.ones(5) / 5, memory, None], non_sequences=shift)
    cost = T.sqr(reads).sum()
    f = theano.function([keys], [reads, memories[-1], T.grad(cost, memory)], mode=mode)
    K, M = rng.randn(4, 3), memory.get_value()

    def reference(m):
        s, w, out = softmax(np.array([0.2, 1.0, -0.3])), np.ones(5) / 5, []
        for k in K:
            similar = m @ k / (np.sqrt((m ** 2).sum(1)) * np.sqrt((k ** 2).sum()) + 1e-8)
            mixed = 0.7 * softmax(4 * similar) + 0.3 * w
            w = sum(s[i] * np.roll(mixed, i - 1) for i in range(3)) ** 1.5
            w = w / w.sum()
            out.append(w @ m)
            m = m * (1 - 0.5 * w[:, None]) + np.outer(w, k)
        return np.array(out), m
    found, last, gradient = f(K)
    close(found, reference(M)[0])
    close(last, reference(M)[1])
    close(gradient[2, 1], slope(lambda m: (reference(m)[0] ** 2).sum(), M, (2, 1)), rtol=1e-5)


@program
def recurrent_dropout(mode, rng):
    """One mask for all steps and a new one for each, both drawn by MRG; without them the expectation."""
    x = T.tensor3("x")
    streams = MRG_RandomStreams(7)
    u = theano.shared(rng.randn(4, 4) * 0.5)
    kept = streams.binomial((x.shape[1], 4), p=0.8, dtype="float64") / 0.8
    each = streams.binomial(x.shape, p=0.5, dtype="float64") / 0.5

    def step(x, mask, h, kept, u):
        return T.tanh(x * mask + T.dot(h * kept, u))
    h, updates = theano.scan(step, sequences=[x, each], outputs_info=T.zeros((x.shape[1], 4)), non_sequences=[kept, u])
    f = theano.function([x], [h, kept, each, T.grad(h[-1].sum(), u)], updates=updates, mode=mode)
    X = rng.randn(3, 2, 4)
    first = f(X)
    second = f(X)
    assert (first[2] != second[2]).any() and set(np.unique(first[1])) <= {0, 1.25} and set(np.unique(first[2])) == {0, 2}
    for found, kept_, each_, gradient in (first, second):
        def reference(u):
            state, states = np.zeros((2, 4)), []
            for t in range(3):
                state = np.tanh(X[t] * each_[t] + (state * kept_) @ u)
                states.append(state)
            return np.array(states)
        close(found, reference(u.get_value()))
        close(gradient[1, 2], slope(lambda u: reference(u)[-1].sum(), u.get_value(), (1, 2)), rtol=1e-6, atol=1e-9)


@program
def hessian_free(mode, rng):
    """Gauss-Newton products by Rop and Lop, in conjugate gradients that run outside."""
    x, y, v = T.matrix("x"), T.matrix("y"), T.matrix("v")
    w = theano.shared(rng.randn(3, 2), "w")
    out = T.tanh(T.dot(x, w))
    loss = 0.5 * T.sqr(out - y).sum()
    product = T.Lop(out, w, T.Rop(out, w, v)) + 0.1 * v
    hessian_product = T.grad((T.grad(loss, w) * v).sum(), w)
    gv = theano.function([x, v], product, mode=mode)
    hv = theano.function([x, y, v], [hessian_product, T.Rop(T.grad(loss, w), w, v)], mode=mode)
    gradient = theano.function([x, y], T.grad(loss, w), mode=mode)
    X, Y, W = rng.randn(6, 3), rng.rand(6, 2), w.get_value()
    slopes, jacobian = 1 - np.tanh(X @ W) ** 2, np.zeros((6, 2, 3, 2))
    for k in range(2):
        jacobian[:, k, :, k] = X * slopes[:, k:k + 1]
    gauss = np.tensordot(jacobian, jacobian, ((0, 1), (0, 1))).reshape(6, 6) + 0.1 * np.eye(6)
    V = rng.randn(3, 2)
    close(gv(X, V).ravel(), gauss @ V.ravel())
    twice, by_rop = hv(X, Y, V)
    close(twice, by_rop, rtol=1e-9, atol=1e-12)
    w.set_value(W + 1e-6 * V)
    ahead = gradient(X, Y)
    w.set_value(W - 1e-6 * V)
    close(twice, (ahead - gradient(X, Y)) / 2e-6, rtol=1e-6, atol=1e-6)
    w.set_value(W)
    b = -gradient(X, Y).ravel()
    d, r = np.zeros(6), b.copy()
    p = r.copy()
    for _ in range(12):
        ap = gv(X, p.reshape(3, 2)).ravel()
        alpha = r @ r / (p @ ap)
        d, new = d + alpha * p, r - alpha * ap
        p, r = new + (new @ new) / (r @ r) * p, new
        if np.abs(r).max() < 1e-13:
            break
    close(d, np.linalg.solve(gauss, b), rtol=1e-6)


@program
def quasi_newton(mode, rng):
    """All parameters in one vector, taken apart by reshapes, for an optimizer that calls back with plain arrays."""
    theta = theano.shared(rng.randn(3 * 4 + 4 + 4 * 2) * 0.5, "theta")
    x, y = theano.shared(rng.randn(20, 3)), T.cast(theano.shared((rng.rand(20) > 0.5) * 1), "int32")
    w1, b1, w2 = theta[:12].reshape((3, 4)), theta[12:16], theta[16:].reshape((4, 2))
    loss = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(T.tanh(T.dot(x, w1) + b1), w2)), y).mean() + 0.01 * T.sqr(theta).sum()
    value = theano.function([], loss, mode=mode)
    gradient = theano.function([], T.grad(loss, theta), mode=mode)

    def callback(vector):
        theta.set_value(vector, borrow=True)
        return float(value()), gradient()
    at = theta.get_value()
    start, g = callback(at)
    for place in (0, 13, 23):
        close(g[place], slope(lambda vector: callback(vector)[0], at, place), rtol=1e-5, atol=1e-9)
    pairs, cost = [], start
    for _ in range(25):
        q, alphas = g.copy(), []
        for s, d in reversed(pairs):
            alphas.append(s @ q / (d @ s))
            q -= alphas[-1] * d
        q *= pairs[-1][0] @ pairs[-1][1] / (pairs[-1][1] @ pairs[-1][1]) if pairs else 0.1
        for (s, d), alpha in zip(pairs, reversed(alphas)):
            q += s * (alpha - d @ q / (d @ s))
        step = 1.0
        while callback(at - step * q)[0] > cost - 1e-4 * step * (g @ q) and step > 1e-8:
            step /= 2
        new = at - step * q
        cost, fresh = callback(new)
        if (new - at) @ (fresh - g) > 1e-12:
            pairs = pairs[-4:] + [(new - at, fresh - g)]
        at, g = new, fresh
    assert cost < 0.8 * start and np.abs(g).max() < 1e-2


@program
def fisher_vector(mode, rng):
    """The natural gradient of a policy: Fisher products as the gradient of a directional derivative of a divergence."""
    x, v = T.matrix("x"), T.matrix("v")
    w = theano.shared(rng.randn(3, 4), "w")
    p = T.nnet.softmax(T.dot(x, w))
    fixed = theano.gradient.disconnected_grad(p)
    divergence = T.sum(fixed * (T.log(fixed) - T.log(p)), axis=1).mean()
    first = T.grad(divergence, w)
    f = theano.function([x, v], [divergence, first, T.grad(T.sum(first * v), w)], mode=mode)
    X, V = rng.randn(5, 3), rng.randn(3, 4)
    zero, none, product = f(X, V)
    P = softmax(X @ w.get_value())
    close(zero, 0, atol=1e-12)
    close(none, np.zeros((3, 4)), atol=1e-12)
    wanted = np.zeros((3, 4))
    for n in range(5):
        wanted += np.outer(X[n], (np.diag(P[n]) - np.outer(P[n], P[n])) @ (X[n] @ V)) / 5
    close(product, wanted, rtol=1e-9, atol=1e-12)


@program
def deterministic_policy(mode, rng):
    """An actor that follows its critic's gradient, targets that trail both: DDPG."""
    s, r, after = T.matrix("s"), T.vector("r"), T.matrix("after")
    actor, critic = theano.shared(rng.randn(3, 2) * 0.3, "actor"), theano.shared(rng.randn(5, 1) * 0.3, "critic")
    slow_actor, slow_critic = theano.shared(actor.get_value()), theano.shared(critic.get_value())
    act = lambda state, w: T.tanh(T.dot(state, w))  # noqa: E731
    judge = lambda state, action, w: T.dot(T.concatenate([state, action], axis=1), w)[:, 0]  # noqa: E731
    action = act(s, actor)
    target = theano.gradient.disconnected_grad(r + 0.9 * judge(after, act(after, slow_actor), slow_critic))
    played = T.matrix("a")
    critic_loss = T.sqr(judge(s, played, critic) - target).mean()
    actor_loss = -judge(s, action, critic).mean()
    updates = [(critic, critic - 0.1 * T.grad(critic_loss, critic)), (actor, actor - 0.1 * T.grad(actor_loss, actor))]
    updates += [(slow, 0.9 * slow + 0.1 * fast) for slow, fast in ((slow_actor, actor), (slow_critic, critic))]
    step = theano.function([s, played, r, after], [critic_loss, actor_loss], updates=updates, mode=mode)
    S, A, R, N = rng.randn(4, 3), rng.randn(4, 2), rng.randn(4), rng.randn(4, 3)
    a, c = actor.get_value(), critic.get_value()
    found = step(S, A, R, N)
    q = np.hstack([S, A]) @ c
    goal = R + 0.9 * (np.hstack([N, np.tanh(N @ a)]) @ c)[:, 0]
    close(found[0], ((q[:, 0] - goal) ** 2).mean())
    close(critic.get_value(), c - 0.1 * np.hstack([S, A]).T @ (2 * (q - goal[:, None]) / 4))
    close(actor.get_value(), a + 0.1 * S.T @ ((1 - np.tanh(S @ a) ** 2) * c[3:, 0]) / 4)
    close(slow_actor.get_value(), a)  # of what was before the step
    close(step(S, A, R, N)[1], -(np.hstack([S, np.tanh(S @ actor.get_value())]) @ critic.get_value()).mean(), rtol=1)


@program
def sparse_autoencoder(mode, rng):
    """Hidden units whose mean activation is held near a target by a divergence."""
    x = T.matrix("x")
    w, b, back = theano.shared(rng.randn(6, 4) * 0.5), theano.shared(np.zeros(4)), theano.shared(rng.randn(4, 6) * 0.5)
    hidden = T.nnet.sigmoid(T.dot(x, w) + b)
    mean = hidden.mean(axis=0)
    divergence = T.sum(0.05 * T.log(0.05 / mean) + 0.95 * T.log(0.95 / (1 - mean)))
    cost = 0.5 * T.sqr(T.dot(hidden, back) - x).sum(axis=1).mean() + 3 * divergence + 1e-3 * (T.sqr(w).sum() + T.sqr(back).sum())
    f = theano.function([x], [cost] + T.grad(cost, [w, b, back]), mode=mode)
    X, W, B, K = rng.rand(7, 6), w.get_value(), b.get_value(), back.get_value()
    H = sigmoid(X @ W + B)
    m = H.mean(0)
    error = (H @ K - X) / 7
    value, gw, gb, gk = f(X)
    close(value, 0.5 * (error * 7) ** 2 @ np.ones(6) @ np.ones(7) / 7 + 3 * (0.05 * np.log(0.05 / m) + 0.95 * np.log(0.95 / (1 - m))).sum()
          + 1e-3 * ((W ** 2).sum() + (K ** 2).sum()))
    dh = (error @ K.T + 3 / 7 * (-0.05 / m + 0.95 / (1 - m))) * H * (1 - H)
    close(gw, X.T @ dh + 2e-3 * W)
    close(gb, dh.sum(0))
    close(gk, H.T @ error + 2e-3 * K)


@program
def conditional_rbm(mode, rng):
    """Biases that depend on what was before, Gibbs steps by scan with uniform numbers that are given, contrastive divergence."""
    v, before, noise = T.matrix("v"), T.matrix("before"), T.tensor3("noise")
    w, a, b = theano.shared(rng.randn(4, 3) * 0.3, "w"), theano.shared(rng.randn(5, 4) * 0.3, "a"), theano.shared(rng.randn(5, 3) * 0.3, "b")
    bv, bh = T.dot(before, a), T.dot(before, b)

    def free_energy(v):
        return -(v * bv).sum(axis=1) - T.nnet.softplus(T.dot(v, w) + bh).sum(axis=1)

    def gibbs(noise, v, bv, bh, w):
        h = T.cast(noise[:, :3] < T.nnet.sigmoid(T.dot(v, w) + bh), "float64")
        return T.cast(noise[:, 3:] < T.nnet.sigmoid(T.dot(h, w.T) + bv), "float64")
    chain, _ = theano.scan(gibbs, sequences=noise, outputs_info=v, non_sequences=[bv, bh, w])
    end = chain[-1]
    cost = free_energy(v).mean() - free_energy(end).mean()
    f = theano.function([v, before, noise], [end, cost] + T.grad(cost, [w, a, b], consider_constant=[end]), mode=mode)
    V, P, N = (rng.rand(6, 4) > 0.5) * 1.0, rng.rand(6, 5), rng.rand(2, 6, 7)
    W, A, B = w.get_value(), a.get_value(), b.get_value()
    E = V
    for n in N:
        H = (n[:, :3] < sigmoid(E @ W + P @ B)) * 1.0
        E = (n[:, 3:] < sigmoid(H @ W.T + P @ A)) * 1.0
    found, _, gw, ga, gb = f(V, P, N)
    close(found, E)
    hv, he = sigmoid(V @ W + P @ B), sigmoid(E @ W + P @ B)
    close(gw, (E.T @ he - V.T @ hv) / 6, atol=1e-12)
    close(ga, P.T @ (E - V) / 6, atol=1e-12)
    close(gb, P.T @ (he - hv) / 6, atol=1e-12)


@program
def temporal_classification(mode, rng):
    """CTC by scan over the labels with blanks between, against the sum over all paths."""
    logits, labels = T.matrix("logits"), T.ivector("labels")
    logs = T.nnet.logsoftmax(logits)
    extended = T.set_subtensor(T.zeros((2 * labels.shape[0] + 1,), "int32")[1::2], labels)
    far = T.concatenate([T.zeros((2,), "int8"), T.cast(T.neq(extended[2:], extended[:-2]) & T.neq(extended[2:], 0), "int8")])
    none = T.constant(np.float64(-1e9))

    def add(*terms):
        top = terms[0]
        for term in terms[1:]:
            top = T.maximum(top, term)
        return top + T.log(sum(T.exp(term - top) for term in terms))

    def step(row, alpha, extended, far):
        one = T.concatenate([none.dimshuffle("x"), alpha[:-1]])
        two = T.switch(far, T.concatenate([none.dimshuffle("x"), none.dimshuffle("x"), alpha[:-2]]), none)
        return add(alpha, one, two) + row[extended]
    first = T.set_subtensor(T.alloc(none, extended.shape[0])[:2], logs[0][extended[:2]])
    alphas, _ = theano.scan(step, sequences=logs[1:], outputs_info=first, non_sequences=[extended, far])
    loss = -add(alphas[-1][-1], alphas[-1][-2])
    f = theano.function([logits, labels], [loss, T.grad(loss, logits)], mode=mode)
    X, labels_ = rng.randn(5, 3), np.int32([1, 1])

    def reference(x):
        logp, total = x - logsumexp(x, 1)[:, None], []
        for path in itertools.product(range(3), repeat=5):
            if [key for key, _ in itertools.groupby(path) if key] == list(labels_):
                total.append(logp[range(5), path].sum())
        return -logsumexp(np.array(total), 0)
    value, gradient = f(X, labels_)
    close(value, reference(X))
    for place in itertools.product((0, 3), range(3)):
        close(gradient[place], slope(reference, X, place), rtol=1e-5, atol=1e-8)


@program
def linear_chain(mode, rng):
    """A conditional random field: the score of one path against that of all, the best one by a scan and a scan back."""
    scores, tags = T.matrix("scores"), T.ivector("tags")
    move = theano.shared(rng.randn(3, 3), "move")

    def forward(s, before, move):
        joint = before.dimshuffle(0, "x") + move
        return T.log(T.exp(joint - joint.max()).sum(axis=0)) + joint.max() + s

    def viterbi(s, before, move):
        joint = before.dimshuffle(0, "x") + move
        return joint.max(axis=0) + s, T.cast(joint.argmax(axis=0), "int32")
    all_, _ = theano.scan(forward, sequences=scores[1:], outputs_info=scores[0], non_sequences=move)
    (best, pointers), _ = theano.scan(viterbi, sequences=scores[1:], outputs_info=[scores[0], None], non_sequences=move)
    last = T.cast(best[-1].argmax(), "int32")
    back, _ = theano.scan(lambda p, at: p[at], sequences=pointers[::-1], outputs_info=last)
    path = T.concatenate([back[::-1], last.dimshuffle("x")])
    one = scores[T.arange(tags.shape[0]), tags].sum() + move[tags[:-1], tags[1:]].sum()
    loss = T.log(T.exp(all_[-1]).sum()) - one
    f = theano.function([scores, tags], [loss, path, T.grad(loss, move)], mode=mode)
    S, tags_, M = rng.randn(4, 3), np.int32([0, 2, 2, 1]), move.get_value()
    paths = list(itertools.product(range(3), repeat=4))

    def totals(m):
        return np.array([sum(S[t, p[t]] for t in range(4)) + sum(m[p[t], p[t + 1]] for t in range(3)) for p in paths])

    def reference(m):
        return logsumexp(totals(m), 0) - totals(m)[paths.index(tuple(tags_))]
    value, found, gradient = f(S, tags_)
    close(value, reference(M))
    assert tuple(found) == paths[totals(M).argmax()]
    for place in itertools.product(range(3), repeat=2):
        close(gradient[place], slope(reference, M, place), rtol=1e-5, atol=1e-8)


@program
def factorisation_machine(mode, rng):
    """Pairs of features by the square of a sum, a hinge and a logistic loss with labels of -1 and 1, at scores that overflow."""
    x, y = T.matrix("x"), T.vector("y")
    w, v = theano.shared(rng.randn(5)), theano.shared(rng.randn(5, 3))
    score = T.dot(x, w) + 0.5 * T.sum(T.sqr(T.dot(x, v)) - T.dot(T.sqr(x), T.sqr(v)), axis=1)
    logistic, hinge = T.log(1 + T.exp(-y * score)), T.maximum(0, 1 - y * score)
    f = theano.function([x, y], [score, logistic, hinge, T.grad(logistic.sum(), v), T.grad(hinge.sum(), w)], mode=mode)
    X, Y, W, V = rng.randn(6, 5), np.array([1.0, -1, 1, -1, 1, -1]), w.get_value(), v.get_value()
    if mode != "FAST_COMPILE":
        X[:2] *= 40
    S = X @ W + 0.5 * ((X @ V) ** 2 - X ** 2 @ V ** 2).sum(1)
    found, log, hin, gv, gw = f(X, Y)
    close(found, S)
    close(log, np.logaddexp(0, -Y * S), atol=1e-300)
    close(hin, np.maximum(0, 1 - Y * S))
    d = -Y * sigmoid(-Y * S)
    close(gv, np.einsum("n,nij->ij", d, X[:, :, None] * (X @ V)[:, None, :] - (X ** 2)[:, :, None] * V), rtol=1e-9, atol=1e-9)
    close(gw, -((Y * (Y * S < 1)) @ X))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", program)
def test_program(name, mode):
    program.run(name, mode)
