"""Spikes come in the steps in which nengo has them; and what neuron types have beside a step function."""

import pickle

import nengo
import numpy as np
import pytest
import tensorflow as tf

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.ops import Context, HostFallbackWarning
from nengo_backend_tf.ops.neurons.lif_rate import make_lif_rates
from nengo_backend_tf.ops.rounding import rounded

#: Rates at which voltages come exactly to a threshold, and others.
RATES = np.array([20, 50, 100, 125, 200, 250, 333.3, 1000, 2500, 0, -100])


def network(neuron_type, n_neurons=30, seed=1, **settings):
    """A population driven by noise, and its output and state probed."""
    with nengo.Network(seed=seed) as net:
        configure_settings(**settings)
        stimulus = nengo.Node(nengo.processes.WhiteSignal(0.5, high=20, seed=seed))
        ensemble = nengo.Ensemble(n_neurons, 1, neuron_type=neuron_type)
        nengo.Connection(stimulus, ensemble, synapse=None)
        net.recorded = [nengo.Probe(ensemble.neurons, name) for name in ensemble.neurons.probeable if name != "input"]
        net.ensemble = ensemble
    return net


def run(simulator, net, steps=500, **kwargs):
    with simulator(net, progress_bar=False, **kwargs) as sim:
        sim.run_steps(steps)
        return [sim.data[p] for p in net.recorded]


@pytest.mark.parametrize("neuron_type", [
    nengo.LIF(), nengo.AdaptiveLIF(), nengo.Izhikevich(), nengo.SpikingRectifiedLinear(), nengo.LIF(tau_ref=0.0021),
    nengo.LIF(min_voltage=-1), nengo.RegularSpiking(nengo.LIFRate()), nengo.RegularSpiking(nengo.Tanh()),
    nengo.StochasticSpiking(nengo.Sigmoid()), nengo.StochasticSpiking(nengo.Tanh()),
    nengo.StochasticSpiking(nengo.AdaptiveLIFRate()), nengo.PoissonSpiking(nengo.LIFRate()),
    nengo.PoissonSpiking(nengo.Tanh()),
], ids=str)
@pytest.mark.filterwarnings("error::nengo_backend_tf.ops.HostFallbackWarning")
def test_same_spikes(neuron_type):
    net = network(neuron_type)
    for actual, expected in zip(run(Simulator, net), run(nengo.Simulator, net)):
        assert np.any(expected)
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("neuron_type", [
    nengo.SpikingRectifiedLinear(initial_state={"voltage": nengo.dists.Choice([0])}),
    nengo.RegularSpiking(nengo.RectifiedLinear(), initial_state={"voltage": nengo.dists.Choice([0])}),
    nengo.StochasticSpiking(nengo.RectifiedLinear()),
    nengo.LIF(initial_state={"voltage": nengo.dists.Choice([0])}),
], ids=lambda n: type(n).__name__)
@pytest.mark.parametrize("dt", [0.001, 0.0005, 0.002])
@pytest.mark.filterwarnings("ignore:.*(divide|multiply|max_rates)")  # gains of zero
def test_same_spikes_at_round_rates(neuron_type, dt):
    with nengo.Network(seed=0) as net:
        ones = nengo.Node(lambda t: 1)
        ensemble = nengo.Ensemble(
            len(RATES), 1, neuron_type=neuron_type, gain=RATES, bias=np.zeros(len(RATES)), encoders=np.ones((len(RATES), 1))
        )
        nengo.Connection(ones, ensemble, synapse=None)
        net.recorded = [nengo.Probe(ensemble.neurons), nengo.Probe(ensemble.neurons, "input")]
    actual, expected = (run(s, net, steps=3000, dt=dt)[0] for s in (Simulator, nengo.Simulator))
    assert np.array_equal(actual, expected)


def test_rounded_keeps_numpys_rounding():
    rng = np.random.RandomState(0)
    a, b, c = rng.uniform(-1, 1, (3, 10000))

    @tf.function(jit_compile=True)
    def sum_of_product(a, b, c):
        return rounded(a * b) + c

    assert np.array_equal(sum_of_product(a, b, c), a * b + c)


class Mine(nengo.LIF):
    """A subclass that overrides the step."""

    def step(self, dt, J, output, voltage, refractory_time):
        super().step(dt, 0.5 * J, output, voltage, refractory_time)


class SameStep(nengo.LIF):
    """A subclass that overrides nothing."""


class Noisy(nengo.neurons.NeuronType):
    """A type with a random stream and state of its own."""

    state = {"level": nengo.dists.Choice([0])}

    def make_state(self, n_neurons, rng=np.random, dtype=None):
        return {**super().make_state(n_neurons, rng=rng, dtype=dtype), "rng": rng}

    def rates(self, x, gain, bias):
        return np.maximum(self.current(x, gain, bias), 0)

    def step(self, dt, J, output, level, rng):
        level += dt * J + 0.01 * rng.normal(size=J.shape)
        output[...] = np.maximum(level, 0)


@pytest.mark.parametrize("neuron_type", [Mine(), SameStep(), Noisy()], ids=lambda n: type(n).__name__)
def test_own_types_run_their_own_step(neuron_type):
    net = network(neuron_type)
    with pytest.warns(HostFallbackWarning, match=f"{type(neuron_type).__name__} has no native TensorFlow rule"):
        actual = run(Simulator, net, steps=100)
    for a, e in zip(actual, run(nengo.Simulator, net, steps=100)):
        np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("neuron_type", [nengo.StochasticSpiking(nengo.LIFRate()), nengo.PoissonSpiking(nengo.LIFRate())], ids=str)
def test_random_stream_goes_on_after_reset(neuron_type):
    def twice(simulator):
        net = network(neuron_type)
        with simulator(net, progress_bar=False) as sim:
            sim.run_steps(70)
            first = sim.data[net.recorded[0]]
            sim.reset()
            sim.run_steps(70)
            return first, sim.data[net.recorded[0]]

    for actual, expected in zip(twice(Simulator), twice(nengo.Simulator)):
        assert np.array_equal(actual, expected)


@pytest.mark.parametrize("neuron_type", [
    nengo.StochasticSpiking(nengo.LIFRate()), nengo.PoissonSpiking(nengo.LIFRate()), Noisy()
], ids=str)
@pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")
def test_items_have_streams_of_their_own(neuron_type):
    net = network(neuron_type, dtype="float64")
    batched = run(Simulator, net, steps=100, minibatch_size=3)[0]
    np.testing.assert_allclose(batched[0], run(nengo.Simulator, net, steps=100)[0], rtol=1e-9, atol=1e-9)
    assert not np.array_equal(batched[1], batched[0])
    assert not np.array_equal(batched[2], batched[1])
    np.testing.assert_allclose(batched[1].mean(), batched[0].mean(), rtol=0.3)
    again = run(Simulator, network(neuron_type, dtype="float64"), steps=100, minibatch_size=3)[0]
    assert np.array_equal(batched, again)


@pytest.mark.parametrize("minibatch_size", [None, 2])
@pytest.mark.parametrize("neuron_type", [nengo.StochasticSpiking(nengo.LIFRate()), nengo.PoissonSpiking(nengo.LIFRate())], ids=str)
def test_random_stream_is_pickled(neuron_type, minibatch_size):
    net = network(neuron_type)
    with Simulator(net, progress_bar=False, minibatch_size=minibatch_size) as sim:
        sim.run_steps(30)
        with pickle.loads(pickle.dumps(sim)) as copied:
            for s in (sim, copied):
                s.run_steps(30)
            expected = [sim.data[p] for p in net.recorded]
            actual = [copied.data[p] for p in copied.model.probes]
    for a, e in zip(actual, expected):
        assert np.array_equal(a, e)


#: 11 bits are not enough for the steep rise before an Izhikevich neuron's spike, so that it is not among them in float16.
LOW_PRECISION = [
    nengo.LIF(), nengo.LIFRate(), nengo.AdaptiveLIF(), nengo.AdaptiveLIFRate(), nengo.RectifiedLinear(),
    nengo.SpikingRectifiedLinear(), nengo.Sigmoid(), nengo.Tanh(), nengo.RegularSpiking(nengo.LIFRate()),
    nengo.StochasticSpiking(nengo.Tanh()), nengo.PoissonSpiking(nengo.LIFRate()),
]


@pytest.mark.parametrize("neuron_type, dtype", [
    *((n, d) for n in LOW_PRECISION for d in ("float16", "float32")), (nengo.Izhikevich(), "float32")
], ids=str)
def test_lower_precision(neuron_type, dtype):
    net = network(neuron_type, dtype=dtype)
    output, expected = (run(s, net, steps=300)[0] for s in (Simulator, nengo.Simulator))
    assert output.dtype == dtype
    assert np.isfinite(output).all()
    np.testing.assert_allclose(
        output.astype(float).mean(), expected.mean(), rtol=0.1 if dtype == "float16" else 0.02, atol=0.5
    )


def lif_rates(dtype="float64", **parameters):
    dtype = np.dtype(dtype)
    return make_lif_rates([nengo.LIFRate(**parameters)], Context(0.001, dtype, "flat", ((5,),), (5,)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("tau_ref", [0, 0.002])
def test_lif_rates_have_finite_gradients(dtype, tau_ref):
    eps = np.finfo(dtype).eps
    J = tf.constant([-1e30, 0, 1, 1 + eps, 1.5, 1e8], dtype)
    with tf.GradientTape() as tape:
        tape.watch(J)
        rates = lif_rates(dtype, tau_ref=tau_ref)(J)
    assert np.isfinite(rates).all()
    assert np.array_equal(rates[:3], [0, 0, 0])
    gradient = tape.gradient(rates, J)
    assert np.isfinite(gradient).all()
    assert np.array_equal(gradient[:3], [0, 0, 0])


@pytest.mark.parametrize("neuron_type", [
    nengo.LIFRate(), nengo.LIFRate(tau_ref=0), nengo.Sigmoid(), nengo.Tanh(), nengo.RectifiedLinear()
], ids=str)
def test_rates_are_exact(neuron_type):
    J = np.r_[np.random.RandomState(0).uniform(-30, 30, 1000), 1 + np.logspace(-15, 8, 200), -800, 800]
    with nengo.Network() as net:
        neurons = nengo.Ensemble(len(J), 1, neuron_type=neuron_type, gain=np.ones(len(J)), bias=np.zeros(len(J))).neurons
        node = nengo.Node(lambda t: J)
        nengo.Connection(node, neurons, synapse=None)
        net.recorded = [nengo.Probe(neurons)]
    with np.errstate(over="ignore"):
        actual, expected = (run(s, net, steps=1)[0] for s in (Simulator, nengo.Simulator))
    np.testing.assert_allclose(actual, expected, rtol=2e-15, atol=1e-300)
