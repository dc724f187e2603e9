"""Sources as scripts of the last fifteen years wrote them: Python 2 is converted in memory, lines keep their numbers."""
import ast
import builtins
import importlib.util
import io
import os
import re
import sys
import tokenize
import warnings

import numpy

# What only Python 2 has: a source that parses today but reads one of the names, or imports one of the modules, was written for it.
_OLD_MODULES = frozenset("cPickle StringIO urllib2 __builtin__ ConfigParser Queue".split())
_OLD_METHODS = frozenset("iteritems itervalues iterkeys has_key".split())
_RARE_NAMES = frozenset("xrange unicode basestring raw_input unichr execfile izip".split())
_OLD_NAMES = _RARE_NAMES | frozenset("reduce long cmp file reload apply".split())


def read_source(path):
    """The text of a source file, by its own encoding declaration."""
    with open(path, "rb") as file:
        data = file.read()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        text = data.decode("latin-1")  # Python 2 took any byte in comments and strings
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)


_VERSIONS = frozenset("version_info hexversion python_version py2 py3 is_py2 is_py3 python2 python3 is_python2 is_python3".split())


def _asks_version(test):
    """Does a condition ask which Python reads it?"""
    for node in ast.walk(test):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name.lower().strip("_") in _VERSIONS or name == "version" and isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "sys":
            return True
    return False


def _of_any_version(tree):
    """The nodes that are run whatever Python it is: neither one of two ways to import nor what stands under a question for the version."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Try) and any(isinstance(one, (ast.Import, ast.ImportFrom)) for one in node.body):
            continue
        if isinstance(node, (ast.If, ast.IfExp)) and _asks_version(node.test):
            continue
        yield node
        pending += ast.iter_child_nodes(node)


def _uses_old_names(tree):
    assigned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assigned.add(node.name)
        elif isinstance(node, ast.arg):
            assigned.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            assigned.update(alias.asname or alias.name for alias in node.names)
    for node in _of_any_version(tree):
        if isinstance(node, ast.Import) and _OLD_MODULES & {alias.name for alias in node.names}:
            return True
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in _OLD_MODULES:
            return True
        if isinstance(node, ast.Name) and node.id in _OLD_NAMES and node.id not in assigned:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _OLD_METHODS:
            return True
    return False


def _tries_old_pickle(tree):
    return any(isinstance(node, ast.Import) and "cPickle" in {alias.name for alias in node.names} for node in ast.walk(tree))


def _imports_neighbours(tree, path, package):
    """Does a module of a package import one beside it by its name alone, which only Python 2 found there?"""
    names, pending = [], [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Try):  # of two ways to import, one is today's
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.append(node.module)
        pending += ast.iter_child_nodes(node)
    return any(is_beside(name.partition(".")[0], path, package) for name in names)


def is_beside(name, path, package):
    """Would the module of a package that lies there find this one, and only there, if it were Python 2's?"""
    beside = os.path.join(os.path.dirname(path), name)
    if not os.path.isfile(beside + ".py") and not os.path.isfile(os.path.join(beside, "__init__.py")):
        return False
    if name == package:  # of that name: it cannot mean itself
        return os.path.basename(path) == "__init__.py"
    try:
        return name not in sys.modules and importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


def _is_old(tree, path, package):
    """Was this source, which today's Python can read, written for Python 2 alone?"""
    return _uses_old_names(tree) or bool(package) and _imports_neighbours(tree, path, package)


_OLD_WORD = re.compile(r"\b(?:%s)\b|(?<![\w.])(?:%s)\s*[(),]" % (
    "|".join(sorted(_RARE_NAMES | _OLD_MODULES | _OLD_METHODS)), "|".join(sorted(_OLD_NAMES - _RARE_NAMES))))
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)


def _may_be_old(text, path, package):
    """Asked of the text, which is little beside parsing it."""
    if _OLD_WORD.search(text):
        return True
    named = {name for line in _IMPORT.findall(text) for name in re.findall(r"\w+", line)} if package else ()
    return any(is_beside(name, path, package) for name in named)


def is_compiled_here(text, path, package=""):
    """Has compile_script more to do with this source than today's Python has? Syntax of Python 2 alone is not looked for."""
    if not _may_be_old(text, path, package):
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text, path)
    except SyntaxError:
        return True
    return _tries_old_pickle(tree) or _is_old(tree, path, package)


def _refactor(text, path, package):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from lib2to3 import refactor
            from lib2to3.pgen2.parse import ParseError
            from lib2to3.pgen2.tokenize import TokenError
        except ImportError:
            raise SyntaxError("this looks like Python 2, and lib2to3, which converts it, is missing: "
                              "install python3-lib2to3", (path, 1, 0, "")) from None
        fixers = set(refactor.get_fixers_from_package("lib2to3.fixes")) - {"lib2to3.fixes.fix_execfile"}  # there is one
        if not package:
            fixers.discard("lib2to3.fixes.fix_import")  # what lies beside a script is found by its name
        tool = refactor.RefactoringTool(sorted(fixers))
        if re.search(r"^from\s+__future__\s+import\s+.*\bprint_function\b", text, re.MULTILINE):
            tool.driver.grammar = tool.driver.grammar.copy()
            tool.driver.grammar.keywords.pop("print", None)
        try:
            converted = str(tool.refactor_string(text + "\n", path))
            # A module within a package beside this one, which lib2to3 writes as today's Python does not.
            return re.sub(r"^(\s*)from \. import (\w+)((?:\.\w+)*)\.(\w+)[ \t]*$", r"\1from . import \2; from .\2\3 import \4", converted,
                          flags=re.MULTILINE)
        except ParseError as error:
            raise _syntax_error("invalid syntax", error.context[1], text, path) from None
        except TokenError as error:
            raise _syntax_error(error.args[0], error.args[1], text, path) from None
        except IndentationError as error:
            raise _syntax_error(error.msg, (error.lineno, error.offset), text, path, IndentationError) from None


def _syntax_error(sentence, place, text, path, kind=SyntaxError):
    line, column = place
    lines = text.split("\n")
    line = min(line, len(lines))  # what never ends is found behind the last line
    return kind(sentence, (path, line, column + 1, lines[line - 1]))


def _division(left, right):
    """What / meant in Python 2: whole numbers divide to a whole number."""
    whole = (int, numpy.integer)
    if isinstance(left, whole) and isinstance(right, whole):
        return left // right
    result = NotImplemented
    if hasattr(type(left), "__div__"):  # variables ask a flag
        result = left.__div__(right)
    elif hasattr(type(right), "__rdiv__"):
        result = right.__rdiv__(left)
    return left / right if result is NotImplemented else result


def _execfile(path, globals=None, locals=None):
    """Runs a file, as old as the one that asks, in the names of its caller."""
    frame = sys._getframe(1)
    names = frame.f_globals if globals is None else globals
    exec(compile_script(read_source(path), path), names, locals if locals is not None else frame.f_locals if globals is None else names)


def _cmp(left, right):
    return (left > right) - (left < right)


class _AnyFile(type):
    def __instancecheck__(cls, one):
        return isinstance(one, io.IOBase)


class _File(metaclass=_AnyFile):
    """Files were made by calling their class."""

    def __new__(cls, *args, **kwargs):
        return open(*args, **kwargs)


_BUILTINS = {"execfile": _execfile, "cmp": _cmp, "file": _File}  # what lib2to3 leaves as it is


class _OldPickle(ast.NodeTransformer):
    name = "croton.python2_pickle"

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == "pickle":
                alias.name, alias.asname = self.name, alias.asname or "pickle"
        return node

    def visit_ImportFrom(self, node):
        if node.module == "pickle" and node.level == 0:
            node.module = self.name
        return node


class _OldDivision(ast.NodeTransformer):
    name = "__croton_division__"

    def _call(self, node, left, right):
        call = ast.Call(func=ast.Name(id=self.name, ctx=ast.Load()), args=[left, right], keywords=[])
        return ast.copy_location(call, node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            return self._call(node, node.left, node.right)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or not isinstance(node.target, ast.Name):
            return node  # an element or attribute may not be looked up twice
        read = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node)
        return ast.copy_location(ast.Assign(targets=[node.target], value=self._call(node, read, node.value)), node)


def compile_script(text, path, package=""):
    """The code of a script, or of a module of a package, in today's Python or in Python 2; SyntaxError as today's Python tells it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        try:
            tree = ast.parse(text, path)
            problem = None
            if not _is_old(tree, path, package):
                if _tries_old_pickle(tree):  # of both Pythons: its files may be of the other one
                    tree = _OldPickle().visit(tree)
                return compile(tree, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            problem = error
        try:
            tree = _OldPickle().visit(ast.parse(_refactor(text, path, package), path))
        except SyntaxError as error:
            # Of a script with Python 2's print today's Python says only that; what is wrong in Python 2 too is elsewhere.
            old = problem is None or "Missing parentheses in call to" in problem.msg
            raise (error if old else problem).with_traceback(None) from None
        vars(builtins).update(_BUILTINS)
        if not re.search(r"^from\s+__future__\s+import\s+.*\bdivision\b", text, re.MULTILINE):
            tree = ast.fix_missing_locations(_OldDivision().visit(tree))
            setattr(builtins, _OldDivision.name, _division)
        return compile(tree, path, "exec", dont_inherit=True)
