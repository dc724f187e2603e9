"""For each piece of Croton's own advice: a program that brings it about, a near miss that does not, and the same work with the advice
followed where that is another program. A program is (text, flags). #! marks the line that the advice names. Those of devices run on PoCL, a device wherever there is a processor."""

PROLOGUE = """
import numpy, theano, theano.tensor as T
def run(inputs, output, values, calls=200):
    f = theano.function(inputs, output, name='f')
    for k in range(calls): f(*values)
x = T.matrix('x'); y = T.matrix('y'); n = T.lscalar('n')
a = numpy.random.rand(300, 300).astype(theano.config.floatX)
large = numpy.random.rand(2000, 1000).astype(theano.config.floatX)
"""
CHAIN = "run([x, y], T.tanh(T.dot(x, y)), [large, numpy.ones((1000, 1000), theano.config.floatX)], 3)"
WIDE = """
h = x * x + 1
run([x], h - h[::-1] / 2, [numpy.ones((900000, 80), 'float32')], 10)
"""
BIG = """
terms = [x]
for k in range(300): terms.append(T.tanh(terms[-1] * (k + 2)) + T.exp(terms[-1][::-1]) / (k + 3))
run([x], terms[-1].sum(), [a[:2, :2]], 20)
"""
PYTHON_OP = """
class Twice(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.vectorize(lambda value: value * 2)(inputs[0]).astype(inputs[0].dtype)
run([x], Twice()(x), [a], 5)
"""
SHAPES = "f = theano.function([x], T.exp(x), name='f')\n"

CHAIN_OF_LINES = """
h = x
for k in range(12): h = T.tanh(h * (k + 2)) + T.sqrt(abs(h))
f = theano.function([x], h.sum()%s)
for k in range(60): f(large)
"""
SCAN = """
rows, _ = theano.scan(lambda row, total: %s, sequences=x, outputs_info=T.zeros((300,), theano.config.floatX))  #!
run([x], rows[-1], [a], 50)
"""
MOSTLY = """
w = numpy.zeros((1500, 1500)); w[::50, ::50] = 1
s = theano.shared(%s, name='s')
run([x], T.dot(s, x).sum(), [numpy.ones((1500, 8))], 20)  #!
"""
GRADIENT = """
w = theano.shared(numpy.random.rand(1000, 1000), name='w')
g = T.grad((T.dot(x, w) ** 2).mean(), w)
f = theano.function([x], %s%s)
rows = numpy.random.rand(10, 1000)
for k in range(50): %s
"""
FED_BACK = """
f = theano.function([x, y], y - 0.01 * T.dot(x.T, T.dot(x, y)))
rows, v = numpy.random.rand(10, 1000), numpy.random.rand(1000, 1000)
"""
SAME = """
table = T.tanh(T.dot(y, y.T)) if '%s' == 'y' else T.tanh(T.dot(x, x.T))
f = theano.function([x, y], T.dot(table, x) + y)
for k in range(30): f(a + k, a)
"""
UNUSED = """
f = theano.function([x], [x.sum(), T.exp(T.sin(x)).std()])
for k in range(30):
    %s = f(large)  #!
    print(total%s)
"""

PROGRAMS = {
    "float32": (("run([x], T.exp(x), [a])", "floatX=float64"), ("run([x], T.exp(x), [a])", "floatX=float32")),
    "float64": (("k = T.imatrix('k')\nrun([x, k], T.exp(x * k), [a, a.astype('int32')])", "floatX=float32"),
                ("k = T.imatrix('k')\nrun([x, k], T.exp(x * T.cast(k, 'float32')), [a, a.astype('int32')])", "floatX=float32")),
    "no-blas": (("i = T.lmatrix('i')\nrun([i], T.dot(i, i), [a.astype('int64')], 5)", ""), ("run([x], T.dot(x, x), [a], 5)", "")),
    "python-op": ((PYTHON_OP, ""), ("run([x], x * 2, [a], 5)", "")),
    "fusion": (("h = x * x + 1\nrun([x], h - h[::-1] / 2, [large], 40)", "floatX=float32"),
               ("h = x * x + 1\nrun([x], h - h[::-1] / 2, [a[:9, :9]], 40)", "floatX=float32"),
               ("h = x * x + 1\ng = x[::-1]\nrun([x], h - (g * g + 1) / 2, [large], 40)", "floatX=float32")),
    "small-calls": (("run([n], n + 1, [3], 100000)", ""), ("run([x], T.dot(x, x), [a], 200)", ""),
                    ("v = T.lvector('v')\nrun([v], v + 1, [numpy.full(2000, 3)], 1)", "")),
    "inplace": ((CHAIN, "optimizer_excluding=inplace"), (CHAIN, "")),
    "allow-gc": ((WIDE, "floatX=float32"), (WIDE.replace("900000", "9000"), "floatX=float32"), (WIDE, "floatX=float32,allow_gc=False")),
    "many-shapes": ((SHAPES + "for k in range(1, 40): f(a[:k])", ""), (SHAPES + "for k in range(1, 40): f(a)", ""),
                    (SHAPES + "b = a[:40]\nfor k in range(1, 40): f(b)", "")),
    "costly-rewrite": ((BIG, ""), ("run([x], T.exp(x), [a])", ""), (BIG, "mode=FAST_COMPILE")),
    "compiled-again": (("for k in range(40): run([x], T.exp(x), [a[:9]], 1)", ""), ("run([x], T.exp(x), [a[:9]], 40)", "")),
    "slow-mode": ((CHAIN_OF_LINES % ", mode='FAST_COMPILE'", "floatX=float32"), (CHAIN_OF_LINES % "", "floatX=float32")),
    "loop": ((SCAN % "T.sqrt(row) + total", ""), (SCAN % "T.tanh(row + total * 0.5)", ""), ("run([x], T.sqrt(x).sum(axis=0), [a], 50)", "")),
    "no-blas by hand": (("run([x, y], (x[:, :, None, None] * y.reshape((1, 300, 30, 10))).sum(axis=1), [a, a], 5)  #!", ""),
                        ("run([x, y], (x[:, :, None] * y[None, :, :]).sum(axis=1), [a, a], 5)", ""), ("run([x, y], T.dot(x, y), [a, a], 5)", "")),
    "blas-layout": (("run([x, y], T.dot(x[:, ::2], y), [large, numpy.ones((500, 4))], 20)  #!", ""),
                    ("run([x, y], T.dot(x[:, :500], y), [large, numpy.ones((500, 4))], 20)", "")),
    "index-range": (("run([x], T.sqrt(x[numpy.arange(1500)]).sum(), [large], 20)  #!", ""),
                    ("run([x], T.sqrt(x[numpy.random.RandomState(1).permutation(2000)[:1500]]).sum(), [large], 20)", ""),
                    ("run([x], T.sqrt(x[:1500]).sum(), [large], 20)", "")),
    "sparse-as-dense": ((MOSTLY % "w", ""), (MOSTLY.replace("w[::50, ::50]", "w[:]") % "w", "")),
    "inplace by set_value": ((GRADIENT % ("[g]", "", "w.set_value(w.get_value() - 0.01 * f(rows)[0])  #!"), ""),
                      (GRADIENT % ("[]", ", updates=[(w, w - 0.01 * g)]", "f(rows)"), "")),
    "inplace by feedback": ((FED_BACK + "for k in range(50): v = f(rows, v)  #!", ""), (FED_BACK + "for k in range(50): f(rows, v)", "")),
    "input-conversion": (("f = theano.function([x], x.sum())\ng = a.tolist()\nfor k in range(20): f(g)  #!", ""),
                  ("f = theano.function([x], x.sum())\ng = numpy.array(a.tolist())\nfor k in range(20): f(g)", "")),
    "repeated-work": ((SAME % "y", ""), (SAME % "x", "")),
    "unused-output": ((UNUSED % ("total, _", ""), ""), (UNUSED % ("total, spread", ", spread"), "")),
    "checking-mode": (("run([x], T.exp(x) + T.dot(x, x), [a], 120)", "mode=DebugMode"), ("run([x], T.exp(x) + T.dot(x, x), [a], 120)", "")),
}


SHARED = """
from theano.gpuarray.basic_ops import gpu_from_host
s = theano.shared(large, name='s'); v = theano.shared(a[0, :16], name='v'); u = T.vector('u')
"""
BETWEEN = PYTHON_OP[:PYTHON_OP.index("run(")] + SHARED
MANY = SHARED + "h = v\nfor k in range(12): h = T.tanh(h * (k + 2)).sum() * v\nrun([], gpu_from_host(h), [], %d)"
STEP = SHARED + """
f = theano.function([], %s, updates=[(v, v * 0.999 - 0.001 * T.grad((v ** 4).sum(), v))], name='f')
for k in range(%d): f()
"""

ON_DEVICE = {
    "transfer": ((SHARED + "run([x], gpu_from_host(T.exp(x).sum(axis=0)), [large], 30)", ""),
                 (SHARED + "run([u], gpu_from_host(T.tanh(T.exp(s) + T.exp(-s) + u).sum(axis=0)), [large[0]], 30)", ""),
                 (SHARED + "run([], gpu_from_host(T.exp(s).sum(axis=0)), [], 30)", "")),
    "host-between": ((BETWEEN + "p = s[:300, :300]\nrun([], (Twice()(T.exp(p)) * p).sum(), [], 5)", ""),
                     (BETWEEN + "p = s[:300, :300]\nrun([], Twice()(T.exp(p) * p), [], 5)", ""),
                     (BETWEEN + "p = s[:300, :300]\nrun([], (T.exp(p) * 2 * p).sum(), [], 5)", "")),
    "fetched-results": ((STEP % ("(v ** 4).sum()", 3000), ""), (STEP % ("(v ** 4).sum()", 50), ""),
                        (STEP % ("gpu_from_host((v ** 4).sum())", 3000), "")),
    "launch-bound": ((MANY % 300, ""), (MANY.replace("h = v", "v = s; h = v") % 10, ""),
                     (SHARED + "h = v = theano.shared(numpy.tile(a[0, :16], (300, 1)))\n"
                      "for k in range(12): h = T.tanh(h * (k + 2)).sum(axis=1, keepdims=True) * v\nrun([], gpu_from_host(h), [], 2)", "")),
}
