"""Functions of Nodes are called once a step, in order, whatever they return and whoever reads it."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, compare, reference


def of_nothing(log):
    """Returns nothing, with no output declared."""
    return nengo.Node(lambda t: log.append(t), size_in=0, size_out=0)


def returning_nothing(log):
    """Returns nothing, which Nengo notices by calling it."""
    return nengo.Node(lambda t: log.append(t))


def unread(log):
    return nengo.Node(lambda t: log.append(t) or 1.0)


def unread_with_input(log):
    node = nengo.Node(lambda t, x: log.append((t, *x)) or x, size_in=2, size_out=2)
    nengo.Connection(nengo.Node(lambda t: t), node[1], synapse=None)
    return node


def sink(log):
    node = nengo.Node(lambda t, x: log.append((t, *x)), size_in=1)
    nengo.Connection(nengo.Node(lambda t: t), node, synapse=None)
    return node


def unconnected_sink(log):
    return nengo.Node(lambda t, x: log.append((t, *x)), size_in=1, size_out=0)


def sink_of_neurons(log):
    node = nengo.Node(lambda t, x: log.append((t, *x)), size_in=4, size_out=0)
    neurons = nengo.Ensemble(4, 1, gain=np.ones(4), bias=np.arange(4.0), neuron_type=nengo.RectifiedLinear()).neurons
    nengo.Connection(neurons, node, synapse=None)
    return node


def read_half(log):
    """Only a part of the output is read."""
    node = nengo.Node(lambda t: log.append(t) or [t, -t])
    nengo.Connection(node[1], nengo.Node(size_in=1), synapse=None)
    return node


KINDS = [
    of_nothing, returning_nothing, unread, unread_with_input, sink, unconnected_sink, sink_of_neurons, read_half,
]


def called(simulator, kind):
    """What a function was called with, over several runs; the calls of nengo's builder do not count."""
    log = []
    with nengo.Network(seed=0) as net:
        kind(log)
    with simulator(net) as sim:
        del log[:]
        sim.run_steps(7)
        sim.step()
        sim.run_steps(3)
    return log


@pytest.mark.parametrize("kind", KINDS)
def test_called_once_a_step(kind):
    expected = called(reference, kind)
    assert [np.atleast_1d(call)[0] for call in expected] == list(0.001 * np.arange(1, 12))
    for backend in BACKENDS:
        assert called(backend, kind) == expected


@pytest.mark.parametrize("simulator", BACKENDS)
@pytest.mark.parametrize("change", ["in place", "replaced", "returned"])
def test_what_a_function_does_to_its_input_stays_with_it(simulator, change):
    """Neither the value that others read, nor that of the next step, is the array which the function got."""
    def meddle(t, x):
        if change == "replaced":
            x = 10 * x
        else:
            x *= 10
        x[0] = -t
        return x if change == "returned" else x.copy()

    with nengo.Network(seed=0) as net:
        source, relay = nengo.Node([1.0, 2.0]), nengo.Node(size_in=2)
        nengo.Connection(source, relay, synapse=None)
        first, second = (nengo.Node(meddle, size_in=2, size_out=2) for _ in range(2))
        for node in (first, second):
            nengo.Connection(relay, node, synapse=None)
        untouched, one, two = nengo.Probe(relay), nengo.Probe(first), nengo.Probe(second)
    with simulator(net) as sim:
        sim.run_steps(5)
        np.testing.assert_array_equal(sim.data[untouched], [[1, 2]] * 5)
        for probe in (one, two):
            np.testing.assert_array_equal(sim.data[probe], [[-t, 20] for t in sim.trange()])


def fanned_out():
    """A chain of passthrough Nodes, into which two are summed, and which many read."""
    with nengo.Network(seed=0) as net:
        sources = nengo.Node(lambda t: 1000 * t), nengo.Node(5.0)
        chain = [nengo.Node(size_in=1) for _ in range(3)]
        for source in sources:
            nengo.Connection(source, chain[0], synapse=None)
        for pre, post in zip(chain, chain[1:]):
            nengo.Connection(pre, post, transform=2, synapse=None)
        for link in chain:
            for synapse in (None, 0, 0.01):
                end = nengo.Node(size_in=1)
                nengo.Connection(link, end, synapse=synapse)
                nengo.Probe(end)
            nengo.Connection(link, nengo.Ensemble(5, 1, label="reader"), synapse=None)
            nengo.Probe(link, synapse=0.005)
            nengo.Probe(nengo.Node(lambda t, x: x + 1, size_in=1, size_out=1), label="not connected")
    return net


def test_all_readers_of_passthrough_nodes_get_the_sum():
    data = compare(fanned_out, 6)
    total = np.arange(1, 7) + 5.0
    for i, factor in enumerate((1, 2, 4)):
        at_once, a_step_later = (x[:, 0] for x in data[5 * i : 5 * i + 2])
        np.testing.assert_allclose(at_once, factor * total)
        np.testing.assert_allclose(a_step_later, [0, *factor * total[:-1]])


@pytest.mark.parametrize("dt", [0.001, 0.0003, 0.01])
def test_times_after_many_steps(dt):
    """Sums of floats would drift, and single precision move a switch by a step."""
    switches = [0.3, 0.7, 1.1]

    def network():
        with nengo.Network() as net:
            nengo.Probe(nengo.Node(lambda t: [t < s for s in switches] + [int(t / 0.1), t % 0.05]))
            node = nengo.Node(lambda t, x: [int(t / 0.1), t], size_in=1, size_out=2)
            nengo.Connection(node[0], node, synapse=0)
            nengo.Probe(node)
        return net

    compare(network, 2100, 150, dt=dt, tolerance=0)
