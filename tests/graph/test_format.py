"""What is printed for a person: how steps run, which functions are called where, and how many of what there is."""

import re

import nengo
import numpy as np
import pytest
from nengo.builder import Signal

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.affine import Affine, Term
from nengo_backend_tf.graph.format import format_affine, format_graph, format_layout, format_plan, format_program, format_shape
from nengo_backend_tf.graph.node import Carried, FlatGraph, Kernel, Node, Output, Value

FLOAT = np.dtype(float)


def ramp(t):
    return np.sin(t)


def twice(t, x):
    return 2 * x


def watch(t, x):
    watch.last = float(x[0])


def program_of(middle=False, sink=False, **settings):
    """The program of two ensembles, with a function between them, and one that only consumes, or without."""
    with nengo.Network(seed=0) as net:
        configure_settings(**settings)
        u, a, b = nengo.Node(ramp), nengo.Ensemble(10, 1), nengo.Ensemble(10, 1)
        nengo.Connection(u, a)
        nengo.Connection(a, b)
        if middle:
            node = nengo.Node(twice, size_in=1)
            nengo.Connection(a, node)
            nengo.Connection(node, b)
        if sink:
            nengo.Connection(b, nengo.Node(watch, size_in=1))
        nengo.Probe(b, synapse=0.01)
    with Simulator(net, progress_bar=False) as sim:
        assert sim.plan == format_program(sim._engine.program)
        return sim._engine.program


def lines_with(text, *words):
    return [line for line in text.splitlines() if all(word in line for word in words)]


def test_functions_are_named_by_where_they_are_called():
    text = format_program(program_of(middle=True, host_loop="tensorflow"))
    assert len(lines_with(text, "evaluated ahead", "'ramp'")) == 1
    assert len(lines_with(text, "called on the host", "'twice'")) == 1
    assert "a loop with 1 host calls a step" in text and "NumPy" not in text
    assert lines_with(text, "'twice'")[0].startswith("  steps run one by one because of ")
    assert (text.count("'ramp'"), text.count("'twice'")) == (1, 2)


def test_deferred_functions_are_named():
    program = program_of(sink=True)
    text = format_program(program)
    assert text.startswith("a compiled loop, up to")
    assert len(lines_with(text, "called after the steps of a chunk", "'watch'")) == 1
    assert len(lines_with(format_graph(program.flat), "  after ", "'watch'", "of (v")) == 1
    assert "called on the host" not in text


def test_a_program_without_functions_of_values_names_none():
    text = format_program(program_of())
    assert text.startswith("a compiled loop, up to") and not lines_with(text, "called ")


def test_a_loop_on_the_host_is_said_to_be_one():
    program = program_of(middle=True)
    assert program.on_arrays
    assert "runs on the host as a whole, with NumPy" in format_program(program).splitlines()[0]


@pytest.mark.parametrize("middle", [False, True])
def test_counts(middle):
    program = program_of(middle=middle, host_loop="tensorflow")
    flat, layout = program.flat, program.layout
    text = format_plan(layout)
    assert text.splitlines()[0] == f"plan: {len(layout.groups)} groups for {len(flat.kernels)} kernels"
    groups = [line for line in text.splitlines() if "->" in line and "called on" not in line]
    assert len(groups) == len(layout.groups)
    counted = [sum(int(n) for n in re.findall(r"(\d+) [A-Z]\w+", line.split(" -> ")[0])) for line in groups]
    assert counted == [sum(len(k.nodes) for k in group.kernels) for group in layout.groups]
    assert len(lines_with(text, " 2 SimNeurons, stacked -> ")) == 1
    for line, group in zip(groups, layout.groups):
        assert re.findall(r"\bb(\d+) \(", line) == [str(b) for b in group.output_blocks]


def test_layout_lists_every_block():
    layout = program_of().layout
    first, *lines = format_layout(layout).splitlines()
    assert first.startswith(f"layout: {len(layout.blocks)} blocks, ")
    assert [line.split() for line in lines] == [
        [f"b{i}", b.origin, format_shape(b.shape), str(b.dtype)] for i, b in enumerate(layout.blocks)
    ]


def small_graph():
    values = tuple(Value((2,), FLOAT, origin) for origin in ("ahead", "carried", "kernel"))
    ahead = ((Node(None, None, (), (), (), "t", where="ahead", label="the time"), (0,)),)
    node = Node(None, None, (), (Output((2,), FLOAT),), (), "k", label="the kernel")
    kernel = Kernel((node,), (aff.add(aff.whole(0, 2), aff.scale(aff.whole(1, 2), 0.5)),), ((2,),), ((2,),))
    carried = (Carried(1, (Signal(np.zeros(2), name="state"),), np.zeros(2), aff.whole(2, 2)),)
    return FlatGraph(values, (kernel,), ahead, carried, {}, 0.001)


def test_graph():
    assert format_graph(small_graph()).splitlines() == [
        "graph: 1 kernels, 1 evaluated ahead, 1 carried",
        "  ahead   v0 = the time",
        "  device  v2 = the kernel of (v0 + 0.5 v1)",
        "  carried v1 = v2  (state)",
    ]


@pytest.mark.parametrize(
    "affine, text",
    [
        (aff.whole(0, 2), "v0"),
        (aff.scale(aff.whole(0, 2), -0.25), "-0.25 v0"),
        (Affine(2, (Term(1, None, None, np.array([1.0, 2.0])),)), "scales * v1"),
        (aff.part(1, 1, 1), "v1[1 of 2]"),
        (aff.add(aff.whole(0, 2), aff.constant(np.ones(2))), "v0 + constant"),
        (aff.add(aff.whole(0, 2), aff.constant(np.zeros(2))), "v0"),
        (Affine(2), "0"),
    ],
)
def test_affine(affine, text):
    assert format_affine(affine, small_graph()) == text


def test_shape():
    assert [format_shape(s) for s in ((), (3,), (2, 4))] == ["1", "3", "2x4"]
