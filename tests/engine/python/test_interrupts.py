"""Ctrl-C within a call: it ends there, no apply is blamed, and the function goes on as after an error."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import theano
import theano.tensor as T
from theano.gof import Apply, Op

ENDLESS = 10 ** 12  # steps: whoever does not hear the signal is at it for a day


class Stopped(Exception):
    pass


def after(seconds, number=signal.SIGINT):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), number))
    timer.daemon = True
    timer.start()
    return timer


def loop(steps, **how):
    last = T.dscalar("last")
    states, _ = theano.scan(lambda before: before * 0.999 + 1, outputs_info=[last], n_steps=steps)
    return theano.function([last], states[-1], **how)


@pytest.mark.parametrize("how", [{}, {"profile": True}, {"mode": "FAST_COMPILE"}, {"mode": theano.Mode(linker="py")}], ids=str)
def test_a_loop(how):
    keeps_all = "mode" in how  # every state: no memory holds those of a day
    run = loop(T.as_tensor_variable(numpy.int64(5 * 10 ** 7 if keeps_all else ENDLESS)), **how)
    for _ in range(2):
        after(0.2)
        with pytest.raises(KeyboardInterrupt) as caught:
            run(1.0)
        assert "Apply node" not in str(caught.value)


def test_steps_apart_from_one_another():
    n = T.lscalar("n")
    values, _ = theano.scan(lambda i: T.sqrt(T.cast(i, "float64")) * 2, sequences=T.arange(n))
    run = theano.function([n], values[-1])
    assert run(10) == 6
    after(0.1)
    with pytest.raises(KeyboardInterrupt):
        run(10 ** 8)
    assert run(10) == 6


def test_a_condition_that_never_comes():
    values, _ = theano.scan(lambda x: (x * 0.5 + 1, theano.scan_module.until(x < 0)), outputs_info=[numpy.float64(1)], n_steps=ENDLESS)
    run = theano.function([], values[-1])
    after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run()


def test_what_is_left_behind():
    """Shared variables keep what they had, and the next call computes."""
    total = theano.shared(numpy.zeros(3))
    n = T.lscalar("n")
    states, _ = theano.scan(lambda before: before + 1, outputs_info=[total], n_steps=n)
    run = theano.function([n], states[-1].sum(), updates=[(total, states[-1])])
    assert run(5) == 15
    after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run(ENDLESS)
    numpy.testing.assert_array_equal(total.get_value(), [5, 5, 5])
    assert run(2) == 21


@pytest.mark.parametrize("number", [signal.SIGALRM, signal.SIGTERM, signal.SIGUSR1, signal.SIGRTMIN + 3])
def test_a_handler_of_the_script(number):
    """It runs while the call lasts; the call ends only if it raises."""
    seen = []

    def handle(*_):
        seen.append(1)
        if len(seen) > 1:
            raise Stopped("enough")

    before = signal.signal(number, handle)
    try:
        run = loop(T.as_tensor_variable(numpy.int64(ENDLESS)))
        after(0.2, number)
        after(0.5, number)
        with pytest.raises(Stopped, match="enough"):
            run(1.0)
        assert len(seen) == 2
        assert signal.getsignal(number) is handle
        with pytest.raises(Stopped):
            signal.raise_signal(number)
            time.sleep(1)
    finally:
        signal.signal(number, before)


def test_a_signal_that_is_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        timer = after(0.05)
        assert loop(T.as_tensor_variable(numpy.int64(3000000)))(1.0) > 999
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)


class Breaks(Op):
    __props__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        raise {"interrupt": KeyboardInterrupt, "exit": SystemExit}[self.kind]("by hand")


@pytest.mark.parametrize("kind, raised", [("interrupt", KeyboardInterrupt), ("exit", SystemExit)])
def test_an_op_that_is_interrupted_is_not_blamed(kind, raised):
    x = T.dvector()
    run = theano.function([x], Breaks(kind)(x) + 1)
    with pytest.raises(raised) as caught:
        run([1.0])
    assert caught.value.args == ("by hand",)


class Calls(Op):
    """Runs a function within its perform and forgives what it raises."""
    __props__ = ()
    inner = None

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        try:
            type(self).inner(1.0)
        except KeyboardInterrupt:
            output_storage[0][0] = inputs[0] + 1


def test_a_script_that_forgives_goes_on():
    Calls.inner = staticmethod(loop(T.as_tensor_variable(numpy.int64(ENDLESS))))
    x = T.dvector()
    run = theano.function([x], T.exp(Calls()(x)).sum() + theano.scan(lambda b: b + 1, outputs_info=[x.sum()], n_steps=1000)[0][-1])
    after(0.2)
    numpy.testing.assert_allclose(run([1.0]), numpy.exp(2) + 1001)


def test_while_another_thread_computes():
    """Its call goes on."""
    n = T.lscalar("n")
    other = theano.function([n], theano.scan(lambda b: b + 1, outputs_info=[numpy.float64(0)], n_steps=n)[0][-1])
    other(3)
    results = []
    thread = threading.Thread(target=lambda: results.append(other(20000000)))
    run = loop(T.as_tensor_variable(numpy.int64(ENDLESS)))
    thread.start()
    after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run(1.0)
    thread.join()
    assert results == [20000000]


def test_while_it_waits_for_another_thread():
    n = T.lscalar("n")
    step_by_step = theano.compile.get_default_mode().excluding("croton_loop_in_one_kernel")  # which would be over too soon
    run = theano.function([n], theano.scan(lambda b: b + 1, outputs_info=[numpy.float64(0)], n_steps=n)[0][-1], mode=step_by_step)
    run(3)
    thread = threading.Thread(target=run, args=(40000000,))
    thread.start()
    time.sleep(0.1)
    after(0.2)
    with pytest.raises(KeyboardInterrupt):
        run(3)
    assert thread.is_alive(), "the other one was at it all the time"
    thread.join()
    assert run(3) == 3


SLOW = {
    "product": (T.fmatrix, lambda m: T.dot(m, m), (2500, 2500)), "elements": (T.fmatrix, lambda m: T.exp(T.sin(m) + T.cos(m.T)), (5000, 5000)),
    "sort": (T.fmatrix, lambda m: T.sort(m.flatten()), (3000, 3000)), "inverse": (T.fmatrix, T.nlinalg.matrix_inverse, (1200, 1200)),
    "decomposition": (T.fmatrix, lambda m: T.nlinalg.svd(m)[1], (700, 700)), "transform": (T.fmatrix, T.fft.rfft, (64, 1 << 16)),
    "sums": (T.fmatrix, lambda m: T.exp(m).sum(axis=0), (5000, 5000)), "random": (T.fmatrix, lambda m: draws(m.shape), (4000, 4000)),
}


def draws(shape):
    return theano.sandbox.rng_mrg.MRG_RandomStreams(3).normal(shape)


@pytest.mark.parametrize("name", sorted(SLOW))
def test_ops_are_left_in_their_middle(name):
    """Signals that come every so often, as many as it takes until one falls into the op; afterwards it gives what it gave."""
    kind, build, shape = SLOW[name]
    m = kind()
    run = theano.function([m], build(m)) if name != "random" else theano.function([m], build(m).sum() * 0)
    value = (numpy.random.RandomState(1).rand(*shape) + numpy.eye(*shape)).astype("float32")
    wanted = run(value)
    caught = 0
    for seconds in (0.002, 0.005, 0.01, 0.02, 0.04):
        timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
        try:
            timer.start()
            run(value)
            timer.join()
            time.sleep(0.001)
        except KeyboardInterrupt:  # be it before the call or after it
            caught += 1
        timer.join()
        numpy.testing.assert_array_equal(run(value), wanted)
    assert caught == 5


def test_compiling():
    """Of a graph of many nodes."""
    x = T.dvector()
    y = x
    for i in range(30000):
        y = T.tanh(y * 1.0001 + i)
    after(0.3)
    with pytest.raises(KeyboardInterrupt):
        theano.function([x], y)
    assert theano.function([x], T.exp(x))([0.0]) == 1


def test_no_signal_falls_into_kernels_that_borrow_the_stack():
    """oneDNN's kernels point the stack into the heap, where the frame of a handler would be written."""
    code = """
import signal, theano, theano.tensor as T, numpy
m = T.fmatrix()
run = theano.function([m], T.dot(m, m))
value = numpy.random.RandomState(2).rand(1500, 1500).astype("float32")
wanted = run(value)
count = [0]
def tick(*_):
    count[0] += 1
signal.signal(signal.SIGALRM, tick)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for _ in range(20):
    assert (run(value) == wanted).all()
signal.setitimer(signal.ITIMER_REAL, 0)
print("ticked" if count[0] > 20 else "too quick")
"""
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0 and "ticked" in done.stdout, done.stdout
