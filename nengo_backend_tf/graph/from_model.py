"""A built nengo model as a Graph: one node an operator, in an order in which nengo would run them."""

from dataclasses import replace

from nengo.builder.probe import SimProbe
from nengo.utils.graphs import toposort
from nengo.utils.simulator import operator_dependency_graph

from .node import Graph
from .sharing import tied


def from_model(model, nodes_of):
    """Turn the operators of a model into nodes.

    Parameters
    ----------
    model : nengo.builder.Model
    nodes_of : callable
        ``(op, model) -> tuple of Node``, the rules.

    Returns
    -------
    Graph
    """
    order = toposort(operator_dependency_graph(model.operators))
    nodes = [node for op in order if type(op) is not SimProbe for node in nodes_of(op, model)]
    return Graph(place_functions(nodes), model.dt)


def place_functions(nodes):
    """Move functions of time alone into the steps, where they share state with functions of values.

    Functions that are evaluated ahead are called in the order of the steps, and within a step in nengo's order, so that
    they may share state with each other.
    """
    calling = [i for i, node in enumerate(nodes) if node.functions]
    inside = {i for i in calling if nodes[i].where == "host"}
    if not inside or len(inside) == len(calling):
        return tuple(nodes)
    functions = [(i, f) for i in calling for f in nodes[i].functions]
    placed = list(nodes)
    for component in tied([f for _, f in functions]):
        members = {functions[k][0] for k in component}
        if members & inside:
            for i in members - inside:
                placed[i] = replace(nodes[i], where="host")
    return tuple(placed)
