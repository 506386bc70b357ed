"""Leaky integrate-and-fire neurons.

    tau_rc dv/dt = J - v,  spike at v > 1, then v = 0 for tau_ref

solved exactly for J constant over a timestep, the remainder of the refractory period within the step included, as in
nengo: v' = v + (J - v) (1 - exp(-delta / tau_rc)), with delta the part of the step in which the neuron is not refractory.
A spike's time within the step is found by solving for v = 1.
"""

import math

import numpy as np
import tensorflow as tf
from nengo.neurons import LIF

from .registry import register_neurons


def polynomial(x, coefficients):
    """Horner's rule; coefficients from the constant upwards."""
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def expm1_coefficients(bound, eps):
    """Taylor coefficients of (exp(z) - 1) / z, as many as |z| <= bound needs for a relative error below eps / 4."""
    terms = [1.0]
    while bound ** len(terms) / math.factorial(len(terms) + 1) > eps / 4:
        terms.append(1 / math.factorial(len(terms) + 1))
    return terms


def atanh_coefficients(bound, eps):
    """Taylor coefficients of atanh(y) / y in y^2, as many as |y| <= bound needs for a relative error below eps / 4."""
    terms = [1.0]
    while bound ** (2 * len(terms)) / (2 * len(terms) + 1) > eps / 4:
        terms.append(1 / (2 * len(terms) + 1))
    return terms


#: Beyond this many terms the functions themselves are no slower.
MAX_TERMS = 24


class LIFMath:
    """The two transcendental functions of a LIF step, as polynomials where the timestep bounds their arguments.

    XLA does not vectorise expm1 and log1p in double precision. Both arguments are bounded by the timestep: expm1's by
    dt / tau_rc; the logarithm's because a voltage below 1 overshoots by at most (J - 1) (1 - exp(-dt / tau_rc)), and
    -log1p(-x) = 2 atanh(y) with y = x / (2 - x).
    """

    def __init__(self, taus, context):
        eps = np.finfo(context.dtype).eps
        fastest = context.dt / min(taus)
        overshoot = -math.expm1(-fastest)
        bound = 1.01 * overshoot / (2 - overshoot)
        self.tau = context.spread(taus)
        self.rate = context.spread([1 / tau for tau in taus])
        self.exp_terms = self.log_terms = None
        if fastest < 1:
            exp_terms, log_terms = expm1_coefficients(fastest, eps), atanh_coefficients(bound, eps)
            if max(len(exp_terms), len(log_terms)) <= MAX_TERMS:
                self.exp_terms = [context.dtype.type(c) for c in exp_terms]
                self.log_terms = [context.dtype.type(c) for c in log_terms]

    def expm1(self, minus_delta):
        """exp(-delta / tau_rc) - 1."""
        z = minus_delta * self.rate
        return tf.math.expm1(z) if self.exp_terms is None else z * polynomial(z, self.exp_terms)

    def spike_lag(self, over, room):
        """tau_rc log1p(-over / room): minus the time since v was 1, for v = 1 + over and J = 1 + room."""
        if self.log_terms is None:
            return self.tau * tf.math.log1p(-over / room)
        y = over * (1 / (2 * room - over))
        return (-2 * self.tau) * (y * polynomial(y * y, self.log_terms))


def make_lif_dynamics(neurons, context):
    """The LIF step without its bookkeeping: step(J, voltage, refractory_time) -> (spiked, voltage, refractory_time)."""
    dtype = context.dtype.type
    dt, zero, one = dtype(context.dt), dtype(0), dtype(1)
    maths = LIFMath([n.tau_rc for n in neurons], context)
    tau_ref = context.spread([n.tau_ref for n in neurons])
    min_voltage = context.spread([n.min_voltage for n in neurons])

    def step(J, voltage, refractory_time):
        refractory_time = refractory_time - dt
        minus_delta = tf.clip_by_value(refractory_time - dt, -dt, zero)
        voltage = voltage - (J - voltage) * maths.expm1(minus_delta)
        spiked = voltage > one
        over = tf.where(spiked, voltage - one, zero)
        room = tf.where(spiked, J - one, one)
        lag = maths.spike_lag(over, room)
        return (
            spiked,
            tf.where(spiked, zero, tf.maximum(voltage, min_voltage)),
            tf.where(spiked, tau_ref + (dt + lag), refractory_time),
        )

    return step


def make_lif_array_step(neurons, context):
    """As `make_lif_step`, of ndarrays: nengo's own operations, with the parameters looked up once."""
    dt = context.dt
    tau_ref, min_voltage = context.spread([n.tau_ref for n in neurons]), context.spread([n.min_voltage for n in neurons])
    tau_rc, height = context.spread([n.tau_rc for n in neurons]), context.spread([n.amplitude / dt for n in neurons])

    def at(parameter, where, shape):
        return parameter if parameter.ndim == 0 else np.broadcast_to(parameter, shape).reshape(-1)[where]

    minus_tau = -tau_rc if tau_rc.ndim else -tau_rc.item()

    def step_lif(J, voltage, refractory_time):
        refractory_time -= dt
        decay = dt - refractory_time
        np.maximum(decay, 0, out=decay)
        np.minimum(decay, dt, out=decay)
        np.divide(decay, minus_tau, out=decay)
        np.expm1(decay, out=decay)
        decay *= J - voltage
        voltage -= decay
        # The state lies in one piece, so that this is a view.
        v = voltage.reshape(-1)
        spiked = (v > 1).nonzero()[0]
        over = v[spiked] - 1
        np.maximum(voltage, min_voltage, out=voltage)
        output = np.zeros(J.shape, J.dtype)
        if len(spiked):
            lag = at(tau_rc, spiked, J.shape) * np.log1p(-over / (J.reshape(-1)[spiked] - 1))
            output.reshape(-1)[spiked] = at(height, spiked, J.shape)
            v[spiked] = 0
            refractory_time.reshape(-1)[spiked] = at(tau_ref, spiked, J.shape) + (dt + lag)
        return output, voltage, refractory_time

    return step_lif


@register_neurons(LIF, make_array_step=make_lif_array_step)
def make_lif_step(neurons, context):
    """LIF neurons: J, voltage, refractory_time (seconds) -> output (spikes of amplitude / dt), voltage, refractory_time."""
    dynamics = make_lif_dynamics(neurons, context)
    height = context.spread([n.amplitude / context.dt for n in neurons])
    zero = context.dtype.type(0)

    def step_lif(J, voltage, refractory_time):
        spiked, voltage, refractory_time = dynamics(J, voltage, refractory_time)
        return tf.where(spiked, height, zero), voltage, refractory_time

    return step_lif
