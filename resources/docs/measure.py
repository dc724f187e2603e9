"""Runs the benchmarks that compare, and puts what they print into performance.md."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BENCHES = [("What a person feels first", "line.py"), ("Elementwise expressions", "elementwise.py"), ("Random numbers", "random_numbers.py"),
           ("Loops", "scan.py"), ("Training steps of networks", "networks.py"), ("Rows", "rows.py"),
           ("Against the same work by hand, NumPy and numexpr", "table.py"), ("What recording costs", "recording.py")]

BESIDE_JAX = ("networks.py", "rows.py")


def run(build, jax=None):
    """With `jax`, a Python that has JAX, rows and networks are set beside that, too."""
    environment = dict(os.environ, PYTHONPATH=str(build / "python"), CROTON_BUILD=str(build), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    environment.pop("OPENBLAS_CORETYPE", None)
    subprocess.run(["cmake", "--build", build, "--target", "table_bench", "limit_networks"], check=True, stdout=subprocess.DEVNULL)
    devices = subprocess.run([build / "bin" / "croton", "devices"], capture_output=True, text=True, check=True).stdout
    machine = dict(re.findall(r"^(\w+) +yes +(.*)$", devices, re.MULTILINE))
    text = "Measured on: %s; %s; %s. Load at the start: %.1f, on %d processors.\n" % (
        machine["cpu"], machine["level"], machine["blas"], os.getloadavg()[0], len(os.sched_getaffinity(0)))
    for title, file in BENCHES:
        words = ["--jax", jax] if jax and file in BESIDE_JAX else []
        if file == "rows.py" and not words:
            continue
        print("tests/bench/" + file, flush=True)
        bench = HERE.parents[1] / "tests" / "bench" / file
        done = subprocess.run(["/usr/bin/python3", bench, *words], capture_output=True, text=True, env=environment)
        if done.returncode:
            sys.exit("resources/docs: tests/bench/%s ended with an error, and the page stays as it was:\n%s" % (file, done.stderr))
        file += " --jax PYTHON" if words else ""
        text += "\n## %s\n\n`OMP_NUM_THREADS=1 PYTHONPATH=build/python /usr/bin/python3 tests/bench/%s`\n\n```text\n%s```\n" % (title, file, done.stdout.rstrip() + "\n")
    page = HERE / "performance.md"
    before, _, rest = page.read_text().partition("<!-- measured -->\n")
    page.write_text(before + "<!-- measured -->\n" + text + "\n<!-- /measured -->" + rest.partition("<!-- /measured -->")[2])
