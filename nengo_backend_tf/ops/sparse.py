"""Products with sparse matrices: SparseDotInc, and BsrDotInc, ``Y += A @ X``.

The positions of the nonzeros are known when the program is made: what they read is gathered, and the products of each row
are summed as a segment.
"""

import numpy as np
import tensorflow as tf
from nengo.builder.operator import BsrDotInc, DotInc, SparseDotInc
from nengo.builder.signal import Signal
from nengo.transforms import SparseMatrix

from ..graph import affine as aff
from ..graph.node import Node, Output, Write
from ..capture import constant
from .dot import dot_rule
from .registry import register_rule

#: A matrix is computed as a dense one if it has at most so many elements,
DENSE_SIZE = 4096
#: or if at least this fraction of them is nonzero, as long as there are not too many.
DENSE_FRACTION = 0.05
DENSE_LIMIT = 4_000_000


def coordinates(signal):
    """Rows, columns and data, (n,) each, of the nonzeros of a sparse signal, in the order of the rows."""
    matrix = signal.initial_value
    if isinstance(matrix, SparseMatrix):
        # Where SciPy is missing, this warns, as it does in nengo, and gives a dense matrix.
        matrix = matrix.allocate()
    if isinstance(matrix, np.ndarray):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns]
    matrix = matrix.tocsr().tocoo()
    order = np.argsort(matrix.row, kind="stable")
    return matrix.row[order], matrix.col[order], matrix.data[order]


def segment_sum(x, segments, n_segments):
    """Sums over the last axis of the elements of each segment: (..., L) -> (..., n_segments)."""
    last = len(x.shape) - 1
    summed = tf.math.unsorted_segment_sum(tf.transpose(x, [last, *range(last)]), segments, n_segments)
    return tf.transpose(summed, [*range(1, last + 1), 0])


@register_rule(SparseDotInc)
def sparse_rule(op, model):
    """A selection of elements, a dense product, or a sparse one, by the number and places of the nonzeros."""
    rows, columns, data = coordinates(op.A)
    n_rows, n_columns = op.A.shape
    size = n_rows * n_columns
    selects = np.bincount(rows, minlength=1).max() <= 1
    if not selects and (size <= DENSE_SIZE or (len(data) >= DENSE_FRACTION * size and size <= DENSE_LIMIT)):
        matrix = np.zeros(op.A.shape, op.A.dtype)
        np.add.at(matrix, (rows, columns), data)
        return dot_rule(DotInc(Signal(matrix, name=op.A.name), op.X, op.Y, tag=op.tag), model)

    def fold(op, a, x):
        del op, a
        if selects:
            return aff.place(aff.scale(aff.take(x, columns), data), rows, n_rows)
        if x.is_constant:
            products = data * x.constant_array()[columns]
            return aff.constant(np.bincount(rows, products, n_rows))
        return None

    return Node(
        op=op, make_step=make_sparse_step, reads=(op.A, op.X), outputs=(Output((n_rows,), op.Y.dtype),),
        writes=(Write(op.Y, "inc"),), key=("SparseDotInc", op.A.shape), fold=fold, label=str(op),
        read_shapes=(op.A.shape, (n_columns,)),
    )


def make_sparse_step(ops, context):
    """Y += A @ X for G operators, as one product with a block-diagonal matrix: X (..., G, columns) -> Y (..., G, rows)."""
    members = len(ops)
    n_rows, n_columns = ops[0].A.shape
    parts = [coordinates(op.A) for op in ops]
    rows = constant(np.concatenate([g * n_rows + r for g, (r, _, _) in enumerate(parts)]), np.int32)
    columns = constant(np.concatenate([g * n_columns + c for g, (_, c, _) in enumerate(parts)]), np.int32)
    data = constant(np.concatenate([d for _, _, d in parts]), context.dtype)

    def step_sparse(x):
        lead = x.shape[:-2]
        products = data * tf.gather(tf.reshape(x, [*lead, members * n_columns]), columns, axis=-1)
        return (tf.reshape(segment_sum(products, rows, members * n_rows), [*lead, members, n_rows]),)

    return step_sparse


@register_rule(BsrDotInc)
def bsr_rule(op, model):
    """A product with a block sparse matrix, whose blocks are a signal."""
    del model
    n_rows = (len(op.indptr) - 1) * op.A.shape[1]
    return Node(
        op=op, make_step=make_bsr_step, reads=(op.A, op.X), outputs=(Output((n_rows,), op.Y.dtype),),
        writes=(Write(op.Y, "inc"),),
        key=("BsrDotInc", np.asarray(op.indices).tobytes(), np.asarray(op.indptr).tobytes()),
        read_shapes=(op.A.shape, (op.X.size,)), label=str(op),
    )


def make_bsr_step(ops, context):
    """Y += A @ X for G block sparse matrices with k blocks (r, c) in equal places.

    Blocks A (..., G, k, r, c), X (..., G, columns of blocks * c) -> Y (..., G, rows of blocks * r).
    """
    del context
    indices, indptr = np.asarray(ops[0].indices), np.asarray(ops[0].indptr)
    n_rows = len(indptr) - 1
    block_rows = np.repeat(np.arange(n_rows), np.diff(indptr))
    r, c = ops[0].A.shape[1:]
    single = np.array_equal(block_rows, np.arange(n_rows))

    def step_bsr(a, x):
        x = tf.gather(tf.reshape(x, [*x.shape[:-1], -1, c]), indices, axis=-2)
        y = tf.matmul(a, x[..., None])[..., 0]
        if not single:
            y = tf.linalg.matrix_transpose(segment_sum(tf.linalg.matrix_transpose(y), block_rows, n_rows))
        return (tf.reshape(y, [*y.shape[:-2], n_rows * r]),)

    return step_bsr
