"""LIF neurons with voltage and refractory state in one number.

A neuron that is refractory has no voltage, and one that has a voltage is not refractory, so that one number w tells both:

    w >= 0            the voltage
    w > threshold     minus the refractory time that is left
    w <= threshold    the same minus ``offset``: the neuron spiked in the step just done

XLA computes all of a step anew for each state that the step returns; with one state that is half the work. The
refractory time itself follows from w, since it only counts down from one spike to the next.
"""

import math
from dataclasses import replace

import numpy as np
import tensorflow as tf
from nengo.builder.signal import Signal
from nengo.neurons import LIF

from ...graph.node import Output, Write
from .lif import LIFMath
from .registry import RULES, register_neurons_rule

plain_rule = RULES[LIF]


def code_offset(neurons, dt):
    """A power of two, which adds without rounding, of at least twice the longest refractory time."""
    return 2.0 ** math.ceil(math.log2(2 * (neurons.tau_ref + dt)))


def may_be_coded(op):
    """Whether one number tells the whole state: from the beginning on, voltages are in [0, 1] where not refractory."""
    voltage, refractory_time = op.state["voltage"].initial_value, op.state["refractory_time"].initial_value
    return (
        op.neurons.min_voltage == 0
        and op.output.dtype.itemsize >= 4
        and bool(((voltage >= 0) & (voltage <= 1)).all())
        and bool((refractory_time <= 0).all())
    )


@register_neurons_rule(LIF)
def lif_rule(op, model):
    """The coded step where it serves, with the plain one beside it for when the user changes the state."""
    (plain,) = plain_rule(op, model)
    if not may_be_coded(op):
        return plain
    voltage, refractory_time = op.state["voltage"], op.state["refractory_time"]
    code = Signal(np.array(voltage.initial_value), name=f"{voltage.name}, coded")
    signals = (op.output, voltage, refractory_time, code)
    return replace(
        plain, make_step=make_coded_step, reads=(op.J, code, refractory_time),
        outputs=tuple(Output(s.shape, s.dtype) for s in signals),
        writes=(*(Write(s, "set", i) for i, s in enumerate(signals[:3])), Write(code, "update", 3)),
        key=("coded", *plain.key), make_array_step=None, plain=plain,
        recode=make_recode(voltage, refractory_time, code, model.dt),
    )


def make_coded_step(ops, context):
    """J, w, refractory_time (seconds) -> output (spikes of amplitude / dt), voltage, refractory_time, w."""
    neurons, dtype = [op.neurons for op in ops], context.dtype.type
    dt, zero, one = dtype(context.dt), dtype(0), dtype(1)
    maths = LIFMath([n.tau_rc for n in neurons], context)
    offsets = [code_offset(n, context.dt) for n in neurons]
    offset, threshold = context.spread([-x for x in offsets]), context.spread([-0.75 * x for x in offsets])
    spike = context.spread([-(x + n.tau_ref + context.dt) for x, n in zip(offsets, neurons)])
    height = context.spread([n.amplitude / context.dt for n in neurons])

    def step_coded(J, w, refractory_time):
        left = tf.where(w <= threshold, offset - w, -w) - dt
        voltage = tf.maximum(w, zero)
        voltage = voltage - (J - voltage) * maths.expm1(tf.clip_by_value(left - dt, -dt, zero))
        # Where the voltage is at most 1 the lag means nothing, and is not used.
        lag = maths.spike_lag(voltage - one, J - one)
        w = tf.where(voltage > one, spike - lag, tf.where(left >= dt, -left, tf.maximum(voltage, zero)))
        spiked = w <= threshold
        refractory_time = tf.where(spiked, offset - w, refractory_time - dt)
        return tf.where(spiked, height, zero), tf.maximum(w, zero), refractory_time, w

    return step_coded


def make_recode(voltage, refractory_time, code, dt):
    """How the state goes over between the coded and the plain node: dict of signal -> ndarray -> the same with what it lacks."""

    def recode(values):
        if code in values:
            return {**values, voltage: np.maximum(values[code], 0)}
        left = values[refractory_time]
        return {**values, code: np.where(left >= dt, -left, np.maximum(values[voltage], 0))}

    return recode
