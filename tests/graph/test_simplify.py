"""Passes that make a FlatGraph smaller, and change nothing else."""

import nengo
import numpy as np
import pytest
from nengo.builder import Model, Signal

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.check import check_graph
from nengo_backend_tf.graph.flatten import flatten
from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.graph.node import Carried, FlatGraph, Kernel, Node, Output, SumOf, Value
from nengo_backend_tf.graph.simplify import PASSES, rename_values, share_carried, share_products, stack_products
from nengo_backend_tf.ops import nodes_of

FLOAT = np.dtype(float)
OUTPUT, STATE = Signal(np.zeros(2), name="output"), Signal(np.zeros(2), name="state")


def product(matrix, reads, value, key="dot", size=3, dtype=FLOAT):
    """``value = matrix @ reads``, where ``reads`` is a value of 3 elements, or an Affine."""
    matrix = np.asarray(matrix, float)
    node = Node(None, None, (), (Output((len(matrix),), np.dtype(dtype)),), (), key, stacks=True)
    vector = aff.whole(reads, size) if isinstance(reads, int) else reads
    return Kernel((node,), (aff.constant(matrix), vector), (matrix.shape, (size,)), ((value,),))


def flat_graph(kernels, carried=(), sizes=None, final=None):
    """v0 and v1 come from ahead, 3 elements each."""
    sizes = {0: 3, 1: 3} | {v: k.input_shapes[0][0] for k in kernels for (v,) in k.outputs} | (sizes or {})
    values = tuple(Value((sizes[v],), FLOAT, "kernel") for v in range(max(sizes) + 1))
    ahead = tuple((Node(None, None, (), (), (), f"u{v}", where="ahead"), (v,)) for v in (0, 1))
    return check_graph(FlatGraph(values, tuple(kernels), ahead, tuple(carried), final or {}, 0.001), "making")


def evaluate(affine, values):
    total = np.array(affine.constant_array(), dtype=float)
    for term in affine.terms:
        target = slice(None) if term.target is None else term.target
        total[target] += term.scale * (values[term.value] if term.source is None else values[term.value][term.source])
    return total


def run(flat, values):
    """All values, where every kernel is a product."""
    values = dict(values)
    for kernel in flat.kernels:
        matrix, vector = (evaluate(a, values) for a in kernel.inputs)
        result = matrix.reshape(kernel.input_shapes[0]) @ vector
        (parts,) = kernel.outputs
        ends = np.cumsum([flat.values[v].size for v in parts])[:-1]
        values.update(zip(parts, np.split(result, ends)))
    return values


GIVEN = {0: np.array([1.0, 2.0, 3.0]), 1: np.array([-1.0, 0.0, 5.0])}


def test_rename_reads_other_values_everywhere():
    kernels = (product(np.ones((2, 3)), 0, 2), product(np.eye(2), aff.whole(2, 2), 3, size=2))
    carried = (Carried(4, (STATE,), np.zeros(2), aff.whole(2, 2)),)
    flat = flat_graph(kernels, carried, {4: 2}, {STATE: aff.add(aff.whole(2, 2), aff.whole(4, 2))})
    renamed = rename_values(flat, {2: 3, 0: 1})
    assert renamed.kernels[0].inputs[1].values() == {1}
    assert renamed.kernels[1].inputs[1].values() == {3}
    assert renamed.carried[0].after.values() == {3}
    assert renamed.final[STATE].values() == {3, 4}
    assert rename_values(flat, {}) is flat


def carried_graph(second_initial=0.0, second_after=None):
    """Two carried values that become v2, both of which are read."""
    kernels = (product(np.ones((2, 3)), 0, 2), product(np.eye(2), aff.add(aff.whole(3, 2), aff.whole(4, 2)), 5, size=2))
    carried = (
        Carried(3, (OUTPUT,), np.zeros(2), aff.whole(2, 2)),
        Carried(4, (STATE,), np.full(2, second_initial), second_after or aff.whole(2, 2)),
    )
    return flat_graph(kernels, carried, {3: 2, 4: 2}, {OUTPUT: aff.whole(3, 2), STATE: aff.whole(4, 2)})


def test_equal_carried_values_are_carried_once():
    flat = check_graph(share_carried(carried_graph()), "share_carried")
    (carried,) = flat.carried
    assert carried.value == 3 and carried.signals == (OUTPUT, STATE)
    assert flat.kernels[1].inputs[0].is_constant and flat.kernels[1].inputs[1].values() == {3}
    assert flat.final[STATE].values() == {3}


@pytest.mark.parametrize("kwargs", [{"second_initial": 1.0}, {"second_after": aff.scale(aff.whole(2, 2), 2.0)}])
def test_carried_values_that_differ_stay(kwargs):
    assert len(share_carried(carried_graph(**kwargs)).carried) == 2


def test_equal_products_are_computed_once():
    a, b = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    kernels = (product(a, 0, 2), product(a, 0, 3), product(b, 0, 4), product(a, 1, 5), product(np.eye(2), aff.whole(3, 2), 6, size=2))
    flat = flat_graph(kernels, final={OUTPUT: aff.whole(3, 2)})
    shared = check_graph(share_products(flat), "share_products")
    assert [k.outputs for k in shared.kernels] == [((2,),), ((4,),), ((5,),), ((6,),)]
    before, after = run(flat, GIVEN), run(shared, GIVEN)
    np.testing.assert_array_equal(after[6], before[6])
    np.testing.assert_array_equal(evaluate(shared.final[OUTPUT], after), before[3])


def test_equal_products_of_equal_products():
    """The second layer is only seen to be equal once the first is shared."""
    a = np.arange(9.0).reshape(3, 3)
    kernels = (product(a, 0, 2), product(a, 0, 3), product(a, 2, 4), product(a, 3, 5))
    assert len(share_products(flat_graph(kernels)).kernels) == 2


def test_products_of_one_vector_are_stacked():
    kernels = (
        product(np.arange(6.0).reshape(2, 3), 0, 2), product(np.ones((1, 3)), 0, 3), product(np.ones((2, 3)), 1, 4),
        product(2 * np.ones((4, 3)), 0, 5),
    )
    flat = flat_graph(kernels)
    stacked = check_graph(stack_products(flat), "stack_products")
    assert [k.outputs for k in stacked.kernels] == [((2, 3, 5),), ((4,),)]
    assert stacked.kernels[0].input_shapes == ((7, 3), (3,)) and len(stacked.kernels[0].nodes) == 3
    before, after = run(flat, GIVEN), run(stacked, GIVEN)
    for value in before:
        np.testing.assert_array_equal(after[value], before[value])


def test_products_with_another_key_or_a_varying_matrix_are_not_stacked():
    varying = product(np.ones((2, 3)), 0, 3)
    varying = Kernel(varying.nodes, (aff.add(varying.inputs[0], aff.place(aff.whole(1, 3), np.arange(3), 6)), varying.inputs[1]),
                     varying.input_shapes, varying.outputs)
    kernels = (product(np.ones((2, 3)), 0, 2), varying, product(np.ones((2, 3)), 0, 4, key="other"))
    assert stack_products(flat_graph(kernels)).kernels == kernels


def test_products_of_different_dtypes_stay_apart():
    kernels = product(np.ones((2, 3)), 0, 2), product(np.ones((2, 3)), 0, 3, dtype=int)
    assert stack_products(flat_graph(kernels)).kernels == kernels
    assert share_products(flat_graph(kernels)).kernels == kernels


def test_a_stack_runs_where_its_first_member_did():
    """Readers of the first member come before the last member."""
    kernels = (product(np.ones((2, 3)), 0, 2), product(np.eye(2), aff.whole(2, 2), 3, size=2), product(np.ones((1, 3)), 0, 4))
    check_graph(stack_products(flat_graph(kernels)), "stack_products")


def network(seed):
    with nengo.Network(seed=seed) as net:
        u = nengo.Node(lambda t: [t, -t])
        a, b = nengo.Ensemble(10, 2), nengo.Ensemble(10, 2)
        nengo.Connection(u, a, synapse=0.01)
        nengo.Connection(a, b)
        nengo.Connection(a, b, function=lambda x: x * x)
        nengo.Connection(b, a, synapse=0.1)
        learned = nengo.Connection(b, a, learning_rule_type=nengo.PES())
        nengo.Connection(a, learned.learning_rule)
        for ens in (a, b):
            nengo.Probe(ens, synapse=0.01)
            nengo.Probe(ens)
    return net


@pytest.mark.parametrize("seed", range(3))
def test_passes_leave_a_whole_graph_of_a_network(seed):
    model = Model(dt=0.001)
    model.build(network(seed))
    flat = flatten(from_model(model, nodes_of))
    sizes = [(len(flat.kernels), len(flat.carried))]
    for name, simplify in PASSES.items():
        flat = check_graph(simplify(flat), name)
        sizes.append((len(flat.kernels), len(flat.carried)))
    assert sizes == sorted(sizes, reverse=True) and sizes[-1] < sizes[0]


def results(net):
    """What the probes of a network recorded, and how many kernels, nodes and carried values it took."""
    with net:
        configure_settings(dtype="float64")
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(30)
        flat = sim._engine.program.flat
        counts = len(flat.kernels), sum(len(k.nodes) for k in flat.kernels), len(flat.carried)
        return [sim.data[p] for p in net.probes], counts


@pytest.mark.parametrize("name", PASSES)
def test_without_a_pass_the_results_are_the_same(monkeypatch, name):
    net = network(0)
    expected, small = results(net)
    rest = {other: simplify for other, simplify in PASSES.items() if other != name}
    monkeypatch.setattr("nengo_backend_tf.program.compile.PASSES", rest)
    got, large = results(net)
    assert large > small, "the pass changes nothing in this network: the test shows nothing"
    for x, y in zip(got, expected):
        assert np.abs(y).max() > 0
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", [nengo.PES(), nengo.BCM(), nengo.Oja(), nengo.RLS(), nengo.Voja()], ids=str)
def test_learned_weights_are_carried_with_what_is_added(rule):
    """... give what nengo.Simulator gives, are there to be looked at, and can be written."""
    with nengo.Network(seed=3) as net:
        u, a, b = nengo.Node(lambda t: np.sin(20 * t)), nengo.Ensemble(12, 1), nengo.Ensemble(10, 1)
        nengo.Connection(u, a)
        weights = isinstance(rule, (nengo.BCM, nengo.Oja))
        solver = nengo.solvers.LstsqL2(weights=weights)
        learned = nengo.Connection(a, b, learning_rule_type=rule, solver=solver)
        if rule.modifies == "decoders":
            nengo.Connection(b, learned.learning_rule)
        probes = [nengo.Probe(b.neurons), nengo.Probe(learned.learning_rule, "delta")]
        probes.append(nengo.Probe(b, "scaled_encoders") if rule.modifies == "encoders" else nengo.Probe(learned, "weights"))
    with nengo.Simulator(net, optimize=False, progress_bar=False) as ref, Simulator(net, progress_bar=False) as sim:
        sums = [s for c in sim._engine.program.flat.carried for s in c.signals if isinstance(s, SumOf)]
        assert len(sums) == 1
        for simulator in (ref, sim):
            simulator.run_steps(30)
            signals = simulator.model.sig[b]["encoders"] if rule.modifies == "encoders" else simulator.model.sig[learned]["weights"]
            simulator.signals[signals].setflags(write=True)
            simulator.signals[signals][...] *= 1.5
            simulator.run_steps(30)
        for probe in probes:
            scale = np.abs(ref.data[probe]).max()
            assert scale > 0
            np.testing.assert_allclose(sim.data[probe], ref.data[probe], atol=1e-11 * scale)
