"""Pages that are made from the program itself: croton run pages.py CROTON FOLDER PAGE... The build starts it."""
import inspect
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import types

import theano
from croton import configflags
from croton.compat import missing as _missing
from croton.tensor.starred import HELPERS

CROTON, FOLDER, NAMES = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MADE = "*The build makes this page; what it says comes from %s.*\n\n"


def croton(*words):
    return subprocess.run([CROTON, *words], capture_output=True, text=True, check=True).stdout


def code(text):
    """As a word of code in a table or a line; a bar would end the cell."""
    return "`%s`" % text.replace("|", "\\|") if text else ""


def rewrites():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/any.croton"
        croton("expr", "x + 1", "-o", path)
        with sqlite3.connect(path) as session:
            rows = session.execute("SELECT name, phase, tags, why, hurts, example_before, example_after, file FROM rewrites").fetchall()
            phases = [row[0] for row in session.execute("SELECT phase FROM passes GROUP BY phase ORDER BY min(pass)")]
    text = "# Every rewrite\n\n" + MADE % "what each rewrite says of itself where it is registered"
    text += ("A compile goes through these phases, in this order. The names are what `optimizer_including` and `optimizer_excluding` take, "
             "and so are the tags. `croton passes` says which of them fired in a script of yours, how often, and why the others did not.\n\n")
    known = [phase for phase in phases if any(row[1] == phase for row in rows)]
    known += sorted({row[1] for row in rows} - set(known))
    for phase in known:
        of_phase = sorted(row for row in rows if row[1] == phase)
        text += "## %s\n\n" % phase
        for name, _, tags, why, hurts, before, after, file in of_phase:
            text += "### %s\n\n%s.\n" % (name, (why[:1].upper() + why[1:]).rstrip("."))
            if before:
                text += "\n- turns %s\n- into %s\n" % (code(before), code(after)) if after else "\n- is seen in %s\n" % code(before)
            else:
                text += "\n"
            if hurts:
                text += "- can hurt: %s\n" % hurts
            text += "- tags: %s; its code: [%s](../../%s)\n\n" % (", ".join(tags.split(",")), pathlib.Path(file).name, file)
    return text


def flags():
    def shown(value):
        return "`%s`" % value if value != "" else "(empty)"

    def kind(kind):
        if isinstance(kind, range):
            return "int, at least %d" % kind[0]
        return "one of " + ", ".join("`%s`" % word.replace("|", "\\|") for word in kind) if isinstance(kind, tuple) else kind.__name__

    text = "# Every flag\n\n" + MADE % "the table of flags itself"
    text += ("A flag is set, with growing weight, in `.theanorc`, by `THEANO_FLAGS` or `CROTON_FLAGS` (`floatX=float32,device=cpu`), by `--flags` of "
             "`croton profile`, and by a script that assigns to `theano.config`.\n\n| flag | default | takes | what it does |\n|---|---|---|---|\n")
    for name, default, takes, does in configflags.FLAGS:
        text += "| `%s` | %s | %s | %s |\n" % (name, shown(default).replace("|", "\\|"), kind(takes), does)
    text += "\n## Flags of Theano that change nothing\n\nThey can be set; a warning says what they ask for is not needed, or not there.\n\n| flag | why |\n|---|---|\n"
    for name, _, _, why in configflags.IGNORED:
        text += "| `%s` | %s |\n" % (name, why)
    return text


MODULES = ["theano", "theano.tensor", "theano.tensor.nnet", "theano.tensor.signal.pool", "theano.tensor.signal.conv", "theano.tensor.extra_ops",
           "theano.tensor.nlinalg", "theano.tensor.slinalg", "theano.tensor.fft", "theano.tensor.shared_randomstreams", "theano.sandbox.rng_mrg",
           "theano.ifelse", "theano.typed_list", "theano.printing", "theano.compile", "theano.gof", "theano.gradient", "theano.sparse"]


def ranked_items():
    sys.path.insert(0, str(SOURCE / "tests/engine/python/ranked"))
    import items
    return items.listed()


def theano_names():
    def public(module):
        names = []
        for name, thing in vars(sys.modules[module]).items():
            own = isinstance(thing, type) or (callable(thing) and not isinstance(thing, types.ModuleType))
            if own and not name.startswith("_") and name not in HELPERS and str(getattr(thing, "__module__", "")).startswith(("theano", "croton")):
                names.append(name)
        return sorted(names, key=lambda name: (name.lower(), name))

    text = "# What of Theano is there\n\n" + MADE % "the modules as they are imported, and from the tests of what scripts use"
    text += ("Scripts say `import theano` and run unmodified; under `croton run`, that is Croton. First comes what scripts use, each with a test; then "
             "every name there is; and last, what is not there.\n\n## What scripts use\n\n"
             "Every function, keyword, operator and form of an index that was found in 178 scripts and pages of eight public repositories, the most used "
             "first. `T` is `theano.tensor`, `Var.m` is of a variable, and `f(k=)` is the keyword k of f. Each line is a test of that number in "
             "`tests/engine/python/ranked`, which compares with NumPy's values, or with what Theano answers.\n\n"
             "| rank | item | what holds |\n|---|---|---|\n")
    text += "".join("| %d | %s | %s |\n" % (rank, code(name), said.replace("|", "\\|")) for rank, name, said in ranked_items())
    text += ("\n## There\n\nWhat is listed here can be imported and used; each name stands where it is first found. A name of Theano that is not there can "
             "be imported, too, and says what to use instead where it is used; `hasattr` says that it is not there.\n\n")
    seen = set()
    for module in MODULES:
        __import__(module)
        names = [name for name in public(module) if (name, id(vars(sys.modules[module])[name])) not in seen]
        seen |= {(name, id(vars(sys.modules[module])[name])) for name in names}
        if names:
            text += "### %s\n\n%s\n\n" % (module, ", ".join("`%s`" % name for name in names))
    variable = theano.tensor.TensorVariable
    methods = [name for name, thing in inspect.getmembers(variable) if not name.startswith("_") and name not in dir(theano.Variable)]
    text += "### Attributes and methods of tensors\n\n%s\n\n" % ", ".join("`%s`" % name for name in methods)
    text += "## Not there\n\n| name | instead |\n|---|---|\n"
    for module in sorted(_missing.NAMES):
        ways = {}
        for name, way in _missing.NAMES[module].items():
            ways.setdefault(way, []).append(name)
        for way, names in ways.items():
            text += "| %s | %s |\n" % (" ".join("`theano%s.%s`" % (module[len("croton"):], name) for name in names), way)
    return text


def notation():
    signatures = set()
    for file in sorted((SOURCE / "engine").rglob("*.cpp")):
        signatures |= set(re.findall(r'NOTATION\("((?:[^"\\]|\\.)*)"', file.read_text()))
    scalars = []
    for file in sorted((SOURCE / "engine/rt/functions").glob("*.def")):
        scalars += [row.split('"')[3] for row in file.read_text().splitlines() if row.startswith("FUNCTION(")]
    text = "# Functions of the notation\n\n" + MADE % "the functions as their ops register them"
    text += "What `croton expr`, the expression bar of the studio and the examples of rewrites understand; the [expression language](expressions.md) says the rest.\n\n"
    text += "## Of whole arrays\n\n%s\n\n" % "\n".join("- %s" % code(signature) for signature in sorted(signatures, key=lambda name: (name.lower(), name)))
    words = sorted({name for name in scalars if re.fullmatch(r"[a-z]\w*", name)})
    return text + "## Element by element\n\n%s\n" % ", ".join("`%s`" % name for name in words)


def commands():
    text = "# Every command\n\n" + MADE % "`croton --help` and the help of each command"
    whole = croton("--help")
    text += "```text\n%s```\n\n" % whole
    for name in re.findall(r"^  (\w+)  ", whole, re.MULTILINE):
        text += "## croton %s\n\n```text\n%s```\n\n" % (name, croton(name, "--help"))
    return text


PAGES = {"rewrites": rewrites, "flags": flags, "theano": theano_names, "notation": notation, "commands": commands}
for name in NAMES:
    (FOLDER / (name + ".md")).write_text(re.sub(r"\n{3,}", "\n\n", PAGES[name]()).rstrip() + "\n")
