"""SimPES: ``delta_ji = -(kappa dt / n) e_j a_i``, the prescribed error sensitivity rule."""

from nengo.builder.learning_rules import SimPES

from ...graph.node import Write
from ..registry import register
from .outer import outer


@register(SimPES, reads=lambda op: (op.pre_filtered, op.error), writes=lambda op: (Write(op.delta, "update"),))
def make_pes_step(ops, context):
    """PES for G connections: activities a (..., G, N), errors e (..., G, D) -> delta (..., G, D, N)."""
    n_neurons = context.input_shapes[0][-1]
    alpha = context.spread([-op.learning_rate * context.dt / n_neurons for op in ops])

    def step_pes(activities, error):
        return (outer(alpha * error, activities),)

    return step_pes
