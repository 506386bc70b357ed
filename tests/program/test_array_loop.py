"""Steps on the host as a whole: a few steps of a small network, one by one or in turns with compiled ones."""

import nengo
import numpy as np
import pytest

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.program.array_loop import ELEMENT, TENSORFLOW_CALL


def make_network(neuron_type=nengo.LIF()):
    with nengo.Network(seed=3) as net:
        u = nengo.Node(lambda t: np.sin(20 * t))
        a = nengo.Ensemble(30, 1, neuron_type=neuron_type, noise=nengo.processes.WhiteNoise(seed=1))
        b = nengo.Ensemble(20, 1, neuron_type=nengo.LIF(tau_rc=0.03, tau_ref=0.0023, amplitude=0.5))
        c = nengo.Ensemble(20, 1, neuron_type=nengo.LIF(tau_rc=0.01, tau_ref=0.0005))
        nengo.Connection(u, a)
        for ens in (b, c):
            learned = nengo.Connection(a, ens, learning_rule_type=nengo.PES())
            nengo.Connection(ens, learned.learning_rule)
        nengo.Connection(a, a, synapse=0.1)
        probes = [nengo.Probe(ens.neurons) for ens in (a, b, c)] + [nengo.Probe(a, synapse=0.01), nengo.Probe(learned, "weights")]
        probes += [nengo.Probe(b.neurons, name) for name in ("voltage", "refractory_time")]
    return net, probes


def check(net, probes, run, n_steps):
    with nengo.Simulator(net, progress_bar=False) as ref, Simulator(net, progress_bar=False) as sim:
        ref.run_steps(n_steps)
        run(sim)
        assert sim.n_steps == n_steps
        for probe in probes[:3]:
            assert np.array_equal(sim.data[probe] > 0, ref.data[probe] > 0)
        for probe in probes:
            np.testing.assert_allclose(sim.data[probe], ref.data[probe], atol=1e-9)
        return sim._engine.program if not sim.closed else None


NEURONS = [
    nengo.LIF(), nengo.LIF(min_voltage=-1), nengo.LIFRate(), nengo.AdaptiveLIF(), nengo.SpikingRectifiedLinear(),
    nengo.Izhikevich(), nengo.RegularSpiking(nengo.Sigmoid()),
]


@pytest.mark.parametrize("neuron_type", NEURONS, ids=str)
def test_step_by_step(neuron_type):
    net, probes = make_network(neuron_type)

    def run(sim):
        for _ in range(40):
            sim.step()
        assert sim._engine.program.on_arrays

    check(net, probes, run, 40)


def test_state_goes_over_between_host_and_device():
    net, probes = make_network()

    def run(sim):
        ways = []
        for n in (1, 150, 1, 1, 200, 1):
            sim.run_steps(n)
            ways.append(sim._engine.program.on_arrays)
        assert ways == [True, False, True, True, False, True]

    check(net, probes, run, 354)


def test_values_between_steps():
    net, _ = make_network()
    with nengo.Simulator(net, progress_bar=False) as ref, Simulator(net, progress_bar=False) as sim:
        for _ in range(10):
            ref.step()
            sim.step()
            for signal in sim.signals:
                theirs = [s for s in ref.signals if s.name == signal.name]
                if len(theirs) == 1 and not signal.sparse:
                    np.testing.assert_allclose(sim.signals[signal], ref.signals[theirs[0]], atol=1e-9, err_msg=str(signal))


@pytest.mark.parametrize("n", [1, 150])
def test_what_is_written_between_single_steps(n):
    """The compiled loop carries learned weights as sums, and voltages in a code; a write ends that, in the midst of NumPy's steps."""
    net, probes = make_network()
    (learned, *_) = [c for c in net.connections if c.learning_rule_type is not None]
    with nengo.Simulator(net, progress_bar=False) as ref, Simulator(net, progress_bar=False) as sim:
        for simulator in (ref, sim):
            for steps in (7, n, n):
                simulator.run_steps(steps) if steps > 7 else [simulator.step() for _ in range(steps)]
                weights = simulator.signals[simulator.model.sig[learned]["weights"]]
                weights[...] = weights * 0.5
            simulator.run_steps(20)
        for probe in probes:
            np.testing.assert_allclose(sim.data[probe], ref.data[probe], atol=1e-9)


def test_large_networks_stay_on_the_device():
    with nengo.Network(seed=0) as net:
        nengo.Ensemble(int(TENSORFLOW_CALL / ELEMENT), 1)
    with Simulator(net, progress_bar=False) as sim:
        sim.step()
        assert not sim._engine.program.on_arrays


def test_the_setting_keeps_steps_on_the_device():
    net, _ = make_network()
    with net:
        configure_settings(host_loop="tensorflow")
    with Simulator(net, progress_bar=False) as sim:
        sim.step()
        assert not sim._engine.program.on_arrays


@pytest.mark.parametrize("error_at", [0, 3])
def test_an_error_between_steps_loses_none(error_at):
    def fails(t):
        if round(t / 0.001) == error_at + 1:
            raise RuntimeError("as wanted")
        return t

    with nengo.Network(seed=0) as net:
        ens = nengo.Ensemble(10, 1)
        nengo.Connection(nengo.Node(fails), ens)
        probe = nengo.Probe(ens.neurons)
    with Simulator(net, progress_bar=False) as sim:
        for _ in range(error_at):
            sim.step()
        with pytest.raises(RuntimeError, match="as wanted"):
            sim.step()
        assert sim.n_steps == error_at and sim.data[probe].shape[0] == error_at


def test_state_goes_over_where_functions_are_called():
    """Whether few steps run or many, state is carried in one form."""
    with nengo.Network(seed=0) as net:
        a = nengo.Ensemble(30, 1)
        nengo.Connection(nengo.Node(lambda t: np.sin(20 * t)), a)
        back = nengo.Node(lambda t, x: x, size_in=1)
        nengo.Connection(a, back, synapse=0.01)
        nengo.Connection(back, a, synapse=0.01)
        probes = [nengo.Probe(a.neurons), nengo.Probe(a, synapse=0.01), nengo.Probe(back)]

    def run(sim):
        for n in (3, 100, 1, 3, 40):
            sim.run_steps(n)

    check(net, probes, run, 147)


def test_what_an_error_left_unused_serves_another_program():
    """Noise that was drawn for steps that did not run is not drawn again, whichever loop they then run in."""
    calls = []

    def fails_once(t, x):
        calls.append(t)
        if len(calls) == 3:
            raise ZeroDivisionError

    with nengo.Network(seed=0) as net:
        noise = nengo.Node(nengo.processes.WhiteNoise(), size_out=2)
        nengo.Connection(noise, nengo.Node(fails_once, size_in=2, size_out=0), synapse=None)
        nengo.Connection(noise, nengo.Ensemble(10, 2))
        probe = nengo.Probe(noise)
    with Simulator(net, progress_bar=False) as sim:
        with pytest.raises(ZeroDivisionError):
            sim.run_steps(4)
        assert sim.n_steps == 2 and sim._engine.program.on_arrays
        sim.run_steps(200)
        assert not sim._engine.program.on_arrays
        np.testing.assert_allclose(calls[:5], [0.001, 0.002, 0.003, 0.003, 0.004])
        got = sim.data[probe]
    with nengo.Simulator(net, progress_bar=False, optimize=False) as ref:
        ref.run_steps(202)
        np.testing.assert_array_equal(got, ref.data[probe])
