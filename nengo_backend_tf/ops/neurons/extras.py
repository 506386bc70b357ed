"""Neuron types of nengo-extras: SoftLIFRate and FastLIF.

Version 0.5 of nengo-extras has their equations in ``step_math``, which nengo 3.1 renamed to ``step`` and no longer calls:
``nengo.Simulator`` runs them as the LIFRate and LIF that they inherit from, and so do we. The kernels below are for where
the types have a ``step`` of their own.

SoftLIFRate: r = amplitude / (tau_ref + tau_rc log(1 + 1 / j)),  j = sigma log(1 + exp((J - 1) / sigma))

FastLIF: an exponential step of the voltage for all of dt, whatever the refractory time; what of dt the neuron was refractory
is made up for by scaling the voltage, and the time of a spike is interpolated linearly.
"""

import numpy as np
import tensorflow as tf
from nengo.neurons import LIF, LIFRate

from ..rounding import rounded
from .registry import register_neurons

#: Beyond this, log(1 + exp(x)) is x in double precision.
LINEAR_FROM = 34.0


@register_neurons("nengo_extras.neurons.SoftLIFRate", inherits=LIFRate)
def make_soft_lif_rate_step(neurons, context):
    """J -> rates (Hz)."""
    zero, one = context.dtype.type(0), context.dtype.type(1)
    amplitude, tau_rc, tau_ref, sigma = (
        context.spread([getattr(n, name) for n in neurons]) for name in ("amplitude", "tau_rc", "tau_ref", "sigma")
    )

    def step_soft_lif_rate(J):
        over = J - one
        scaled = over / sigma
        soft = sigma * tf.math.log1p(tf.exp(tf.minimum(scaled, LINEAR_FROM)))
        j = tf.where(scaled < LINEAR_FROM, soft, over)
        active = j > zero
        safe = tf.where(active, j, one)
        return (tf.where(active, amplitude / (tau_ref + tau_rc * tf.math.log1p(one / safe)), zero),)

    return step_soft_lif_rate


@register_neurons("nengo_extras.neurons.FastLIF", inherits=LIF)
def make_fast_lif_step(neurons, context):
    """J, voltage, refractory_time (seconds) -> output (spikes of 1 / dt), voltage, refractory_time."""
    dtype = context.dtype.type
    dt, height, zero, one = dtype(context.dt), dtype(1 / context.dt), dtype(0), dtype(1)
    gain = context.spread([-np.expm1(-context.dt / n.tau_rc) for n in neurons])
    tau_ref = context.spread([n.tau_ref for n in neurons])
    min_voltage = context.spread([n.min_voltage for n in neurons])

    def step_fast_lif(J, voltage, refractory_time):
        change = rounded(gain * (J - voltage))
        voltage = tf.maximum(voltage + change, min_voltage)
        refractory_time = refractory_time - dt
        voltage = rounded(voltage * tf.clip_by_value(one - refractory_time / dt, zero, one))
        spiked = voltage > one
        overshoot = tf.where(spiked, voltage - one, zero) / tf.where(spiked, change, one)
        spike_time = rounded(dt * (one - overshoot))
        return (
            tf.where(spiked, height, zero),
            tf.where(spiked, zero, voltage),
            tf.where(spiked, tau_ref + spike_time, refractory_time),
        )

    return step_fast_lif
