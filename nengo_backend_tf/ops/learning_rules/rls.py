"""SimRLS: recursive least squares.

    P' = P - (P r) (P r)^T / (1 + r^T P r),  delta_ji = -e_j (P' r)_i,  with P' r = P r / (1 + r^T P r)

for filtered activities r and errors e. P, the inverse activity matrix, begins with the learning rate on its diagonal.
"""

import numpy as np
import tensorflow as tf
from nengo.builder.learning_rules import SimRLS
from nengo.exceptions import BuildError

from ...graph.node import Write
from ..registry import register
from .outer import outer


def _check_symmetric(op):
    matrix = op.inv_gamma.initial_value
    if not np.array_equal(matrix, matrix.T):
        raise BuildError(
            f"{op}: P must be symmetric. Got an initial value of the signal {op.inv_gamma.name!r} that differs from its "
            f"transpose by up to {np.abs(matrix - matrix.T).max():g}. Symmetrise it."
        )


@register(
    SimRLS,
    reads=lambda op: (op.pre_filtered, op.error, op.inv_gamma),
    writes=lambda op: (Write(op.delta, "update", 0), Write(op.inv_gamma, "update", 1)),
)
def make_rls_step(ops, context):
    """RLS for G connections: r (..., G, N), e (..., G, D), P (..., G, N, N) -> delta (..., G, D, N), P."""
    del context
    for op in ops:
        _check_symmetric(op)

    def step_rls(r, error, inverse):
        gain = tf.matmul(inverse, r[..., None])[..., 0]
        factor = 1 / (1 + tf.reduce_sum(r * gain, -1, keepdims=True))
        scaled = factor * gain
        return outer(error, -scaled), inverse - outer(gain, scaled)

    return step_rls
