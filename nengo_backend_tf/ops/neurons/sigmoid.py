"""Rate neurons with smooth saturating curves: Sigmoid, r = 1 / (tau_ref (1 + exp(-J))), and Tanh, r = tanh(J) / tau_ref."""

import tensorflow as tf
from nengo.neurons import Sigmoid, Tanh

from .registry import register_neurons


@register_neurons(Sigmoid)
def make_sigmoid_step(neurons, context):
    """J -> rates (Hz)."""
    max_rate = context.spread([1 / n.tau_ref for n in neurons])

    def step_sigmoid(J):
        return (max_rate * tf.sigmoid(J),)

    return step_sigmoid


@register_neurons(Tanh)
def make_tanh_step(neurons, context):
    """J -> rates (Hz), of either sign."""
    max_rate = context.spread([1 / n.tau_ref for n in neurons])

    def step_tanh(J):
        return (max_rate * tf.tanh(J),)

    return step_tanh
