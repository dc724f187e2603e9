"""Jobs of several processes, and scripts on another machine: `croton profile --launch` and `--host`, `croton ranks`."""
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import BUILD

ALONE = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
MPI = dict(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
           OMPI_MCA_mpi_yield_when_idle="1")
SCRIPT = """
import sys, time, numpy, theano, theano.tensor as T
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
x = T.dvector('x')
f = theano.function([x], T.exp(x).sum(), name='f')
f(numpy.ones(10))
half = comm.Split(rank % 2)
comm.Barrier()
for k in range(4):
    if rank == 1: time.sleep(0.2)
    f(numpy.ones(10))
    comm.allreduce(1)
half.Allreduce(numpy.ones(5), numpy.zeros(5))
request = comm.Isend(numpy.ones(3), (rank + 1) % comm.size)
comm.Recv(numpy.zeros(3), (rank - 1) % comm.size)
request.Wait()
open('said.%d' % rank, 'w').write(' '.join(sys.argv[1:]))  # lines of several ranks mix
"""
FAKE_SSH = """#!/usr/bin/python3
# As ssh: the host, then a command for the shell there, with its own home directory and limits. Interrupted, it lets go of the connection.
import os, resource, subprocess, sys, threading
if sys.argv[1] == "nowhere":
    print("ssh: Could not resolve hostname nowhere", file=sys.stderr)
    sys.exit(255)
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
there = os.environ["THERE"]
run = subprocess.Popen(["sh", "-c", " ".join(sys.argv[2:])], stdin=subprocess.PIPE, cwd=there, env=dict(os.environ, HOME=there), start_new_session=True)
def hand_on():
    while part := os.read(0, 65536):
        run.stdin.write(part)
        run.stdin.flush()
    run.stdin.close()
threading.Thread(target=hand_on, daemon=True).start()
try:
    status = run.wait()
except KeyboardInterrupt:
    status = 130
sys.stdout.flush()
os._exit(status)
"""


def query(session, sql):
    with sqlite3.connect("file:%s?mode=ro" % session, uri=True) as database:
        return database.execute(sql).fetchall()


@pytest.fixture(scope="module")
def has_mpi():
    python = subprocess.run(["mpirun", "-n", "1", "/usr/bin/python3", "-c", "from mpi4py import MPI"], env=dict(ALONE, **MPI), capture_output=True) \
        if shutil.which("mpirun") else None
    if python is None or python.returncode:
        pytest.skip("Open MPI or mpi4py is missing: install openmpi-bin and python3-mpi4py")


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, value in MPI.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "s.py").write_text(SCRIPT)
    return "s.py"


@pytest.fixture
def there(tmp_path, monkeypatch):
    """Another machine: a program in the place of ssh, and a home directory."""
    home = tmp_path / "there"
    home.mkdir()
    program = tmp_path / "reach"
    program.write_text(FAKE_SSH)
    program.chmod(0o755)
    monkeypatch.setenv("THERE", str(home))
    return home, ["--ssh", str(program), "--host-croton", str(BUILD / "bin/croton")]


# --- jobs ----------------------------------------------------------------------------------------------------

def test_ranks_are_set_side_by_side(croton, has_mpi, script, tmp_path):
    done = croton("profile", "-o", "job.croton", "--launch", "mpirun -n 4", script, "an argument", "--floatX")
    assert [(tmp_path / ("said.%d" % rank)).read_text() for rank in range(4)] == ["an argument --floatX"] * 4
    assert "4 ranks are in job.croton" in done.stderr and "wait for rank 1" in done.stderr, done.stderr
    assert sorted(path.name for path in tmp_path.glob("*.croton*")) == ["job.1.croton", "job.2.croton", "job.3.croton", "job.croton"]
    job = json.loads(croton("ranks", "--json", "job.croton").stdout)
    assert [row["rank"] for row in job["ranks"]] == [0, 1, 2, 3] and job["slowest"] == 1
    assert [row["session"] for row in job["ranks"]] == ["", "job.1.croton", "job.2.croton", "job.3.croton"]
    waiting = [row["waiting_ns"] for row in job["ranks"]]
    assert min(waiting[0], waiting[2], waiting[3]) > 0.5e9 > waiting[1], waiting  # 4 times 0.2 s, but for noise
    calls = {(row["call"], row["line"]) for row in job["communication"]}
    assert calls == {("Barrier", 10), ("allreduce", 14), ("Allreduce", 15), ("Recv", 17), ("Wait", 18)}, calls
    assert {row["count"] for row in job["communication"] if row["call"] == "allreduce"} == {4}
    assert {row["bytes"] for row in job["communication"] if row["call"] == "Recv"} == {24}
    assert {members for members, in query("job.croton", "SELECT members FROM collectives")} == {"0-3", "0,2"}
    text = croton("ranks", "job.croton").stdout
    assert "The others wait for rank 1" in text and "s.py:14" in text and "in Python outside of functions" in text, text
    assert "f" in croton("report", "job.croton").stdout
    # As a cluster's own launcher leaves them, and in another place.
    assert croton("ranks", "--json", *sorted(tmp_path.glob("job*.croton"))).returncode == 0
    (tmp_path / "elsewhere").mkdir()
    croton("ranks", "-o", "elsewhere/all.croton", "job.croton", "job.1.croton", "job.2.croton", "job.3.croton")
    assert query("elsewhere/all.croton", "SELECT session FROM ranks ORDER BY rank") == [("",), ("../job.1.croton",), ("../job.2.croton",), ("../job.3.croton",)]


def test_a_rank_that_dies_is_named(croton, has_mpi, script, tmp_path):
    (tmp_path / "dies.py").write_text(SCRIPT.replace("half =", "if rank == 2:\n    import os, signal\n    time.sleep(0.5)\n    os.kill(os.getpid(), signal.SIGKILL)\nhalf ="))
    done = croton("profile", "--launch", "mpirun -n 3", "dies.py", check=False)
    assert done.returncode != 0
    assert re.search(r"croton: rank 2: .*cut off", done.stderr), done.stderr
    assert "it is not known which rank the others wait for" in done.stderr or "No call of MPI" in done.stderr, done.stderr
    assert len(json.loads(croton("ranks", "--json", "dies.croton").stdout)["ranks"]) == 3


def test_a_second_job_takes_the_place_of_the_first(croton, has_mpi, script, tmp_path):
    croton("profile", "-o", "job.croton", "--launch", "mpirun -n 3", script)
    croton("profile", "-o", "job.croton", "--launch", "mpirun -n 2", script)
    assert sorted(path.name for path in tmp_path.glob("*.croton*")) == ["job.1.croton", "job.croton"]


def test_launchers_that_cannot(croton, script, tmp_path):
    done = croton("profile", "--launch", "no-such-launcher -n 4", script, check=False)
    assert done.returncode == 1 and "no-such-launcher cannot be run" in done.stderr and "openmpi-bin" in done.stderr
    done = croton("profile", "--launch", "false", script, check=False)
    assert done.returncode == 1 and "no process left a session; false ended with status 1" in done.stderr, done.stderr
    done = croton("profile", "--launch", "mpirun '-n 4", script, check=False)
    assert done.returncode == 2 and "quote that does not end" in done.stderr
    done = croton("profile", "--ssh", "ssh", script, check=False)
    assert done.returncode == 2 and "--host names it" in done.stderr


def test_a_launch_that_fails_keeps_the_session_before(croton, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text("print('one')")
    croton("profile", "one.py")
    before = (tmp_path / "one.croton").read_bytes()
    assert croton("profile", "--launch", "false", "one.py", check=False).returncode == 1
    assert (tmp_path / "one.croton").read_bytes() == before
    croton("profile", "--launch", "env A=1", "one.py")
    assert (tmp_path / "one.croton").read_bytes() != before and sorted(path.name for path in tmp_path.iterdir()) == ["one.croton", "one.py"]


def test_a_prefix_that_starts_one_process(croton, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text("print('one')")
    assert croton("profile", "--launch", "env A=1", "one.py").stdout == "one\n"
    assert "holds one process" in croton("ranks", "one.croton", check=False).stderr


@pytest.mark.parametrize("names", [("PMI_RANK", "PMI_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS")])
def test_ranks_by_what_their_launcher_says(croton, tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.py").write_text("print('one')")
    for rank in range(2):
        croton("profile", "one.py", env={names[0]: str(rank), names[1]: "2"})
    text = croton("ranks", "one.0.croton", "one.1.croton").stdout
    assert "2 ranks of one job" in text and "No call of MPI was seen" in text, text
    done = croton("ranks", "one.0.croton", "one.0.croton", check=False)
    assert done.returncode == 1 and "are both of rank 0" in done.stderr


# --- another machine -----------------------------------------------------------------------------------------

def test_a_script_elsewhere(croton, tmp_path, there, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home, how = there
    (tmp_path / "code").mkdir()
    (tmp_path / "code/helper.py").write_text("value = 2.0")
    (tmp_path / "data set.txt").write_text("3.0")
    (tmp_path / "code/s.py").write_text("import sys, os, helper, theano, theano.tensor as T\nx = T.dscalar('x')\n"
                                        "f = theano.function([x], x * helper.value, name='double')\n"
                                        "print(f(float(open('data set.txt').read())), sys.argv[1:], os.getcwd(), theano.config.floatX)\nsys.exit(3)\n")
    done = croton("profile", "--host", "ada@gpu", *how, "--with", "code/helper.py 'data set.txt'", "--floatX", "float32", "-o", "my run.croton",
                  "code/s.py", "it's", "--mode", check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("6.0 [\"it's\", '--mode'] %s/.cache/croton/remote/" % home) and done.stdout.endswith(" float32\n"), done.stdout
    assert [name for name, in query("my run.croton", "SELECT name FROM functions")] == ["double"]
    assert list((home / ".cache/croton/remote").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code", "data set.txt", "my run.croton", "reach", "there"]


def test_a_job_elsewhere(croton, has_mpi, script, tmp_path, there):
    croton("profile", "--host", "gpu", *there[1], "--launch", "mpirun -n 2", "-o", "job.croton", script)
    assert sorted(path.name for path in tmp_path.glob("*.croton*")) == ["job.1.croton", "job.croton"]
    assert [row["session"] for row in json.loads(croton("ranks", "--json", "job.croton").stdout)["ranks"]] == ["", "job.1.croton"]


def test_what_keeps_a_script_from_running_elsewhere(croton, tmp_path, there, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home, how = there
    (tmp_path / "s.py").write_text("print(1)")

    def says(*words):
        done = croton("profile", *words, "s.py", check=False)
        assert done.returncode == 1 and not list(tmp_path.glob("*.croton*")), done.stderr
        return done.stderr
    assert "nowhere cannot be reached" in says("--host", "nowhere", *how)
    assert "no-such-ssh cannot be run here" in says("--host", "gpu", "--ssh", "no-such-ssh")
    assert "there is no no-such-croton on gpu" in says("--host", "gpu", *how[:2], "--host-croton", "no-such-croton")
    assert "there is no file absent.txt" in says("--host", "gpu", *how, "--with", "absent.txt")
    with monkeypatch.context() as without:
        without.setenv("PATH", str(tmp_path / "nothing"))
        assert "tar cannot be run here" in says("--host", "gpu", *how)
    (home / ".cache").write_text("in the way")
    assert "there can be no folder ~/.cache/croton/remote" in says("--host", "gpu", *how)


def test_sessions_that_find_no_room_stay_where_they_are(tmp_path, there, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home, how = there
    (tmp_path / "s.py").write_text("print(1)")
    recorder = tmp_path / "large"
    recorder.write_text("#!/bin/sh\nhead -c 300000 /dev/zero >s.croton\n")
    recorder.chmod(0o755)
    limited = ["bash", "-c", 'ulimit -S -f 64; exec "$@"', "_", str(BUILD / "bin/croton"), "profile", "--host", "gpu", *how[:2]]
    done = subprocess.run([*limited, "--host-croton", str(recorder), "s.py"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "is the disk full" in done.stderr and "they stay in ~/.cache/croton/remote" in done.stderr, done.stderr
    assert not (tmp_path / "s.croton").exists() and not list(tmp_path.glob(".croton-remote*"))
    assert [path.stat().st_size for path in home.glob(".cache/croton/remote/*/s.croton")] == [300000]


def test_a_stop_from_here_ends_the_recording_there(tmp_path, there, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(60)\n")
    program = [str(BUILD / "bin/croton"), "profile", "--host", "gpu", *there[1], "s.py"]
    run = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert run.stdout.readline() == "begun\n"
    os.killpg(run.pid, signal.SIGINT)
    _, error = run.communicate(timeout=60)
    assert run.returncode == 128 + signal.SIGTERM, error
    assert "terminated by SIGTERM" in dict(query("s.croton", "SELECT key, value FROM meta"))["end_reason"], error


def test_over_a_real_sshd(croton, tmp_path, monkeypatch):
    sshd = shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
    if not sshd or not shutil.which("ssh"):
        pytest.skip("openssh-server is missing")
    monkeypatch.chdir(tmp_path)
    for name in ("host", "own"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name], check=True)
    (tmp_path / "authorized").write_text((tmp_path / "own.pub").read_text())
    if os.geteuid() == 0:
        os.makedirs("/run/sshd", exist_ok=True)
    port = 20000 + os.getpid() % 20000
    (tmp_path / "config").write_text("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/authorized\nStrictModes no\n"
                                     "UsePAM no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\n" % (port, tmp_path, tmp_path))
    server = subprocess.Popen([sshd, "-D", "-e", "-f", str(tmp_path / "config")], stderr=subprocess.PIPE, text=True)
    try:
        ssh = "ssh -p %d -i %s/own -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes" % (port, tmp_path)
        for _ in range(100):
            if subprocess.run([*ssh.split(), "127.0.0.1", "true"], capture_output=True).returncode == 0:
                break
            if server.poll() is not None:
                pytest.skip("sshd does not start here: " + server.stderr.read()[-200:])
            time.sleep(0.1)
        else:
            pytest.skip("sshd lets nobody in here")
        (tmp_path / "s.py").write_text("import sys\nprint('over there')\nprint('a word of warning', file=sys.stderr)\n")
        done = croton("profile", "--host", "127.0.0.1", "--ssh", ssh, "--host-croton", BUILD / "bin/croton", "s.py")
        assert done.stdout == "over there\n" and "a word of warning" in done.stderr
        assert query("s.croton", "SELECT value FROM meta WHERE key = 'state'") == [("finished",)]
    finally:
        server.terminate()
        server.wait()
