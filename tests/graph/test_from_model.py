"""A built model as nodes: which, in which order, and where Python functions are called."""

import nengo
import pytest
from nengo.builder import Model
from nengo.builder.probe import SimProbe
from nengo.exceptions import BuildError
from nengo.utils.graphs import toposort
from nengo.utils.simulator import operator_dependency_graph

from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.ops import nodes_of


def graph_of(net, dt=0.001):
    model = Model(dt=dt)
    model.build(net)
    return model, from_model(model, nodes_of)


def test_every_operator_is_there_in_the_order_of_nengo():
    with nengo.Network(seed=0) as net:
        a, b = nengo.Ensemble(5, 1), nengo.Ensemble(5, 1)
        nengo.Connection(nengo.Node(lambda t: t), a)
        nengo.Connection(a, b, synapse=0.01)
        nengo.Probe(b)
    model, graph = graph_of(net, dt=0.002)
    expected = [op for op in toposort(operator_dependency_graph(model.operators)) if not isinstance(op, SimProbe)]
    assert list(dict.fromkeys(node.op for node in graph.nodes)) == expected
    assert graph.dt == 0.002


def test_rules_are_asked_with_the_model():
    asked = []

    def rule(op, model):
        asked.append(model)
        return nodes_of(op, model)

    model = Model(dt=0.001)
    model.build(nengo.Network())
    from_model(model, rule)
    assert asked == [model] * len(model.operators)


def test_cycles_are_errors():
    with nengo.Network() as net:
        node = nengo.Node(size_in=1)
        nengo.Connection(node, node, synapse=None)
    with pytest.raises(BuildError, match="cycles"):
        graph_of(net)


class Environment:
    """State that the functions of two Nodes share."""

    def __init__(self):
        self.x = 0.0

    def see(self, t):
        return self.x

    def act(self, t, x):
        self.x = x[0]


def places(net):
    _, graph = graph_of(net)
    return {node.functions[0].__name__: node.where for node in graph.nodes if node.functions}


def test_functions_of_time_are_called_ahead():
    def alone(t):
        return t

    with nengo.Network() as net:
        nengo.Node(alone)
    assert places(net) == {"alone": "ahead"}


def test_unless_they_share_state_with_functions_of_values():
    def alone(t):
        return t

    shared = Environment()
    with nengo.Network() as net:
        seen, acting = nengo.Node(shared.see), nengo.Node(shared.act, size_in=1)
        nengo.Connection(seen, acting, synapse=0.01)
        nengo.Node(alone)
    assert places(net) == {"see": "host", "act": "host", "alone": "ahead"}


def test_functions_of_other_objects_stay_ahead():
    with nengo.Network() as net:
        seen, acting = nengo.Node(Environment().see), nengo.Node(Environment().act, size_in=1)
        nengo.Connection(seen, acting, synapse=0.01)
    assert places(net) == {"see": "ahead", "act": "host"}


def test_shared_state_is_seen_as_by_nengo():
    """The closed loop through an object gives what nengo.Simulator gives."""
    from nengo_backend_tf import Simulator

    data = []
    for make in (nengo.Simulator, Simulator):
        shared = Environment()
        with nengo.Network() as net:
            seen, acting, clock = nengo.Node(shared.see), nengo.Node(shared.act, size_in=1), nengo.Node(lambda t: t)
            nengo.Connection(seen, acting, synapse=None)
            nengo.Connection(clock, acting, synapse=None)
            probe = nengo.Probe(seen)
        with make(net, progress_bar=False) as sim:
            sim.run_steps(5)
            data.append(sim.data[probe].tolist())
    assert data[0] == data[1] and data[0][-1] != [0.0]
