"""TimeUpdate: ``step += 1; time = step * dt``, known before a step runs."""

import numpy as np
from nengo.builder.operator import TimeUpdate

from ..graph.node import Node, Output, Write
from .registry import register_rule


def make_time(op, host):
    """The step counter and the time at a step, computed as nengo computes them."""

    def step_time(step_index):
        step = np.asarray(step_index, op.step.dtype)
        return step, np.asarray(step * host.dt, op.time.dtype)

    return step_time


@register_rule(TimeUpdate)
def time_rule(op, model):
    del model
    return Node(
        op=op, make_step=make_time, reads=(), outputs=tuple(Output(s.shape, s.dtype) for s in op.sets),
        writes=(Write(op.step, "set", 0), Write(op.time, "set", 1)), key="TimeUpdate", where="ahead", label=str(op),
    )
