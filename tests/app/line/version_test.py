"""Croton has one version: the command, the module and the packages say the same. Theano's stays what scripts compare with."""
import re
import subprocess
import sys
import tomllib

from conftest import BUILD, SOURCE


def test_the_command_the_module_and_the_packages_agree(croton, tmp_path):
    stated = re.search(r"^project\(Croton VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M).group(1)
    assert croton("--version").stdout.splitlines()[0] == "croton " + stated
    script = tmp_path / "versions.py"
    script.write_text("import croton, theano, theano.version\nprint(croton.__version__, theano.__version__, theano.version.version)\n")
    assert croton("run", script).stdout.split() == [stated, "1.0.5", "1.0.5"]
    alone = subprocess.run([sys.executable, "-c", "import croton; print(croton.__version__)"], env={"PYTHONPATH": str(BUILD / "python")},
                           capture_output=True, text=True)
    assert alone.stdout.strip() == stated, alone.stderr
    packages = (BUILD / "CPackConfig.cmake").read_text()
    assert re.search(r'set\(CPACK_PACKAGE_VERSION "(.*?)"\)', packages).group(1) == stated
    wheel = tomllib.loads((SOURCE / "pyproject.toml").read_text())
    assert "version" in wheel["project"]["dynamic"]
    where = wheel["tool"]["scikit-build"]["metadata"]["version"]
    assert re.search(where["regex"], (SOURCE / where["input"]).read_text()).group("value") == stated
