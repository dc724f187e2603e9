"""Graphs, models and functions copied and pickled, however deep they are."""
import copy
import os
import pickle
import subprocess
import sys

import numpy
import theano
import theano.tensor as T
from theano import function, shared


class Model:
    def __init__(self):
        self.x = T.dvector("x")
        self.w = shared(numpy.ones(3), name="w")
        self.cost = T.dot(self.x, self.w)
        self.params = [self.w]
        self.cost.tag.note = "kept"


def test_deepcopy_is_another_model():
    model = Model()
    twin = copy.deepcopy(model)
    assert twin.w is twin.params[0] and twin.w is not model.w and twin.cost.tag.note == "kept" and twin.w.name == "w"
    twin.w.set_value(numpy.full(3, 5.0))
    assert function([model.x], model.cost)([1, 1, 1]) == 3 and function([twin.x], twin.cost)([1, 1, 1]) == 15
    assert copy.copy(model.cost).owner.op == model.cost.owner.op and copy.deepcopy(T.dmatrix) == T.dmatrix
    assert copy.deepcopy(T.constant([1, 2])).data.tolist() == [1, 2] and copy.deepcopy(T.exp) == T.exp


def test_pickles_share_what_was_shared():
    model = Model()
    again, function_again = pickle.loads(pickle.dumps((model, function([model.x], model.cost, updates=[(model.w, model.w + 1)]))))
    assert again.w is again.params[0] and again.w in theano.gof.graph.inputs([again.cost])
    assert [float(function_again([1, 1, 1])) for _ in range(2)] == [3, 6]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(model, protocol)).cost.tag.note == "kept"


# In a process of its own: a stack that overflows takes the process with it.
DEEP = """
import copy, pickle, sys
import theano, theano.tensor as T
sys.setrecursionlimit(int(sys.argv[1]))
x = T.dvector("x")
a, b = x, x * 2
for i in range(int(sys.argv[2])):
    a, b = T.tanh(a) if i % 7 else a + b, b + 1 if i % 11 else b * a
    a.name = "a%d" % i
whole = (x, a + b)
for twin in (pickle.loads(pickle.dumps(whole)), pickle.loads(pickle._dumps(whole)), copy.deepcopy(whole)):
    assert twin[1].owner.inputs[0].name == a.name and twin[0] is theano.gof.graph.inputs([twin[1]])[0]
    assert len(theano.gof.graph.io_toposort([], [twin[1]])) == len(theano.gof.graph.io_toposort([], [whole[1]]))
f = pickle.loads(pickle.dumps(theano.function([x], a.sum(), mode="FAST_COMPILE")))
assert f([0.0]).shape == ()
str(whole[1]), theano.pp(whole[1]), theano.printing.debugprint(whole[1], file="str"), theano.clone(whole[1], {x: T.dvector()})
print("fine")
"""


def test_deep_graphs():
    for limit, depth in ((1000, 3000), (10 ** 6, 8000)):
        done = subprocess.run([sys.executable, "-c", DEEP, str(limit), str(depth)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ), timeout=300)
        assert done.returncode == 0 and done.stdout == "fine\n", (limit, depth, done.returncode, done.stderr[-2000:])
