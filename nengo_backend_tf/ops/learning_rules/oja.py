"""SimOja: ``delta_ji = kappa dt (a_j a_i - beta a_j^2 w_ji)``, Hebbian learning that forgets."""

from nengo.builder.learning_rules import SimOja

from ...graph.node import Write
from ..registry import register
from .outer import outer


@register(
    SimOja,
    reads=lambda op: (op.pre_filtered, op.post_filtered, op.weights),
    writes=lambda op: (Write(op.delta, "update"),),
)
def make_oja_step(ops, context):
    """Oja for G connections: pre (..., G, N), post (..., G, M), weights (..., G, M, N) -> delta (..., G, M, N)."""
    alpha = context.spread([op.learning_rate * context.dt for op in ops])
    beta = context.spread([op.beta for op in ops], rank=2)

    def step_oja(pre, post, weights):
        forgotten = beta * weights * (alpha * post * post)[..., :, None]
        return (outer(alpha * post, pre) - forgotten,)

    return step_oja
