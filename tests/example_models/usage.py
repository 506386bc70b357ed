"""Uses of Nengo: configured networks, networks of networks, delays, other neuron types."""

from collections import deque

import nengo
import numpy as np
from nengo.dists import Choice

from .collect import model

MODELS = {}


@model(MODELS)
def config():
    """Defaults of a network, of a network in it, and of single objects."""
    network = nengo.Network.context[-1]
    network.config[nengo.Ensemble].neuron_type = nengo.LIFRate(tau_rc=0.04)
    network.config[nengo.Ensemble].intercepts = Choice([0])
    network.config[nengo.Connection].synapse = nengo.Alpha(0.01)
    source = nengo.Node(lambda t: np.sin(15 * t))
    ensembles = [nengo.Ensemble(20, 1), nengo.Ensemble(20, 1, neuron_type=nengo.LIF())]
    with nengo.Network() as inner:
        inner.config[nengo.Ensemble].radius = 2
        inner.config[nengo.Connection].synapse = nengo.Lowpass(0.03)
        ensembles.append(nengo.Ensemble(20, 1))
        nengo.Connection(source, ensembles[-1])
    for pre in (source, ensembles[0]):
        nengo.Connection(pre, ensembles[1])
    nengo.Connection(source, ensembles[0])
    for ensemble in ensembles:
        nengo.Probe(ensemble)
        nengo.Probe(ensemble.neurons, synapse=0.01)


@model(MODELS)
def delay_node():
    """A Node that keeps the values of the last steps."""
    def delay(steps):
        history = deque([np.zeros(1)] * steps)

        def step(t, x):
            history.append(x)
            return history.popleft()

        return step

    source, ensemble = nengo.Node(lambda t: np.sin(30 * t)), nengo.Ensemble(40, 1)
    delayed, sink = nengo.Node(delay(30), size_in=1), nengo.Ensemble(40, 1)
    nengo.Connection(source, ensemble)
    nengo.Connection(ensemble, delayed)
    nengo.Connection(delayed, sink)
    for probed in (ensemble, delayed, sink):
        nengo.Probe(probed, synapse=0.01)


def double_integrator(neuron_type):
    """A lever is pressed, which starts two coupled integrators; when the second is high, it is released."""
    def controlled():
        ensemble = nengo.Ensemble(60, 2)
        nengo.Connection(ensemble, ensemble[0], function=lambda x: x[0] * (1 - x[1]), synapse=0.1)
        return ensemble

    with nengo.Config(nengo.Ensemble) as defaults:
        defaults[nengo.Ensemble].neuron_type = neuron_type
        first, second = controlled(), controlled()
        defaults[nengo.Ensemble].encoders = Choice([[1]])
        defaults[nengo.Ensemble].intercepts = Choice([0.5])
        press, release = nengo.Ensemble(20, 1), nengo.Ensemble(20, 1)
    nengo.Connection(first[0], second[0], transform=0.3)
    nengo.Connection(nengo.Node(lambda t: t < 0.05), press)
    nengo.Connection(press, first[0], transform=0.6)
    nengo.Connection(press, second[1], transform=-2)
    nengo.Connection(second[0], release)
    for probed in (first, second, press, release):
        nengo.Probe(probed, synapse=0.01)


@model(MODELS)
def network_design():
    double_integrator(nengo.LIF())


@model(MODELS)
def network_design_advanced():
    """The same, with other neurons."""
    double_integrator(nengo.LIFRate())


class Rectifying(nengo.neurons.NeuronType):
    """Rates are the currents that are above zero, times a slope."""

    def __init__(self, slope=1.0):
        super().__init__()
        object.__setattr__(self, "slope", slope)

    def rates(self, x, gain, bias):
        return self.slope * np.maximum(self.current(x, gain, bias), 0)

    def gain_bias(self, max_rates, intercepts):
        gain = np.asarray(max_rates) / (1.0 - np.asarray(intercepts)) / self.slope
        return gain, -np.asarray(intercepts) * gain

    def max_rates_intercepts(self, gain, bias):
        intercepts = -bias / gain
        return gain * (1 - intercepts) * self.slope, intercepts

    def step(self, dt, J, output):
        output[...] = self.slope * np.maximum(J, 0)


@model(MODELS)
def rectified_linear():
    """A neuron type of the user's, beside Nengo's."""
    source = nengo.Node(lambda t: np.sin(20 * t))
    for neuron_type in (Rectifying(2.0), nengo.RectifiedLinear()):
        first, second = (nengo.Ensemble(30, 1, neuron_type=neuron_type) for _ in range(2))
        nengo.Connection(source, first)
        nengo.Connection(first, second, function=np.square)
        nengo.Probe(first.neurons)
        nengo.Probe(second, synapse=0.01)


@model(MODELS)
def tuning_curves():
    """Populations of every neuron type."""
    source = nengo.Node(lambda t: np.sin(20 * t))
    types = [
        nengo.LIF(), nengo.LIFRate(), nengo.AdaptiveLIF(), nengo.AdaptiveLIFRate(), nengo.RectifiedLinear(), nengo.Sigmoid(),
        nengo.Tanh(), nengo.SpikingRectifiedLinear(), nengo.RegularSpiking(nengo.LIFRate()), nengo.Izhikevich(),
        nengo.StochasticSpiking(nengo.LIFRate()), nengo.PoissonSpiking(nengo.LIFRate()), nengo.Direct(),
    ]
    for neuron_type in types:
        ensemble = nengo.Ensemble(15, 1, neuron_type=neuron_type)
        nengo.Connection(source, ensemble)
        nengo.Probe(ensemble, synapse=0.01)
