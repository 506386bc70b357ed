"""``sim.signals``: values of all signals, and what comes of writing into them."""

import nengo
import numpy as np
import pytest
from nengo.builder.processes import SimProcess
from nengo.exceptions import SignalError

from nengo_backend_tf import Simulator, configure_settings


def simulator(net, **kwargs):
    return Simulator(net, progress_bar=False, **kwargs)


def network(seed=0):
    with nengo.Network(seed=seed) as net:
        net.u = nengo.Node(lambda t: [np.sin(30 * t), t])
        net.constant = nengo.Node([0.5])
        net.ens = nengo.Ensemble(12, 2)
        net.post = nengo.Ensemble(10, 1, neuron_type=nengo.LIFRate())
        net.node = nengo.Node(lambda t, x: x + t, size_in=1)
        nengo.Connection(net.u, net.ens)
        net.function = nengo.Connection(net.ens[0], net.post, function=lambda x: x**2, synapse=0.02)
        nengo.Connection(net.post, net.node, synapse=nengo.Alpha(0.01))
        nengo.Connection(net.node, net.ens[1], synapse=None)
        nengo.Connection(net.constant, net.node, synapse=None)
        net.learned = nengo.Connection(net.ens, net.post, function=lambda x: 0, learning_rule_type=nengo.PES())
        nengo.Connection(net.post, net.learned.learning_rule)
        net.probe = nengo.Probe(net.node, synapse=0.01)
        net.output = nengo.Probe(net.node)
    return net


@pytest.mark.parametrize("steps", [(0,), (1,), (4,), (2, 3)])
def test_values_of_all_signals(steps):
    with simulator(network()) as sim:
        with nengo.Simulator(None, model=sim.model, progress_bar=False, optimize=False, seed=sim.seed) as ref:
            for n in filter(None, steps):
                sim.run_steps(n)
                ref.run_steps(n)
            assert set(ref.signals) <= set(sim.signals)
            for signal in ref.signals:
                got, expected = sim.signals[signal], ref.signals[signal]
                assert got.shape == expected.shape and got.dtype == expected.dtype, signal
                np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12, err_msg=str(signal))


@pytest.mark.parametrize("connected", [True, False])
def test_values_of_processes(connected):
    with nengo.Network(seed=0) as net:
        for process in (
            nengo.processes.WhiteNoise(),
            nengo.processes.FilteredNoise(),
            nengo.processes.WhiteSignal(1.0, 10),
            nengo.processes.PresentInput([[1.0], [2.0]], 0.002),
        ):
            node = nengo.Node(process, size_out=1)
            if connected:
                nengo.Probe(node, synapse=0.01)
    with simulator(net) as sim:
        with nengo.Simulator(None, model=sim.model, progress_bar=False, optimize=False, seed=sim.seed) as ref:
            for s in (sim, ref):
                s.run_steps(5)
            for signal in ref.signals:
                np.testing.assert_allclose(sim.signals[signal], ref.signals[signal], rtol=0, atol=1e-12, err_msg=str(signal))


def test_values_in_another_precision():
    net = network()
    with net:
        configure_settings(dtype="float32")
    with simulator(net) as sim:
        sim.run_steps(2)
        assert sim.signals[sim.model.sig[net.ens.neurons]["voltage"]].dtype == np.float32
        assert sim.signals[sim.model.step].dtype == sim.model.step.dtype


def test_minibatch_axis():
    net = network()
    with simulator(net, minibatch_size=3) as sim:
        sim.run_steps(2, data={net.constant: np.array([0.0, 1.0, 2.0])[:, None, None] * np.ones((3, 2, 1))})
        assert sim.signals[sim.model.sig[net.ens.neurons]["voltage"]].shape == (3, 12)
        out = sim.signals[sim.model.sig[net.node]["out"]]
        np.testing.assert_allclose(out[1] - out[0], 1, atol=1e-6)
        np.testing.assert_allclose(out, sim.data[net.output][:, -1])


def test_mapping():
    with simulator(network()) as sim:
        assert len(sim.signals) == len(list(sim.signals))
        assert all(s in sim.signals and s.base in sim.signals for s in sim.signals)
        with pytest.raises(KeyError):
            sim.signals[nengo.builder.Signal(np.zeros(1), name="other")]
        assert repr(sim.model.step) in str(sim.signals)


def test_arrays_are_live():
    net = network()
    with simulator(net) as sim:
        voltage = sim.signals[sim.model.sig[net.ens.neurons]["voltage"]]
        output = sim.signals[sim.model.sig[net.node]["out"]]
        time = sim.signals[sim.model.time]
        before = voltage.copy()
        sim.run_steps(5)
        assert not np.allclose(voltage, before)
        np.testing.assert_array_equal(output, sim.data[net.output][-1])
        assert time == sim.time == 0.005
        sim.step()
        np.testing.assert_array_equal(output, sim.data[net.output][-1])
        sim.reset()
        np.testing.assert_array_equal(voltage, before)
        assert time == 0


def write(net, key, value):
    """Run both simulators, write a value into a signal of each, and run on: (probe data, reference's)."""
    with simulator(net) as sim:
        with nengo.Simulator(None, model=sim.model, progress_bar=False, optimize=False, seed=sim.seed) as ref:
            results = []
            for s in (sim, ref):
                s.run_steps(3)
                s.signals[key(sim.model)][...] = value
                s.run_steps(6)
                results.append({probe: np.array(s.data[probe]) for probe in net.probes})
            results.append({probe: simulated_without_writing(net, probe) for probe in net.probes})
    return results


def simulated_without_writing(net, probe):
    with nengo.Simulator(net, progress_bar=False, optimize=False) as ref:
        ref.run_steps(9)
        return np.array(ref.data[probe])


SIGNALS = {
    "state": lambda net: lambda model: model.sig[net.ens.neurons]["voltage"],
    "refractory time": lambda net: lambda model: model.sig[net.ens.neurons]["refractory_time"],
    "input that is held": lambda net: lambda model: model.sig[net.constant]["out"],
    "learned weights": lambda net: lambda model: model.sig[net.learned]["weights"],
    "encoders": lambda net: lambda model: model.sig[net.post]["encoders"].base,
    "bias": lambda net: lambda model: model.sig[net.ens.neurons]["bias"].base,
    "clock": lambda net: lambda model: model.step,
}


@pytest.mark.parametrize("name", SIGNALS)
def test_writing(name):
    net = network()
    key = SIGNALS[name](net)
    if name in ("encoders", "bias"):
        with simulator(net) as sim:
            readonly = key(sim.model).readonly
        if readonly:
            with pytest.raises(ValueError, match="read-only"):
                write(net, key, 0.25)
            return
    got, expected, unwritten = write(net, key, 7 if name == "clock" else 0.25)
    assert any(not np.allclose(expected[p], unwritten[p], atol=1e-6) for p in net.probes), "the write had no effect"
    for probe in net.probes:
        np.testing.assert_allclose(got[probe], expected[probe], rtol=0, atol=1e-10, err_msg=str(probe))


def test_writing_a_filter_state():
    """A filter's state and its output are held as one, until one of them is written to."""
    with nengo.Network(seed=0) as net:
        u = nengo.Node([1.0])
        nengo.Probe(u, synapse=0.01)
    with simulator(net) as sim:
        with nengo.Simulator(None, model=sim.model, progress_bar=False, optimize=False) as ref:
            (state,) = [op.state["X"] for op in sim.model.operators if isinstance(op, SimProcess)]
            for s in (sim, ref):
                s.run_steps(2)
                s.signals[state][...] = 5.0
                s.run_steps(3)
            for signal in ref.signals:
                np.testing.assert_allclose(sim.signals[signal], ref.signals[signal], rtol=0, atol=1e-12, err_msg=str(signal))
            (probe,) = net.probes
            np.testing.assert_allclose(sim.data[probe], ref.data[probe], rtol=0, atol=1e-12)


def test_assignment():
    net = network()
    with simulator(net) as sim:
        sim.run_steps(2)
        voltage = sim.model.sig[net.ens.neurons]["voltage"]
        sim.signals[voltage] = np.full(12, 0.5)
        np.testing.assert_array_equal(sim.signals[voltage], 0.5)
        with pytest.raises(ValueError, match="could not broadcast"):
            sim.signals[voltage] = np.zeros(5)


def test_writing_into_a_view():
    """A part of a signal is written; the rest of it stays."""
    with nengo.Network(seed=0) as net:
        u = nengo.Node([1.0, 2.0, 3.0])
        probe = nengo.Probe(u)
    with simulator(net) as sim:
        out = sim.model.sig[u]["out"]
        sim.run_steps(1)
        sim.signals[out][1] = 9
        sim.run_steps(2)
        np.testing.assert_array_equal(sim.data[probe], [[1, 2, 3], [1, 9, 3], [1, 9, 3]])
        sim.reset()
        sim.run_steps(1)
        np.testing.assert_array_equal(sim.data[probe], [[1, 2, 3]])


def test_what_is_computed_anew_in_each_step_forgets_what_was_written():
    net = network()
    with simulator(net) as sim, simulator(net) as untouched:
        sim.run_steps(2)
        sim.signals[sim.model.sig[net.ens.neurons]["out"]][...] = 100
        sim.signals[sim.model.sig[net.u]["out"]][...] = 100
        sim.run_steps(3)
        untouched.run_steps(5)
        np.testing.assert_array_equal(sim.data[net.probe], untouched.data[net.probe])


def test_read_only_signals():
    with simulator(network()) as sim:
        found = [s for s in sim.signals if s.readonly and not s.sparse]
        assert found
        for signal in found[:5]:
            with pytest.raises(ValueError, match="read-only"):
                sim.signals[signal][...] = 0
            with pytest.raises(SignalError, match="read-only"):
                sim.signals[signal] = 0
