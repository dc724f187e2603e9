"""What debugprint writes behind its lines, and graphs that it is read from."""
import numpy
import pytest
import theano
import theano.tensor as T


def text_of(function, **options):
    return theano.printing.debugprint(function, file="str", **options)


def test_storage():
    x, w = T.dvector("x"), theano.shared(numpy.array([2.0, 3.0]), name="w")
    f = theano.function([x], T.exp(x * w).sum() + 7)
    lines = text_of(f, print_storage=True).splitlines()
    assert any("w [id" in line and line.endswith(" [array([2., 3.])]") for line in lines)
    assert any("TensorConstant{7.0}" in line and line.endswith(" [array(7.)]") for line in lines)
    assert "array" not in text_of(f)


def test_clients():
    x = T.dvector("x")
    f = theano.function([x], [T.sort(x).sum(), T.sort(x).prod()])
    order = f.maker.fgraph.toposort()
    sort = next(node for node in order if "Sort" in str(node.op))
    readers = [(order.index(node), place) for node, place in f.maker.fgraph.clients(sort.outputs[0])]
    line = next(line for line in text_of(f, print_clients=True).splitlines() if "SortOp" in line)
    assert len(readers) == 2 and line.endswith(" clients:%s" % readers)
    assert "clients" not in text_of(f)


def test_times_of_a_profiled_function(monkeypatch):
    monkeypatch.setattr(theano.compile.profiling, "_printed", [])
    x = T.dvector("x")
    f = theano.function([x], T.sort(T.exp(x)).sum(), profile=True)
    assert "-->" not in text_of(f)
    f(numpy.ones(3))
    text = text_of(f)
    assert text.startswith("\nTiming Info\n-----------\n--> <time> <% time> - <total time> <% total time>'")
    totals = f.profile.compute_total_times()
    for apply, seconds in f.profile.apply_time.items():
        before = sum(totals[variable.owner] for variable in apply.inputs if variable.owner)
        assert totals[apply] == pytest.approx(seconds + before)
        line = next(line for line in text.splitlines() if str(apply.op) + " [id" in line)
        assert " --> %8.2es " % seconds in line
    theano.compile.profiling._printed.clear()


def lines_of(variable, **options):
    return [line.rstrip() for line in text_of(variable, **options).splitlines()]


def test_indices_are_numbers():
    x, i = T.dmatrix("x"), T.lscalar("i")
    part = x[1, i:]
    assert lines_of(part * x[0, i:]) == [
        "Elemwise{mul,no_inplace} [id A] ''",
        " |Subtensor{int64, int64::} [id B] ''",
        " | |x [id C]",
        " | |Constant{1} [id D]",
        " | |ScalarFromTensor [id E] ''",
        " |   |i [id F]",
        " |Subtensor{int64, int64::} [id G] ''",
        "   |x [id C]",
        "   |Constant{0} [id H]",
        "   |ScalarFromTensor [id I] ''",
        "     |i [id F]"]
    assert lines_of(part, print_type=True)[2:4] == [" |Constant{1} [id C] <int64>", " |ScalarFromTensor [id D] <int64> ''"]
    assert lines_of(part, depth=2)[-1] == " |ScalarFromTensor [id D] ''"
    assert str(part.owner) == "Subtensor{int64, int64::}(x, Constant{1}, i)" and str(T.set_subtensor(x[2], 1).owner).endswith("Constant{2})")
    assert str((x + 1).owner) == "Elemwise{add,no_inplace}(x, InplaceDimShuffle{x,x}.0)" and "TensorConstant{1}" in text_of(x + 1)


def test_indices_of_a_function_are_merged():
    x, i = T.dmatrix("x"), T.lscalar("i")
    f = theano.function([x, i], [x[i].sum(), T.set_subtensor(x[i, 1], 0)])
    text = text_of(f)
    assert text.count("ScalarFromTensor [id") == 2 and len({line.strip(" |") for line in text.splitlines() if "ScalarFromTensor" in line}) == 1
    with pytest.raises(IndexError, match=r"Subtensor\{int64\}\(x, Constant\{5\}\)") as error:
        theano.function([x], x[5] * 2)(numpy.ones((2, 2)))
    assert "Inputs types: [TensorType(float64, matrix), Scalar(int64)]" in str(error.value)


def test_indices_around_a_loop():
    k, a = T.iscalar("k"), T.vector("A")
    powers, _ = theano.scan(lambda p, a: p * a, outputs_info=T.ones_like(a), non_sequences=a, n_steps=k)
    lines = lines_of(powers[-1])
    assert lines[:4] == ["Subtensor{int64} [id A] ''", " |Subtensor{int64::} [id B] ''", " | |for{cpu,scan_fn} [id C] ''", " | | |k [id D]"]
    assert [line for line in lines if "Constant{" in line] == [
        " | | | | |   |         |TensorConstant{1.0} [id O]", " | | | | |   |Constant{0} [id P]", " | | | |   |Constant{1} [id S]",
        " | |Constant{1} [id U]", " |Constant{-1} [id V]"]
    assert " | | | |ScalarFromTensor [id T] ''" in lines


def test_infix_text_of_joins_and_shapes():
    x = T.dmatrix("x")
    assert theano.pp(T.concatenate([x, x + 1])) == "join(TensorConstant{0}, x, (x + TensorConstant{1}))"
    assert theano.pp(x.shape) == "Shape(x)" and theano.pp(T.alloc(x[0, 0], 2)) == "alloc(x[Constant{0}, Constant{0}], TensorConstant{2})"
    assert theano.pp(x[2:, 1]) == "x[2:, Constant{1}]"


def test_storage_that_is_not_kept():
    x = T.dvector("x")
    f = theano.function([x], T.exp(T.dot(x, x)) + x.max(), mode=theano.Mode(linker=theano.gof.vm.VM_Linker(allow_gc=False)))
    f([1, 2])
    why = "share memory that a call uses again. MonitorMode"
    assert why in text_of(f, print_storage=True) and why not in text_of(f)
    assert why not in text_of(theano.function([x], x + 1), print_storage=True)


def test_loops_follow_for_each_reader():
    def step(a_m2, a_m1, b_m2, b_m1):
        return a_m1 + a_m2, b_m1 + b_m2
    a0, b0 = (theano.shared(numpy.arange(2), name) for name in ("a0", "b0"))
    (a, b), _ = theano.scan(step, outputs_info=[dict(initial=a0, taps=[-2, -1]), dict(initial=b0, taps=[-2, -1])], n_steps=5)
    text = text_of(a + b)
    inner = [line.rstrip() for line in text[text.index("Inner graphs"):].splitlines()]
    assert inner[2:8] == ["for{cpu,scan_fn}.0 [id C] ''", " >Elemwise{add,no_inplace} [id BB] ''", " > |a0[t-1] [id BC] -> [id E]", " > |a0[t-2] [id BD] -> [id E]",
                          " >Elemwise{add,no_inplace} [id BE] ''", " > |b0[t-1] [id BF] -> [id O]"]
    assert inner[9:] == ["", "for{cpu,scan_fn}.1 [id C] ''", " >Elemwise{add,no_inplace} [id BB] ''", " >Elemwise{add,no_inplace} [id BE] ''"]


def test_sequences_are_parts_with_names():
    x, y = T.dvector("x"), T.dvector("y")
    summed, _ = theano.scan(lambda a, b, c: a + b + c, sequences=[x, dict(input=y, taps=[-1, 1])])
    names = {v.name for v in theano.gof.graph.ancestors([summed]) if v.owner}
    assert names == {None, "x[0:]", "y[0:-2]", "y[2:]"}
    assert summed.eval({x: numpy.ones(2), y: numpy.arange(4.0)}).tolist() == [3, 5]


def test_pictures_of_functions_without_names(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    x = T.dscalar()
    f = theano.function([x], x + 1)
    outfile = theano.printing.pydotprint(f, format="dot", cond_highlight=True)
    assert (tmp_path / outfile).exists() and "cond_highlight is set but there is no IfElse node" in caplog.text
