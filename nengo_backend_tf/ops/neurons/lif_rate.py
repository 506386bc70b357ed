"""Steady-state firing rates of leaky integrate-and-fire neurons.

    r = amplitude / (tau_ref + tau_rc log(1 + 1 / (J - 1)))  for J > 1, else 0
"""

import tensorflow as tf
from nengo.neurons import LIFRate

from .registry import register_neurons


def make_lif_rates(neurons, context):
    """rates(J): J -> rates (Hz)."""
    zero, one = context.dtype.type(0), context.dtype.type(1)
    amplitude, tau_rc, tau_ref = (
        context.spread([getattr(n, name) for n in neurons]) for name in ("amplitude", "tau_rc", "tau_ref")
    )

    def rates(J):
        over = J - one
        active = over > zero
        # What is not active is computed from another number, so that neither it nor its gradient is infinite.
        safe = tf.where(active, over, one)
        return tf.where(active, amplitude / (tau_ref + tau_rc * tf.math.log1p(one / safe)), zero)

    return rates


@register_neurons(LIFRate)
def make_lif_rate_step(neurons, context):
    """J -> rates (Hz)."""
    rates = make_lif_rates(neurons, context)

    def step_lif_rate(J):
        return (rates(J),)

    return step_lif_rate
