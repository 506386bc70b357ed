"""Rectified linear neurons.

RectifiedLinear: r = amplitude max(J, 0).

SpikingRectifiedLinear integrates and fires:

    dv/dt = max(J, 0),  floor(v) spikes in a step, which are taken off v
"""

import tensorflow as tf
from nengo.neurons import RectifiedLinear, SpikingRectifiedLinear

from ..rounding import rounded
from .registry import register_neurons


@register_neurons(RectifiedLinear)
def make_rectified_linear_step(neurons, context):
    """J -> rates (Hz)."""
    amplitude, zero = context.spread([n.amplitude for n in neurons]), context.dtype.type(0)

    def step_rectified_linear(J):
        return (amplitude * tf.maximum(J, zero),)

    return step_rectified_linear


@register_neurons(SpikingRectifiedLinear)
def make_spiking_rectified_linear_step(neurons, context):
    """J (Hz), voltage -> output (spikes of amplitude / dt), voltage."""
    integrate = make_integrate_and_fire(neurons, context)
    zero = context.dtype.type(0)

    def step_spiking_rectified_linear(J, voltage):
        return integrate(tf.maximum(J, zero), voltage)

    return step_spiking_rectified_linear


def make_integrate_and_fire(neurons, context):
    """Spikes at a rate (Hz): step(rate, voltage) -> (output, voltage), with v + dt rate = spikes + v'."""
    height = context.spread([n.amplitude / context.dt for n in neurons])
    dt = context.dtype.type(context.dt)

    def step(rate, voltage):
        voltage = voltage + rounded(rate * dt)
        spikes = tf.floor(voltage)
        return height * spikes, voltage - spikes

    return step
