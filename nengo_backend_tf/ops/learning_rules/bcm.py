"""SimBCM: ``delta_ji = kappa dt a_j (a_j - theta_j) a_i``, the Bienenstock-Cooper-Munroe rule."""

from nengo.builder.learning_rules import SimBCM

from ...graph.node import Write
from ..registry import register
from .outer import outer


@register(
    SimBCM,
    reads=lambda op: (op.pre_filtered, op.post_filtered, op.theta),
    writes=lambda op: (Write(op.delta, "update"),),
)
def make_bcm_step(ops, context):
    """BCM for G connections: pre (..., G, N), post and thresholds theta (..., G, M) -> delta (..., G, M, N)."""
    alpha = context.spread([op.learning_rate * context.dt for op in ops])

    def step_bcm(pre, post, theta):
        return (outer(alpha * post * (post - theta), pre),)

    return step_bcm
