"""Linear synapses: Lowpass, Alpha and LinearFilter of any order, on signals of any shape.

    x[t] = A x[t-1] + B u[t],  y[t] = C x[t]              (no passthrough)
    x[t+1] = A x[t] + B u[t],  y[t] = C x[t] + D u[t]     (passthrough)

with the matrices of nengo's own discretisation. A first-order filter without passthrough is kept as y itself.
"""

from functools import lru_cache

import numpy as np
import tensorflow as tf
from nengo.synapses import Alpha, LinearFilter, Lowpass

from ...graph import affine as aff
from ...graph.node import Node, Output, Write
from .registry import register_process

#: Highest order for which products with A and C are written out as sums: compiling these takes long for large matrices.
WRITTEN_OUT_ORDER = 4


@lru_cache(maxsize=1024)
def _discretised(num, den, analog, method, dt):
    """Kind and matrices (A, B, C, D) of nengo's own step for a filter."""
    synapse = LinearFilter(num, den, analog=analog, method=method)
    state = synapse.make_state((1,), (1,), dt, dtype=np.float64)
    step = synapse.make_step((1,), (1,), dt, None, state)
    order = len(step.A)
    shapes = ((order, order), (order, 1), (1, order), (1, 1))
    return type(step).__name__, tuple(
        np.asarray(m, float).reshape(s) for m, s in zip((step.A, step.B, step.C, step.D), shapes)
    )


def discretised(synapse, dt):
    """Kind of nengo's step ("NoX", "OneX", "NoD", "General") and its matrices A, B, C, D for a timestep dt (seconds)."""
    kind, matrices = _discretised(tuple(synapse.num), tuple(synapse.den), synapse.analog, synapse.method, dt)
    return "OneX" if kind == "OneXScalar" else kind, matrices


@register_process(Lowpass, Alpha, LinearFilter)
def linear_filter_rule(op, model):
    """One of three nodes, by the order of the filter and whether it passes its input through."""
    kind, matrices = discretised(op.process, model.dt)
    size = op.input.size
    common = dict(op=op, label=str(op), stream=op.process.get_rng)
    y = Output((size,), op.output.dtype)
    if kind == "NoX":
        gain = matrices[3].item()
        return Node(
            make_step=None, reads=(op.input,), outputs=(y,), writes=(Write(op.output, op.mode),), key=kind,
            fold=lambda _, u: aff.scale(u, gain), **common,
        )
    x = op.state["X"]
    if kind == "OneX":
        return Node(
            make_step=make_first_order_step, reads=(op.input, x), outputs=(y,), key=kind, elementwise=True,
            writes=(Write(op.output, op.mode), Write(x, "update")), read_shapes=((size,), (size,)),
            make_array_step=make_first_order_step, **common,
        )
    order = len(matrices[0])
    return Node(
        make_step=make_filter_step, reads=(op.input, x), outputs=(y, Output((order, size), x.dtype)),
        writes=(Write(op.output, op.mode, 0), Write(x, "update", 1)),
        key=(kind, *(m.tobytes() for m in matrices)), read_shapes=((size,), (order, size)), **common,
    )


def make_first_order_step(ops, context):
    """y' = a y + b u, elementwise."""
    systems = [discretised(op.process, context.dt)[1] for op in ops]
    a = np.asarray(context.spread([A.item() for A, _, _, _ in systems]))
    b = np.asarray(context.spread([C.item() * B.item() for _, B, C, _ in systems]))
    # NumPy multiplies by Python's own floats faster.
    a, b = (x.item() if x.ndim == 0 else x for x in (a, b))

    def step_first_order(u, y):
        return (a * y + b * u,)

    return step_first_order


def make_filter_step(ops, context):
    """Filters of one system: u (..., G, size), x (..., G, order, size) -> y (..., G, size), x."""
    kind, matrices = discretised(ops[0].process, context.dt)
    A, B, C, D = (m.astype(context.dtype) for m in matrices)

    def apply(matrix, x):
        """matrix @ x over the order; as sums, XLA fuses it with what comes before and after."""
        if len(A) > WRITTEN_OUT_ORDER:
            return tf.linalg.matrix_transpose(tf.tensordot(x, matrix, ((-2,), (1,))))
        rows = [tf.add_n([x[..., j, :] * row[j] for j in range(len(row))]) for row in matrix]
        return tf.stack(rows, -2)

    def step_filter(u, x):
        after = apply(A, x) + B * u[..., None, :]
        if kind == "NoD":
            return apply(C, after)[..., 0, :], after
        return apply(C, x)[..., 0, :] + D[0, 0] * u, after

    return step_filter
