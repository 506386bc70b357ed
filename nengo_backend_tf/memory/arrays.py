"""Read `Affine`s out of blocks that are ndarrays, for loops that run on the host. The counterpart of `access`."""

import math

import numpy as np

from ..graph.node import kind_of
from .access import collect, member_targets, slices_of


def array_reader(affines, form, shape, layout, dtype):
    """How to read the Affines of a group's members as one ndarray.

    Parameters
    ----------
    affines : sequence of Affine
        One a member.
    form : {"flat", "stacked", "minor"}
        How the members share the array.
    shape : tuple of int
        Shape of the array.
    layout : Layout
    dtype : numpy.dtype
        Dtype of the array.

    Returns
    -------
    callable
        ``read(blocks) -> shape ndarray``; ``blocks`` maps block -> ndarray. The result may be (a view of) a block.
    """
    targets = member_targets(affines, form)
    size = math.prod(shape)
    fixed = np.zeros(size, dtype)
    for affine, target in zip(affines, targets):
        if affine.constant is not None:
            fixed[target] = affine.constant
    fixed = fixed.reshape(shape)
    elements = collect(affines, targets, layout.places)
    if len(elements.rows) == 0:
        return lambda blocks: fixed
    varying = _varying(elements, size, shape, layout, dtype)
    return (lambda blocks: varying(blocks) + fixed) if fixed.any() else varying


def _varying(elements, size, shape, layout, dtype):
    pieces = slices_of(elements, size)
    if pieces is not None and len(pieces) == 1:
        block, start, length = pieces[0]
        if kind_of(layout.blocks[block].dtype) != kind_of(dtype):
            return lambda blocks: blocks[block].reshape(-1)[start : start + length].reshape(shape).astype(dtype)
        whole = length == layout.blocks[block].size
        if whole and layout.blocks[block].shape == tuple(shape):
            return lambda blocks: blocks[block]
        return lambda blocks: blocks[block].reshape(-1)[start : start + length].reshape(shape)
    if pieces is not None:
        parts = [(block, slice(start, start + length)) for block, start, length in pieces]
        return lambda blocks: np.concatenate([blocks[b].reshape(-1)[part] for b, part in parts], dtype=dtype).reshape(shape)
    passes = [p for block in np.unique(elements.blocks) for p in _passes(elements, int(block), size, dtype)]

    def read(blocks):
        total = np.zeros(size, dtype)
        for block, columns, rows, scales in passes:
            part = blocks[block].reshape(-1)[columns]
            total[rows] += part if scales is None else part * scales
        return total.reshape(shape)

    return read


def _passes(elements, block, size, dtype):
    """(block, columns, rows, scales) in which no row occurs twice; slices instead of indices where they are runs."""
    mine = elements.blocks == block
    rows, columns, scales = elements.rows[mine], elements.columns[mine], elements.scales[mine]
    order = np.lexsort((columns, rows))
    rows, columns, scales = rows[order], columns[order], scales[order]
    counts = np.bincount(rows, minlength=size)
    rank = np.arange(len(rows)) - np.r_[0, np.cumsum(counts)][rows]
    for r in range(counts.max()):
        at = rank == r
        scale = None if (scales[at] == 1).all() else scales[at].astype(dtype)
        yield block, _run(columns[at]), _run(rows[at]), scale


def _run(index):
    whole = (np.diff(index) == 1).all()
    return slice(int(index[0]), int(index[-1]) + 1) if whole else index
