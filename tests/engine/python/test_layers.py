"""The modules of the package: each imports what it needs at its top, and no two know each other. What knows modules above it meets
them in croton._above, once all are loaded."""
import ast
import pathlib
import re
import subprocess
import sys

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "engine" / "python" / "croton"

# The only imports inside functions. None of these is loaded by `import theano`.
LATE = {
    "croton._host_use": "only recordings need it",
    "croton._record": "loads the profiler and SQLite",
    "croton.notebook": "pages for notebooks",
    "croton._pickle": "only pickles need it",
    "croton.gof.c_code": "only ops with C code need it, and it loads ctypes",
    "difflib": "says what was meant, in an error",
    "lib2to3": "only scripts of Python 2 need it",
    "mpi4py": "only messages between processes need it",
    "multiprocessing.util": "only recorded children need it",
    "pdb": "only where somebody asked for a debugger",
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
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
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


def circle(edges):
    """Modules that import each other, or nothing."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        path.append(module)
        for other in sorted(edges.get(module, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(module)
        return None
    for module in sorted(edges):
        found = visit(module)
        if found:
            return found
    return None


def reached(edges, start):
    found, left = set(), [start]
    while left:
        for other in edges.get(left.pop(), ()):
            if other not in found:
                found.add(other)
                left.append(other)
    return found


def graph(trees):
    """Of imports at the top. The package itself imports all; its parts do not import it."""
    return {name: {other for other in imports(tree, trees)[0] if other in trees and other != "croton"} for name, tree in trees.items()}


def on_the_way(module, other):
    """What an import runs: the module, and the packages around it."""
    parts = other.split(".")
    return {name for name in (".".join(parts[:end]) for end in range(2, len(parts) + 1)) if not (module + ".").startswith(name + ".")}


def late_faults(trees):
    for name, tree in trees.items():
        if name == "croton._above":
            continue
        for other in imports(tree, trees)[1]:
            if other.split(".")[0] not in LATE and other not in LATE and (name, other) not in LATE_IN:
                yield "%s imports %s inside a function" % (name, other)


def what_meets(trees):
    """{name in croton._above: the module that makes it}"""
    met = {}
    for node in ast.walk(trees["croton._above"]):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                full = node.module + "." + alias.name
                met[alias.name] = full if full in trees else node.module
    return met


def used_of_above(folder=PACKAGE):
    """{module: names that it takes from croton._above}"""
    used = {}
    for path in folder.rglob("*.py"):
        name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        names = set(re.findall(r"(?<![\w.])_above\.(\w+)", path.read_text(encoding="utf-8")))
        if names:
            used[name[:-len(".__init__")] if name.endswith(".__init__") else name] = names
    return used


def test_no_two_modules_know_each_other():
    assert circle(graph(modules())) is None


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


def test_above_gives_what_cannot_be_imported():
    trees = modules()
    met, used = what_meets(trees), used_of_above()
    edges = {module: set().union(*(on_the_way(module, other) for other in others)) for module, others in graph(trees).items()}
    assert used.pop("croton") == {"meet"}
    for module, names in used.items():
        for name in names:
            assert name in met, "%s wants %s of croton._above" % (module, name)
            way = on_the_way(module, met[name])
            assert not way or any(module in reached(edges, other) for other in way), \
                "%s could import %s of %s at its top" % (module, name, met[name])
    rest = [statement for statement in trees["croton._above"].body[-1].body if not isinstance(statement, ast.ImportFrom)]
    here = {node.id for statement in rest for node in ast.walk(statement) if isinstance(node, ast.Name)}
    unused = set(met) - set().union(*used.values()) - here
    assert not unused, "nobody takes these from croton._above"


def test_wrong_ones_are_seen(tmp_path):
    package = tmp_path / "croton"
    package.mkdir()
    (package / "__init__.py").write_text("from croton import a\n")
    (package / "a.py").write_text("from croton.b import x\n\n\ndef f():\n    import json\n    import pdb\n")
    (package / "b.py").write_text("import croton.a\nx = 1\n")
    trees = modules(package)
    assert circle(graph(trees)) == ["croton.a", "croton.b", "croton.a"]
    assert list(late_faults(trees)) == ["croton.a imports json inside a function"]
