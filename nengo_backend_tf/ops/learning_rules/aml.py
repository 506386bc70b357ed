"""SimAML of nengo-extras: association matrix learning.

    delta_ji = kappa dt s t_j (D x)_i + (q - 1) w_ji

for the decoded input x, decoders D of the identity, and decoders w. The error signal is (s, q, *t): how much to learn, by
what to multiply the decoders in this step, and the target.
"""

import numpy as np
import tensorflow as tf

from ...graph.node import Write
from ..registry import register
from .outer import outer


@register(
    "nengo_extras.learning_rules.SimAML",
    reads=lambda op: (op.pre, op.error, op.decoders),
    writes=lambda op: (Write(op.delta, "update"),),
    merge_key=lambda op: op.base_decoders.shape,
)
def make_aml_step(ops, context):
    """AML for G connections: x (..., G, D), error (..., G, 2 + M), decoders w (..., G, M, N) -> delta (..., G, M, N)."""
    alpha = context.spread([op.learning_rate * context.dt for op in ops])
    identity = np.stack([op.base_decoders for op in ops]).astype(context.dtype)

    def step_aml(x, error, decoders):
        scale, decay, target = error[..., :1], error[..., 1:2], error[..., 2:]
        association = outer(alpha * scale * target, tf.linalg.matvec(identity, x))
        return (association + decoders * (decay - 1)[..., None],)

    return step_aml
