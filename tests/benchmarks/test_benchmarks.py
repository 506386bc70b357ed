"""The standard models, and the command that compares simulators on them."""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import nengo
import numpy as np
import pytest
from nengo.exceptions import SimulationError

import nengo_backend_tf
from nengo_backend_tf.benchmarks import MODELS, __main__
from nengo_backend_tf.benchmarks.measure import FIRST_STEPS, Candidate, Measurement, measure_model
from nengo_backend_tf.benchmarks.pendulum import START, Pendulum
from nengo_backend_tf.benchmarks.report import HEADER, as_data, format_rows

# nengo's own optimizer takes seconds on the larger models and changes nothing but speed.
REFERENCE = Candidate("nengo", partial(nengo.Simulator, optimize=False))

FIXED = (
    Measurement("nengo", 0.5, 0.01, (0.04, 0.2, 0.03), 5e-5, None),
    Measurement("nengo_backend_tf float64", 1.25, 0.5, (0.004, 0.004, 0.3), 1e-4, 3e-15),
)


def small_network():
    with nengo.Network(seed=0) as net:
        ensemble = nengo.Ensemble(10, 1)
        nengo.Connection(nengo.Node([0.5]), ensemble)
        nengo.Probe(ensemble, synapse=0.01)
    return net


class Shifted(nengo.Simulator):
    """A simulator whose results are off by 0.25."""

    def run_steps(self, *args, **kwargs):
        super().run_steps(*args, **kwargs)
        for probe in self.model.probes:
            values = self.model.params[probe]
            values[-1] = values[-1] + 0.25


class Batched(nengo.Simulator):
    """A simulator whose values have one axis more."""

    def step(self):
        super().step()
        for probe in self.model.probes:
            self.model.params[probe][-1] = np.ones((1, 1)) * self.model.params[probe][-1]


def run_reference(net, n_steps):
    with REFERENCE.simulator(net, progress_bar=False) as sim:
        sim.run_steps(n_steps)
        return [np.array(sim.data[probe]) for probe in net.probes]


@pytest.mark.parametrize("name", MODELS)
def test_runs_in_reference(name):
    data = run_reference(MODELS[name](), 10)
    assert data
    assert all(values.shape[0] == 10 and np.all(np.isfinite(values)) for values in data)


@pytest.mark.parametrize("name", MODELS)
def test_same_as_reference(name):
    own = Candidate("own", nengo_backend_tf.Simulator, dtype="float64")
    _, measured = measure_model(MODELS[name], [REFERENCE, own], steps=100, repeats=1, pause_s=0)
    assert measured.max_difference <= 1e-9


def test_closed_loops_share_no_state():
    first, second = (run_reference(MODELS["closed_loop_100"](), 50) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_closed_loop_resets():
    net = MODELS["closed_loop_100"]()
    probe = net.probes[0]
    with nengo.Simulator(net, progress_bar=False) as sim:
        sim.run_steps(50)
        before = np.array(sim.data[probe])
        sim.reset()
        sim.run_steps(50)
        np.testing.assert_array_equal(sim.data[probe], before)
    assert not np.allclose(before[-1], START)


def test_closed_loop_balances():
    net = MODELS["closed_loop_1000"]()
    angles = run_reference(net, 2000)[0][:, 0]
    assert np.max(np.abs(angles[-500:])) < 0.2 < angles[0]


def test_pendulum_falls():
    """Without a torque, a small angle grows as cosh(sqrt(g/l) t)."""
    pendulum = Pendulum()
    angles = [pendulum(0.001 * (i + 1), np.zeros(1))[0] for i in range(100)]
    np.testing.assert_allclose(angles[-1], START[0] * np.cosh(np.sqrt(9.8) * 0.1), rtol=0.01)


def test_import_brings_no_tensorflow():
    """The parent package stands in empty: what it imports itself is not at issue here."""
    program = (
        "import sys, types; package = types.ModuleType('nengo_backend_tf'); package.__path__ = [sys.argv[1]];"
        "sys.modules['nengo_backend_tf'] = package; import nengo_backend_tf.benchmarks.__main__;"
        "assert 'tensorflow' not in sys.modules"
    )
    folder = Path(__main__.__file__).parents[1]
    subprocess.run([sys.executable, "-c", program, str(folder)], check=True)


def test_measure():
    rc_before = nengo.rc.get("decoder_cache", "enabled"), nengo.rc.get("precision", "bits")
    candidates = [REFERENCE, Candidate("same", nengo.Simulator), Candidate("shifted", Shifted)]
    reference, same, shifted = measure_model(small_network, candidates, steps=20, repeats=3, pause_s=0)
    assert [m.name for m in (reference, same, shifted)] == ["nengo", "same", "shifted"]
    assert (reference.max_difference, same.max_difference) == (None, 0)
    assert shifted.max_difference == pytest.approx(0.25)
    for m in (reference, same, shifted):
        assert len(m.runs_s) == 3 and m.steady_s == np.median(m.runs_s)
        assert min(m.build_s, m.first_run_s, m.single_s, *m.runs_s) > 0
    assert (nengo.rc.get("decoder_cache", "enabled"), nengo.rc.get("precision", "bits")) == rc_before


def test_measure_takes_turns():
    calls = []

    def recorder(name):
        class Recorder(nengo.Simulator):
            def run_steps(self, steps, **kwargs):
                assert not nengo.rc.getboolean("decoder_cache", "enabled")
                calls.append((name, steps))
                super().run_steps(steps, **kwargs)

        return Candidate(name, Recorder)

    measure_model(small_network, [recorder("a"), recorder("b")], steps=20, repeats=2, pause_s=0)
    assert calls == [("a", FIRST_STEPS), ("b", FIRST_STEPS)] + 2 * [("a", 20), ("b", 20)]


def test_measure_refuses_other_shapes():
    with pytest.raises(SimulationError, match=r"other: the probe data .* Got \(320, 1, 1\), expected \(320, 1\)"):
        measure_model(small_network, [REFERENCE, Candidate("other", Batched)], steps=20, repeats=1, pause_s=0)


def test_table():
    assert HEADER.split() == "model simulator build s first run s steady ms ratio step us difference".split()
    first, second = format_rows("chain", FIXED).split("\n")
    assert first.split() == ["chain", "nengo", "0.50", "0.01", "40.00", "50"]
    assert second.split() == ["nengo_backend_tf", "float64", "1.25", "0.50", "4.00", "10.0", "100", "3e-15"]
    assert len(first) == len(second) == len(HEADER)


def test_data():
    reference, own = as_data(FIXED)
    assert reference["ratio"] == 1 and reference["max_difference"] is None
    assert own["ratio"] == pytest.approx(10) and own["runs_s"] == [0.004, 0.004, 0.3]
    assert json.loads(json.dumps([reference, own])) == [reference, own]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--model", "chain_5x200", "brain"], "invalid choice: 'brain' .*integrator_100.*chain_5x200"),
        (["--steps", "0"], "argument --steps: must be a positive whole number. Got '0'"),
        (["--repeats", "x"], "argument --repeats: must be a positive whole number. Got 'x'"),
        (["--simulator", "nengo.Emulator"], "'nengo.Emulator' must be an importable MODULE.CLASS"),
        (["--simulator", "Simulator"], "'Simulator' must be an importable MODULE.CLASS"),
        (["--simulator", "nengo_abacus.Simulator"], "'nengo_abacus.Simulator' must be .* No module named"),
    ],
)
def test_wrong_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as error:
        __main__.main(arguments)
    assert error.value.code == 2
    assert re.search(message, capsys.readouterr().err)


def test_json_that_cannot_be_written(small_command, tmp_path, capsys):
    with pytest.raises(SystemExit) as error:
        small_command(["--json", str(tmp_path / "missing" / "figures.json")])
    assert error.value.code == 2
    out, err = capsys.readouterr()
    assert not out and re.search("argument --json: .*figures.json' must be a file that can be written", err)


def test_openblas_warnings():
    assert not __main__.openblas_warnings({"PATH": "/bin"})
    (line,) = __main__.openblas_warnings({"OPENBLAS_CORETYPE": "Haswell"})
    assert "OPENBLAS_CORETYPE=Haswell slows down nengo.Simulator" in line


@pytest.fixture
def small_command(monkeypatch):
    """The command with small models, and the reference in the place of this backend."""
    monkeypatch.setattr(__main__, "_own_candidates", lambda: [Candidate("own", nengo.Simulator)])
    monkeypatch.setattr(__main__, "MODELS", {"small": small_network, "other": small_network})
    monkeypatch.setattr(__main__, "measure_model", partial(measure_model, pause_s=0))
    monkeypatch.setenv("OPENBLAS_L2_SIZE", "1")
    return __main__.main


def test_command_prints_table(small_command, capsys):
    assert small_command(["--model", "small", "--steps", "10", "--repeats", "1"]) == 0
    out, err = capsys.readouterr()
    header, reference, own = out.splitlines()
    assert header == HEADER
    assert reference.split()[:2] == ["small", "nengo"] and own.split()[0] == "own"
    assert "Warning: OPENBLAS_L2_SIZE=1" in err


def test_command_prints_json(small_command, capsys):
    arguments = ["--steps", "10", "--repeats", "2", "--simulator", "nengo.Simulator", "--json", "-"]
    assert small_command(arguments) == 0
    out, err = capsys.readouterr()
    data = json.loads(out)
    assert (data["steps"], data["repeats"], list(data["models"])) == (10, 2, ["small", "other"])
    assert [row["simulator"] for row in data["models"]["small"]] == ["nengo", "own", "nengo.Simulator"]
    assert HEADER in err


def test_command_writes_json(small_command, tmp_path, capsys):
    path = tmp_path / "figures.json"
    small_command(["--model", "small", "--steps", "10", "--repeats", "1", "--json", str(path)])
    assert list(json.loads(path.read_text())["models"]) == ["small"]
    assert HEADER in capsys.readouterr().out
