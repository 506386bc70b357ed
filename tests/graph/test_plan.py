"""Grouping of kernels: properties that hold for any graph of them."""

import sys
from collections import Counter

import nengo
import numpy as np
import pytest
from nengo.builder import Model, Signal
from nengo.builder.operator import Copy, DotInc, Reset

from nengo_backend_tf import Simulator
from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.node import Kernel, Node, Output
from nengo_backend_tf.graph.plan import dependencies, plan


def make_step(ops, context):
    raise AssertionError("no pass makes a step")


def fake_kernel(key, reads, value, where="device"):
    """A kernel with one output, which reads whole values of one element."""
    node = Node(None, make_step, (), (Output((1,), np.dtype(float)),), (), key, elementwise=True, where=where)
    inputs = tuple(aff.whole(r, 1) for r in reads)
    return Kernel((node,), inputs, ((1,),) * len(inputs), ((value,),))


def random_kernels(seed, n=40, keys=4, host=0.0):
    """A random graph; values below 3 are carried from the last step."""
    rng = np.random.RandomState(seed)
    kernels = []
    for i in range(n):
        on_host = rng.rand() < host
        count = rng.randint(0, 4)
        reads = [int(v) for v in rng.randint(0, 3 + i, count)]
        key = ("host", i) if on_host else f"k{rng.randint(keys)}"
        kernels.append(fake_kernel(key, reads, 3 + i, "host" if on_host else "device"))
    return tuple(kernels)


def assert_valid(kernels, groups):
    """What any plan must be."""
    run = [k for group in groups for k in group.kernels]
    assert len(run) == len(kernels) and {id(k) for k in run} == {id(k) for k in kernels}
    known = {0, 1, 2}
    for group in groups:
        assert len({k.node.where for k in group.kernels}) == 1 and group.where == group.node.where
        if group.where == "device":
            assert len({k.key for k in group.kernels}) == 1
        for k in group.kernels:
            assert set().union(*(a.values() for a in k.inputs)) <= known, "reads what is computed later, or in its own group"
        known |= {v for k in group.kernels for output in k.outputs for v in output}
    assert [k for k in run if k.node.where == "host"] == [k for k in kernels if k.node.where == "host"]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("host", [0.0, 0.2])
def test_random_graphs(seed, host):
    kernels = random_kernels(seed, host=host)
    assert_valid(kernels, plan(kernels))


def test_no_kernels():
    assert plan(()) == ()


def test_dependencies():
    kernels = (fake_kernel("a", [0], 3), fake_kernel("a", [3, 1], 4), fake_kernel("b", [3, 4, 4], 5))
    assert dependencies(kernels) == [set(), {0}, {0, 1}]


def test_equal_kernels_without_order_are_one_group():
    kernels = tuple(fake_kernel("a", [0], 3 + i) for i in range(5))
    (group,) = plan(kernels)
    assert group.kernels == kernels and group.where == "device"


def test_a_chain_is_not_merged():
    kernels = tuple(fake_kernel("a", [2 + i], 3 + i) for i in range(4))
    assert [len(group.kernels) for group in plan(kernels)] == [1, 1, 1, 1]


def test_layers_of_equal_chains_are_merged():
    """Ensembles of equal form: for each of them the encoder, then the neurons, then the decoder."""
    kernels, value = [], 3
    for _ in range(6):
        kernels.append(fake_kernel("encode", [0], value))
        kernels.append(fake_kernel("neurons", [value], value + 1))
        kernels.append(fake_kernel("decode", [value + 1], value + 2))
        value += 3
    groups = plan(tuple(kernels))
    assert [(group.node.key, len(group.kernels)) for group in groups] == [("encode", 6), ("neurons", 6), ("decode", 6)]


def test_a_key_waits_until_all_its_kernels_may_run():
    early = fake_kernel("a", [0], 3)
    late = (fake_kernel("b", [0], 4), fake_kernel("a", [4], 5))
    assert Counter(group.node.key for group in plan((early, *late))) == {"a": 1, "b": 1}


def test_shapes_are_part_of_the_key_unless_elementwise():
    def kernel(size, value, elementwise):
        node = Node(None, make_step, (), (Output((size,), np.dtype(float)),), (), "a", elementwise=elementwise)
        return Kernel((node,), (aff.Affine(size),), ((size,),), ((value,),))

    assert len(plan((kernel(2, 3, True), kernel(5, 4, True)))) == 1
    assert len(plan((kernel(2, 3, False), kernel(5, 4, False)))) == 2


@pytest.mark.parametrize("elementwise", [False, True])
def test_dtypes_are_part_of_the_key(elementwise):
    """The arrays of a group are of one dtype: a float that shared one with integers would be cut off."""

    def kernel(value, reads=float, gives=float):
        node = Node(
            None, make_step, (Signal(np.zeros(2, reads)),), (Output((2,), np.dtype(gives)),), (), "a", elementwise=elementwise,
        )
        return Kernel((node,), (aff.Affine(2),), ((2,),), ((value,),))

    kernels = kernel(3, int, int), kernel(4), kernel(5, np.float32, np.float32), kernel(6, int, float), kernel(7, int, int)
    assert sorted(len(group.kernels) for group in plan(kernels)) == [1, 2, 2]


@pytest.mark.parametrize("dtypes", [(int, float), (float, int)])
def test_integers_and_floats_in_one_model(dtypes):
    """Equal operators, one of integers and one of floats, compute what nengo computes."""
    model, results = Model(dt=0.001), {}
    for dtype in dtypes:
        x, y = Signal(np.array([1, 2, 3], dtype)), Signal(np.zeros(2, dtype))
        matrix = np.array([[1, 1, 1], [1, 2, 3]], dtype) * dtype(1.25)
        for op in (Reset(y, value=0), Copy(Signal(np.ones(3, dtype)), x, inc=True), DotInc(Signal(matrix), x, y)):
            model.add_op(op)
        results[dtype] = y
    network = nengo.Network()
    with nengo.Simulator(None, model=model, progress_bar=False, optimize=False) as ref:
        with Simulator(network, model=model, progress_bar=False) as sim:
            ref.run_steps(3)
            sim.run_steps(3)
            for dtype, y in results.items():
                assert np.all(ref.signals[y] > 0) and sim.signals[y].dtype == dtype
                np.testing.assert_allclose(sim.signals[y], ref.signals[y], rtol=1e-6)


def test_host_kernels_share_a_call_where_they_may():
    kernels = (
        fake_kernel("h", [0], 3, "host"), fake_kernel("a", [1], 4), fake_kernel("h", [4], 5, "host"),
        fake_kernel("b", [5], 6), fake_kernel("h", [6], 7, "host"), fake_kernel("h", [1], 8, "host"),
    )
    groups = plan(kernels)
    assert_valid(kernels, groups)
    assert [len(group.kernels) for group in groups if group.where == "host"] == [2, 2]


def test_the_longest_path_goes_first():
    """So that what it leads to can be merged with as much as possible, and nothing waits for it at the end."""
    long = [fake_kernel("x0", [0], 3)] + [fake_kernel(f"x{i}", [2 + i], 3 + i) for i in range(1, 4)]
    short = fake_kernel("y", [1], 9)
    assert plan((short, *long))[0].node.key == "x0"


class CountingKernel(Kernel):
    """Counts how often its key is asked for, the costly part of looking at a kernel."""

    asked = Counter()

    @property
    def key(self):
        CountingKernel.asked["key"] += 1
        return super().key


def looks(n):
    """How many keys are made, and dict entries visited, for n chains of three kernels."""
    kernels = []
    for i in range(n):
        first = fake_kernel("a", [0], 3 + 3 * i)
        second = fake_kernel("b", [3 + 3 * i], 4 + 3 * i)
        third = fake_kernel("c", [4 + 3 * i], 5 + 3 * i)
        kernels += [first, second, third]
    kernels = tuple(CountingKernel(k.nodes, k.inputs, k.input_shapes, k.outputs) for k in kernels)
    CountingKernel.asked.clear()
    groups = plan(kernels)
    assert len(groups) == 3
    return CountingKernel.asked["key"]


def test_each_key_is_made_once():
    assert looks(100) == 300


def test_work_grows_no_faster_than_the_graph():
    """Lines that are executed, counted by the interpreter: a quadratic planner would need 16 times as many."""
    counts = [lines_executed(lambda n=n: looks(n)) for n in (100, 400)]
    assert counts[1] < 5 * counts[0]


def lines_executed(function):
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count
