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
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return folder / "main.py"


def test_all_that_a_script_imports_is_converted(croton, tmp_path):
    out = croton("run", write(tmp_path), env={"PYTHONDONTWRITEBYTECODE": ""}).stdout
    assert out.splitlines() == ["layer of 7", "a 3 3 6 3", "b 9 within"]
    kept = [path.name for path in tmp_path.rglob("*.pyc")]
    assert [name for name in kept if name.startswith(("layers", "counting", "__init__"))] == []
    assert any(name.startswith("shapes") for name in kept), "what is not converted is read once"


def test_an_installed_package_is_converted_where_it_is_old(croton, tmp_path):
    # `same` has a module of its own name; in `both` today's way is tried first, and 1 / 2 is a half.
    packages = {
        "old/__init__.py": "from parts import size\n", "old/parts.py": "import deep.er\nsize = deep.er.size / 2\n",
        "old/deep/__init__.py": "", "old/deep/er.py": "size = 7\n",
        "same/__init__.py": "from same import thing\n", "same/same.py": "thing = 'found'\n",
        "both/__init__.py": "try:\n    from . import one\nexcept ImportError:\n    import one\nhalf = 1 / 2\n", "both/one.py": "",
    }
    site = tmp_path / "site"
    for name, text in packages.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    main = write(tmp_path, {}, main_py="import old, same, both\nprint(old.size, same.thing, both.half)\n")
    assert croton("run", main, env={"PYTHONPATH": str(site)}).stdout.split() == ["3", "found", "0.5"]


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
