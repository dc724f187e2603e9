"""Wrong words, files and folders given to the `croton` command."""
import collections
import json
import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])

# words may name {folder} and the files that `files` makes in it; env: more of the environment
Words = collections.namedtuple("Words", "name status sentence words env", defaults=({},))

MISTAKES = [
    Words("no command", 2, r"croton COMMAND", []),
    Words("unknown command", 2, r"there is no command 'prfile' \(croton --help lists them\)", ["prfile"]),
    Words("run without a file", 2, r"croton run wants FILE\.py", ["run"]),
    Words("run a file that is missing", 1, r"there is no file {folder}/nothing\.py", ["run", "{folder}/nothing.py"]),
    Words("run a folder", 1, r"{folder} is a folder", ["run", "{folder}"]),
    Words("run a session", 1, r"whole\.croton is no Python script, it is a session", ["run", "{folder}/whole.croton"]),
    Words("run a script that may not be read", 1, r"cannot be read|there is no file", ["run", "/proc/self/mem/x.py"]),
    Words("a Python that is missing", 1, r"/no/python cannot be started.*CROTON_PYTHON", ["run", "{folder}/good.py"], {"CROTON_PYTHON": "/no/python"}),
    Words("a value of a flag in the environment", 1, r"Invalid value \(fast\) for configuration variable optimizer.*set in THEANO_FLAGS",
          ["run", "{folder}/good.py"], {"THEANO_FLAGS": "optimizer=fast"}),
    Words("a device in the environment", 1, r"the flag device is cpu, cuda.*set in CROTON_FLAGS", ["run", "{folder}/good.py"],
          {"CROTON_FLAGS": "device=gpx"}),
    Words("a quotation that does not end", 1, r"THEANO_FLAGS cannot be read, no closing quotation: floatX='float32",
          ["run", "{folder}/good.py"], {"THEANO_FLAGS": "floatX='float32"}),
    Words("profile into a folder that is missing", 1, r"there is no folder {folder}/nowhere to write", ["profile", "{folder}/good.py", "-o", "{folder}/nowhere/s.croton"]),
    Words("profile into a folder that cannot be written", 1, r"/proc/s\.croton", ["profile", "{folder}/good.py", "-o", "/proc/s.croton"]),
    Words("profile over another file", 1, r"good\.py is there already and is no session, so it is not overwritten", ["profile", "{folder}/good.py", "-o", "{folder}/good.py"]),
    Words("profile into a folder's name", 1, r"{folder} is a folder", ["profile", "{folder}/good.py", "-o", "{folder}"]),
    Words("profile without a file", 2, r"croton profile wants", ["profile"]),
    Words("an option without its value", 2, r"-o wants a value", ["profile", "-o"]),
    Words("an unknown option", 2, r"croton report has no option --stlye", ["report", "--stlye", "profile", "{folder}/whole.croton"]),
    Words("an unknown style", 2, r"fancy", ["report", "--style=fancy", "{folder}/whole.croton"]),
    Words("a session that is missing", 1, r"nothing\.croton", ["report", "{folder}/nothing.croton"]),
    Words("a folder for a session", 1, r"{folder} is a folder", ["report", "{folder}"]),
    Words("a session that is cut off", 1, r"cut\.croton", ["report", "{folder}/cut.croton"]),
    Words("a session with holes", 1, r"holes\.croton", ["report", "{folder}/holes.croton"]),
    Words("a session that is empty", 1, r"empty\.croton", ["report", "{folder}/empty.croton"]),
    Words("text for a session", 1, r"text\.croton", ["passes", "{folder}/text.croton"]),
    Words("another database", 1, r"other\.croton", ["graph", "{folder}/other.croton"]),
    Words("a function that is missing", 1, r"there is no function nothing \(there are: ", ["graph", "{folder}/whole.croton", "--function", "nothing"]),
    Words("a step that is missing", 1, r"step 5000 does not exist \(this function has steps 0 to", ["graph", "{folder}/whole.croton", "--stage", "5000"]),
    Words("a stage that is none", 2, r"there is no stage 'late' \(original, optimized, or a step number\)", ["graph", "{folder}/whole.croton", "--stage", "late"]),
    Words("a question that bisect does not know", 2, r"--until does not say 'nonsense' \(it says \"time > 1\.05 x\"",
          ["bisect", "{folder}/whole.croton", "--until", "nonsense"]),
    Words("a format that is none", 2, r"there is no format 'gif' \(text, dot, svg or json\)", ["graph", "{folder}/whole.croton", "--format", "gif"]),
    Words("a picture that cannot be written", 1, r"cannot be written", ["graph", "{folder}/whole.croton", "-o", "{folder}/nowhere/g.txt"]),
    Words("JSON that is cut off", 1, r"cut\.json: line \d+, column \d+: ", ["graph", "{folder}/cut.json"]),
    Words("JSON that is no graph", 1, r"other\.json: this is no graph document", ["graph", "{folder}/other.json"]),
    Words("a graph of another version", 1, r"version 99, this program reads version 1", ["graph", "{folder}/version.json"]),
    Words("a graph with an unknown op", 1, r"op\.json: .*NoSuchOp", ["graph", "{folder}/op.json"]),
    Words("a graph with a cycle", 1, r"cycle\.json: ", ["graph", "{folder}/cycle.json"]),
    Words("a document that is missing", 1, r"there is no file {folder}/nothing\.json", ["graph", "{folder}/nothing.json"]),
    Words("an expression that does not end", 1, r"(line 1, column \d+|column \d+)", ["expr", "x: dmatrix; exp(x"]),
    Words("an unknown function in an expression", 1, r"expp", ["expr", "x: dmatrix; expp(x)"]),
    Words("types of an expression that do not fit", 1, r"column 29: \[subtensor\] too many indices: 4", ["expr", "x: dtensor3; y: dscalar; x.T[0, 0, 0, 0]"]),
    Words("floatX of an expression", 2, r"floatX is float64, float32 or float16, not 'int'", ["expr", "x", "--floatX", "int"]),
    Words("a mode of an expression", 2, r"there is no mode 'SLOW'", ["expr", "x", "--mode", "SLOW"]),
    Words("no number", 2, r"wants a whole number", ["expr", "x", "--run", "many"]),
]

GOOD = "import theano, theano.tensor as T\nx = T.dvector('x')\nprint(theano.function([x], T.exp(x) + 1)([0.0]))\n"


def croton(*words, env=None):
    return subprocess.run([str(BUILD / "bin" / "croton"), *words], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, **(env or {})), stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("place", ["missing", "file", "relative"])
def test_a_temporary_folder_that_is_none_stops_nothing(tmp_path, place):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "file").write_text("")
    env = {"TMPDIR": "relative" if place == "relative" else str(tmp_path / place), "CROTON_CACHE_DIR": str(tmp_path / "file"),
           "CROTON_COMPILE_WAIT": "1"}
    kept = "compiled kernels are not kept"
    for words, more in [(["run"], {}), (["run"], {"THEANO_FLAGS": "profile=True"}), (["profile", "-o", str(tmp_path / "s.croton")], {}),
                        (["graph"], {}), (["passes"], {})]:
        done = croton(*words, str(tmp_path / "good.py"), env=dict(env, **more))
        assert done.returncode == 0 and "Traceback" not in done.stderr, (words, done.stderr)
        complaints = [line for line in done.stderr.splitlines() if line.startswith("croton: ") and kept not in line]
        assert not [line for line in complaints if "script" not in line], complaints


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    (folder / "good.py").write_text(GOOD)
    done = croton("profile", str(folder / "good.py"), "-o", str(folder / "whole.croton"))
    assert done.returncode == 0, done.stderr
    session = (folder / "whole.croton").read_bytes()
    (folder / "cut.croton").write_bytes(session[:len(session) // 3])
    # Page by page, so that the first page stays: what says that it is a session.
    (folder / "holes.croton").write_bytes(session[:4096] + b"".join(
        bytes(4096) if i % 2 else session[4096 * i:4096 * (i + 1)] for i in range(1, len(session) // 4096 + 1)))
    (folder / "empty.croton").write_bytes(b"")
    (folder / "text.croton").write_text("no database at all, but long enough to be read as one\n" * 100)
    import sqlite3
    with sqlite3.connect(folder / "other.croton") as database:
        database.execute("create table contacts(name text)")
    database.close()
    done = croton("expr", "x: dmatrix; log(1 + exp(x))", "--format", "json")
    assert done.returncode == 0, done.stderr
    graph = json.loads(done.stdout)
    (folder / "cut.json").write_text(done.stdout[:len(done.stdout) // 2])
    (folder / "other.json").write_text('{"a": 1}')
    (folder / "version.json").write_text(json.dumps(dict(graph, version=99)))
    (folder / "op.json").write_text(re.sub(r'"class": ?"Elemwise"', '"class": "NoSuchOp"', done.stdout, count=1))
    applies = graph["applies"]
    applies[0]["inputs"] = [applies[-1]["outputs"][0]["id"] if isinstance(applies[-1]["outputs"][0], dict) else applies[-1]["outputs"][0]
                            for _ in applies[0]["inputs"]]
    (folder / "cycle.json").write_text(json.dumps(graph))
    return folder


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.name)
def test_mistake(mistake, files):
    kept = (files / "good.py").read_text()
    done = croton(*[word.replace("{folder}", str(files)) for word in mistake.words], env=mistake.env)
    assert done.returncode == mistake.status, (done.returncode, done.stdout, done.stderr)
    assert re.search(mistake.sentence.replace("{folder}", re.escape(str(files))), done.stderr), done.stderr
    if mistake.words:
        lines = done.stderr.splitlines()
        assert lines[-1].startswith("croton: "), done.stderr
        # An expression is shown with a mark under the place; everything else is one line.
        assert len(lines) == 1 or mistake.words[0] == "expr" and len(lines) == 3 and lines[1].strip() == "^", done.stderr
        assert done.stdout == ""
    assert "Traceback" not in done.stderr and "fault of croton" not in done.stderr
    assert (files / "good.py").read_text() == kept


def test_the_graph_document_itself_is_fine(files, tmp_path):
    done = croton("expr", "x: dmatrix; log(1 + exp(x))", "--format", "json")
    (tmp_path / "g.json").write_text(done.stdout)
    shown = croton("graph", str(tmp_path / "g.json"), "--types")
    assert shown.returncode == 0 and "Elemwise{exp,no_inplace}" in shown.stdout and "TensorType(float64, matrix)" in shown.stdout
    (tmp_path / "again.json").write_text(croton("graph", str(tmp_path / "g.json"), "--json").stdout)
    assert croton("graph", str(tmp_path / "again.json"), "--types").stdout == shown.stdout
