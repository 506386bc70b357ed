"""Users' own neuron types, derived from Nengo's, do what they do on the reference."""

import nengo
import numpy as np
import pytest
from comparing import compare
from nengo.dists import Choice, Uniform
from nengo.params import NumberParam

pytestmark = pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")


class Leaky(nengo.LIF):
    """A rate type in LIF's clothes: the voltage has no threshold, and the refractory time no use."""

    spiking = False

    def step(self, dt, J, output, voltage, refractory_time):
        voltage += (J - voltage) * (dt / self.tau_rc)
        output[...] = 2 * voltage


class Counting(nengo.LIF):
    """The refractory time counts spikes, and the threshold rises with it."""

    def step(self, dt, J, output, voltage, refractory_time):
        voltage += (J - voltage) * (dt / self.tau_rc)
        fired = voltage > 1 + 0.1 * refractory_time
        output[...] = fired * (self.amplitude / dt)
        voltage[fired] = 0
        refractory_time[fired] += 1


class Bounded(nengo.LIF):
    """The inherited step, with currents and then outputs of its own."""

    def step(self, dt, J, output, voltage, refractory_time):
        super().step(dt, np.minimum(J, 5), output, voltage, refractory_time)
        output[voltage < 0.1] *= 0.5


class Extended(nengo.AdaptiveLIF):
    """A state more than the parent has."""

    state = {**nengo.AdaptiveLIF.state, "trace": Choice([0.5])}
    tau_trace = NumberParam("tau_trace", low=0, low_open=True, readonly=True)

    def __init__(self, tau_trace=0.01, **kwargs):
        super().__init__(**kwargs)
        self.tau_trace = tau_trace

    def step(self, dt, J, output, voltage, refractory_time, adaptation, trace):
        super().step(dt, J - trace, output, voltage, refractory_time, adaptation)
        trace += dt / self.tau_trace * (dt * output - trace)


class Half(nengo.RectifiedLinear):
    """Neither rectified nor whole."""

    def step(self, dt, J, output):
        output[...] = 0.5 * J


class Saturating(nengo.RectifiedLinear):
    """Its own curve, with a state where the parent has none."""

    state = {"level": Uniform(0, 1)}

    def rates(self, x, gain, bias):
        return np.tanh(np.maximum(self.current(x, gain, bias), 0))

    def step(self, dt, J, output, level):
        level[...] = 0.9 * level + 0.1 * np.maximum(J, 0)
        output[...] = np.tanh(level)


class Remembering(nengo.RectifiedLinear):
    """The last currents are kept in a closure of the instance, beside what Nengo knows of."""

    def __init__(self):
        super().__init__()
        object.__setattr__(self, "last", {})

    def step(self, dt, J, output):
        output[...] = np.maximum(J + self.last.get(J.shape, 0), 0)
        self.last[J.shape] = J.copy()


class OwnGains(nengo.LIFRate):
    """Nengo's step, with gains and biases of its own."""

    def gain_bias(self, max_rates, intercepts):
        return np.asarray(max_rates) / 50.0, 1.0 - np.asarray(intercepts)


TYPES = [Leaky, Counting, Bounded, Extended, Half, Saturating, Remembering, OwnGains]


def network(make_type):
    """A population of the type beside two of its parent's, and the same decoded."""
    with nengo.Network(seed=1) as net:
        source = nengo.Node(lambda t: np.sin(40 * t))
        neuron_type = make_type()
        # `Remembering` would remember what Nengo's solver gave it
        settings = dict(gain=np.full(15, 3.0), bias=np.linspace(-1, 6, 15), encoders=np.ones((15, 1)))
        own = nengo.Ensemble(15, 1, neuron_type=neuron_type, **({} if make_type is OwnGains else settings))
        parents = [nengo.Ensemble(15, 1, neuron_type=make_type.__bases__[0](), **settings) for _ in range(2)]
        target = nengo.Node(size_in=15)
        nengo.Connection(own.neurons, target, synapse=0.005)
        for ensemble in (own, *parents):
            nengo.Connection(source, ensemble, synapse=None)
            nengo.Probe(ensemble.neurons)
        for name in neuron_type.state:
            nengo.Probe(own.neurons, name)
        nengo.Probe(target)
    return net


@pytest.mark.parametrize("make_type", TYPES)
def test_own_step_and_state(make_type):
    own, parent, *_ = compare(lambda: network(make_type), 25, 15)
    assert own.any() and parent.any() and not np.allclose(own, parent)


def decoding(make_type):
    with nengo.Network(seed=1) as net:
        ensemble = nengo.Ensemble(20, 1, neuron_type=make_type())
        nengo.Connection(nengo.Node(lambda t: np.sin(40 * t)), ensemble)
        nengo.Connection(ensemble, ensemble, function=lambda x: 0.5 * x, synapse=0.01)
        nengo.Probe(ensemble, synapse=0.01)
    return net


@pytest.mark.parametrize("make_type", [Bounded, Saturating])
def test_decoded(make_type):
    compare(lambda: decoding(make_type), 40)
