"""Rows for the neuron types of nengo."""

from functools import partial

import nengo
import numpy as np
from harness import Case
from nengo.builder import Signal
from nengo.builder.neurons import SimNeurons


def make_neurons(model, rng, make_type, scale=10.0, sizes=(7, 8)):
    """A population with random parameters, driven by currents of up to 1.5 ``scale`` of either sign."""
    neurons = make_type(rng)
    size = rng.randint(*sizes)
    state = neurons.make_state(size, rng=np.random.RandomState(rng.randint(1000)))
    state = {k: Signal(v) if isinstance(v, np.ndarray) else v for k, v in state.items()}
    J = Signal(rng.uniform(0.2, 1, size) * scale, name="J")
    model.add_op(SimNeurons(neurons, J, Signal(shape=size, name="output"), state=state))


def pick(rng, *values):
    """One of some values."""
    return values[rng.randint(len(values))]


def lif_parameters(rng):
    """Random parameters that all LIF types have."""
    return dict(tau_rc=rng.uniform(0.01, 0.04), tau_ref=pick(rng, 0, 0.002, 0.0033), amplitude=pick(rng, 1, 0.3))


def adaptation(rng):
    return dict(tau_n=rng.uniform(0.05, 1), inc_n=rng.uniform(0, 0.1))


TYPES = {
    "lif": (lambda rng: nengo.LIF(**lif_parameters(rng), min_voltage=pick(rng, 0, -1, -np.inf)), 10),
    "lif_rate": (lambda rng: nengo.LIFRate(**lif_parameters(rng)), 10),
    "adaptive_lif": (lambda rng: nengo.AdaptiveLIF(**adaptation(rng), **lif_parameters(rng)), 10),
    "adaptive_lif_rate": (lambda rng: nengo.AdaptiveLIFRate(**adaptation(rng), **lif_parameters(rng)), 10),
    "izhikevich": (lambda rng: nengo.Izhikevich(
        tau_recovery=pick(rng, 0.02, 0.1), coupling=pick(rng, 0.2, 0.25), reset_voltage=pick(rng, -65.0, -50.0),
        reset_recovery=pick(rng, 8.0, 2.0),
    ), 50),
    "rectified_linear": (lambda rng: nengo.RectifiedLinear(amplitude=pick(rng, 1, 0.3)), 10),
    "spiking_rectified_linear": (lambda rng: nengo.SpikingRectifiedLinear(amplitude=pick(rng, 1, 0.3)), 2000),
    "sigmoid": (lambda rng: nengo.Sigmoid(tau_ref=rng.uniform(0.001, 0.003)), 10),
    "tanh": (lambda rng: nengo.Tanh(tau_ref=rng.uniform(0.001, 0.003)), 3),
    "regular_spiking": (lambda rng: nengo.RegularSpiking(nengo.LIFRate(), amplitude=pick(rng, 1, 0.3)), 2000),
    "regular_spiking_negative": (lambda rng: nengo.RegularSpiking(nengo.Tanh()), 2000),
}

STOCHASTIC = {
    "stochastic_spiking": lambda rng: nengo.StochasticSpiking(nengo.LIFRate(), amplitude=pick(rng, 1, 0.3)),
    "stochastic_spiking_negative": lambda rng: nengo.StochasticSpiking(nengo.Tanh(), amplitude=pick(rng, 1, 0.3)),
}


class Doubling(nengo.LIF):
    """A subclass, which must never get the kernel of its parent."""

    def step(self, dt, J, output, voltage, refractory_time):
        super().step(dt, 2 * J, output, voltage, refractory_time)


class Leaky(nengo.neurons.NeuronType):
    """A type with state of its own."""

    state = {"trace": nengo.dists.Uniform(0, 1)}

    def step(self, dt, J, output, trace):
        trace += dt * (J - trace)
        output[...] = np.maximum(trace, 0)


ON_HOST = {"subclass": (lambda rng: Doubling(**lif_parameters(rng)), 10), "own_type": (lambda rng: Leaky(), 10)}

CASES = (
    *(
        Case(name, partial(make_neurons, make_type=make_type, scale=scale), groups=1)
        for name, (make_type, scale) in TYPES.items()
    ),
    Case("lif_sizes", partial(make_neurons, make_type=TYPES["lif"][0], sizes=(1, 30))),
    *(
        Case(name, partial(make_neurons, make_type=make_type, scale=2000), groups=1, own_stream=True)
        for name, make_type in STOCHASTIC.items()
    ),
    Case(
        "poisson_spiking", partial(make_neurons, make_type=lambda rng: nengo.PoissonSpiking(nengo.Tanh()), scale=2000),
        on_host=True, own_stream=True,
    ),
    *(
        Case(name, partial(make_neurons, make_type=make_type, scale=scale), on_host=True, warns=True)
        for name, (make_type, scale) in ON_HOST.items()
    ),
)
