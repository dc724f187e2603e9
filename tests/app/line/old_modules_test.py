"""Scripts of Python 2 in several files: what they import is as old as they are."""
import json
import textwrap

FILES = {
    "main.py": """
        import theano, theano.tensor as T
        from layers import Dense, halves
        import counting, nets
        x = T.matrix('x')
        print 'a', Dense(x, 7).size, halves(7), counting.total(4), counting.half(7)
        print 'b', nets.shapes.area(3), nets.where
        """,
    "layers.py": """
        class Dense(object):
            def __init__(self, x, n):
                print 'layer of', n
                self.size = n / 2
        def halves(n):
            return n / 2
        """,
    # Today's Python reads it, and cannot run it.
    "counting.py": """
        def total(n):
            return sum(i for i in xrange(n))
        def half(n):
            return n / 2
        """,
    "nets/__init__.py": """
        import shapes
        from places import where
        """,
    "nets/shapes.py": "def area(n):\n    return n * n\n",
    "nets/places.py": "where = 'within'\n",
}


def write(folder, files=FILES, **others):
    """`others`: main_py=… is main.py."""
    for name, text in {**files, **{name.replace("_py", ".py"): text for name, text in others.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder / "main.py"


def test_all_that_a_script_imports_is_converted(croton, tmp_path):
    out = croton("run", write(tmp_path), env={"PYTHONDONTWRITEBYTECODE": ""}).stdout
    assert out.splitlines() == ["layer of 7", "a 3 3 6 3", "b 9 within"]
    assert list(tmp_path.rglob("*.pyc")) == []


def test_an_installed_package_is_converted_where_it_is_old(croton, tmp_path):
    # `same` has a module of its own name; in `both` today's way is tried first, and 1 / 2 is a half.
    packages = {
        "old/__init__.py": "from parts import size\n", "old/parts.py": "import deep.er\nsize = deep.er.size / 2\n",
        "old/deep/__init__.py": "", "old/deep/er.py": "size = 7\n",
        "same/__init__.py": "from same import thing\n", "same/same.py": "thing = 'found'\n",
        "whole/__init__.py": "from whole.whole import half\n", "whole/whole.py": "half = 1 / 2\n",
        "both/__init__.py": "try:\n    from . import one\nexcept ImportError:\n    import one\nhalf = 1 / 2\n", "both/one.py": "",
    }
    site = tmp_path / "site"
    for name, text in packages.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    main = write(tmp_path, {}, main_py="import old, same, both, whole\nprint(old.size, same.thing, both.half, whole.half)\n")
    assert croton("run", main, env={"PYTHONPATH": str(site)}).stdout.split() == ["3", "found", "0.5", "0.5"]


def test_files_that_python_2_pickled_are_read(croton, tmp_path):
    # An array as NumPy 1.6 left it under Python 2: its bytes are a string there.
    (tmp_path / "array.pkl").write_bytes(
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85U\x01b\x87Rq\x03(K\x01K\x03\x85cnumpy\n"
        b"dtype\nq\x04U\x02u1K\x00K\x01\x87Rq\x05(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89U\x03\x00\x80\xfftb.")
    main = write(tmp_path, {}, main_py="""
        import cPickle, pickle as p
        from cPickle import load
        print cPickle.load(open('array.pkl', 'rb')), load(open('array.pkl')), p.loads(open('array.pkl', 'rb').read()).dtype
        cPickle.dump([1, 'two'], open('made.pkl', 'w'))
        execfile('more.py')
        print made, cPickle.load(open('made.pkl'))
        def inner():
            names = {'given': 3}
            execfile('more.py', names)
            return names['made']
        print inner()
        """, more_py="print 'more'\nmade = 7 / 2\n")
    assert croton("run", main, cwd=tmp_path).stdout.split("\n")[:5] == ["[  0 128 255] [  0 128 255] uint8", "more", "3 [1, 'two']", "more", "3"]


def test_a_module_of_today_is_left_as_it_is(croton, tmp_path):
    main = write(tmp_path, {}, main_py="import today\nprint(today.half(7), today.__file__)\n", today_py="""
        def half(n):
            return n / 2
        """)
    for _ in range(2):
        assert croton("run", main, env={"PYTHONDONTWRITEBYTECODE": ""}).stdout.split() == ["3.5", str(tmp_path / "today.py")]
        assert [path.name.partition(".")[0] for path in tmp_path.rglob("*.pyc")] == ["today"], "what is not converted is compiled once"


def test_an_error_names_the_file_and_line_of_the_module(croton, tmp_path):
    main = write(tmp_path, {}, main_py="import broken\n", broken_py="print 'begun'\nx = (1,\n\ny = )\n")
    done = croton("run", main, check=False)
    assert done.returncode == 1
    assert 'broken.py", line 4' in done.stderr and "SyntaxError" in done.stderr
    main = write(tmp_path, {}, main_py="import late\n", late_py="print 'begun'\n\nprint 1 / 0\n")
    done = croton("run", main, check=False)
    assert 'late.py", line 3' in done.stderr and "ZeroDivisionError" in done.stderr


def test_what_is_recorded_has_the_lines_of_the_module(croton, tmp_path):
    main = write(tmp_path, {}, main_py="""
        import theano, theano.tensor as T
        from layers import output
        x = T.dmatrix('x')
        f = theano.function([x], output(x), name='f')
        print f([[1.0, 2.0]])
        """, layers_py="""
        import theano.tensor as T
        print 'layers'
        def output(x):
            return T.tanh(x) * 3
        """)
    session = tmp_path / "s.croton"
    croton("profile", main, "-o", session)
    lines = json.loads(croton("report", session, "--json").stdout)["lines"]
    assert [line["place"] for line in lines if line["ns"]] == [{"file": str(tmp_path / "layers.py"), "line": 5}]
    assert [line["place"]["line"] for line in lines if not line["ns"] and line["with_calls_ns"]] == [5]  # of main.py, which calls it


def test_what_was_written_for_both_pythons_is_left_to_today_s(croton, tmp_path):
    # 7 / 2 says which of them it is; pickles are read as in Python 2 all the same.
    (tmp_path / "text.pkl").write_bytes(b"\x80\x02U\x02\xe4\xf6.")
    both = """
        import sys
        try:
            import cPickle as pickle
        except ImportError:
            import pickle
        if sys.version_info[0] >= 3:
            unicode = str
            pairs = lambda d: d.items()
        else:
            import __builtin__
            unicode = __builtin__.unicode
            pairs = lambda d: d.iteritems()
        keys = sorted({1: 2}.keys() if sys.version_info >= (3,) else {1: 2}.iterkeys())
        def mean(x, reduce=True, file=None):
            return x / 2 if reduce else file
        text = pickle.load(open('text.pkl', 'rb'))
        """
    shown = "import both\nprint(mean(7), both.mean(7), text, both.text == text, unicode, keys)\n"
    main = write(tmp_path, {}, main_py=textwrap.dedent(both) + shown, both_py=both)
    assert croton("run", main, cwd=tmp_path).stdout.split("\n")[0] == "3.5 3.5 \xe4\xf6 True <class 'str'> [1]"


def test_functions_that_only_python_2_had(croton, tmp_path):
    main = write(tmp_path, {}, main_py="""
        import sys
        reload(sys)
        sys.setdefaultencoding('utf8')
        made = file('made.txt', 'w')
        made.write('x')
        made.close()
        print isinstance(file('made.txt'), file), isinstance(3, file), cmp(3, 2), cmp('a', 'b'), long(4), 7 / 2
        """)
    assert croton("run", main, cwd=tmp_path).stdout.split() == ["True", "False", "1", "-1", "4", "3"]
    # Today's Python reads it, and knows none of its names.
    main = write(tmp_path, {}, main_py="f = file('made.txt')\nprint(f.read())\nprint(7 / 2)\n")
    assert croton("run", main, cwd=tmp_path).stdout.split() == ["x", "3"]


def test_what_only_looks_like_python_2_is_left_as_it_is(croton, tmp_path):
    # An environment beside the script holds packages, not modules of its own; a module may be called file.
    packages = {
        "env/lib/site-packages/newer.py": "def never():\n    return long(1)\nhalf = 7 / 2\n",
        "own/__init__.py": "from .file import half\n", "own/file.py": "half = 7 / 2  # a long way to apply\n",
    }
    for name, text in packages.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    main = write(tmp_path, {}, main_py="""
        import os, sys
        sys.path.append(os.path.join(os.path.dirname(__file__), 'env/lib/site-packages'))
        import newer, own
        print(newer.half, own.half)
        """)
    assert croton("run", main).stdout.split() == ["3.5", "3.5"]


READABLE = {
    # Today's Python reads all of it, and means something else by most lines.
    "numbers_.py": """
        import numpy
        def half(n):
            return n / 2
        def first(a, b):
            return zip(a, b)[0]
        def is_missing(x):
            return x == None, x != None, None == x, x == 'full'
        def halve(x):
            x /= 2
            return x
        def halve_within(holder, key):
            holder[key] /= 2
            holder[0:1] /= 2
        class Rows(object):
            count = 7
            def __init__(self, rows):
                self.rows = iter(rows)
            def __iter__(self):
                return self
            def next(self):
                self.count /= 2
                return self.rows.next()
        """,
}


def test_a_readable_neighbour_of_an_old_program_is_old(croton, tmp_path):
    main = write(tmp_path, READABLE, main_py="""
        import numpy, numbers_
        from numbers_ import *
        print half(3), first([1, 2], [3, 4]), is_missing(numpy.zeros(2)), is_missing(None), is_missing('full')
        whole, broken = numpy.array([7, 9]), numpy.array([7., 9.])
        same = [whole, broken]
        halve(whole); halve(broken)
        print same[0].tolist(), same[1].tolist(), (numpy.arange(5) / 2).tolist(), halve(7), halve(7.)
        halve_within(whole, 1)
        print whole.tolist()
        rows = Rows([1, 2])
        print list(rows), rows.count
        """)
    assert croton("run", main).stdout.splitlines() == [
        "1 (1, 3) (False, True, False, False) (True, False, True, False) (False, True, False, True)",
        "[3, 4] [3.5, 4.5] [0, 0, 1, 1, 2] 3 3.5", "[1, 2]", "[1, 2] 0"]


def test_what_an_old_program_reads_by_other_ways_is_old(croton, tmp_path):
    # By execfile, exec and eval, from a folder that it adds, and by a module that prints nothing.
    files = {"more.py": "made = 7 / 2, zip([1], [2])[0], half(9)\n", "lib/aside.py": "size = 7 / 2\n", "between.py": "from beyond import size\n",
             "beyond.py": "size = 9 / 2\n", "parts/__init__.py": "", "parts/one.py": "from parts import two\nsize = two.size / 2\n",
             "parts/two.py": "size = 15 / 2\n",
             "others/old/__init__.py": "half = 9 / 2\n", "others/old/shown.py": "print 'shown'\n", "others/new/__init__.py": "half = 9 / 2\n"}
    main = write(tmp_path, files, main_py="""
        import os, sys
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
        import aside, between
        from parts import one
        def half(n): return n / 2
        execfile('more.py')
        names = {'n': 7}
        exec "print 'within', n / 2" in names
        code = compile('made2 = 7 / 2', 'text', 'exec')
        exec code
        print made, aside.size, between.size, one.size, eval('n / 2', names), eval('half(7) / 2'), made2
        import old, new, imp
        print old.half, new.half, imp.load_source('loaded', 'lib/aside.py').size, sys.modules['loaded'].size
        """)
    done = croton("run", main, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "others")})
    assert done.stdout.splitlines() == ["within 3", "(3, (1, 2), 4) 3 4 3 3 1 3", "4 4.5 3 3"]


def test_builtin_functions_mean_what_python_2_meant(croton, tmp_path):
    (tmp_path / "latin.txt").write_bytes(b"gr\xfc\xdfe\r\nzwei")
    main = write(tmp_path, {"shared.py": "def given():\n    return mine(3)\n"}, main_py="""
        import __builtin__, itertools, operator
        from __builtin__ import xrange as numbers_
        __builtin__.mine = lambda n: n + 1
        import shared
        print shared.given(), list(numbers_(2)), __builtin__.long(4), __builtin__.reduce(operator.add, [1, 2])
        print round(2.5), round(-0.5), round(0.285, 2), round(2.675, 2), round(1234.5, -2), round(7)
        print sorted([3, 1, 2], lambda a, b: cmp(b, a)), map(None, [1, 2], [3]), apply(max, (1, 2))
        rows = ['bb', 'a']
        rows.sort(lambda a, b: cmp(len(a), len(b)))
        print rows, hasattr('text', '__iter__'), hasattr([], '__iter__'), list(itertools.izip([1], [2])), operator.div(7, 2)
        print len(open('latin.txt', 'rU').read()), open('latin.txt').readlines()[1]
        try:
            from itertools import izip
        except ImportError:
            izip = zip
        print list(izip([1], [2]))
        """)
    assert croton("run", main, cwd=tmp_path).stdout.splitlines() == [
        "4 [0, 1] 4 3", "3.0 -1.0 0.28 2.67 1200.0 7.0", "[3, 2, 1] [(1, 3), (2, None)] 2",
        "['a', 'bb'] False True [(1, 2)] 3", "10 zwei", "[(1, 2)]"]


def test_tabs_reach_the_eighth_column(croton, tmp_path):
    mixed = "def f(n):\n    if n:\n\treturn '''\n\ta'''\n    return 7 / 2\n"
    main = write(tmp_path, {"tabs.py": mixed}, main_py="import tabs\nprint repr(tabs.f(1)), tabs.f(0)\n")
    assert croton("run", main).stdout.split("\n")[0] == r"'\n\ta' 3"
    main.write_text(mixed + "print(f(0))\n")
    assert croton("run", main).stdout == "3\n"
    main.write_text(mixed + "print(f'{f(0)}')\n")  # no Python 2 reads that
    done = croton("run", main, check=False)
    assert done.returncode == 1 and "TabError" in done.stderr


def test_a_program_is_as_old_as_what_it_imports_from_beside_it(croton, tmp_path):
    old, either = "def g():\n    print 'old'\n", "import layers\nprint(7 / 2)\n"
    main = write(tmp_path, {"layers.py": old}, main_py=either)
    done = croton("run", main)
    assert done.stdout == "3\n" and "main.py was read as Python 2" in done.stderr and "layers.py" in done.stderr and "python3" in done.stderr
    for todays in ("#!/usr/bin/env python3\n" + either, either + "print('a', 1)\n", either + "f'{1}'\n", "import pathlib\n" + either):
        main.write_text(todays)
        done = croton("run", main)
        assert done.stdout.startswith("3.5\n") and done.stderr == "", todays
    main.write_text("#!/usr/bin/python2.7\nprint(7 / 2)\n")
    assert croton("run", main).stdout == "3\n"
    # six brings the names of Python 2 to both; what no Python 2 reads stays today's in an old program.
    write(tmp_path, {"both.py": "import six\ndef f(d):\n    return six.iteritems(d)\nhalf = 7 / 2\n", "newer.py": "half = f'{7 / 2}'\n"})
    main.write_text("import both, newer\nprint('ran', both.half, newer.half)\n")
    assert croton("run", main).stdout.split() == ["ran", "3.5", "3.5"]
    write(tmp_path, {"alone.py": "import __builtin__, imp\nnames = __builtin__.unicode, unicode\nprint 'shown', 7 / 2\n"})
    main.write_text("import alone\nprint('ran', 7 / 2, alone.names)\n")
    assert croton("run", main).stdout.splitlines() == ["shown 3", "ran 3.5 (<class 'str'>, <class 'str'>)"]
    main.write_text("import newer\nprint newer.half\n")
    assert croton("run", main).stdout.split() == ["3.5"]


def test_an_error_out_of_a_converted_file_says_that_it_is_one(croton, tmp_path):
    files = {"old.py": "def smallest(rows):\n    return min(rows)\n", "new.py": "def first(d):\n    return d.keys()[0]\n"}
    main = write(tmp_path, files, main_py="import old\nprint 'begun'\nold.smallest([None, 3])\n")
    done = croton("run", main, check=False)
    assert done.returncode == 1 and "old.py is Python 2 and was converted" in done.stderr.splitlines()[-1]
    main.write_text("import new\nprint('begun', new.first({1: 2}))\n")
    done = croton("run", main, check=False)
    assert "new.py was read as today's Python" in done.stderr.splitlines()[-1] and "#!/usr/bin/env python2" in done.stderr
    main.write_text("import numpy\nprint 'begun'\nraise ValueError('mine')\n")
    assert croton("run", main, check=False).stderr.splitlines()[-1] == "ValueError: mine"
