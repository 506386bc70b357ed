"""Which steps probes sample, over however many runs, and what forgetting the samples leaves as it is."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, assert_close, compare, simulate

PERIODS = (None, 0.001, 0.002, 0.0083333, 0.005, 0.0025, 0.05, 0.0005, 0.2)


def varied():
    """Something of each kind: spikes, filters, learning, functions of time and of values, noise."""
    with nengo.Network(seed=2) as net:
        net.time = nengo.Node(lambda t: [t, np.sin(30 * t)])
        pre, post = nengo.Ensemble(15, 1), nengo.Node(size_in=1)
        noise = nengo.Node(nengo.processes.FilteredNoise(seed=1), size_out=1)
        nengo.Connection(net.time[1], pre, synapse=nengo.Alpha(0.01))
        nengo.Connection(noise, pre, transform=0.1)
        learned = nengo.Connection(pre, post, learning_rule_type=nengo.PES(1e-4))
        nengo.Connection(post, learned.learning_rule, synapse=0.005)
        nengo.Connection(net.time[1], learned.learning_rule, transform=-1, synapse=None)
        net.probed = {
            "node": (net.time, None), "spikes": (pre.neurons, None), "decoded": (pre, None), "filtered": (post, 0.02),
            "weights": (learned, "weights"), "voltage": (pre.neurons, "voltage"), "noise": (noise, None),
        }
    return net


def sampled():
    """Every kind of probe, with several periods."""
    net = varied()
    with net:
        for i, (target, what) in enumerate(net.probed.values()):
            for period in (PERIODS[i % len(PERIODS)], PERIODS[(i + 3) % len(PERIODS)]):
                kwargs = {"attr": what} if isinstance(what, str) else {"synapse": what}
                nengo.Probe(target, sample_every=period, **kwargs)
    return net


PARTS = [(100,), (33, 1, 66), (7,) * 14 + (2,)]


@pytest.mark.parametrize("parts", PARTS, ids=lambda parts: f"{len(parts)} runs")
def test_samples_of_several_runs(parts):
    expected = compare(sampled, *parts)
    assert_close(expected, compare(sampled, 100, backends=()), 0)


@pytest.mark.parametrize("dt", [0.001, 0.0007, 1 / 11025])
def test_samples_are_of_the_times_that_trange_has(dt):
    with nengo.Network() as net:
        node = nengo.Node(lambda t: t)
        periods = [p for p in PERIODS if p is not None] + [1 / 8000, 3.5 * dt]
        for period in periods:
            nengo.Probe(node, sample_every=period)
    expected = compare(lambda: net, 57, 200, dt=dt, tolerance=0)
    for backend in BACKENDS:
        with backend(net, dt=dt) as sim:
            sim.run_steps(257)
            for period, data in zip(periods, expected):
                np.testing.assert_array_equal(data.ravel(), sim.trange(sample_every=period))


@pytest.mark.parametrize("backend", BACKENDS)
def test_forgetting_samples_changes_nothing_else(backend):
    """State, time, learning and the phase of sampling go on."""
    whole = simulate(backend, sampled, 15, 15)
    net = sampled()
    with backend(net) as sim:
        sim.run_steps(15)
        before = [len(sim.data[p]) for p in net.probes]
        sim.clear_probes()
        assert sim.n_steps == 15 and all(len(sim.data[p]) == 0 for p in net.probes)
        sim.run_steps(15)
        assert any(before)
        for probe, n, data in zip(net.probes, before, whole):
            np.testing.assert_array_equal(sim.data[probe], data[n:])
