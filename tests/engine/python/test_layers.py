"""The modules of the package: each imports what it needs at its top, and no two know each other, even by imports inside functions. The layer of
Variable, Apply, Type and Op declares in croton.gof.provided what modules above it define."""
import ast
import pathlib
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "engine" / "python" / "croton"

# The only imports inside functions. None of these is loaded by `import theano`.
LATE = {
    "croton._host_use": "only recordings need it",
    "croton._pytensor_record": "only recordings need it",
    "croton._record": "loads the profiler and SQLite",
    "croton.notebook": "pages for notebooks",
    "croton._pickle": "only pickles need it",
    "croton.gof.c_code": "only ops with C code need it, and it loads ctypes",
    "difflib": "says what was meant, in an error",
    "lib2to3": "only scripts of Python 2 need it",
    "mpi4py": "only messages between processes need it",
    "multiprocessing.util": "only recorded children need it",
    "pdb": "only where somebody asked for a debugger",
    "pytensor": "only scripts that import it need it",
    "subprocess": "only pictures drawn by Graphviz need it",
}
# The same of single modules.
LATE_IN = {
    ("croton", "theano"),
    ("croton._interpreter", "numpy"),  # asks whether there is one that fits
}


def modules(folder=PACKAGE):
    found = {}
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts).replace(".compat.modules.", ".")
        found[name[:-len(".__init__")] if name.endswith(".__init__") else name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree, known):
    """(what is imported at the top, what is imported inside functions)"""
    top, late = set(), set()

    def targets(node):
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        full = [node.module + "." + alias.name for alias in node.names]
        return [name if name in known or name in LATE else node.module for name in full]

    def walk(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                (late if inside else top).update(targets(child))
            else:
                walk(child, inside or isinstance(child, (ast.FunctionDef, ast.Lambda)))
    walk(tree, False)
    return top, late


def circles(edges):
    """The sets of modules that import each other, by Tarjan's algorithm: strongly connected components of more than one."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(module):
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for other in sorted(edges.get(module, ())):
            if other not in number:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], number[other])
        if lowest[module] == number[module]:
            component = stack[stack.index(module):]
            del stack[stack.index(module):]
            if len(component) > 1 or module in edges.get(module, ()):
                found.append(sorted(component))
    for module in sorted(edges):
        if module not in number:
            visit(module)
    return found


def graph(trees):
    """Of all imports. The package itself imports all; its parts do not import it."""
    return {name: {other for other in set().union(*imports(tree, trees)) if other in trees and other != "croton"} for name, tree in trees.items()}


def late_faults(trees):
    for name, tree in trees.items():
        for other in imports(tree, trees)[1]:
            if other.split(".")[0] not in LATE and other not in LATE and (name, other) not in LATE_IN:
                yield "%s imports %s inside a function" % (name, other)


def provided(trees):
    """({function that croton.gof.provided declares}, [(function, module that defines it)], {function that somebody calls})"""
    declared = {target.id for node in trees["croton.gof.provided"].body if isinstance(node, ast.Assign) for target in node.targets}
    defined, called = [], set()
    for name, tree in trees.items():
        of_provided = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "provided"]
        inner = {id(node.value): node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "by"}
        for node in of_provided:
            if id(node) in inner:
                defined.append((node.attr, name))
            else:
                called.add(node.attr)
    return declared, defined, called


def test_no_two_modules_know_each_other():
    assert circles(graph(modules())) == []


def test_imports_stand_at_the_top():
    assert sorted(late_faults(modules())) == []


def test_late_imports_are_late_for_the_start():
    trees = modules()
    used = set()
    for name, tree in trees.items():
        used |= {other if other in LATE else other.split(".")[0] for other in imports(tree, trees)[1]}
    assert set(LATE) <= used, "some are imported late nowhere"
    script = "import sys, theano; print(' '.join(sys.modules))"
    loaded = set(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split())
    assert not set(LATE) & loaded


def test_what_the_lowest_layer_needs_is_defined_once():
    declared, defined, called = provided(modules())
    assert sorted(name for name, _ in defined) == sorted(declared)
    assert called == declared


def test_wrong_ones_are_seen(tmp_path):
    package = tmp_path / "croton"
    package.mkdir()
    (package / "__init__.py").write_text("from croton import a\n")
    (package / "a.py").write_text("from croton.b import x\n\n\ndef f():\n    import json\n    import pdb\n")
    (package / "b.py").write_text("x = 1\n\n\ndef f():\n    import croton.a\n")
    trees = modules(package)
    assert circles(graph(trees)) == [["croton.a", "croton.b"]]
    assert list(late_faults(trees)) == ["croton.a imports json inside a function", "croton.b imports croton.a inside a function"]
