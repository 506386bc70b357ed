"""SimVoja: ``delta_jd = kappa dt l (s_j a_j x_d - a_j e_jd)``, which moves the encoders of active neurons to the input."""

import numpy as np
from nengo.builder.learning_rules import SimVoja

from ...graph.node import Write
from ..registry import register
from .outer import outer


@register(
    SimVoja,
    reads=lambda op: (op.pre_decoded, op.post_filtered, op.scaled_encoders, op.learning_signal),
    writes=lambda op: (Write(op.delta, "update"),),
)
def make_voja_step(ops, context):
    """Voja for G connections into ensembles of N neurons and D dimensions.

    Decoded input x (..., G, D), activities a (..., G, N), scaled encoders e (..., G, N, D), learning signal l (..., G, 1)
    -> delta (..., G, N, D). The scale s of each neuron is the length of its scaled encoder (gain / radius).
    """
    alpha = context.spread([op.learning_rate * context.dt for op in ops], rank=2)
    scale = np.stack([op.scale for op in ops]).astype(context.dtype)[..., None]

    def step_voja(decoded, post, encoders, learning):
        change = scale * outer(post, decoded) - post[..., :, None] * encoders
        return (alpha * learning[..., :, None] * change,)

    return step_voja
