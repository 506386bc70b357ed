"""Several simulators of one network, and what changes of the network mean for those that were built before."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, assert_close, stepwise, compare, compiled, reference

from nengo_backend_tf import Simulator


def network():
    with nengo.Network(seed=0, label="changing") as net:
        net.constant, net.function = nengo.Node([0.4]), nengo.Node(lambda t: np.sin(80 * t))
        net.pre, net.post = nengo.Ensemble(15, 1), nengo.Ensemble(12, 1)
        net.out = nengo.Node(size_in=1)
        net.first = nengo.Connection(net.constant, net.pre)
        net.second = nengo.Connection(net.function, net.pre, synapse=0.01)
        net.third = nengo.Connection(net.pre, net.post, function=np.square)
        net.learned = nengo.Connection(net.post, net.out, learning_rule_type=nengo.PES(1e-3))
        nengo.Connection(net.out, net.learned.learning_rule)
        net.probe = nengo.Probe(net.out, synapse=0.01)
        net.spikes = nengo.Probe(net.pre.neurons)
    return net


def test_in_turns():
    """Simulators of both kinds, of several timesteps and seeds, and closed ones among them."""
    net = network()
    settings = [{}, {"dt": 0.002, "seed": 7}]
    with compiled(net) as closed_first:
        closed_first.run_steps(3)
    sims = [make(net, **kwargs) for make in (reference, stepwise, compiled) for kwargs in settings]
    try:
        for steps in (1, 4, 2, 6):
            for sim in sims:
                sim.run_steps(steps)
        sims[2].reset()
        sims[2].run_steps(13)
        data = [[sim.data[p] for p in (net.probe, net.spikes)] for sim in sims]
        for i in range(len(settings)):
            assert_close(data[2 + i], data[i])
            assert_close(data[4 + i], data[i])
    finally:
        for sim in sims:
            sim.close()


def test_arguments_by_name():
    """All that nengo.Simulator has."""
    net = network()
    arguments = dict(network=net, dt=0.002, seed=3, model=None, progress_bar=False, optimize=False)
    with nengo.Simulator(**arguments) as ref, Simulator(**arguments) as sim:
        for s in (ref, sim):
            s.run_steps(20)
        np.testing.assert_allclose(sim.data[net.probe], ref.data[net.probe], rtol=0, atol=1e-12)


def other_outputs(net):
    net.constant.output = lambda t: -4.0
    net.function.output = [-0.9]


def written_into_output(net):
    """The array that a constant Node has."""
    net.constant.output[...] = 5


def other_parameters(net):
    net.pre.neuron_type = nengo.RectifiedLinear()
    net.post.radius = 3.0
    net.pre.max_rates = nengo.dists.Choice([50])
    net.second.synapse = nengo.Alpha(0.1)
    net.first.transform = -2
    net.third.function = lambda x: -x


def more_objects(net):
    with net:
        late = nengo.Node([1.0])
        nengo.Connection(late, net.pre, transform=5, synapse=None)
        nengo.Connection(net.out, net.pre)


def fewer_objects(net):
    net.connections.remove(net.first)
    net.connections.remove(net.third)


def other_seeds(net):
    net.seed = 99
    net.pre.seed = 5


CHANGES = [other_outputs, written_into_output, other_parameters, more_objects, fewer_objects, other_seeds]


def results(simulator, change):
    """Data of a simulator before and after a change of the network, and after a reset."""
    net = network()
    with simulator(net) as sim:
        sim.run_steps(6)
        change(net)
        sim.run_steps(6)
        runs = [sim.data[p].copy() for p in (net.probe, net.spikes)]
        sim.reset()
        sim.run_steps(6)
        return runs + [sim.data[p].copy() for p in (net.probe, net.spikes)]


def changed(change):
    net = network()
    change(net)
    return net


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_for_later_simulators(change):
    unchanged, later = compare(network, 12, backends=()), compare(lambda: changed(change), 12, backends=())
    assert not all(np.array_equal(x, y) for x, y in zip(later, unchanged))
    expected = results(reference, change)
    for x, y in zip(expected, unchanged):
        np.testing.assert_array_equal(x, y)
    for backend in BACKENDS:
        assert_close(results(backend, change), expected)


def test_probes_added_after_the_build_are_unknown():
    """To the simulator that was built before, with the same error as the reference's."""
    for simulator in (reference, *BACKENDS):
        net = network()
        with simulator(net) as sim:
            sim.run_steps(2)
            with net:
                late = nengo.Probe(net.pre)
            with pytest.raises(KeyError):
                sim.data[late]


LABELS = ["", None, "same", "same", "ä ñ 你", "a/b:c.d {x}%s"]


def labelled():
    """Objects with odd labels, of which some are equal."""
    with nengo.Network(seed=0, label="") as net:
        source = nengo.Node(lambda t: np.sin(90 * t), label="same")
        for label in LABELS:
            with nengo.Network(label=label):
                relay = nengo.Node(lambda t, x: 2 * x, size_in=1, label=label)
                ensemble = nengo.Ensemble(10, 1, label=label)
                nengo.Connection(source, relay, label=label, synapse=None)
                learned = nengo.Connection(relay, ensemble, label=label, learning_rule_type=nengo.Voja())
                nengo.Probe(ensemble, synapse=0.01, label=label)
                nengo.Probe(learned.learning_rule, "scaled_encoders", label=label)
    return net


def test_labels_are_only_labels():
    compare(labelled, 15)
    for backend in BACKENDS:
        with backend(labelled()) as sim:
            assert "same" in sim.plan
