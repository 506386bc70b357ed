"""Where values lie: properties that hold for any graph."""

import nengo
import numpy as np
import pytest
from nengo.builder import Model, Signal

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.flatten import flatten
from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.graph.node import Carried, FlatGraph, Kernel, Node, Output, Value
from nengo_backend_tf.graph.plan import plan
from nengo_backend_tf.graph.simplify import PASSES
from nengo_backend_tf.memory.layout import MINOR_MEMBERS, MINOR_SIZE, Block, Place, choose_form, group_shape, layout, whole_value
from nengo_backend_tf.ops import nodes_of

FLOAT, INT = np.dtype(float), np.dtype(np.int64)


def check_layout(flat, groups, placed):
    """Recompute, element by element, what must hold."""
    owner = {}
    for value, place in placed.places.items():
        assert place.size == flat.values[value].size
        block = placed.blocks[place.block]
        for position in place.positions().tolist():
            assert 0 <= position < block.size
            assert owner.setdefault((place.block, position), value) == value, "two values lie in one place"
        assert block.dtype == flat.values[value].dtype
        assert block.origin == flat.values[value].origin
    computed = {v for k in flat.kernels for output in k.outputs for v in output} | {c.value for c in flat.carried}
    read = set().union(*(a.values() for k in flat.kernels for a in k.inputs), *(c.after.values() for c in flat.carried))
    assert computed | read <= placed.places.keys()
    sizes = {b: 0 for b in range(len(placed.blocks))}
    for value, place in placed.places.items():
        sizes[place.block] += place.size
    assert [sizes[b] for b in range(len(placed.blocks))] == [block.size for block in placed.blocks], "a block has holes"
    check_groups(flat, groups, placed)
    check_carried(flat, placed)


def check_groups(flat, groups, placed):
    assert len(placed.groups) == len(groups)
    for group, laid in zip(groups, placed.groups):
        assert {id(k) for k in laid.kernels} == {id(k) for k in group.kernels} and len(laid.kernels) == len(group.kernels)
        if group.where == "host":
            assert laid.form == "host" and laid.kernels == group.kernels
            continue
        for i, shape in enumerate(laid.input_shapes):
            assert np.prod(shape, dtype=int) == sum(k.inputs[i].size for k in laid.kernels)
        for i, block in enumerate(laid.output_blocks):
            for g, kernel in enumerate(laid.kernels):
                found = np.concatenate([placed.places[v].positions() for v in kernel.outputs[i]])
                assert {placed.places[v].block for v in kernel.outputs[i]} == {block}
                np.testing.assert_array_equal(found, member_positions(laid, g, placed.blocks[block].size))


def member_positions(laid, g, total):
    """Where the elements of member g lie in a flat output of its group, all members being of one size or flat."""
    members = len(laid.kernels)
    if laid.form == "flat":
        sizes = [k.inputs[0].size for k in laid.kernels]
        return sum(sizes[:g]) + np.arange(sizes[g])
    positions = np.arange(total)
    if laid.form == "minor":
        return positions.reshape(-1, members)[:, g]
    return positions.reshape(members, -1)[g]


def check_carried(flat, placed):
    laid = [c for block in placed.carried for c in block.carried]
    assert sorted(c.value for c in laid) == sorted(c.value for c in flat.carried)
    for block in placed.carried:
        assert placed.blocks[block.block].origin == "carried"
        assert {placed.places[c.value].block for c in block.carried} == {block.block}
        if block.source is not None:
            assert placed.blocks[block.source].shape == placed.blocks[block.block].shape
            for c in block.carried:
                value = whole_value(c.after, flat)
                there, here = placed.places[value], placed.places[c.value]
                assert there == here._replace(block=block.source)


def random_graph(seed):
    """Kernels of several kinds and sizes, host kernels, carried values, and values of two dtypes from ahead."""
    rng = np.random.RandomState(seed)
    values, kernels, carried = [], [], []

    def new_value(shape, dtype=FLOAT, origin="kernel"):
        values.append(Value(tuple(shape), dtype, origin))
        return len(values) - 1

    ahead = [(Node(None, None, (), (Output((n,), d),), (), "t", where="ahead", functions=(f,)), (new_value((n,), d, "ahead"),))
             for n, d, f in ((2, FLOAT, abs), (5, FLOAT, len), (3, INT, sum))]
    state = [new_value((n,), FLOAT, "carried") for n in rng.randint(1, 6, 4)]

    def read(size):
        known = [v for v in range(len(values))]
        total = aff.Affine(size)
        for v in rng.choice(known, rng.randint(0, 3)):
            total = aff.add(total, aff.take(aff.whole(int(v), values[v].size), rng.randint(0, values[v].size, size)))
        return total

    kinds = ["elementwise", "product", "minor", "host", "two outputs"]
    for i in range(25):
        kind = kinds[rng.randint(len(kinds))]
        size = int(rng.randint(1, 5))
        shape = (size,)
        outputs = tuple(Output(shape, FLOAT) for _ in range(2 if kind == "two outputs" else 1))
        inputs, shapes = (read(size),), (shape,)
        if kind in ("product", "minor"):
            inputs, shapes = (aff.constant(rng.randn(size, 3)), read(3)), ((size, 3), (3,))
        node = Node(
            None, None, (), outputs, (), kind if kind != "host" else i, elementwise=kind in ("elementwise", "two outputs"),
            minor=(0,) if kind == "minor" else None, where="host" if kind == "host" else "device", stacks=kind == "product",
        )
        kernels.append(Kernel((node,), inputs, shapes, tuple((new_value(shape),) for _ in outputs)))
    for value in state:
        same = [v for k in kernels if k.node.where != "host" for o in k.outputs for v in o if values[v].size == values[value].size]
        after = aff.whole(int(rng.choice(same)), values[value].size) if same and rng.rand() < 0.5 else read(values[value].size)
        carried.append(Carried(value, (Signal(np.zeros(values[value].size)),), np.zeros(values[value].size), after))
    return FlatGraph(tuple(values), tuple(kernels), tuple(ahead), tuple(carried), {}, 0.001)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("stack", [False, True])
def test_random_graphs(seed, stack):
    flat = random_graph(seed)
    if stack:
        flat = PASSES["stack_products"](flat)
    groups = plan(flat.kernels)
    check_layout(flat, groups, layout(flat, groups))
    check_layout(flat, groups, layout(flat, groups, may_be_minor=False))


@pytest.mark.parametrize("members", [2, MINOR_MEMBERS])
def test_networks(members):
    with nengo.Network(seed=0) as net:
        u = nengo.Node(lambda t: np.ones(members) * t)
        ensembles = nengo.networks.EnsembleArray(6, members)
        nengo.Connection(u, ensembles.input)
        nengo.Connection(ensembles.output, ensembles.input, synapse=0.1)
        nengo.Connection(ensembles.output, nengo.Node(lambda t, x: x, size_in=members))
        nengo.Probe(ensembles.output, synapse=0.01)
    model = Model(dt=0.001)
    model.build(net)
    flat = flatten(from_model(model, nodes_of))
    for simplify in PASSES.values():
        flat = simplify(flat)
    groups = plan(flat.kernels)
    placed = layout(flat, groups)
    check_layout(flat, groups, placed)
    assert ("minor" in {g.form for g in placed.groups}) == (members == MINOR_MEMBERS)
    assert "minor" not in {g.form for g in layout(flat, groups, may_be_minor=False).groups}


def test_the_checker_finds_overlaps():
    flat = random_graph(0)
    groups = plan(flat.kernels)
    placed = layout(flat, groups)
    value = next(v for v, p in placed.places.items() if placed.blocks[p.block].size > p.size)
    place = placed.places[value]
    moved = place._replace(start=place.start + 1 if place.start == 0 else place.start - 1)
    with pytest.raises(AssertionError):
        check_layout(flat, groups, placed._replace(places={**placed.places, value: moved}))


def kernel(shape=(3,), minor=None, elementwise=False, constant=True):
    node = Node(None, None, (), (Output(shape, FLOAT),), (), "k", minor=minor, elementwise=elementwise)
    size = int(np.prod(shape))
    read = aff.constant(np.zeros(shape)) if constant else aff.whole(0, size)
    return Kernel((node,), (read,), (shape,), ((0,),))


@pytest.mark.parametrize(
    "kernels, form",
    [
        ([kernel()] * 20, "stacked"),
        ([kernel(elementwise=True)] * 20, "flat"),
        ([kernel(minor=(0,))] * MINOR_MEMBERS, "minor"),
        ([kernel(minor=(0,))] * (MINOR_MEMBERS - 1), "stacked"),
        ([kernel(minor=(0,), constant=False)] * MINOR_MEMBERS, "stacked"),
        ([kernel((MINOR_SIZE,), minor=(0,))] * MINOR_MEMBERS, "minor"),
        ([kernel((MINOR_SIZE + 1,), minor=(0,))] * MINOR_MEMBERS, "stacked"),
        ([kernel(minor=(), elementwise=True)] * MINOR_MEMBERS, "minor"),
        ([kernel((3,), minor=(), elementwise=True), kernel((4,), minor=(), elementwise=True)] * MINOR_MEMBERS, "flat"),
    ],
)
def test_forms(kernels, form):
    assert choose_form(kernels) == form


def test_shapes_of_forms():
    assert group_shape("flat", (2, 3), 4, 24) == (24,)
    assert group_shape("stacked", (2, 3), 4, 24) == (4, 2, 3)
    assert group_shape("minor", (2, 3), 4, 24) == (2, 3, 4)


def test_positions_of_a_place():
    np.testing.assert_array_equal(Place(0, 2, 3, 4).positions(), [2, 5, 8, 11])
    np.testing.assert_array_equal(Place(0, 2, 3, 4).positions(np.array([3, 0])), [11, 2])
    assert Block((2, 3), FLOAT, "kernel").size == 6 and Block((), FLOAT, "kernel").size == 1


@pytest.mark.parametrize(
    "affine, value",
    [
        (aff.whole(1, 5), 1),
        (aff.part(1, 0, 5), None),
        (aff.scale(aff.whole(1, 5), 2.0), None),
        (aff.scale(aff.whole(1, 5), 1.0), 1),
        (aff.add(aff.whole(1, 5), aff.whole(1, 5)), None),
        (aff.add(aff.whole(1, 5), aff.constant(np.ones(5))), None),
        (aff.constant(np.ones(5)), None),
    ],
)
def test_whole_value(affine, value):
    values = tuple(Value((5,), FLOAT, "ahead") for _ in range(2))
    assert whole_value(affine, FlatGraph(values, (), (), (), {}, 0.001)) == value


def test_only_what_is_read_of_ahead_is_laid_out():
    """The clock is in every model, and costs nothing where nobody reads it."""
    values = tuple(Value((1,), FLOAT, "ahead") for _ in range(3))
    ahead = tuple((Node(None, None, (), (Output((1,), FLOAT),), (), "t", where="ahead"), (v,)) for v in range(3))
    flat = FlatGraph(values, (), ahead, (), {}, 0.001)
    assert layout(flat, ()).ahead == ()
    placed = layout(flat, (), [aff.whole(1, 1)])
    assert list(placed.places) == [1] and len(placed.ahead) == 1
