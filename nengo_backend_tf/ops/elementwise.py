"""ElementwiseInc: ``Y += A * X``, with broadcasting."""

import numpy as np
import tensorflow as tf
from nengo.builder.operator import ElementwiseInc
from nengo.exceptions import BuildError

from ..graph import affine as aff
from ..graph.node import Write
from .registry import register


def _fold(op, a, x):
    """A product with a constant only scales."""
    if not (a.is_constant or x.is_constant):
        return None

    def spread(affine, signal):
        if signal.shape == op.Y.shape:
            return affine
        index = np.broadcast_to(np.arange(signal.size).reshape(signal.shape), op.Y.shape)
        return aff.take(affine, index.reshape(-1))

    a, x = spread(a, op.A), spread(x, op.X)
    return aff.scale(x, a.constant_array()) if a.is_constant else aff.scale(a, x.constant_array())


def _writes(op):
    """Where the product goes, if it has the shape for that: axes of length 1 may be missing in front."""
    a, x, y = ((1,) * (2 - signal.ndim) + signal.shape for signal in (op.A, op.X, op.Y))
    ranks_differ = len({len(a), len(x), len(y)}) > 1
    if ranks_differ or any(p not in (1, r) or q not in (1, r) or max(p, q) != r for p, q, r in zip(a, x, y)):
        raise BuildError(f"{op}: the shapes do not match: {op.A.shape} * {op.X.shape} cannot be added to {op.Y.shape}")
    return (Write(op.Y, "inc"),)


@register(
    ElementwiseInc,
    reads=lambda op: (op.A, op.X),
    writes=_writes,
    merge_key=lambda op: op.Y.shape,
    fold=_fold,
)
def make_elementwise_step(ops, context):
    """Y += A * X for a group of G operators. A: (..., G, *shape A), X: (..., G, *shape X), Y: (..., G, *shape Y)."""
    rank = ops[0].Y.ndim

    def aligned(x, shape):
        missing = rank - (len(shape) - 1)
        lead = x.shape[: len(x.shape) - len(shape)]
        return tf.reshape(x, [*lead, shape[0], *[1] * missing, *shape[1:]]) if missing else x

    def step_elementwiseinc(a, x):
        shape_a, shape_x = context.input_shapes
        return (aligned(a, shape_a) * aligned(x, shape_x),)

    return step_elementwiseinc
