"""Names that Python's library and NumPy had when scripts were written."""
import textwrap

OF_TODAY = """
    from collections import Iterable, Mapping, OrderedDict
    import collections, inspect, time
    import numpy as np
    assert isinstance([], Iterable) and isinstance(OrderedDict(), Mapping) and issubclass(collections.MutableMapping, Mapping)
    print(np.zeros(2, dtype=np.int).dtype, np.array([0, 1], np.bool).sum(), np.asscalar(np.array([2.5])), np.float is float)
    import base64, sys, threading
    print(base64.encodestring(b'ab'), threading.Thread().isAlive(), sys.maxint == sys.maxsize)
    import itertools, operator
    assert list(itertools.izip([1], [2])) == [(1, 2)] and operator.div(7, 2) == 3 and np.MachAr().eps == np.finfo(float).eps
    print(inspect.getargspec(lambda a, b=1, *c, **d: None), time.clock() >= 0)
"""

OF_PYTHON_2 = """
    import string, fractions
    import helpers
    print string.letters[:3], string.uppercase[-1], string.join(['a', 'b']), string.split('a,b', ','), string.atoi('7') / 2
    print fractions.gcd(4, 6), 'abc'.translate(string.maketrans('ab', 'xy')), helpers.kinds
"""


def run(croton, tmp_path, text, command="run"):
    main = tmp_path / "main.py"
    main.write_text(textwrap.dedent(text))
    return croton(command, main, cwd=tmp_path).stdout.splitlines()


def test_those_of_scripts_that_today_s_python_reads(croton, tmp_path):
    wanted = ["int64 1 2.5 True", "b'YWI=\\n' False True", "ArgSpec(args=['a', 'b'], varargs='c', keywords='d', defaults=(1,)) True"]
    assert run(croton, tmp_path, OF_TODAY) == wanted
    assert run(croton, tmp_path, OF_TODAY, "profile")[:3] == wanted


def test_those_of_python_2_and_of_what_it_imports(croton, tmp_path):
    (tmp_path / "helpers.py").write_text("import numpy\nkinds = numpy.rank(numpy.zeros((2, 3))), numpy.float(3)\n")
    assert run(croton, tmp_path, OF_PYTHON_2) == ["abc Z a b ['a', 'b'] 3", "2 xyc (2, 3.0)"]


def test_what_is_there_stays_as_it_is(croton, tmp_path):
    out = run(croton, tmp_path, """
        import string, inspect, numpy as np
        print(string.digits, np.bool_ is np.dtype('bool').type, np.product is np.prod or np.product.__name__)
        try:
            np.no_such_name
        except AttributeError as error:
            print('no_such_name' in str(error))
        try:
            inspect.getargspec(lambda *, only: only)
        except ValueError:
            print('as it was')
        """)
    assert out[0].startswith("0123456789 True") and out[1:] == ["True", "as it was"]
