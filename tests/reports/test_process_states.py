"""What processes show, and what of their state a reset and another simulator begin anew."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, assert_close, compare, reference

ITEMS = np.arange(14.0).reshape(7, 2) + 10


@pytest.mark.parametrize("dt, steps", [(0.001, 1), (0.001, 3), (0.0005, 4), (0.01, 1), (0.003, 7)])
def test_each_item_is_presented_for_its_whole_time(dt, steps):
    """Beginning with the first, and again after the last."""
    def network():
        with nengo.Network() as net:
            nengo.Probe(nengo.Node(nengo.processes.PresentInput(ITEMS, steps * dt)))
        return net

    (data,) = compare(network, 5, 14 * steps - 5, dt=dt, tolerance=0)
    np.testing.assert_array_equal(data, np.tile(np.repeat(ITEMS, steps, axis=0), (2, 1)))


@pytest.mark.parametrize("dt", [0.001, 0.0025])
@pytest.mark.parametrize("interpolation", ["zero", "nearest", "linear", "cubic"])
@pytest.mark.filterwarnings("ignore:.*'default' interpolation")
def test_piecewise(interpolation, dt):
    """Breakpoints on a step, and between steps."""
    pytest.importorskip("scipy")
    points = {0.0: [0, 1], 0.005: [1, -1], 0.0112: [0.5, 2], 0.02: [-1, 0], 0.03: [3, 3]}

    def network():
        with nengo.Network() as net:
            nengo.Probe(nengo.Node(nengo.processes.Piecewise(points, interpolation=interpolation)))
        return net

    compare(network, 12, dt=dt, tolerance=0)


class Walk(nengo.Process):
    """A random walk, kept in one array; with an input, that is added."""

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"position": np.zeros(shape_out)}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        def step(t, x=0):
            state["position"] += rng.randint(-3, 4, size=shape_out) + x
            return state["position"]

        return step


class Counting(nengo.Process):
    """Counts calls in an attribute of the step function, which each make_step makes anew."""

    def make_step(self, shape_in, shape_out, dt, rng, state):
        def step(t, x=0):
            step.calls += 1
            return np.full(shape_out, step.calls + x)

        step.calls = 0
        return step


def stateful(size_in, process_seed=None):
    with nengo.Network(seed=0) as net:
        for process in (Walk, Counting):
            node = nengo.Node(process(default_size_in=size_in, default_size_out=2, seed=process_seed))
            if size_in:
                nengo.Connection(nengo.Node(lambda t: [round(1000 * t)] * 2), node, synapse=None)
            nengo.Probe(node)
            nengo.Probe(node, synapse=0.01)
    return net


def beginnings(simulator, net):
    """Data of each probe: at first, after resets, and from a second simulator."""
    runs = []
    with simulator(net, seed=10) as sim:
        for seed in ("first", None, 11, None, 10):
            if seed != "first":
                sim.reset(seed=seed)
            sim.run_steps(8)
            runs.append([sim.data[p].copy() for p in net.probes])
    with simulator(net, seed=10) as sim:
        sim.run_steps(3)
        sim.run_steps(5)
        runs.append([sim.data[p].copy() for p in net.probes])
    return runs


@pytest.mark.parametrize("size_in", [0, 2])
@pytest.mark.parametrize("process_seed", [None, 5])
def test_resets_and_other_simulators_begin_anew(size_in, process_seed):
    net = stateful(size_in, process_seed)
    expected = beginnings(reference, net)
    first, again, other, other_again, back, second_simulator = expected
    for run in (again, back, second_simulator):
        np.testing.assert_equal(run, first)
    np.testing.assert_equal(other_again, other)
    assert np.array_equal(first[0], other[0]) == (process_seed is not None)
    for backend in BACKENDS:
        for run, data in zip(beginnings(backend, net), expected, strict=True):
            assert_close(run, data, 1e-14)


def noisy():
    with nengo.Network(seed=3) as net:
        noise = nengo.Node(nengo.processes.WhiteNoise(), size_out=1)
        ensemble = nengo.Ensemble(20, 1, noise=nengo.processes.WhiteNoise())
        nengo.Connection(noise, ensemble)
        for target in (noise, ensemble.neurons, ensemble):
            nengo.Probe(target)
    return net


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_seed_of_a_network_fixes_everything(backend):
    """To the last bit: for the same network, and for one that is made again."""
    nets = noisy(), noisy()
    runs = []
    for net in (nets[0], nets[0], nets[1]):
        with backend(net) as sim:
            sim.run_steps(20)
            assert sim.seed == net.seed + 1
            runs.append([sim.data[p] for p in net.probes])
    np.testing.assert_equal(runs[1], runs[0])
    np.testing.assert_equal(runs[2], runs[0])
