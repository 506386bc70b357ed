"""Adaptive leaky integrate-and-fire neurons, spiking and as rates.

    tau_n dn/dt = inc_n a - n

by Euler's method, where the adaptation n is taken off the current J, and a is the neuron's own output.
"""

import tensorflow as tf
from nengo.neurons import AdaptiveLIF, AdaptiveLIFRate

from .lif import make_lif_dynamics
from .lif_rate import make_lif_rates
from .registry import register_neurons


def make_adaptation(neurons, context):
    """adapt(output, n) -> n."""
    rate = context.spread([context.dt / n.tau_n for n in neurons])
    inc_n = context.spread([n.inc_n for n in neurons])

    def adapt(output, adaptation):
        return adaptation + rate * (inc_n * output - adaptation)

    return adapt


@register_neurons(AdaptiveLIF)
def make_adaptive_lif_step(neurons, context):
    """J, voltage, refractory_time (seconds), n -> output (spikes of amplitude / dt), voltage, refractory_time, n."""
    dynamics, adapt = make_lif_dynamics(neurons, context), make_adaptation(neurons, context)
    height, zero = context.spread([n.amplitude / context.dt for n in neurons]), context.dtype.type(0)

    def step_adaptive_lif(J, voltage, refractory_time, adaptation):
        spiked, voltage, refractory_time = dynamics(J - adaptation, voltage, refractory_time)
        output = tf.where(spiked, height, zero)
        return output, voltage, refractory_time, adapt(output, adaptation)

    return step_adaptive_lif


@register_neurons(AdaptiveLIFRate)
def make_adaptive_lif_rate_step(neurons, context):
    """J, n -> rates (Hz), n."""
    rates, adapt = make_lif_rates(neurons, context), make_adaptation(neurons, context)

    def step_adaptive_lif_rate(J, adaptation):
        output = rates(J - adaptation)
        return output, adapt(output, adaptation)

    return step_adaptive_lif_rate
