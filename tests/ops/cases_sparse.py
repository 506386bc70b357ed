"""Rows for products with sparse matrices: SparseDotInc, BsrDotInc."""

from functools import partial

import numpy as np
import scipy.sparse
from harness import Case
from nengo.builder import Signal
from nengo.builder.operator import BsrDotInc, Reset, SparseDotInc
from nengo.transforms import SparseMatrix


def nengo_matrix(rows, columns, data, shape):
    return SparseMatrix(np.stack([rows, columns], 1), data, shape)


def scipy_matrix(rows, columns, data, shape):
    return scipy.sparse.csc_matrix((data, (rows, columns)), shape)


def make_sparse(model, rng, shape, nonzeros, matrix=nengo_matrix, repeats=False, constant_x=False):
    """A matrix with nonzeros in random places."""
    places = rng.choice(shape[0] * shape[1], nonzeros, replace=repeats)
    rows, columns = np.unravel_index(places, shape)
    A = Signal(matrix(rows, columns, rng.uniform(-1, 1, nonzeros), shape), readonly=True)
    Y = Signal(rng.uniform(-1, 1, shape[0]))
    if rng.rand() < 0.5:
        model.add_op(Reset(Y))
    model.add_op(SparseDotInc(A, Signal(rng.uniform(-1, 1, shape[1]), readonly=constant_x), Y))


def make_selection(model, rng, n_rows=120, n_columns=50):
    """At most one nonzero a row, and none in some."""
    rows = rng.permutation(n_rows)[: n_rows - 10]
    A = nengo_matrix(rows, rng.randint(n_columns, size=len(rows)), rng.uniform(-1, 1, len(rows)), (n_rows, n_columns))
    model.add_op(SparseDotInc(
        Signal(A, readonly=True), Signal(rng.uniform(-1, 1, n_columns)), Signal(rng.uniform(-1, 1, n_rows))
    ))


def make_bsr(model, rng, indices, indptr, n_columns, constant_blocks=False, column=False):
    """Blocks of two rows and three columns."""
    blocks = Signal(rng.uniform(-1, 1, (len(indices), 2, 3)), readonly=constant_blocks)
    n_rows = 2 * (len(indptr) - 1)
    shapes = [(n, 1) if column else (n,) for n in (3 * n_columns, n_rows)]
    x, y = (Signal(rng.uniform(-1, 1, shape)) for shape in shapes)
    model.add_op(BsrDotInc(blocks, x, y, np.array(indices), np.array(indptr), reshape=False))


DIAGONAL = dict(indices=[0, 1, 2, 3], indptr=[0, 1, 2, 3, 4], n_columns=4)
SCATTERED = dict(indices=[0, 2, 1, 2, 0], indptr=[0, 2, 2, 5], n_columns=3)

CASES = (
    Case("sparse_small", partial(make_sparse, shape=(5, 4), nonzeros=8), groups=1),
    Case("sparse", partial(make_sparse, shape=(120, 90), nonzeros=300), groups=1),
    Case("sparse_repeated", partial(make_sparse, shape=(120, 90), nonzeros=400, repeats=True), groups=1),
    Case("sparse_scipy", partial(make_sparse, shape=(120, 90), nonzeros=300, matrix=scipy_matrix), groups=1),
    Case("sparse_rather_dense", partial(make_sparse, shape=(120, 90), nonzeros=2000), groups=1),
    Case("sparse_constant_input", partial(make_sparse, shape=(120, 90), nonzeros=300, constant_x=True), groups=0),
    Case("sparse_row", partial(make_sparse, shape=(1, 5000), nonzeros=100), groups=1),
    Case("sparse_one_nonzero", partial(make_sparse, shape=(120, 90), nonzeros=1), groups=0),
    Case("sparse_empty", partial(make_sparse, shape=(120, 90), nonzeros=0), groups=0),
    Case("sparse_selection", make_selection, groups=0),
    Case("bsr_diagonal", partial(make_bsr, **DIAGONAL), groups=1),
    Case("bsr_diagonal_constant", partial(make_bsr, **DIAGONAL, constant_blocks=True), groups=1),
    Case("bsr_scattered", partial(make_bsr, **SCATTERED), groups=1),
    Case("bsr_scattered_constant", partial(make_bsr, **SCATTERED, constant_blocks=True), groups=1),
    Case("bsr_column", partial(make_bsr, **SCATTERED, column=True), groups=1),
)
