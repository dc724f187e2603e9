"""Was a source written for Python 2, or the whole program? Asked of what today's Python can read, too."""
import ast
import importlib.util
import os
import re
import sys
import warnings

# What only Python 2 has: a source that parses today but reads one of the names, or imports one of the modules, was written for it.
_OLD_MODULES = frozenset("cPickle StringIO urllib2 __builtin__ ConfigParser Queue".split())
_OLD_METHODS = frozenset("iteritems itervalues iterkeys has_key".split())
_RARE_NAMES = frozenset("xrange unicode basestring raw_input unichr execfile izip".split())
OLD_NAMES = _RARE_NAMES | frozenset("reduce long cmp file reload apply".split())
_LISTS_ONCE = frozenset("zip map filter".split())  # functions that gave what takes an index and len()

# What no Python 2 could read, and modules that it did not bring.
_NEW_NODES = tuple(getattr(ast, name) for name in "JoinedStr AnnAssign NamedExpr Nonlocal AsyncFunctionDef Await YieldFrom MatMult Match".split()
                   if hasattr(ast, name))
_NEW_MODULES = frozenset("asyncio builtins configparser contextvars dataclasses pathlib queue statistics typing".split())

_VERSIONS = frozenset("version_info hexversion python_version py2 py3 is_py2 is_py3 python2 python3 is_python2 is_python3".split())
_MOST_FILES = 150  # more have the packages that somebody keeps up, and no program of this kind


def parsed(text, path):
    """What today's Python makes of a source; SyntaxError as it tells it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(text, path)


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


def _assigned(tree):
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def _is_call_of(node, names, assigned):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names and node.func.id not in assigned


def _needs_list(node, assigned):
    """Does an expression do to zip() or range() what only lists take, which they gave in Python 2?"""
    if isinstance(node, ast.Subscript):
        return _is_call_of(node.value, _LISTS_ONCE, assigned)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        ranges = [_is_call_of(side, {"range"}, assigned) for side in (node.left, node.right)]
        return any(ranges) and all(is_range or isinstance(side, ast.List) for is_range, side in zip(ranges, (node.left, node.right)))
    return _is_call_of(node, {"len"}, assigned) and len(node.args) == 1 and _is_call_of(node.args[0], _LISTS_ONCE, assigned)


def _is_old_class(node):
    """Has a class hooks under the names that Python 2 alone called?"""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    names = set(methods) | {target.id for one in node.body if isinstance(one, ast.Assign) for target in one.targets if isinstance(target, ast.Name)}
    if "__nonzero__" in names and "__bool__" not in names:
        return True
    if not {"next", "__iter__"} <= set(methods) or "__next__" in names or any(getattr(base, "id", "") != "object" for base in node.bases):
        return False
    last = methods["__iter__"].body[-1]
    return isinstance(last, ast.Return) and getattr(last.value, "id", "") == "self"


def _imports_one_of(modules, node):
    if isinstance(node, ast.Import):
        return any(alias.name in modules for alias in node.names)
    return isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in modules


def _uses_old_names(tree):
    assigned = _assigned(tree)
    for node in _of_any_version(tree):
        if _imports_one_of(_OLD_MODULES, node):
            return True
        if isinstance(node, ast.Name) and node.id in OLD_NAMES and node.id not in assigned:
            return True
        if isinstance(node, ast.Attribute) and node.attr in _OLD_METHODS and getattr(node.value, "id", getattr(node.value, "attr", "")) != "six":
            return True
        if isinstance(node, ast.ClassDef) and _is_old_class(node) or _needs_list(node, assigned):
            return True
    return False


def tries_old_pickle(tree):
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
    return any(is_beside(name, path, package) for name in names)


def is_beside(name, path, package):
    """Would the module of a package that lies there find this one, and only there, if it were Python 2's?"""
    name, _, inner = name.partition(".")
    beside = os.path.join(os.path.dirname(path), name)
    if not os.path.isfile(os.path.join(beside, "__init__.py")) and (inner or not os.path.isfile(beside + ".py")):
        return False  # a module that is no package has none within
    if name == package:  # of that name: it cannot mean itself
        return os.path.basename(path) == "__init__.py"
    try:
        return name not in sys.modules and importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return True


def is_of_today_alone(text, path):
    """Can today's Python read it, and no Python 2?"""
    try:
        return cannot_be_old(parsed(text, path))
    except SyntaxError:
        return False


def _prints_as_a_function(tree):
    return any(isinstance(node, ast.ImportFrom) and node.module == "__future__" and "print_function" in {alias.name for alias in node.names}
               for node in tree.body)


def cannot_be_old(tree):
    """Is there something that no Python 2 could read?"""
    prints = _prints_as_a_function(tree)
    for node in ast.walk(tree):
        if isinstance(node, _NEW_NODES) or isinstance(node, ast.Raise) and node.cause is not None:
            return True
        if isinstance(node, ast.arguments) and (node.kwonlyargs or node.posonlyargs) or isinstance(node, ast.arg) and node.annotation is not None:
            return True
        if isinstance(node, ast.ClassDef) and node.keywords or isinstance(node, ast.FunctionDef) and node.returns is not None:
            return True
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and any(isinstance(one, ast.Starred) for one in node.elts):
            return True
        if isinstance(node, ast.Call) and not prints and getattr(node.func, "id", "") == "print" and (
                node.keywords or any(isinstance(one, ast.Starred) for one in node.args)):
            return True
    return False


def _is_todays(tree):
    """Did its author have today's Python in mind? print(a, b) was a pair in Python 2."""
    if cannot_be_old(tree):
        return True
    prints = _prints_as_a_function(tree)
    for node in _of_any_version(tree):
        if _imports_one_of(_NEW_MODULES, node):
            return True
        if isinstance(node, ast.Call) and (getattr(node.func, "id", "") == "super" and not node.args
                                           or getattr(node.func, "id", "") == "print" and not prints and len(node.args) != 1):
            return True
    return False


def is_old(tree, path, package):
    """Was this source, which today's Python can read, written for Python 2 alone?"""
    return (_uses_old_names(tree) or bool(package) and _imports_neighbours(tree, path, package)) and not cannot_be_old(tree)


_OLD_WORD = re.compile(r"\b(?:%s)\b|(?<![\w.])(?:%s)\s*[(),]" % (
    "|".join(sorted(_RARE_NAMES | _OLD_MODULES | _OLD_METHODS | {"__nonzero__"})), "|".join(sorted(OLD_NAMES - _RARE_NAMES))))
_OLD_LIST = re.compile(r"\b(?:zip|map|filter)\(.*\)\[|\brange\(.*\+|\+.*\brange\(|\blen\((?:zip|map|filter)\(|\bdef next\(")
_OLD_SYNTAX = re.compile(r"^[ \t]*print(?:[ \t]+[^ \t(=.,)]|[ \t]*$)|^[ \t]*raise[ \t]+\w+[ \t]*,|\bexcept\b[^:\n]+,[ \t]*\w+[ \t]*:|<>|`|\b0[0-7]+\b|\d[lL]\b|"
                         r"^[ \t]*exec[ \t]+[^ \t(=]", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)
_IMPORTED = re.compile(r"^(?:from|import)[ \t]+(\w[\w.]*)", re.MULTILINE)


def may_be_old(text, path, package):
    """Asked of the text, which is little beside parsing it. Syntax of Python 2 alone is not looked for."""
    if _OLD_WORD.search(text) or _OLD_LIST.search(text):
        return True
    named = {name for line in _IMPORT.findall(text) for name in re.findall(r"\w+", line)} if package else ()
    return any(is_beside(name, path, package) for name in named)


def _text(file):
    with open(file, encoding="latin-1") as opened:
        return opened.read()


def _files(folder):
    """The modules of a package; None: too many."""
    files = []
    for place, _, names in os.walk(folder):
        files += [os.path.join(place, one) for one in names if one.endswith(".py")]
        if len(files) > _MOST_FILES:
            return None
    return files


def is_old_package(folder):
    """Do its modules import each other by their names alone? Asked of their texts, which is little beside importing them."""
    name = os.path.basename(folder)
    return any(is_beside(one, file, name) for file in _files(folder) or () for one in set(_IMPORTED.findall(_text(file))))


def holds_old_modules(folder):
    """Is one of a package's modules Python 2's?"""
    name = os.path.basename(folder)
    for file in _files(folder) or ():
        text = _text(file)
        if not _OLD_SYNTAX.search(text) and not may_be_old(text, file, name):
            continue
        try:
            if is_old(parsed(text, file), file, name):
                return True
        except (SyntaxError, ValueError):
            return True
    return False


_FIRST_LINE = re.compile(r"#!.*\bpython([23])(?:\.\d+)?\b")


def named_version(text):
    """2 or 3 where the first line names the Python that runs the script; else None."""
    found = _FIRST_LINE.match(text)
    return int(found.group(1)) if found else None


def _reached(tree, path, folder):
    """The files in the folder of a program that one of its sources may import."""
    places, found = (os.path.dirname(path), folder), []
    for node in _of_any_version(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [".".join(filter(None, (node.module, alias.name))) for alias in node.names]
        for name in names:
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                stems = [os.path.join(place, *parts[:end]) for place in places]
                found += [file for stem in stems for file in (stem + ".py", os.path.join(stem, "__init__.py")) if os.path.isfile(file)]
    return found


def _old_neighbour(tree, path):
    """A file beside the script that it imports, or one of those, and that is Python 2; or None."""
    folder = os.path.dirname(os.path.abspath(path))
    pending, seen = _reached(tree, path, folder), set()
    while pending and len(seen) < _MOST_FILES:
        file = pending.pop(0)
        if file in seen:
            continue
        seen.add(file)
        inner = os.path.dirname(file)
        try:
            one = parsed(_text(file), file)
        except (SyntaxError, ValueError):
            return file
        if is_old(one, file, os.path.basename(inner) if os.path.abspath(inner) != folder else ""):
            return file
        pending += _reached(one, file, folder)
    return None


def of_program(text, path):
    """Is a script Python 2, and all that it imports from beside it? Gives the answer, and the file that says it of one that could be either."""
    try:
        tree = parsed(text, path)
    except (SyntaxError, ValueError):
        return True, None
    version = named_version(text)
    if version is not None and not cannot_be_old(tree):
        return version == 2, None
    if is_old(tree, path, ""):
        return True, None
    neighbour = None if _is_todays(tree) else _old_neighbour(tree, path)
    return neighbour is not None, neighbour
