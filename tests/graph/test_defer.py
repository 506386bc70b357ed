"""Which functions of values may be called after the steps of a chunk."""

import nengo
import numpy as np
from nengo.builder import Model

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.check import check_graph
from nengo_backend_tf.graph.defer import defer
from nengo_backend_tf.graph.flatten import flatten
from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.ops import nodes_of


class Shared:
    """State that two functions reach."""

    def __init__(self):
        self.value = 0.0

    def write(self, t, x):
        self.value = x[0]

    def read(self, t):
        return self.value

    def read_too(self, t, x):
        return self.value + x


def double(t, x):
    return 2 * x


def ramp(t):
    return t


def deferred(net, requested=()):
    """Functions that are called within the steps, and after them, by their names."""
    model = Model(dt=0.001)
    model.build(net)
    flat = flatten(from_model(model, nodes_of))
    flat = check_graph(defer(flat, [flat.final[model.sig[obj]["in" if isinstance(obj, nengo.Probe) else "out"].base] for obj in requested]), "defer")

    def names(kernels):
        return sorted(k.node.functions[0].__name__ for k in kernels if k.node.functions)

    return names(flat.kernels), names(flat.after)


def test_a_sink_is_deferred():
    with nengo.Network() as net:
        source, sink = nengo.Node(ramp), nengo.Node(double, size_in=1)
        nengo.Connection(source, sink, synapse=0.01)
    assert deferred(net) == ([], ["double"])
    assert deferred(net, [sink]) == ([], ["double"])


def test_what_the_steps_read_is_not_deferred():
    with nengo.Network() as net:
        source, node, ens = nengo.Node(ramp), nengo.Node(double, size_in=1), nengo.Ensemble(3, 1)
        nengo.Connection(source, node, synapse=0.01)
        nengo.Connection(node, ens)
    assert deferred(net) == (["double"], [])


def test_what_is_filtered_for_a_probe_is_not_deferred():
    with nengo.Network() as net:
        source, node = nengo.Node(ramp), nengo.Node(double, size_in=1)
        nengo.Connection(source, node, synapse=0.01)
        nengo.Probe(node, synapse=0.1)
    assert deferred(net) == (["double"], [])


def test_what_shares_state_with_a_function_of_time_is_not_deferred():
    shared = Shared()
    with nengo.Network() as net:
        source, sink, ens = nengo.Node(ramp), nengo.Node(shared.write, size_in=1), nengo.Ensemble(3, 1)
        nengo.Connection(source, sink, synapse=0.01)
        seen = nengo.Node(shared.read)
        nengo.Connection(seen, ens)
    assert deferred(net) == (["read", "write"], [])


def test_all_that_share_state_are_deferred_where_nothing_reads_them():
    shared = Shared()
    with nengo.Network() as net:
        source, sink = nengo.Node(ramp), nengo.Node(shared.write, size_in=1)
        nengo.Connection(source, sink, synapse=0.01)
        seen = nengo.Node(shared.read)
    assert deferred(net, [seen]) == ([], ["read", "write"])


def test_what_shares_state_with_a_function_within_is_not_deferred():
    shared = Shared()
    with nengo.Network() as net:
        source, sink, node = nengo.Node(ramp), nengo.Node(shared.write, size_in=1), nengo.Node(shared.read_too, size_in=1)
        nengo.Connection(source, sink, synapse=0.01)
        nengo.Connection(source, node, synapse=0.01)
        nengo.Connection(node, node, synapse=0.01)
    assert deferred(net) == (["read_too", "write"], [])


def test_sinks_that_share_state_are_deferred_together():
    shared = Shared()
    with nengo.Network() as net:
        source, sink, other = nengo.Node(ramp), nengo.Node(shared.write, size_in=1), nengo.Node(shared.read_too, size_in=1)
        nengo.Connection(source, sink, synapse=0.01)
        nengo.Connection(source, other, synapse=0.01)
    assert deferred(net) == ([], ["read_too", "write"])


def test_a_recording_that_mixes_is_not_deferred():
    """What is recorded is computed from a deferred function's outputs alone, or not at all."""
    with nengo.Network() as net:
        source, sink = nengo.Node(ramp), nengo.Node(double, size_in=1)
        nengo.Connection(source, sink, synapse=0.01)
    model = Model(dt=0.001)
    model.build(net)
    flat = flatten(from_model(model, nodes_of))
    mixed = aff.add(flat.final[model.sig[sink]["out"]], flat.final[model.sig[source]["out"]])
    assert defer(flat, [mixed]).after == ()
    assert len(defer(flat, [aff.add(flat.final[model.sig[sink]["out"]], aff.constant(np.ones(1)))]).after) == 1


def test_a_graph_without_sinks_stays():
    with nengo.Network() as net:
        nengo.Node(ramp)
    model = Model(dt=0.001)
    model.build(net)
    flat = flatten(from_model(model, nodes_of))
    assert defer(flat, []) is flat
