"""What a person reads when a compiler misbehaves, and the flags that choose one."""
import os
import stat
import subprocess
import sys

import pytest
import theano

SCRIPT = """
import numpy, theano
import theano.tensor as T
from croton import _core
x = T.dvector('x')
f = theano.function([x], T.exp(x) * T.sin(x) + x * x - 3)
values = numpy.linspace(0, 1, 1000)
for _ in range(6):
    result = f(values)
running = _core.function_compile_kernels(f)
result = f(values)
assert numpy.allclose(result, numpy.exp(values) * numpy.sin(values) + values ** 2 - 3)
print('running', running)
"""


def run(folder, **environment):
    script = folder / "script.py"
    script.write_text(SCRIPT)
    settings = dict(os.environ, CROTON_CACHE_DIR=str(folder / "cache"))
    settings.update({name: str(value) for name, value in environment.items()})
    ended = subprocess.run([sys.executable, str(script)], env=settings, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, ended.stderr


@pytest.fixture
def compiler(tmp_path):
    def make(text):
        path = tmp_path / "mycc"
        path.write_text("#!/bin/bash\nif [[ \"$1\" == --version ]]; then echo 'gcc (of a test)'; exit; fi\n" + text + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path
    return make


def test_the_kernel_the_command_and_the_words_are_shown(tmp_path, compiler):
    out, err = run(tmp_path, CROTON_CC=compiler("echo 'kernel.c:7: error: no such thing as exp' >&2; exit 1"))
    assert out == "running 0\n"
    assert err.count("a kernel could not be compiled") == 1
    assert "mycc -O3" in err and "void croton_kernel_0(" in err
    assert "kernel.c:7: error: no such thing as exp\n" in err and "mycc ended with status 1" in err
    assert "script.py:" in err.split("\n")[0]


def test_only_the_first_of_many_failures_is_shown_whole(tmp_path, compiler, monkeypatch):
    many = SCRIPT.split("x = T.dvector")[0] + """
x = T.dvector('x')
for k in range(1, 6):
    f = theano.function([x], x * x + k * x - 3)
    f(numpy.linspace(0, 1, 100 + k))
"""
    monkeypatch.setattr(sys.modules[__name__], "SCRIPT", many)
    _, err = run(tmp_path, CROTON_CC=compiler("exit 1"), CROTON_COMPILE_WAIT=1)
    assert err.count("the kernel:") == 1 and err.count("compiles failed by now") == 2, err
    assert "2 compiles failed" in err and "4 compiles failed" in err


def test_a_compiler_that_talks_without_end_is_cut_short(tmp_path, compiler):
    _, err = run(tmp_path, CROTON_CC=compiler("yes 'a note' | head -c 10000000; exit 1"))
    assert len(err) < 10000 and "lines more" in err and "mycc ended with status 1" in err


def test_a_compiler_that_hangs_is_given_up(tmp_path, compiler):
    _, err = run(tmp_path, CROTON_CC=compiler("sleep 1000"), THEANO_FLAGS="compile.timeout=1")
    assert "mycc was not done after 1 s and was ended" in err


def test_the_flag_cxx_chooses_the_compiler(tmp_path, compiler):
    own = compiler("echo mine; exit 1")
    assert "mine" in run(tmp_path, THEANO_FLAGS="cxx=%s" % own, CROTON_CC="gcc")[1]
    out, err = run(tmp_path, THEANO_FLAGS="cxx=")
    assert out == "running 0\n" and err.count("the C compiler is switched off (the flag cxx is empty)") == 1
    assert "/nonexistent/cc cannot be started: No such file or directory" in run(tmp_path, THEANO_FLAGS="cxx=/nonexistent/cc")[1]


def test_the_flag_compiledir_says_where_kernels_are_kept(tmp_path):
    if run(tmp_path)[0] != "running 1\n":
        pytest.skip("there is no C compiler")
    for flag in ("compiledir", "base_compiledir"):
        run(tmp_path, THEANO_FLAGS="%s=%s" % (flag, tmp_path / flag))
        assert list((tmp_path / flag / "kernels").glob("*.so"))


def test_a_folder_that_cannot_be_used_is_told_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    out, err = run(tmp_path, CROTON_CACHE_DIR=tmp_path / "file")
    assert err.count("compiled kernels are not kept: ") == 1 and "CROTON_CACHE_DIR has to name a folder of yours" in err


def test_flags_can_change_while_a_script_runs():
    from croton import _core
    theano.config.cxx = ""
    x = theano.tensor.dvector("x")
    f = theano.function([x], theano.tensor.exp(x) * 2 + x)
    for _ in range(5):
        f([1.0, 2.0])
    assert _core.function_compile_kernels(f) == 0
