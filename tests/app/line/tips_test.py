"""Tips of real runs: one for a cause, on the line where it lies, the one that saves most first, and none that breaks the program."""
import json

import pytest

PROLOGUE = """import numpy, theano, theano.tensor as T
floatX = theano.config.floatX
x = T.matrix('x'); k = T.ivector('k'); n = T.imatrix('n')
data = numpy.random.rand(400, 600).astype(floatX)
def run(inputs, output, *values):
    f = theano.function(inputs, output)
    for _ in range(20): f(*values)
"""
SLOW_CLIP = """
class SlowClip(theano.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.array([[min(max(v, -1), 1) for v in row] for row in inputs[0]], dtype=inputs[0].dtype)
"""
LEAKS = {
    "shared": "b = theano.shared(numpy.ones(600))  #!\nh = T.tanh(x + b)\nz = T.exp(h) * 2\nrun([x], z.mean() + (h ** 2).sum(), data)",
    "in a helper": "def weights(size):\n    return theano.shared(numpy.ones(size))  #!\nrun([x], T.tanh(x * weights(600)).sum(), data)",
    "input": "d = T.dmatrix('d')  #!\nrun([x, d], T.exp(x * d).sum(), data, numpy.ones((400, 600)))",
    "array": "scale = numpy.linspace(0, 1, 600)\nh = x * scale  #!\nrun([x], T.tanh(h).mean(), data)",
    "number": "h = x * numpy.float64(2.5)  #!\nrun([x], T.tanh(h).mean(), data)",
    "integers": "h = x * k  #!\nrun([x, k], T.exp(h).sum(), data, numpy.arange(600, dtype='int32'))",
    "mean of integers": "m = n.mean(axis=0)  #!\nrun([x, n], T.exp(x * m).sum(), data, numpy.ones((400, 600), 'int32'))",
    "range": "r = T.arange(600) * 0.5  #!\nrun([x], T.tanh(x + r).sum(), data)",
    "cast": "h = x.astype('float64')  #!\nrun([x], T.tanh(h).sum(), data)",
}
NO_LEAKS = {
    "shared": "b = theano.shared(numpy.ones(600, floatX))\nh = T.tanh(x + b)\nz = T.exp(h) * 2\nrun([x], z.mean() + (h ** 2).sum(), data)",
    "array": "scale = numpy.linspace(0, 1, 600).astype(floatX)\nrun([x], T.tanh(x * scale).mean(), data)",
    "number": "run([x], T.tanh(x * 2.5).mean(), data)",
    "integers": "run([x, k], T.exp(x * T.cast(k, floatX)).sum(), data, numpy.arange(600, dtype='int32'))",
    "sum in float64": "run([x], T.tanh(x) - T.cast(T.mean(x, dtype='float64'), floatX), data)",
    "a number of the results": "s = theano.shared(0.5)\nrun([x], T.tanh(x).sum() * s, data)",
    "nothing to save": "run([x, k], [T.tanh(x).sum(), k.mean()], data, numpy.arange(600, dtype='int32'))",
}


@pytest.fixture
def tips(croton, tmp_path):
    def of(text, flags="floatX=float32"):
        script = tmp_path / "s.py"
        script.write_text(PROLOGUE + text + "\n")
        croton("profile", script, "-o", tmp_path / "s.croton", "--flags", flags)
        return json.loads(croton("report", tmp_path / "s.croton", "--json").stdout)["advice"]
    return of


def marked(text):
    return [number for number, line in enumerate((PROLOGUE + text).splitlines(), 1) if line.endswith("#!")]


@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_of_float64_has_one_tip_where_it_begins(tips, leak):
    told = [one for one in tips(LEAKS[leak]) if one["id"] in ("float64", "no-blas", "dot", "mixed-dot")]
    assert [one["place"]["line"] for one in told] == marked(LEAKS[leak]), told


@pytest.mark.parametrize("program", NO_LEAKS)
def test_what_is_no_leak_has_no_tip(tips, program):
    assert not [one for one in tips(NO_LEAKS[program]) if one["id"] == "float64"]


def test_an_op_on_three_lines_has_one_tip_that_lists_them(tips, croton, tmp_path):
    text = SLOW_CLIP + "clip = SlowClip()\nh = clip(x * 2)  #!\nh = clip(h - 1)  #!\nh = clip(T.sqrt(h))  #!\nrun([x], h.sum(), data[:90, :90])"
    told = tips(text)
    assert [one["id"] for one in told].count("python-op") == 1 and told[0]["id"] == "python-op", told
    assert [line["line"] for line in told[0]["lines"]] == marked(text)
    assert told[0]["place"]["line"] in marked(text)
    assert "SlowClip" in told[0]["text"] and "%d, %d and %d" % tuple(marked(text)) in told[0]["text"]
    summary = croton("report", tmp_path / "s.croton", "--style", "summary").stdout
    assert "of the time has no known bound (Python op SlowClip)" in summary and "1.0 times as fast" not in summary


def test_an_op_in_a_module_beside_the_script_belongs_to_the_scripts_line(tips, tmp_path):
    (tmp_path / "own_ops.py").write_text("import numpy, theano\n" + SLOW_CLIP + "def clip(x):\n    return SlowClip()(x)\n")
    text = "import own_ops\nh = own_ops.clip(x * 2)  #!\nrun([x], h.sum(), data[:90, :90])"
    told = [one for one in tips(text) if one["id"] == "python-op"]
    assert [one["place"] for one in told] == [{"file": str(tmp_path / "s.py"), "line": marked(text)[0]}]


def test_what_saves_most_comes_first(tips):
    told = tips(SLOW_CLIP + "b = theano.shared(numpy.ones(600))\nrun([x], (SlowClip()(x) + T.tanh(x[:9] + b).sum()).sum(), data)")
    assert told[0]["id"] == "python-op"
    assert [one["savesNs"] for one in told] == sorted((one["savesNs"] for one in told), reverse=True)


# A tip with a flag to try must not break the program; one that would says what has to change with it.
@pytest.mark.parametrize("program, follows", [
    ("run([x], T.tanh(x).sum(), data)", True),
    ("run([x], T.tanh(x).sum(), numpy.ones((400, 600)))", False),
    ("b = theano.shared(numpy.ones(600))\nf = theano.function([x], T.tanh(x).sum(), updates=[(b, b * 0.9 + x.sum(axis=0))])\nf(data)", False),
    ("b = theano.shared(numpy.ones(600, dtype=floatX))\nrun([x], T.tanh(x + b).sum(), data)", True),
])
def test_the_flag_of_a_tip_does_not_break_the_program(tips, croton, tmp_path, program, follows):
    prologue = PROLOGUE if follows else PROLOGUE.replace("floatX = theano.config.floatX\n", "").replace(".astype(floatX)", "")
    (tmp_path / "s.py").write_text(prologue + program + "\n")
    croton("profile", tmp_path / "s.py", "-o", tmp_path / "s.croton")
    told = json.loads(croton("report", tmp_path / "s.croton", "--json").stdout)["advice"]
    for one in told:
        if one["setting"]:
            croton("run", tmp_path / "s.py", env={"THEANO_FLAGS": one["setting"]})
    tip, = [one for one in told if one["id"] == "float32"]
    broken = croton("run", tmp_path / "s.py", env={"THEANO_FLAGS": "floatX=float32"}, check=False).returncode != 0
    assert bool(tip["setting"]) == follows and broken == (not follows)
    assert follows or "make the arrays float32, too" in tip["text"]
