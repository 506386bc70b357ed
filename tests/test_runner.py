"""Scripts run by `nengo_backend_tf.runner`, beside the same scripts run by Python."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run_python(arguments, cwd):
    """Return exit code, output and error output of Python with these arguments."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def run_here(arguments, cwd):
    """Return the same for the runner."""
    return run_python(["-m", "nengo_backend_tf", *arguments], cwd)


SCRIPTS = {
    "ends": "print('done')",
    "raises": "def divide(x):\n    return 1 / x\n\ndivide(0)",
    "chains": (
        "try:\n    {}['a']\nexcept KeyError as error:\n"
        "    raise ValueError('no a') from error"
    ),
    "no syntax": "x = 1\n  y = 2",
    "missing import": "import no_such_module_anywhere",
    "exits with a code": "import sys\nsys.exit(7)",
    "exits with a message": "raise SystemExit('what went wrong')",
    "exits with nothing": "raise SystemExit",
    "own hook": (
        "import sys\n"
        "sys.excepthook = lambda kind, value, tb: print(kind, tb.tb_lineno)\n"
        "raise ValueError"
    ),
    "arguments": "import sys\nprint(sys.argv, sys.path[0])",
    "main module": (
        "import sys\n"
        "print(__name__, __file__, __package__, __spec__, __builtins__)\n"
        "print(vars(sys.modules['__main__']) is globals())"
    ),
    "thread and exit handler": (
        "import atexit, sys, threading, time\n"
        "def late():\n"
        "    time.sleep(0.1)\n"
        "    print(sys.modules['__main__'].late is late)\n"
        "atexit.register(late)\n"
        "threading.Thread(target=late).start()"
    ),
}


@pytest.mark.parametrize("source", SCRIPTS.values(), ids=SCRIPTS)
def test_script_runs_as_in_python(source, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "script.py").write_text(source)
    arguments = [os.path.join("folder", "script.py"), "-m", "--help", "x y"]

    assert run_here(arguments, tmp_path) == run_python(arguments, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="ends by a POSIX signal")
def test_interrupt_ends_as_in_python(tmp_path):
    (tmp_path / "script.py").write_text("raise KeyboardInterrupt")

    here = run_here(["script.py"], tmp_path)

    assert here == run_python(["script.py"], tmp_path)
    assert here[0] == -signal.SIGINT


def test_source_encoding_is_read(tmp_path):
    source = "# -*- coding: latin-1 -*-\nassert ascii('é') == \"'\\\\xe9'\""
    (tmp_path / "script.py").write_bytes(source.encode("latin-1"))

    assert run_here(["script.py"], tmp_path) == (0, "", "")


@pytest.mark.parametrize(
    "arguments", [["missing.py"], ["-m", "missing"], ["-m", "package"], ["-m", "a.b"]]
)
def test_missing_script_or_module_is_reported_as_by_python(arguments, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()

    here = run_here(arguments, tmp_path)

    assert here == run_python(arguments, tmp_path)
    assert here[0] == (2 if arguments == ["missing.py"] else 1)


def test_module_runs_as_in_python(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("import sys\nprint(sys.argv)")
    (package / "part.py").write_text("name = 'part'")
    (package / "__main__.py").write_text(
        "import sys\nfrom . import part\n"
        "print(part.name, __name__, __package__, __spec__.name, sys.argv, sys.path[0])"
    )
    arguments = ["-m", "package", "a", "-b"]

    here = run_here(arguments, tmp_path)

    assert here == run_python(arguments, tmp_path)
    assert here[0] == 0


def test_module_traceback_begins_at_the_module(tmp_path):
    (tmp_path / "module.py").write_text("raise ValueError('bad')")

    code, _, errors = run_here(["-m", "module"], tmp_path)

    assert code == 1
    assert errors.count("  File ") == 1
    assert str(tmp_path / "module.py") in errors
    assert errors.endswith("ValueError: bad\n")


@pytest.mark.parametrize(
    "arguments, code", [([], 2), (["--help"], 0), (["-h"], 0), (["-m"], 2), (["-x"], 2)]
)
def test_usage(arguments, code, tmp_path):
    got, output, errors = run_here(arguments, tmp_path)

    assert got == code
    assert "usage: nengo-tf script.py" in (errors if code else output)


BACKEND_SCRIPT = """
import json
import nengo
import nengo.simulator
from nengo import Simulator
from helper import HelperSimulator

class Stepper(nengo.Simulator):
    n_own_steps = 0

    def step(self):
        self.n_own_steps += 1
        super().step()

with nengo.Network(seed=0) as net:
    node = nengo.Node(lambda t: t)
    probe = nengo.Probe(node)

with nengo.Simulator(net, progress_bar=False) as sim:
    sim.run_steps(3)
with Stepper(net, progress_bar=False) as stepper:
    stepper.run_steps(3)

print(json.dumps({
    "modules": [cls.__module__ for cls in (
        nengo.Simulator, nengo.simulator.Simulator, Simulator, HelperSimulator
    )],
    "isinstance": [isinstance(s, nengo.Simulator) for s in (sim, stepper)],
    "data": sim.data[probe].ravel().tolist(),
    "n_own_steps": stepper.n_own_steps,
}))
"""


def test_every_way_to_name_the_simulator_is_this_backend(tmp_path):
    helper = "from nengo.simulator import Simulator as HelperSimulator"
    (tmp_path / "helper.py").write_text(helper)
    (tmp_path / "script.py").write_text(BACKEND_SCRIPT)

    code, output, errors = run_here(["script.py"], tmp_path)

    assert code == 0, errors
    result = json.loads(output)
    assert {name.partition(".")[0] for name in result["modules"]} == {
        "nengo_backend_tf"
    }
    assert result["isinstance"] == [True, True]
    assert result["data"] == pytest.approx([0.001, 0.002, 0.003])
    assert result["n_own_steps"] == 3
