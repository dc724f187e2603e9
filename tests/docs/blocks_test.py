"""Every block of code in the documentation does what it says."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])
SOURCE = pathlib.Path(os.environ["CROTON_SOURCE"])
ELSEWHERE = {"pytensor"}  # tests/pypi/test_page.py
if not (BUILD / "lib/libcroton_onnx.so").exists():
    ELSEWHERE.add("onnx")
PAGES = [SOURCE / "README.md", *sorted(page for page in (SOURCE / "resources/docs").glob("*.md") if page.stem not in ELSEWHERE)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BUILDERS = re.compile(r"^(app/run|tests/run|resources/docs/make measure|resources/scripts/release)\b")  # what would install and build, or take long
PACKAGERS = re.compile(r"^(cpack|apt|pip|auditwheel|python3 -m venv|(env -u PYTHONPATH )?\w+-env/bin/)")  # what makes packages and installs them: tests/packages runs it as it stands in the page
PACKAGE_TESTS = [SOURCE / "tests/packages" / name for name in ("clean_root", "wheel", "environments")]
STAND_INS = pathlib.Path(__file__).resolve().parent / "stand_ins"
SIMULATED_CUDA = BUILD / "cuda_sim"
LEFT_OUT = "(left out)"
HAS_CARD = (SIMULATED_CUDA / "libcudart.so.13").exists()
STUDIO = re.compile(r"^((?:build/bin/)?croton-studio\b[^#\n]*?)\s*(#.*)?$", re.MULTILINE)


def asks_for_card(text):
    return "pycuda" in text or "--device cuda" in text


def blocks(page):
    text = page.read_text()
    return [(match.group(1), match.group(2), text.count("\n", 0, match.start()) + 1) for match in BLOCK.finditer(text)]


def pattern(stated):
    """Lines as they are; … is any text, alone in a line any lines."""
    found = ""
    for line in stated.splitlines():
        found += r"(?:.*\n)*?" if line.strip() == "…" else r"[^\n]*?".join(re.escape(part) for part in line.rstrip().split("…")) + r" *\n"
    return found


class Shell:
    """A folder that looks like a clone with its build, where the blocks of one page run."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("samples", "resources", "app", "tests"):
            (folder / name).symlink_to(SOURCE / name)
        (folder / "build").symlink_to(BUILD)
        for name in ("train.py", "model.onnx"):
            (folder / name).symlink_to(STAND_INS / name)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("THEANO", "CROTON_FLAGS", "PYTHONPATH"))}
        self.environment.update(PATH="%s:%s:%s" % (BUILD / "bin", STAND_INS, os.environ["PATH"]), OMPI_ALLOW_RUN_AS_ROOT="1",
                                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", HOME=str(folder), LC_ALL="C.UTF-8", XDG_RUNTIME_DIR=str(folder),
                                CROTON_CACHE_DIR=os.environ.get("CROTON_CACHE_DIR", str(BUILD / "kernel-cache")))

    def run(self, words, **more):
        return subprocess.run(words, cwd=self.folder, env=dict(self.environment, **more), capture_output=True, text=True, timeout=120)

    def sh(self, text):
        lines = []
        for line in text.splitlines():
            builder = BUILDERS.match(line)
            if PACKAGERS.match(line):
                assert any(words in text for test in PACKAGE_TESTS for words in re.findall(r"page\"? '([^']+)'", test.read_text())), \
                    "no test of tests/packages asks for the block with: " + line
            elif line.split(" ", 1)[0] == "croton" and "mpirun" in line and not shutil.which("mpirun"):
                print("left out, as Open MPI is missing: " + line)
            else:
                lines.append("test -x " + builder.group(1).split()[0] if builder else line)
        if not (BUILD / "bin" / "croton-studio").exists():
            lines = [line for line in lines if "croton-studio" not in line]
        script = STUDIO.sub(r"\1 --screenshot window.png 2>&1 >/dev/null", "\n".join(lines))
        return self.run(["bash", "-euo", "pipefail", "-c", script], **self.card(script))

    def card(self, text):
        """What asks for a card finds the simulated one."""
        flags = {"THEANO_FLAGS": "device=cuda"} if "import pycuda" in text or "from pycuda" in text else {}
        return dict(flags, CROTON_CUDA_LIBRARIES=str(SIMULATED_CUDA)) if asks_for_card(text) else {}

    def python(self, text):
        name = re.match(r"# (\w+\.py)\n", text)
        path = self.folder / (name.group(1) if name else "block.py")
        path.write_text(text)
        return self.run([str(BUILD / "bin" / "croton"), "run", path.name], **self.card(text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_blocks_do_what_they_say(page, tmp_path):
    shell = Shell(tmp_path)
    printed = complained = None
    for language, text, line in blocks(page):
        where = "%s:%d" % (page.relative_to(SOURCE), line)
        if language == "output":
            assert printed is not None, where + ": nothing stands above that prints"
            if printed == LEFT_OUT:
                continue
            assert re.fullmatch(pattern(text), printed if printed.endswith("\n") else printed + "\n"), "%s: this is printed:\n%s" % (where, printed)
        elif language == "stderr":
            assert complained is not None and re.fullmatch(pattern(text), complained), "%s: this is printed on stderr:\n%s" % (where, complained)
        elif asks_for_card(text) and not HAS_CARD:
            print("%s: left out, as this build has no simulated CUDA" % where)
            printed = LEFT_OUT
        elif language in ("sh", "python"):
            done = getattr(shell, language)(text)
            assert done.returncode == 0, "%s:\n%s%s" % (where, done.stdout, done.stderr)
            printed, complained = done.stdout, done.stderr
        elif language == "cpp":
            assert any(text.strip() in file.read_text() for file in (SOURCE / "engine").rglob("*.cpp")), where + ": this stands nowhere in the engine"
        else:
            assert language in ("text", "json", "sql"), "%s: blocks marked %s are not run" % (where, language)


def test_a_block_that_lies_is_found(tmp_path):
    shell = Shell(tmp_path)
    assert shell.sh("false").returncode == 1
    printed = shell.python("print('one')\nprint('two')\n").stdout
    assert re.fullmatch(pattern("o…\ntwo\n"), printed) and re.fullmatch(pattern("…\ntwo\n"), printed)
    assert not re.fullmatch(pattern("one\n"), printed) and not re.fullmatch(pattern("one\nthree\n"), printed)
    assert shutil.which("bash")
