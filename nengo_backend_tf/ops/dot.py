"""DotInc: ``Y += A @ X``."""

import numpy as np
import tensorflow as tf
from nengo.builder.operator import DotInc

from ..graph import affine as aff
from ..graph.node import Node, Output, Write
from .registry import register_rule
from .rounding import rounded

#: Products with matrices of fewer elements are sums of products, which XLA fuses with what is around them.
SMALL_PRODUCT = 64


def _scalar_operand(op):
    return op.A.ndim == 0 or op.X.ndim == 0


def _fold(op, a, x):
    """A product with a constant that has at most one nonzero a row only picks and scales elements."""
    if _scalar_operand(op):
        small, large = (a, x) if op.A.ndim == 0 else (x, a)
        if small.is_constant:
            return aff.scale(large, small.constant_array())
        if large.is_constant:
            return aff.scale(aff.take(small, np.zeros(large.size, int)), large.constant_array())
        return None
    if not a.is_constant:
        return None
    matrix = a.constant_array().reshape(-1, op.A.shape[-1])
    if x.is_constant:
        return aff.constant(matrix @ x.constant_array())
    # A product with a column (an encoder of one dimension) is cheaper broadcast over the group than gathered.
    if matrix.shape[1] == 1 and matrix.shape[0] > 1:
        return None
    if np.count_nonzero(matrix, axis=1).max(initial=0) <= 1:
        return aff.select_rows(x, matrix)
    return None


def make_dot_step(ops, context):
    """Y += A @ X for a group of G operators.

    A: (..., G, rows, columns), X: (..., G, columns), Y: (..., G, rows); with the members along the last axis instead where
    the context says so: then sums run over an axis that is not the last, which vectorises for many small members.
    """
    del ops
    rows, columns = context.input_shapes[0][-2:]

    def step_dot_minor(a, x):
        if columns == 1:
            return (rounded(a[..., 0, :] * x),)
        return (tf.reduce_sum(a * x[..., None, :, :], axis=-2),)

    def step_dot(a, x):
        if columns == 1:
            return (rounded(a[..., 0] * x),)
        if rows * columns <= SMALL_PRODUCT:
            return (tf.reduce_sum(a * x[..., None, :], axis=-1),)
        if len(x.shape) == 2 or len(a.shape) > 3:
            return (tf.matmul(a, x[..., None])[..., 0],)
        # (..., G, columns) with constant matrices: one product of all items and timesteps for each member.
        items = tf.reshape(x, [-1, *x.shape[-2:]])
        product = tf.transpose(tf.matmul(tf.transpose(items, [1, 0, 2]), a, transpose_b=True), [1, 0, 2])
        return (tf.reshape(product, [*x.shape[:-1], rows]),)

    if context.form == "minor":
        rows, columns = context.input_shapes[0][:2]
        return step_dot_minor
    return step_dot


def make_dot_array_step(ops, context):
    """As `make_dot_step`, of ndarrays, members first."""
    del ops, context

    def step_dot(a, x):
        if len(a) == 1:
            return (np.dot(a[0], x[0])[None],)
        return (np.matmul(a, x[:, :, None])[:, :, 0],)

    return step_dot


def make_scaling_step(ops, context):
    """Y += A * X where A or X is a scalar: (..., G) times (..., G, *shape)."""
    del ops
    ranks = [len(shape) - 1 for shape in context.input_shapes]

    def step_scaling(a, x):
        if ranks[0] < ranks[1]:
            a = tf.reshape(a, [*a.shape, *[1] * ranks[1]])
        elif ranks[1] < ranks[0]:
            x = tf.reshape(x, [*x.shape, *[1] * ranks[0]])
        return (a * x,)

    return step_scaling


def make_contraction_step(ops, context):
    """Y += A . X for arrays of more dimensions, summing the last axis of A and the last but one (or only) axis of X."""
    del context
    rank_a, rank_x = ops[0].A.ndim, ops[0].X.ndim
    free_a, free_x = "abcdefg"[: rank_a - 1], "pqrstuv"[: max(rank_x - 1, 0)]
    letters_x = "z" if rank_x == 1 else free_x[:-1] + "z" + free_x[-1]

    def step_contraction(a, x):
        return (tf.einsum(f"...G{free_a}z,...G{letters_x}->...G{free_a}{free_x}", a, x),)

    return step_contraction


@register_rule(DotInc)
def dot_rule(op, model):
    """A product with a scalar, a matrix with a vector or column, or, for X of more dimensions, a contraction."""
    del model
    common = dict(op=op, reads=(op.A, op.X), writes=(Write(op.Y, "inc"),), fold=_fold, label=str(op))
    if _scalar_operand(op):
        shape = op.X.shape if op.A.ndim == 0 else op.A.shape
        return Node(make_step=make_scaling_step, outputs=(Output(shape, op.Y.dtype),), key="scaling", **common)
    if op.X.ndim > 2:
        common["fold"] = None
        return Node(make_step=make_contraction_step, outputs=(Output(op.Y.shape, op.Y.dtype),), key="contraction", **common)
    columns = op.A.shape[-1]
    rows = op.A.size // columns if columns else 0
    return Node(
        make_step=make_dot_step, outputs=(Output((rows,), op.Y.dtype),), key="dot", minor=(0,), stacks=True,
        read_shapes=((rows, columns), (op.X.size,)), make_array_step=make_dot_array_step, **common,
    )
