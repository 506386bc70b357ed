"""A pickled simulator's copy goes on as the original, to the last bit, whatever keeps state: all of nengo's kinds."""

import pickle

import nengo
import numpy as np
import pytest
from nengo.neurons import AdaptiveLIF, AdaptiveLIFRate, Izhikevich, LIFRate, PoissonSpiking, RegularSpiking, Sigmoid
from nengo.neurons import SpikingRectifiedLinear, StochasticSpiking, Tanh
from nengo.processes import BrownNoise, FilteredNoise, Piecewise, PresentInput, WhiteNoise, WhiteSignal

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.program import compile as compiling

CHUNK = 40
NEURONS = (
    nengo.LIF(), nengo.LIF(min_voltage=-1), LIFRate(), AdaptiveLIF(), AdaptiveLIFRate(), Izhikevich(), Sigmoid(), Tanh(),
    nengo.RectifiedLinear(), SpikingRectifiedLinear(), RegularSpiking(LIFRate()), StochasticSpiking(LIFRate()),
    PoissonSpiking(LIFRate()),
)
SYNAPSES = (
    nengo.Lowpass(0.01), nengo.Lowpass(0), nengo.Alpha(0.01), nengo.LinearFilter([1], [0.001, 0.02, 1]),
    nengo.LinearFilter([1, 0.5], [0.0001, 0.01, 1], method="euler"), nengo.synapses.Triangle(0.005),
)
RULES = (nengo.PES(), nengo.PES(pre_synapse=nengo.Alpha(0.01)), nengo.RLS())
NEURON_RULES = (nengo.BCM(), nengo.Oja())
PROCESSES = (
    WhiteNoise(), WhiteNoise(seed=3), FilteredNoise(nengo.Alpha(0.1)), BrownNoise(), WhiteSignal(0.1, high=50),
    PresentInput([[1], [2], [3]], 0.003), Piecewise({0.001: 1, 0.004: -1}),
)


def time_and_sine(t):
    return [np.sin(30 * t), t]


def all_neurons(u):
    for neuron_type in NEURONS:
        ensemble = nengo.Ensemble(8, 2, neuron_type=neuron_type)
        nengo.Connection(u, ensemble, synapse=None)
        nengo.Probe(ensemble.neurons)
        for name in neuron_type.state:
            nengo.Probe(ensemble.neurons, name)


def all_synapses(u):
    for synapse in SYNAPSES:
        node = nengo.Node(size_in=2)
        nengo.Connection(u, node, synapse=synapse)
        nengo.Probe(node)


def all_learning_rules(u):
    pre, post = nengo.Ensemble(10, 2), nengo.Ensemble(8, 2)
    nengo.Connection(u, pre)
    for rule in RULES:
        learned = nengo.Connection(pre, nengo.Node(size_in=2), learning_rule_type=rule)
        nengo.Connection(u, learned.learning_rule)
        nengo.Probe(learned, "weights")
    for rule in NEURON_RULES:
        learned = nengo.Connection(pre.neurons, post.neurons, transform=np.ones((8, 10)), learning_rule_type=rule)
        nengo.Probe(learned, "weights")
    voja = nengo.Connection(pre, post, learning_rule_type=nengo.Voja())
    nengo.Probe(voja.learning_rule, "scaled_encoders")
    nengo.Probe(post, synapse=0.01)


def all_processes(u):
    for process in PROCESSES:
        node = nengo.Node(process, size_out=1)
        ensemble = nengo.Ensemble(1, 1, noise=process)
        nengo.Connection(node, ensemble)
        nengo.Probe(node)
        nengo.Probe(ensemble.neurons, "input")


class Counter:
    """Counts its calls, and keeps the inputs."""

    def __init__(self):
        self.kept, self.times, self.rng = [], [], np.random.RandomState(1)

    def of_time(self, t):
        self.times.append(t)
        return len(self.times) + self.rng.rand()

    def __call__(self, t, x):
        self.kept.append(x)
        return np.sum(self.kept, axis=0) / 100 + self.rng.rand()


def functions_of_time(u):
    for counter in (Counter(), Counter()):
        nengo.Probe(nengo.Node(counter.of_time, size_out=1), synapse=0.01)


def functions_of_values(u):
    counter = Counter()
    node = nengo.Node(counter, size_in=2, size_out=2)
    nengo.Connection(u, node)
    nengo.Connection(node, node, transform=0.1)
    nengo.Probe(node)
    nengo.Probe(nengo.Node(counter.of_time, size_out=1))


def functions_that_only_consume(u):
    node = nengo.Node(Counter(), size_in=2, size_out=2)
    nengo.Connection(u, node)
    nengo.Probe(node)


BUILDS = (
    all_neurons, all_synapses, all_learning_rules, all_processes, functions_of_time, functions_of_values,
    functions_that_only_consume,
)


@pytest.mark.filterwarnings("ignore:'Node.size_out' is being overwritten")
@pytest.mark.parametrize(
    "build, host_loop", [*((build, "auto") for build in BUILDS), (functions_of_values, "tensorflow")],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_copy_goes_on(build, host_loop, monkeypatch):
    """Few steps run on the host, many in a compiled loop, before and after pickling."""
    monkeypatch.setattr(compiling, "CHUNK_STEPS", CHUNK)
    with nengo.Network(seed=0) as net:
        configure_settings(host_loop=host_loop)
        build(nengo.Node(time_and_sine))
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(CHUNK + 5)
        sim.step()
        stored = pickle.dumps(sim)
        with pickle.loads(stored) as copy:
            for steps in (1, 7, CHUNK + 1):
                sim.run_steps(steps)
                copy.run_steps(steps)
            for probe, same in zip(sim.model.probes, copy.model.probes, strict=True):
                np.testing.assert_array_equal(copy.data[same], sim.data[probe], err_msg=str(probe))
                assert len(sim.data[probe]) == 2 * CHUNK + 15
