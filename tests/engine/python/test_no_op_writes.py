"""No op writes to what its destroy_map does not say.

Every apply of many optimized functions is run alone: its inputs lie in memory that the processor protects, except those
that it declares to overwrite. Each step is also run by the interpreter, with inputs compared before and after. The
functions together have to contain every op that the engine documents. Run as a program, this file does the work (a
write to protected memory kills it); as a test it starts that program and asks how it ended.
"""
import ctypes
import mmap
import os
import pathlib
import re
import signal
import subprocess
import sys

import numpy
import theano
import theano.tensor as T
from croton import _core

ENGINE = pathlib.Path(__file__).resolve().parents[3] / "engine"


def variables():
    return dict(x=T.dmatrix("x"), y=T.dmatrix("y"), v=T.dvector("v"), w=T.dvector("w"), i=T.lvector("i"), n=T.lscalar("n"),
                s=T.dscalar("s"), t=T.dtensor3("t"), u=T.dtensor3("u"), a=T.imatrix("a"), f=T.fmatrix("f"), z=T.zmatrix("z"),
                m=T.bmatrix("m"))


def values():
    rng = numpy.random.RandomState(3)
    return dict(x=rng.rand(4, 4), y=rng.rand(4, 4), v=rng.rand(4), w=rng.rand(4), i=numpy.asarray([0, 2, 2, 1]), n=numpy.asarray(2),
                s=numpy.asarray(0.5), t=rng.rand(2, 4, 4), u=rng.rand(2, 4, 4), a=rng.randint(-3, 4, (4, 4)).astype("int32"),
                f=rng.rand(4, 4).astype("float32"), z=rng.rand(4, 4) + 1j, m=rng.randint(0, 2, (4, 4)).astype("int8"))


def cases(e):
    """name → outputs"""
    x, y, v, w, i, n, s, t, u, a, f, z, m = (e[name] for name in "xyvwinstuafzm")
    relu, definite = T.maximum(x, 0), T.dot(x, x.T) + T.eye(4)
    loss = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, y) + v), i).mean()
    inner = theano.OpFromGraph([x, y], [T.exp(x) + y])
    return {
        "elementwise": [T.exp(x) + y * v, T.tanh(x) * T.sqr(y), a + a * 2, f * f + 1, T.abs_(z) + 1, z * z, T.switch(x > y, x, y), ~(x > y)],
        "in place": [T.exp(T.exp(x) * 2 + y) - T.log(T.exp(y) + 1)],
        "cast": [T.cast(x, "int32"), T.cast(a, "float64") + 1, T.cast(f, "float64")],
        "reductions": [x.sum(), x.sum(axis=0), x.prod(axis=1), x.max(axis=0), T.min(x, axis=1), (x > 0).any(), (x > 0).all(axis=0),
                       x.mean(), x.var(axis=1), x.std()],
        "reductions of elements": [(x * y + 1).sum(), T.exp(x).sum(axis=0), abs(x).max(axis=1)],
        "argmax": [x.argmax(axis=1), T.max_and_argmax(x, axis=0)[0], T.max_and_argmax(x, axis=0)[1], x.argmin()],
        "dimshuffle": [x.T, v.dimshuffle("x", 0) + x, t.dimshuffle(2, 0, 1)],
        "products": [T.dot(x, y), T.dot(x, v), T.dot(v, x), T.dot(v, w), T.outer(v, w), T.tensordot(t, u, [[0, 2], [0, 2]]),
                     T.batched_dot(t, u), T.dot(a, a), 0.5 * T.dot(x, y), x + 0.1 * T.dot(y, x), v + 0.1 * T.dot(x, w),
                     x + 0.3 * T.outer(v, w)],
        "scaled product": [0.5 * T.dot(x, y)],
        "indexing": [x[0], x[1:3, ::2], x[::-1], x[n], x[i], x[i, i], x[:, i], x[m.nonzero()], x[T.gt(x, 0.5)], t[:, i, 1]],
        "writing": [T.set_subtensor(x[0], v), T.inc_subtensor(x[1:3], y[:2]), T.inc_subtensor(x[i], y), T.set_subtensor(x[i], y),
                    T.set_subtensor(x[i, i], v), T.inc_subtensor(x[i, i], v), T.inc_subtensor(T.exp(x)[0], v), T.inc_subtensor(T.exp(x)[i], y)],
        "gradient of indexing": T.grad((x[i] ** 2).sum() + (x[0] ** 3).sum() + (x[i, i] ** 2).sum(), [x]),
        "joining": [T.concatenate([x, y]), T.join(1, x, y), T.stack([x, y]), *T.split(x, [1, 3], 2, axis=0), T.stack([s, s, s])],
        "shapes": [x.shape, x.shape[0] * 2, x.reshape((2, 8)), x.flatten(), v.reshape((2, n)), T.specify_shape(x, (4, 4)) * 1,
                   T.addbroadcast(x[:1], 0) + y, T.unbroadcast(v.dimshuffle("x", 0), 0) * 2],
        "allocation": [T.zeros((n, 3)), T.ones_like(x), T.fill(x, s), T.alloc(v, n, 4), T.eye(n), T.arange(n), T.tri(n), T.tril(x), T.triu(x),
                       _core.alloc_empty("float64", [T.constant(2)])[:0]],
        "diagonals": [T.diag(x), T.diag(v), T.extra_ops.fill_diagonal(x, 2.0), x.trace()],
        "order": [T.sort(x), T.argsort(x, axis=0), T.topk(v, 2), T.searchsorted(T.sort(v), w), T.extra_ops.unique(v),
                  T.extra_ops.cumsum(x, axis=0), T.extra_ops.cumprod(v)],
        "repetition": [T.repeat(x, 2, axis=0), T.tile(x, (2, 1)), T.repeat(v, i, axis=0), T.roll(x, 1)],
        "nonzero": [m.nonzero()[0], T.flatnonzero(v)],
        "softmax": [T.nnet.softmax(x), T.nnet.softmax(x + v), T.nnet.logsoftmax(x), T.nnet.softmax(x) * 2, T.log(T.nnet.softmax(x + v))],
        "softmax with a bias": [T.nnet.softmax(T.dot(x, y) + v)],
        "gradient of softmax": T.grad((T.nnet.softmax(x) ** 2).sum() + (T.nnet.logsoftmax(y) ** 2).sum(), [x, y]),
        "crossentropy": [loss, *T.grad(loss, [x, y, v])],
        "crossentropy alone": [T.nnet.categorical_crossentropy(x, i), *T.grad(T.nnet.categorical_crossentropy(x, i).sum(), [x])],
        "nnet": [T.nnet.sigmoid(x), T.nnet.softplus(x), T.nnet.relu(x), T.nnet.elu(x), T.nnet.binary_crossentropy(T.nnet.sigmoid(x), T.nnet.sigmoid(y)),
                 T.nnet.hard_sigmoid(x), relu],
        "identities": [T.opt.Assert("never")(x, s > 0) + 1, theano.printing.Print("x", attrs=["shape"])(x) * 2,
                       theano.gradient.grad_clip(x, -1, 1) * 2, _core.deep_copy(x)],
        "view": [_core.make_node(_core.op_of_parts("ViewOp", "{}", []), [x]).outputs[0] * 2, theano.gradient.zero_grad(x) * 2, theano.gradient.disconnected_grad(x) * 3,
                 _core.contiguous(x.T) * 2],
        "graph in a graph": [inner(x, y), inner(y, x) * 2],
        "linear algebra": [T.nlinalg.matrix_inverse(x), T.nlinalg.pinv(x), T.nlinalg.det(x), *T.nlinalg.slogdet(x), T.slinalg.cholesky(definite),
                           T.slinalg.solve(x, v), T.slinalg.solve(x, y, trans=1), T.slinalg.solve_triangular(x, y), T.slinalg.solve(definite, y, "pos"),
                           *T.nlinalg.eig(x), *T.nlinalg.eigh(x), T.slinalg.eigvalsh(x, definite), *T.nlinalg.svd(x), *T.nlinalg.qr(x),
                           *T.nlinalg.lstsq()(x, v, -1), T.slinalg.expm(x)],
        "sparse products": [_core.sparse_dot(v, i, T.constant([0, 1, 1, 3, 4]), 3, x[:3], False), _core.sampled_dot(x, y, i, T.constant([0, 1, 1, 3, 4]))],
        "sequences": [T.nnet.ctc.ctc(t, T.constant([[1, 2], [1, -1], [3, 1], [2, 2]]), T.constant([2, 1, 2, 2]))],
        "transforms": [T.fft.rfft(x), T.fft.irfft(T.fft.rfft(x))],
        "identity": [x, x.T],
    }


# Theano's class → the engine's, where their names differ.
_CALLED = {"SVD": "Svd", "QRFull": "Qr", "lstsq": "LeastSquares", "RFFTOp": "RealFourier", "IRFFTOp": "InverseRealFourier",
           "StructuredDotCSR": "SparseDot", "SamplingDotCSR": "SampledDot", "ConnectionistTemporalClassification": "Ctc"}

libc = ctypes.CDLL(None, use_errno=True)
_kept = []


def protected(value, order):
    """A copy of an array that nobody can write to."""
    value = numpy.asarray(value)
    memory = mmap.mmap(-1, max(value.nbytes, 1))
    flat = numpy.frombuffer(memory, value.dtype, value.size)
    array = flat.reshape(value.shape, order=order)
    array[...] = value
    address = flat.__array_interface__["data"][0] if value.size else None
    if address is not None and libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(len(memory)), mmap.PROT_READ):
        raise OSError(ctypes.get_errno(), "mprotect")
    _kept.append((memory, flat))
    return array


def seen_alone(apply, inputs, order):
    """The apply as a function of its own, on protected memory."""
    from croton.gof.graph import Constant
    op = apply.op
    destroyed = {position for _, position in _core.op_destroy_map(op)}
    slots, arguments, places = [], [], []
    for position, (variable, value) in enumerate(zip(apply.inputs, inputs)):
        if isinstance(variable, Constant):
            places.append(variable)
            continue
        stand_in = variable.type()
        places.append(stand_in)
        slots.append(theano.In(stand_in, mutable=position in destroyed, borrow=True))
        if not isinstance(value, numpy.ndarray):
            arguments.append(value)
        else:
            arguments.append(numpy.array(value, order=order) if position in destroyed else protected(value, order))
    made = _core.make_apply(op, places, [output.type for output in apply.outputs])
    function = theano.function(slots, [theano.Out(o, borrow=False) for o in made.outputs], mode=theano.Mode(linker="vm", optimizer=None),
                               on_unused_input="ignore")
    function(*arguments)


def check(name, outputs, e, given, mode, found, report):
    wanted = [leaf for leaf in _core.leaves(list(outputs), []) if leaf in set(e.values())]
    names = {variable: key for key, variable in e.items()}
    function = theano.function(wanted, outputs, mode=mode, on_unused_input="ignore", name=name)
    exported = _core.function_graph(function)
    known = {variable: given[names[original]] for variable, original in zip(exported["inputs"], wanted)}
    from croton.gof.graph import Constant
    for index, apply in enumerate(exported["toposort"]):
        found.add("FusedReduce" if re.match(r"\w+\{.*\}\{(?![\d, ]+\}$)", str(apply.op)) else type(apply.op).__name__)
        inputs = [variable.data if isinstance(variable, Constant) else known[variable] for variable in apply.inputs]
        before = [value.copy() if isinstance(value, numpy.ndarray) else value for value in inputs]
        results = _core.run_apply(apply, inputs)
        for position, (old, new) in enumerate(zip(before, inputs)):
            if isinstance(old, numpy.ndarray) and old.tobytes() != numpy.ascontiguousarray(new).tobytes():
                raise SystemExit("%s of %r, %s: input %d was changed" % (apply.op, name, mode, position))
        for order in "CF":
            report("%s, %s, apply %d: %s (%s)" % (name, mode, index, apply.op, order))
            seen_alone(apply, inputs, order)
        known.update(zip(apply.outputs, results))
    for order in "CF":
        report("%s, %s, all of it (%s)" % (name, mode, order))
        function(*[protected(given[names[variable]], order) for variable in wanted])


def documented():
    return {match for path in sorted((ENGINE / "ops").glob("*.cpp")) + sorted((ENGINE / "graph").glob("*.cpp"))
            for match in re.findall(r"^OP_CARD\((\w+), (?!Transfer)", path.read_text(), re.MULTILINE)}


def main(last):
    def report(text):
        last.seek(0)
        last.truncate()
        last.write(text)
        last.flush()
    found = set()
    for mode in ("FAST_RUN", "FAST_COMPILE", theano.Mode(linker="vm", optimizer=None)):
        e = variables()
        for name, outputs in cases(e).items():
            check(name, list(outputs), e, values(), mode, found, report)
    print(" ".join(sorted(found)))


def test_no_op_writes_to_what_it_does_not_declare(tmp_path):
    last = tmp_path / "last"
    done = subprocess.run([sys.executable, __file__, str(last)], capture_output=True, text=True, timeout=250)
    at = last.read_text() if last.exists() else "the start"
    assert done.returncode != -signal.SIGSEGV, "a write to protected memory: " + at
    assert done.returncode == 0, at + "\n" + done.stderr
    # The BLAS ops that work in C are the same ops under another name, and each kind of GradientView has its own.
    found = {re.sub("^C(Gemv|Ger)$", r"\1", name) for name in done.stdout.splitlines()[-1].split()}
    found |= {_CALLED[name] for name in found & set(_CALLED)}
    # A generator's state is no input that anybody gives: test_mrg_random and test_random_streams look at what becomes of it.
    found |= {"FromUniform", "MrgUniform", "RandomFunction"}
    missing = documented() - found - ({"GradientView"} if {"ZeroGrad", "DisconnectedGrad"} <= found else set())
    assert not missing, "no function here has " + ", ".join(sorted(missing))


def test_the_guard_works(tmp_path):
    """The same check kills an op that writes."""
    text = ("import sys; sys.path.insert(0, %r)\nimport numpy\nfrom test_no_op_writes import protected\n"
            "protected(numpy.ones(3), 'C')[:] = 2\n" % os.path.dirname(__file__))
    assert subprocess.run([sys.executable, "-c", text], capture_output=True).returncode == -signal.SIGSEGV


if __name__ == "__main__":
    with open(sys.argv[1], "w") as stream:
        main(stream)
