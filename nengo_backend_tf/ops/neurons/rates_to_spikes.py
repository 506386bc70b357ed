"""Spikes from the rates of another neuron type: RegularSpiking, StochasticSpiking, PoissonSpiking.

The input J is the rate (Hz) that nengo's builder has the base type compute before, in an operator of its own.
"""

import tensorflow as tf
from nengo.neurons import PoissonSpiking, RegularSpiking, StochasticSpiking

from ..rounding import rounded
from .rectified_linear import make_integrate_and_fire
from .registry import host_neurons, register_neurons, register_neurons_rule


@register_neurons(RegularSpiking)
def make_regular_spiking_step(neurons, context):
    """J (Hz), voltage -> output (spikes of amplitude / dt), voltage. Rates below zero give spikes below zero."""
    return make_integrate_and_fire(neurons, context)


@register_neurons(
    StochasticSpiking,
    merge_key=lambda neurons: neurons.negative,
    draw=lambda rng, shape: rng.random_sample(size=shape),
)
def make_stochastic_spiking_step(neurons, context):
    """J (Hz), uniform random numbers -> output (spikes of amplitude / dt).

    Of dt J spikes the whole ones are certain, and one more comes with the probability of the rest. Where the base type
    has rates of both signs, that holds for their magnitudes.
    """
    height = context.spread([n.amplitude / context.dt for n in neurons])
    dt, zero, one = (context.dtype.type(x) for x in (context.dt, 0, 1))

    def step_signed(J, drawn):
        expected = rounded(dt * tf.abs(J))
        whole = tf.floor(expected)
        return (height * (whole + tf.where(drawn < expected - whole, one, zero)) * tf.sign(J),)

    def step_unsigned(J, drawn):
        expected = rounded(dt * J)
        whole = tf.sign(expected) * tf.floor(tf.abs(expected))
        return (height * (whole + tf.where(drawn < expected - whole, one, zero)),)

    return step_signed if neurons[0].negative else step_unsigned


@register_neurons_rule(PoissonSpiking)
def poisson_spiking_rule(op, model):
    """On the host: how far a Poisson draw moves the random stream depends on the rate, so that nothing can be drawn ahead."""
    return host_neurons(op, model)
