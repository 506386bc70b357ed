"""Random streams give exactly what nengo.Simulator draws, whichever of their seeds are given, also after a reset."""

import nengo
import numpy as np
import pytest
from nengo.processes import BrownNoise, FilteredNoise, Piecewise, PresentInput, Process, WhiteNoise, WhiteSignal

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.ops.python import HostFallbackWarning
from nengo_backend_tf.program import compile as compiling

SIZE = 3


class NoisyRelay(Process):
    """A process of the user's that draws, and has an input."""

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"last": np.zeros(shape_out)}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        def step_noisy_relay(t, x):
            state["last"][...] = 0.5 * state["last"] + x + rng.randint(8, size=shape_out)
            return state["last"]

        return step_noisy_relay


PROCESSES = {
    "white": WhiteNoise,
    "white_uniform": lambda **kwargs: WhiteNoise(nengo.dists.Uniform(-1, 2), scale=False, **kwargs),
    "filtered": FilteredNoise,
    "filtered_alpha": lambda **kwargs: FilteredNoise(nengo.Alpha(0.01), nengo.dists.Exponential(0.3), scale=False, **kwargs),
    "brown": BrownNoise,
    "signal": lambda **kwargs: WhiteSignal(0.01, high=200, **kwargs),
    "signal_y0": lambda **kwargs: WhiteSignal(0.02, high=100, rms=0.2, y0=0.1, **kwargs),
    "present": lambda **kwargs: PresentInput(np.arange(12.0).reshape(4, SIZE), 0.002, **kwargs),
    "piecewise": lambda **kwargs: Piecewise({0.001: np.ones(SIZE), 0.003: t_squared}, **kwargs),
}
SYNAPSES = (nengo.Lowpass(0.0), nengo.synapses.Triangle(0.002), nengo.LinearFilter([1], [0.01, 1]), None)


def t_squared(t):
    return [t, t**2, 1.0]


def network_of_processes(network_seed, process_seed):
    """Each process as a Node and as the noise of an ensemble, among synapses, for which nengo draws seeds as well."""
    with nengo.Network(seed=network_seed) as net:
        configure_settings(dtype="float64")
        for i, (name, make) in enumerate(PROCESSES.items()):
            seeded = {} if process_seed is None else {"seed": process_seed + i}
            node = nengo.Node(make(**seeded), size_out=SIZE, label=name)
            nengo.Probe(node)
            target = nengo.Node(size_in=SIZE)
            nengo.Connection(node, target, synapse=SYNAPSES[i % len(SYNAPSES)])
            noisy = nengo.Ensemble(
                SIZE, 1, noise=make(**seeded), gain=np.ones(SIZE), bias=np.zeros(SIZE), neuron_type=nengo.RectifiedLinear()
            )
            nengo.Probe(noisy.neurons, "input")
    return net


def network_of_relays(network_seed, process_seed):
    """Processes that draw, with inputs from others."""
    with nengo.Network(seed=network_seed) as net:
        for seed in (process_seed, None):
            relay = nengo.Node(NoisyRelay(default_size_in=SIZE, default_size_out=SIZE, seed=seed))
            nengo.Connection(nengo.Node(WhiteNoise(), size_out=SIZE), relay, synapse=None)
            nengo.Probe(relay)
    return net


def network_of_neurons(network_seed, process_seed):
    """Neurons that draw: their streams are part of the built model, which a reset does not restart."""
    del process_seed
    with nengo.Network(seed=network_seed) as net:
        for neuron_type in (nengo.StochasticSpiking, nengo.PoissonSpiking, nengo.RegularSpiking):
            for base in (nengo.LIFRate(), nengo.Tanh()):
                ensemble = nengo.Ensemble(10, 1, neuron_type=neuron_type(base), max_rates=nengo.dists.Uniform(300, 400))
                nengo.Connection(nengo.Node(0.5), ensemble)
                nengo.Probe(ensemble.neurons)
    return net


def with_seed(make, network_seed, process_seed, simulator_class, **kwargs):
    """A simulator, and its network; what is drawn from NumPy's global generator meanwhile is the same each time."""
    np.random.seed(7)
    net = make(network_seed, process_seed)
    return simulator_class(net, progress_bar=False, **kwargs), net


def run_in_parts(sim):
    sim.run_steps(5)
    sim.step()
    sim.run(0.003)


def run_by_step(sim):
    for _ in range(9):
        sim.step()


def collect(sim, net, runs):
    """Data of all probes after each run, between which there are resets."""
    collected = []
    for run, seed in runs:
        sim.reset(seed=seed)
        run(sim)
        collected.append([sim.data[p].copy() for p in net.probes])
    return collected


RUNS = ((run_in_parts, None), (run_by_step, None), (run_in_parts, 11), (run_by_step, None))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(compiling, "CHUNK_STEPS", 4)


SEEDS = [(None, None), (2, None), (None, 3), (2, 3)]
CASES = [
    *((network_of_processes, *seeds) for seeds in SEEDS),
    *((network_of_relays, *seeds) for seeds in SEEDS),
    *((network_of_neurons, seed, None) for seed in (None, 2)),
]


@pytest.mark.filterwarnings(f"ignore::{HostFallbackWarning.__module__}.HostFallbackWarning")
@pytest.mark.parametrize("sim_seed", [None, 5])
@pytest.mark.parametrize("make, network_seed, process_seed", CASES)
def test_like_reference(make, network_seed, process_seed, sim_seed):
    sim, net = with_seed(make, network_seed, process_seed, Simulator, seed=sim_seed)
    ref, ref_net = with_seed(make, network_seed, process_seed, nengo.Simulator, seed=sim_seed, optimize=False)
    with sim, ref:
        assert sim.seed == ref.seed
        got, expected = collect(sim, net, RUNS), collect(ref, ref_net, RUNS)
    for run, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        for probe, x, y in zip(net.probes, mine, theirs, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=f"{probe} in run {run}")
            assert len(x) == 9 and x.any()


def test_seeded_streams_do_not_depend_on_nengos_optimizer():
    sim, net = with_seed(network_of_processes, 2, 3, Simulator)
    ref, ref_net = with_seed(network_of_processes, 2, 3, nengo.Simulator, optimize=True)
    with sim, ref:
        np.testing.assert_equal(collect(sim, net, RUNS), collect(ref, ref_net, RUNS))


def test_what_a_reset_restarts():
    """Processes start again, from another seed if one is given; the streams of neurons go on."""
    for make, restarts in ((network_of_processes, True), (network_of_neurons, False)):
        sim, net = with_seed(make, 2, None, Simulator)
        with sim:
            first, second, other, _ = (run[0] for run in collect(sim, net, RUNS))
        assert np.array_equal(first, second) == restarts
        assert not np.array_equal(first, other)
