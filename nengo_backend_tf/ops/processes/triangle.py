"""Triangle synapses: a finite impulse response that falls linearly from its first sample to zero.

    y[t] = y[t-1] + n0 u[t] - sum_k X_k,  then X_k = nd u[t] in the place k = t mod n_taps

X holds the last n_taps inputs, scaled by the difference nd of neighbouring coefficients: each of them lowers the output by
that much in every step until its place is taken again. n0 = 2 / (n_taps + 1), nd = n0 / n_taps.
"""

import numpy as np
import tensorflow as tf
from nengo.synapses import Triangle

from ...graph.node import Node, Output, Write
from .registry import register_process


@register_process(Triangle)
def triangle_rule(op, model):
    """One node for signals of any shape, which are filtered as flat vectors."""
    del model
    y, taps, counter = (op.state[name] for name in ("Y", "X", "Xi"))
    size, n_taps = op.input.size, taps.shape[0]
    return Node(
        op=op, make_step=make_triangle_step, reads=(op.input, y, taps, counter),
        outputs=(Output((size,), y.dtype), Output((n_taps, size), taps.dtype), Output((1,), counter.dtype)),
        writes=(Write(op.output, op.mode, 0), Write(y, "update", 0), Write(taps, "update", 1), Write(counter, "update", 2)),
        key="Triangle", read_shapes=((size,), (size,), (n_taps, size), (1,)), label=str(op), stream=op.process.get_rng,
    )


def make_triangle_step(ops, context):
    """Triangles of one length: u, y (..., G, size), X (..., G, n_taps, size), counter (..., G, 1) -> y, X, counter."""
    del ops
    n_taps = context.input_shapes[2][-2]
    places = np.arange(n_taps).astype(context.dtype)
    coefficients = places[::-1] + 1
    coefficients = coefficients / coefficients.sum()
    first, last = coefficients[0], coefficients[-1]

    def step_triangle(u, y, taps, counter):
        y = y + first * u - tf.reduce_sum(taps, -2)
        after = counter + 1
        after = tf.where(after >= n_taps, after - n_taps, after)
        taps = tf.where((places == after)[..., None], last * u[..., None, :], taps)
        return y, taps, after

    return step_triangle
