"""Synapses: when they show what they were given, and what they make of it."""

import nengo
import numpy as np
import pytest
from comparing import compare, compiled, stepwise

SYNAPSES = {
    "none": None, "zero": 0, "tiny": 1e-5, "below dt": 3e-4, "dt": 1e-3, "lowpass": 0.004,
    "lowpass object": nengo.Lowpass(0.004), "alpha tiny": nengo.Alpha(1e-5), "alpha below dt": nengo.Alpha(3e-4),
    "alpha": nengo.Alpha(0.004), "triangle": nengo.synapses.Triangle(0.004), "triangle tiny": nengo.synapses.Triangle(1e-4),
    "gain": nengo.LinearFilter([2.0], [1.0]), "passthrough": nengo.LinearFilter([0.0001, 0, 0], [0.0001, 0.02, 1]),
    "zeros and poles": nengo.LinearFilter([1, 20], [0.0002, 0.03, 1]),
    "third order": nengo.LinearFilter([1.0], [1e-6, 3e-4, 3e-2, 1.0]),
    "euler": nengo.LinearFilter([1.0], [1e-4, 2e-2, 1.0], method="euler"),
    "digital": nengo.LinearFilter([0.3, 0.2], [1.0, -0.5], analog=False),
    "digital passthrough": nengo.LinearFilter([0.3, 0.2, 0.1], [1.0, -0.5, 0.1], analog=False),
    "digital delay": nengo.LinearFilter([1], [1, 0, 0, 0], analog=False),
}


def wave(t):
    return [np.sin(200 * t) + 2 * np.cos(777 * t), 1000 * t]


def on_nodes(synapse):
    """From Nodes to Nodes, and probed."""
    source, target = nengo.Node(wave), nengo.Node(size_in=2)
    nengo.Connection(source, target, synapse=synapse)
    nengo.Probe(target)
    nengo.Probe(source, synapse=synapse)


def on_neurons(synapse):
    """On what neurons get, and on what they put out."""
    ensemble = nengo.Ensemble(4, 1, neuron_type=nengo.RectifiedLinear(), gain=np.ones(4), bias=np.arange(4.0), radius=5)
    nengo.Connection(nengo.Node(wave)[0], ensemble, synapse=synapse)
    target = nengo.Node(size_in=4)
    nengo.Connection(ensemble.neurons, target, synapse=synapse)
    nengo.Connection(nengo.Node(wave), ensemble.neurons[:2], synapse=synapse, transform=[[1, 0.5], [-1, 1]])
    nengo.Probe(target)
    for attr in ("input", "output"):
        nengo.Probe(ensemble.neurons, attr, synapse=synapse)


def in_a_loop(synapse):
    """A value that is fed back; without a synapse, through an ensemble's own state."""
    if synapse is None:
        ensemble = nengo.Ensemble(12, 1)
        nengo.Connection(ensemble, ensemble, synapse=0.01)
        nengo.Connection(ensemble, ensemble.neurons[:1], synapse=0.1)
        nengo.Probe(ensemble)
        return
    node = nengo.Node(size_in=2)
    nengo.Connection(nengo.Node(wave), node, synapse=synapse)
    nengo.Connection(node, node, synapse=synapse, transform=[[0.5, 0.1], [-0.2, -0.3]])
    nengo.Probe(node)


def on_direct_and_functions(synapse):
    """After a function that is computed exactly, and into a function of Python."""
    ensemble = nengo.Ensemble(1, 2, neuron_type=nengo.Direct())
    node = nengo.Node(lambda t, x: 2 * x, size_in=2, size_out=2)
    nengo.Connection(nengo.Node(wave), ensemble, synapse=None)
    nengo.Connection(ensemble, node, function=lambda x: x**2, synapse=synapse)
    nengo.Probe(node)


def of_all_kinds(build, synapses):
    """All synapses in one network, so that what is alike is computed together."""
    with nengo.Network(seed=0) as net:
        for synapse in synapses:
            build(synapse)
    return net


#: One of each kind; `on_nodes` is tested with all.
FEW = [SYNAPSES[name] for name in ("none", "zero", "tiny", "lowpass", "alpha below dt", "triangle", "passthrough", "digital")]


@pytest.mark.parametrize("build", [on_neurons, in_a_loop, on_direct_and_functions])
def test_like_reference(build):
    compare(lambda: of_all_kinds(build, FEW), 20)


def test_every_synapse_is_a_step_late_and_none_is_not():
    given = np.array([wave(0.001 * (i + 1)) for i in range(12)])
    data = compare(lambda: of_all_kinds(on_nodes, SYNAPSES.values()), 12, backends=[stepwise])
    for i, synapse in enumerate(SYNAPSES.values()):
        for shown in data[2 * i : 2 * i + 2]:
            assert np.any(shown[0]) == (synapse is None), synapse
    by_name = dict(zip(SYNAPSES, data[::2]))
    np.testing.assert_array_equal(by_name["none"], given)
    for name, factor, delay in [("zero", 1, 1), ("tiny", 1, 1), ("triangle tiny", 1, 1), ("gain", 2, 1), ("digital delay", 1, 3)]:
        np.testing.assert_allclose(by_name[name][delay:], factor * given[:-delay], rtol=1e-12, err_msg=name)
        assert not by_name[name][:delay].any()


@pytest.mark.parametrize("dt", [0.001, 0.003])
def test_linear_filters_are_those_of_scipy(dt):
    """A passthrough comes a step later than SciPy has it, and all else in the same step."""
    signal = pytest.importorskip("scipy.signal")
    data = compare(lambda: of_all_kinds(on_nodes, SYNAPSES.values()), 40, dt=dt, backends=[compiled])
    given = np.array([wave(dt * (i + 1)) for i in range(40)])
    for (name, synapse), shown in zip(SYNAPSES.items(), data[::2]):
        if not isinstance(synapse, nengo.LinearFilter) or synapse.method != "zoh" or "below dt" in name or "tiny" in name:
            continue  # nengo takes the tiny ones for gains
        num, den = np.atleast_1d(synapse.num), np.atleast_1d(synapse.den)
        if synapse.analog:
            (num,), den, _ = signal.cont2discrete((num, den), dt)
        num = np.concatenate([np.zeros(len(den) - len(num)), num])
        expected = signal.lfilter(num, den, given, axis=0)
        if abs(num[0]) > 1e-12:
            expected = np.concatenate([np.zeros((1, 2)), expected[:-1]])
        np.testing.assert_allclose(shown, expected, rtol=0, atol=1e-6 * np.abs(expected).max(), err_msg=name)


def matrices():
    """Learned matrices of each kind, filtered by each synapse."""
    with nengo.Network(seed=0) as net:
        source = nengo.Node(wave)
        pre, post = nengo.Ensemble(10, 2), nengo.Ensemble(8, 2)
        nengo.Connection(source, pre, transform=[[1, 0], [0, 0.1]])
        decoders = nengo.Connection(pre, post, learning_rule_type=nengo.PES(1e-2))
        nengo.Connection(source, decoders.learning_rule)
        weights = nengo.Connection(
            pre.neurons, post.neurons, transform=np.full((8, 10), 1e-4), learning_rule_type=nengo.BCM(1e-9, theta_synapse=0.01)
        )
        encoders = nengo.Connection(source, post, learning_rule_type=nengo.Voja(learning_rate=1e-2, post_synapse=None))
        synapses = [None, 0, 0.01, nengo.Alpha(0.01), nengo.synapses.Triangle(0.005), SYNAPSES["third order"]]
        for target, what in ((decoders, "weights"), (weights, "weights"), (encoders.learning_rule, "scaled_encoders")):
            for i, synapse in enumerate(synapses):
                nengo.Probe(target, what, synapse=synapse, sample_every=0.002 if i % 2 else None)
    return net


def test_every_entry_of_a_matrix_is_filtered():
    data = compare(matrices, 20)
    for i, shape in enumerate([(2, 10), (8, 10), (8, 2)]):
        first, *rest = data[6 * i : 6 * i + 6]
        assert first.shape == (20, *shape) and all(x.shape[1:] == shape and x[-1].all() for x in rest)
        assert not np.allclose(first[0], first[-1], atol=1e-12)
