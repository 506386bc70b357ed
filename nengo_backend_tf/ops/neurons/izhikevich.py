"""Izhikevich's neurons, with voltage v in millivolts, recovery u and time in milliseconds:

    dv/dt = 0.04 v^2 + 5 v + 140 - u + J
    du/dt = tau_recovery (coupling v - u)

by Euler's method; at v >= 30 a spike, v = reset_voltage, and u grows by reset_recovery.
"""

import tensorflow as tf
from nengo.neurons import Izhikevich

from ..rounding import rounded
from .registry import register_neurons


@register_neurons(Izhikevich)
def make_izhikevich_step(neurons, context):
    """J, voltage, recovery -> output (spikes of 1 / dt), voltage, recovery.

    The order of operations is nengo's: the voltage rises so steeply before a spike that a difference grows with it.
    """
    number = context.dtype.type
    tau, coupling, reset_voltage, reset_recovery = (
        context.spread([getattr(n, name) for n in neurons])
        for name in ("tau_recovery", "coupling", "reset_voltage", "reset_recovery")
    )
    dt, height, zero, per_second = number(context.dt), number(1 / context.dt), number(0), number(1000)
    threshold, min_current = number(30), number(-30)
    quadratic, linear, offset = number(0.04), number(5), number(140)

    def step_izhikevich(J, voltage, recovery):
        J = tf.maximum(min_current, J)
        rise = rounded(quadratic * (voltage * voltage)) + rounded(linear * voltage) + offset - recovery + J
        voltage = voltage + rounded(rounded(rise * per_second) * dt)
        spiked = voltage >= threshold
        voltage = tf.where(spiked, reset_voltage, voltage)
        relaxation = tau * (rounded(coupling * voltage) - recovery)
        recovery = recovery + rounded(rounded(relaxation * per_second) * dt)
        return tf.where(spiked, height, zero), voltage, tf.where(spiked, recovery + reset_recovery, recovery)

    return step_izhikevich
