"""What neurons of each type make of currents: tiny and huge ones, at thresholds, at each timestep."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, automatic, compare, compiled

RATE_TYPES = [
    nengo.LIFRate(), nengo.RectifiedLinear(), nengo.Sigmoid(), nengo.Tanh(), nengo.AdaptiveLIFRate(tau_n=0.1, inc_n=0.02),
]
SPIKING_TYPES = [
    nengo.LIF(), nengo.AdaptiveLIF(tau_n=0.1, inc_n=0.02), nengo.Izhikevich(), nengo.SpikingRectifiedLinear(),
    nengo.RegularSpiking(nengo.LIFRate()), nengo.StochasticSpiking(nengo.LIFRate()), nengo.PoissonSpiking(nengo.LIFRate()),
]
THRESHOLD_OF_LIF = (nengo.LIF, nengo.LIFRate, nengo.AdaptiveLIF, nengo.AdaptiveLIFRate)
CURRENTS = np.array([-1e6, -1.0, 0.0, 0.999999, 1.0, 1.0000001, 1.00001, 1.02, 2.0, 6.0, 40.0, 1e4])


def constant_currents(neuron_types, currents, **kwargs):
    """Populations that get fixed currents, their output and all of their state probed, type by type."""
    with nengo.Network(seed=0) as net:
        for neuron_type in neuron_types:
            n = len(currents)
            ensemble = nengo.Ensemble(
                n, 1, neuron_type=neuron_type, gain=np.ones(n), bias=currents, encoders=np.ones((n, 1)), **kwargs
            )
            for name in ("output", *sorted(neuron_type.state)):
                nengo.Probe(ensemble.neurons, name)
    return net


@pytest.mark.filterwarnings("ignore:.*(overflow|invalid value|divide by zero)")  # of nengo's own steps, at huge currents
@pytest.mark.parametrize("dt", [0.001, 0.002])
@pytest.mark.parametrize("neuron_type", RATE_TYPES + SPIKING_TYPES, ids=lambda n: f"{type(n).__name__}")
def test_currents_of_all_sizes(neuron_type, dt):
    backends = BACKENDS if dt == 0.001 else [compiled]
    output, *_ = compare(lambda: constant_currents([neuron_type], CURRENTS), 60, dt=dt, backends=backends)
    if isinstance(neuron_type, THRESHOLD_OF_LIF):
        assert not output[:, CURRENTS <= 1].any()
    if not isinstance(neuron_type, nengo.Izhikevich):
        assert np.isfinite(output).all() and output.any()


@pytest.mark.parametrize("dt, amplitude", [(0.001, 1), (0.0005, 0.5), (0.002, 0.5)])
def test_lif_rates_do_not_depend_on_the_timestep(dt, amplitude):
    """Spikes are as many as the rate says, within one and a half, and as high as their amplitude says."""
    currents = CURRENTS[:-1]
    types = [nengo.LIF(amplitude=amplitude), nengo.LIFRate(amplitude=amplitude)]
    spikes, _, _, rates = compare(
        lambda: constant_currents(types, currents), int(1 / dt), dt=dt, backends=[automatic]
    )
    expected = np.zeros(len(currents))
    above = currents > 1
    expected[above] = 1 / (0.002 + 0.02 * np.log1p(1 / (currents[above] - 1)))
    np.testing.assert_allclose(rates[-1], amplitude * expected, rtol=1e-9)
    np.testing.assert_array_equal(np.unique(spikes), [0, amplitude / dt])
    assert np.all(np.abs((spikes > 0).sum(axis=0) - expected) <= 1.5)


def test_random_spikes_have_the_rates_of_their_type():
    currents = np.array([0.0, 20.0, 55.5, 130.0, 700.0])
    kinds = [nengo.RegularSpiking, nengo.StochasticSpiking, nengo.PoissonSpiking]
    types = [kind(nengo.RectifiedLinear()) for kind in kinds]
    data = compare(lambda: constant_currents(types, currents), 2000, backends=[automatic])
    regular, stochastic, poisson = data[0], data[2], data[3]
    for spikes in (regular, stochastic, poisson):
        assert np.all(np.abs(spikes.mean(axis=0) - currents) <= 4.5 * np.sqrt(currents / 2) + 1)
    intervals = np.diff(np.nonzero(regular[:, 2])[0])
    assert np.ptp(intervals) <= 1


def odd_ensembles():
    """One neuron, more dimensions than neurons, a large and a small radius, no dimension used, and exact ones."""
    with nengo.Network(seed=0) as net:
        source = nengo.Node(lambda t: [np.sin(40 * t), np.cos(40 * t), 0.5])
        one = nengo.Ensemble(1, 1, neuron_type=nengo.LIFRate(), max_rates=[100], intercepts=[0], encoders=[[1]])
        nengo.Connection(source[2], one, transform=2, synapse=None)
        wide = nengo.Ensemble(3, 20)
        nengo.Connection(source[:1], wide, transform=np.full((20, 1), 0.1), synapse=None)
        large, small = nengo.Ensemble(30, 1, radius=50), nengo.Ensemble(30, 1, radius=1e-3)
        nengo.Connection(source[2], large, transform=80, synapse=None)
        nengo.Connection(source[0], small, transform=1e-3, synapse=None)
        idle = nengo.Ensemble(10, 2)
        for ensemble in (one, wide, large, small, idle):
            nengo.Probe(ensemble.neurons)
            nengo.Probe(ensemble, synapse=0.01)
        exact = nengo.Ensemble(1, 3, neuron_type=nengo.Direct(), radius=0.1)
        function = nengo.Node(size_in=2)
        nengo.Connection(source, exact, synapse=None)
        nengo.Connection(exact[[2, 0]], function, function=lambda x: [x[0] * x[1], x[1] ** 2], synapse=None)
        nengo.Connection(exact, exact, function=lambda x: 0.5 * x[::-1], synapse=0.01)
        nengo.Probe(exact)
        nengo.Probe(function)
    return net


def test_odd_ensembles():
    data = compare(odd_ensembles, 100)
    assert all(x.any() for x in data)
    np.testing.assert_allclose(data[0], 100)
