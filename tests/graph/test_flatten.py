"""Folding of wiring: what is left must compute what nengo computes."""

import nengo
import numpy as np
import pytest
from nengo.builder import Model, Signal
from nengo.builder.operator import Copy, DotInc, ElementwiseInc, Reset, SimPyFunc

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph import flatten as flatten_module
from nengo_backend_tf.graph.check import check_graph
from nengo_backend_tf.graph.flatten import flatten
from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.graph.node import Graph, Node, Output, Write
from nengo_backend_tf.ops import nodes_of


def graph_of(*ops, dt=0.001):
    """The operators of a model that was put together by hand."""
    model = Model(dt=dt)
    for op in ops:
        model.add_op(op)
    return from_model(model, nodes_of)


def flat_of(*ops, **kwargs):
    return check_graph(flatten(graph_of(*ops), **kwargs), "flatten")


def signal(*values, name="s", **kwargs):
    return Signal(np.array(values, dtype=kwargs.pop("dtype", float)), name=name, **kwargs)


def source(output, function=lambda: [1.0, 2.0, 3.0], t=None):
    """A function of time alone: what is evaluated ahead."""
    return SimPyFunc(output=output, fn=function, t=t, x=None)


def sources(flat):
    """The values that functions of time give."""
    return [v for node, values in flat.ahead if node.functions for v in values]


def evaluate(affine, values):
    total = np.array(affine.constant_array(), dtype=float)
    for term in affine.terms:
        target = slice(None) if term.target is None else term.target
        total[target] += term.scale * (values[term.value] if term.source is None else values[term.value][term.source])
    return total


def test_wiring_is_folded():
    """Resets, copies, slices, scalings and one-nonzero-a-row products leave no kernel."""
    u, x, y, z = signal(0, 0, 0, name="u"), signal(0, 0, name="x"), signal(0, 0, name="y"), signal(0, 0, 0, name="z")
    flat = flat_of(
        source(u), Reset(x), Copy(u[1:], x, inc=True), Copy(x, y),
        Reset(z, value=1.0), ElementwiseInc(signal(2.0), u, z), DotInc(Signal([[0, 0.0], [3.0, 0], [0, 4.0]]), y, z),
    )
    assert flat.kernels == () and flat.carried == ()
    (value,) = sources(flat)
    np.testing.assert_allclose(evaluate(flat.final[y], {value: np.array([1.0, 2.0, 3.0])}), [2, 3])
    np.testing.assert_allclose(evaluate(flat.final[z], {value: np.array([1.0, 2.0, 3.0])}), [1 + 2, 1 + 4 + 6, 1 + 6 + 12])


def test_what_mixes_elements_is_a_kernel():
    u, y = signal(0, 0, 0, name="u"), signal(0, 0, name="y")
    flat = flat_of(source(u), Reset(y), DotInc(Signal(np.ones((2, 3))), u, y))
    (kernel,) = flat.kernels
    assert kernel.input_shapes == ((2, 3), (3,)) and kernel.inputs[0].is_constant
    assert flat.final[y].values() == {kernel.outputs[0][0]}


def test_constants_are_folded_through():
    c, y = signal(1.0, 2.0, name="c"), signal(0, 0, name="y")
    flat = flat_of(Reset(y), DotInc(Signal([[1.0, 1.0], [0.0, 2.0]]), c, y))
    assert flat.kernels == ()
    np.testing.assert_array_equal(flat.final[y].constant, [3, 4])


def test_initial_values_are_constants_unless_something_writes():
    c, y, s = signal(5.0, name="c"), signal(0.0, name="y"), signal(7.0, name="s")
    flat = flat_of(Reset(y), Copy(c, y, inc=True), Copy(y, s, inc=True))
    np.testing.assert_array_equal(flat.final[y].constant, [5])
    (carried,) = flat.carried
    assert carried.signals == (s,) and carried.initial == [7.0]
    np.testing.assert_array_equal(carried.after.constant, [5])


def test_what_is_read_before_it_is_written_is_carried():
    """Neuron state is declared as set, but read before; a weight that is only incremented lasts too."""
    model_of = nengo.Network(seed=0)
    with model_of:
        ens = nengo.Ensemble(5, 1)
    model = Model(dt=0.001)
    model.build(model_of)
    flat = flatten(from_model(model, nodes_of).plain())
    carried = {s.name for c in flat.carried for s in c.signals}
    assert {s.name for s in (model.sig[ens.neurons]["voltage"], model.sig[ens.neurons]["refractory_time"])} <= carried


def test_increments_accumulate_over_steps():
    u, w = signal(0, 0, 0, name="u"), signal(1.0, 1.0, 1.0, name="w")
    flat = flat_of(source(u), Copy(u, w, inc=True))
    (carried,) = flat.carried
    (value,) = sources(flat)
    after = evaluate(carried.after, {carried.value: np.array([5.0, 6.0, 7.0]), value: np.array([1.0, 2.0, 3.0])})
    np.testing.assert_allclose(after, [6, 8, 10])


def test_a_signal_written_in_parts_is_not_carried():
    u, y = signal(0, 0, 0, name="u"), signal(0, 0, 0, name="y")
    assert flat_of(source(u), Copy(u[:2], y[:2]), Copy(u[2:], y[2:])).carried == ()
    (carried,) = flat_of(source(u), Copy(u[:2], y[:2])).carried
    assert carried.signals == (y,)


def test_values_take_the_place_of_initial_values():
    c, y = signal(5.0, name="c"), signal(0.0, name="y")
    ops = Reset(y), Copy(c, y, inc=True)
    flat = flatten(graph_of(*ops), values={c: np.array([6.0])})
    np.testing.assert_array_equal(flat.final[y].constant, [6])
    unread = signal(1.0, name="unread")
    flat = flatten(graph_of(*ops), values={unread: np.array([2.0])})
    np.testing.assert_array_equal(flat.final[unread].constant, [2])


def test_fixed_signals_are_fed():
    c, y = signal(5.0, name="c"), signal(0.0, name="y")
    flat = flatten(graph_of(Reset(y), Copy(c, y, inc=True)), fixed=frozenset([c]))
    ((_, (value,)),) = [(node, values) for node, values in flat.ahead if node.key == "fed"]
    assert flat.final[y].values() == {value}


def test_what_is_fed_is_not_computed():
    x, y, u = signal(0.0, name="x"), signal(0.0, name="y"), signal(0.0, name="u")
    function = SimPyFunc(output=y, fn=lambda x: x, t=None, x=x)
    graph = graph_of(source(u, lambda: 1.0), Copy(u, x), function)
    assert [k.node.where for k in flatten(graph).kernels] == ["host"]
    assert flatten(graph, fixed=frozenset([y])).kernels == ()


def sum_of(n, size=3, spread=False):
    """``n`` functions of time, all added into one signal, which is read by a product."""
    y, z = Signal(np.zeros(size if not spread else size * n), name="y"), Signal(np.zeros(2), name="z")
    ops = [Reset(y), Reset(z)]
    for i in range(n):
        u = Signal(np.zeros(size), name=f"u{i}")
        ops += [source(u, lambda i=i: np.full(size, float(i))), Copy(u, y[i * size : (i + 1) * size] if spread else y, inc=True)]
    ops.append(DotInc(Signal(np.ones((2, y.size))), y, z))
    return flat_of(*ops)


def test_short_sums_are_left_to_their_readers(monkeypatch):
    monkeypatch.setattr(flatten_module, "MAX_TERMS", 8)
    flat = sum_of(8)
    assert [k.node.label for k in flat.kernels if k.node.label == "sum"] == []


@pytest.mark.parametrize("n", [9, 40])
def test_long_sums_are_computed_once(monkeypatch, n):
    monkeypatch.setattr(flatten_module, "MAX_TERMS", 8)
    flat = sum_of(n)
    assert any(k.node.label == "sum" for k in flat.kernels)
    assert all(len(a.terms) <= 9 for k in flat.kernels for a in k.inputs)
    values = {v: np.full(3, float(i)) for i, v in enumerate(sources(flat))}
    for kernel in flat.kernels:
        if kernel.node.label == "sum":
            values[kernel.outputs[0][0]] = evaluate(kernel.inputs[0], values)
    read = next(k for k in flat.kernels if k.node.label != "sum").inputs[1]
    np.testing.assert_allclose(evaluate(read, values), np.full(3, n * (n - 1) / 2))


def test_dtypes_are_kept_apart():
    """An integer that is copied into a float is cast where it is read."""
    counter, x = signal(0, name="n", dtype=np.int64), signal(0.0, name="x")
    node = Node(None, None, (), (Output((1,), np.dtype(np.int64)),), (Write(counter, "set"),), "count", where="ahead")
    copy = nodes_of(Copy(counter, x), None)[0]
    flat = check_graph(flatten(Graph((node, copy), 0.001)), "flatten")
    (kernel,) = flat.kernels
    assert kernel.node.label == "sum" and flat.values[kernel.outputs[0][0]].dtype == np.float64
    assert flat.final[x].values() == {kernel.outputs[0][0]}


def test_unread_carried_values_are_dropped():
    """A filter's state that only feeds itself would be carried for nothing, but is still shown in sim.signals."""
    with nengo.Network() as net:
        nengo.Probe(nengo.Node(lambda t: t), synapse=0.01)
    model = Model(dt=0.001)
    model.build(net)
    flat = flatten(from_model(model, nodes_of))
    needed = set().union(*(a.values() for k in flat.kernels for a in k.inputs), *(a.values() for a in flat.final.values()))
    assert {c.value for c in flat.carried} <= needed


def random_wiring(seed):
    """A model of operators that only wire, on random views, and its signals."""
    rng, model = np.random.RandomState(seed), Model(dt=0.001)
    signals = [Signal(np.arange(1.0, 5.0) * (i + 1), name=f"s{i}") for i in range(4)]
    ops = [source(signals[0], lambda t: 1000 * t * np.arange(1, 5), model.time)]
    for s in signals[1:]:
        view = s if rng.rand() < 0.5 else s[rng.randint(0, 2) : rng.randint(3, 5)]
        ops.append(Reset(view, value=float(rng.randint(-3, 4))))
    for _ in range(6):
        target = signals[rng.randint(1, 4)]
        earlier = signals[: signals.index(target)]
        length = rng.randint(1, 4)
        a, b = rng.randint(0, 5 - length, 2)
        read, into = earlier[rng.randint(len(earlier))][a : a + length], target[b : b + length]
        if rng.rand() < 0.5:
            ops.append(Copy(read, into, inc=True))
        else:
            ops.append(ElementwiseInc(Signal(rng.randint(-2, 3, length).astype(float)), read, into))
    for op in ops:
        model.add_op(op)
    return model, signals


@pytest.mark.parametrize("seed", range(30))
def test_folded_reads_equal_what_nengo_computes(seed):
    model, signals = random_wiring(seed)
    flat = check_graph(flatten(from_model(model, nodes_of)), "flatten")
    assert flat.kernels == ()
    (time_value,) = sources(flat)
    carried = {c.value: np.array(c.initial, float) for c in flat.carried}
    with nengo.Simulator(None, model=model, progress_bar=False, optimize=False) as ref:
        for step in range(1, 4):
            ref.step()
            values = {**carried, time_value: step * np.arange(1.0, 5.0)}
            for s in signals:
                np.testing.assert_allclose(evaluate(flat.final[s], values), ref.signals[s], err_msg=s.name)
            carried = {c.value: evaluate(c.after, values) for c in flat.carried}


def test_affines_of_whole_values_stay_whole():
    """Reading a signal as it was computed costs no index."""
    u, y = signal(0, 0, 0, name="u"), signal(0, 0, name="y")
    flat = flat_of(source(u), Reset(y), DotInc(Signal(np.ones((2, 3))), u, y))
    (term,) = flat.kernels[0].inputs[1].terms
    assert term.source is None and term.target is None and term.scale == 1
    assert aff.key(flat.kernels[0].inputs[1]) == aff.key(aff.whole(term.value, 3))
