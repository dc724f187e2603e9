"""Sources as scripts of the last fifteen years wrote them: Python 2 is converted in memory, lines keep their numbers."""
import ast
import functools
import io
import os
import re
import tokenize
import warnings

from croton.compat.python2 import signs


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


def is_compiled_here(text, path, package=""):
    """Has compile_script more to do with this source than today's Python has? Syntax of Python 2 alone is not looked for."""
    if not signs.may_be_old(text, path, package):
        return False
    try:
        tree = signs.parsed(text, path)
    except SyntaxError:
        return True
    return signs.tries_old_pickle(tree) or signs.is_old(tree, path, package)


@functools.lru_cache(maxsize=None)
def _tool(in_package, prints_as_a_function):
    from lib2to3 import refactor
    # There is an execfile; itertools has its old names (../old_names.py).
    left = {"lib2to3.fixes.fix_execfile", "lib2to3.fixes.fix_itertools", "lib2to3.fixes.fix_itertools_imports"}
    if not in_package:
        left.add("lib2to3.fixes.fix_import")  # what lies beside a script is found by its name
    tool = refactor.RefactoringTool(sorted(set(refactor.get_fixers_from_package("lib2to3.fixes")) - left))
    if prints_as_a_function:
        tool.driver.grammar = tool.driver.grammar.copy()
        tool.driver.grammar.keywords.pop("print", None)
    return tool


def _refactor(text, path, package):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from lib2to3.pgen2.parse import ParseError
            from lib2to3.pgen2.tokenize import TokenError
        except ImportError:
            raise SyntaxError("this looks like Python 2, and lib2to3, which converts it, is missing: "
                              "install python3-lib2to3", (path, 1, 0, "")) from None
        tool = _tool(bool(package), bool(re.search(r"^from\s+__future__\s+import\s+.*\bprint_function\b", text, re.MULTILINE)))
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


def _tabs_as_spaces(text):
    """A tab went to the next eighth column; today's Python does not take lines by it. Tabs within texts stay."""
    try:
        from lib2to3.pgen2 import tokenize as tokens
    except ImportError:
        return text
    try:
        inside = {line for kind, _, (first, _), (last, _), _ in tokens.generate_tokens(io.StringIO(text).readline) if kind == tokens.STRING
                  for line in range(first + 1, last + 1)}
    except (IndentationError, tokens.TokenError):
        return text
    lines = text.split("\n")
    for at, line in enumerate(lines):
        indent = line[:len(line) - len(line.lstrip(" \t"))]
        if "\t" in indent and at + 1 not in inside:
            lines[at] = indent.expandtabs(8) + line[len(indent):]
    return "\n".join(lines)


class _OldModules(ast.NodeTransformer):
    """Modules that Python 2 had under a name of its own or whose files differ: the names are those that lib2to3 leaves."""

    names = {"pickle": "croton.compat.python2.pickle"}

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name in self.names:
                alias.asname = alias.asname or alias.name
                alias.name = self.names[alias.name]
        return node

    def visit_ImportFrom(self, node):
        if node.level == 0:
            node.module = self.names.get(node.module, node.module)
        return node


class _ModulesOfOldSources(_OldModules):
    names = {**_OldModules.names, "builtins": "__builtin__", "imp": "croton.compat.python2.imp"}


def _call(node, name, *arguments):
    call = ast.Call(func=ast.Name(id="__croton_%s__" % name, ctx=ast.Load()), args=list(arguments), keywords=[])
    return ast.copy_location(call, node)


class _OldOperators(ast.NodeTransformer):
    """What / and == did that today's do not, and sort() with a function that compares (builtins.py)."""

    def __init__(self, divides):
        self._divides = divides

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return _call(node, "divide", node.left, node.right) if self._divides and isinstance(node.op, ast.Div) else node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = node.target
        if not self._divides or not isinstance(node.op, ast.Div):
            return node
        if isinstance(target, ast.Attribute):
            call = _call(node, "divide_attribute", target.value, ast.Constant(target.attr), node.value)
        elif isinstance(target, ast.Subscript):
            call = _call(node, "divide_element", target.value, self._key(target.slice), node.value)
        else:
            read = ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), node)
            return ast.copy_location(ast.Assign(targets=[target], value=_call(node, "divide_in_place", read, node.value)), node)
        return ast.copy_location(ast.Expr(call), node)

    def _key(self, key):
        """An index as a value that is computed once."""
        if isinstance(key, ast.Slice):
            return _call(key, "slice", *(end or ast.Constant(None) for end in (key.lower, key.upper, key.step)))
        if isinstance(key, ast.Tuple):
            return ast.copy_location(ast.Tuple([self._key(one) for one in key.elts], ast.Load()), key)
        return key

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return node
        name = "equals" if isinstance(node.ops[0], ast.Eq) else "differs"
        left, right = node.left, node.comparators[0]
        for one, other in ((left, right), (right, left)):
            if isinstance(other, ast.Constant) and (other.value is None or isinstance(other.value, str)):
                return _call(node, name, one, other)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "sort" or not node.args and "cmp" not in {one.arg for one in node.keywords}:
            return node
        call = _call(node, "sort", node.func.value, *node.args)
        call.keywords = node.keywords
        return call


_converted_files = set()


def _converted(text, path, package, tree=None, problem=None):
    """The tree of a source of Python 2. `tree`, or `problem`, is what today's Python makes of it."""
    try:
        converted = ast.parse(_refactor(text, path, package), path)
    except SyntaxError as error:
        if tree is None:
            # Of a script with Python 2's print today's Python says only that; what is wrong in Python 2 too is elsewhere.
            old = problem is None or "Missing parentheses in call to" in problem.msg or isinstance(problem, TabError)
            raise (error if old else problem).with_traceback(None) from None
        converted = tree
    converted = _ModulesOfOldSources().visit(converted)
    divides = not re.search(r"^from\s+__future__\s+import\s+.*\bdivision\b", text, re.MULTILINE)
    _converted_files.add(path)
    return ast.fix_missing_locations(_OldOperators(divides).visit(converted))


def is_converted(path):
    """Was the source of that file, or what `exec` was given, Python 2?"""
    return path in _converted_files


def compile_script(text, path, package="", is_old=False):
    """The code of a script, or of a module of a package, in today's Python or in Python 2; SyntaxError as today's Python tells it.
    `is_old`: a program of Python 2 reads it."""
    tree = problem = None
    try:
        tree = signs.parsed(text, path)
    except SyntaxError as error:
        problem = error
    if isinstance(problem, TabError):
        text = _tabs_as_spaces(text)
        if signs.is_of_today_alone(text, path):
            raise problem
    if tree is not None and not (signs.is_old(tree, path, package) or is_old and not signs.cannot_be_old(tree)):
        if signs.tries_old_pickle(tree):  # of both Pythons: its files may be of the other one
            tree = _OldModules().visit(tree)
    else:
        tree = _converted(text, path, package, tree, problem)
    return _compiled(tree, path, "exec")


def _compiled(tree, path, mode):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(tree, path, mode, dont_inherit=True)


@functools.lru_cache(maxsize=1000)
def compile_text(text, path, mode):
    """The code of what a source of Python 2 hands to exec, eval or compile."""
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    try:
        tree, problem = signs.parsed(text, path), None
    except SyntaxError as error:
        tree, problem = None, error
    tree = _converted(text, path, "", tree, problem)
    if mode == "eval":
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            raise SyntaxError("this is no expression", (path, 1, 1, text))
        tree = ast.Expression(tree.body[0].value)
    return _compiled(tree, path, mode)


_OLD_FAILURE = re.compile(r"'(?:zip|map|filter|range|dict_keys|dict_values|dict_items)'|has no attribute '(?:next|has_key|iter\w+|sort)'|"
                          r"bytes-like object|non-iterator|not supported between instances of|name '(?:%s)' is not defined" % "|".join(
                              sorted(signs.OLD_NAMES)))


def remark(error, path):
    """What to know of an error that Python itself gave in a source; empty: nothing."""
    if not isinstance(error, (TypeError, AttributeError, NameError, UnicodeError)):
        return ""
    if is_converted(path):
        return "%s is Python 2 and was converted as it was read; the line may mean something else in today's Python." % path
    if _OLD_FAILURE.search(str(error)) and os.path.isfile(path) and not signs.is_of_today_alone(read_source(path), path):
        return ("%s was read as today's Python. If it was written for Python 2, let the first line of the script say so: "
                "#!/usr/bin/env python2" % path)
    return ""
