"""Read `Affine`s out of blocks: the only code that slices, gathers and concatenates.

Which elements are read is known when the program is made, so each read is resolved once, to the cheapest TensorFlow
operations that give it: the block itself, a slice, a concatenation of slices, gathers, or a product with a small matrix.
"""

import math
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from ..capture import constant

#: A read of at most so many slices is a concatenation.
MAX_PIECES = 8
#: A read that adds up to so many elements of a block for each of its own is a sum of gathers.
MAX_GATHERS = 16
#: A matrix of up to so many elements may stand for a read.
MAX_MATRIX = 4_000_000


class Elements(NamedTuple):
    """All that a read adds up: ``result[rows] += scales * flat(block)[columns]``."""

    rows: np.ndarray
    blocks: np.ndarray
    columns: np.ndarray
    scales: np.ndarray


def collect(affines, targets, places):
    """The elements that a row of Affines reads.

    Parameters
    ----------
    affines : sequence of Affine
    targets : sequence of ndarray of int
        For each Affine, where in the flat result its elements go.
    places : dict
        Value -> Place.
    """
    rows, blocks, columns, scales = [], [], [], []
    for affine, target in zip(affines, targets):
        for term in affine.terms:
            place = places[term.value]
            into = target if term.target is None else target[term.target]
            rows.append(into)
            columns.append(place.positions(term.source))
            blocks.append(np.full(len(into), place.block))
            scales.append(np.broadcast_to(np.asarray(term.scale, float), into.shape))
    if not rows:
        empty = np.zeros(0, int)
        return Elements(empty, empty, empty, np.zeros(0))
    return Elements(*(np.concatenate(x) for x in (rows, blocks, columns, scales)))


def member_targets(affines, form):
    """For each member of a group, where in the flat array of the group its elements lie."""
    if form == "minor":
        return [g + len(affines) * np.arange(a.size) for g, a in enumerate(affines)]
    starts = np.cumsum([0] + [a.size for a in affines])
    return [start + np.arange(a.size) for start, a in zip(starts, affines)]


def reader(affines, form, shape, layout, dtype):
    """How to read the Affines of a group's members as one array.

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
        ``read(blocks) -> (..., *shape)`` tensor or ndarray; ``blocks`` maps block -> (..., *block shape) tensor. The
        leading axes are missing where the read is constant.
    """
    if np.dtype(dtype).kind == "b":
        # NumPy adds booleans as a logical or; TensorFlow does not add them.
        count = reader(affines, form, shape, layout, np.dtype(np.int32))
        return lambda blocks: tf.cast(count(blocks), bool)
    targets = member_targets(affines, form)
    size = math.prod(shape)
    fixed = np.zeros(size, dtype)
    for affine, target in zip(affines, targets):
        if affine.constant is not None:
            fixed[target] = affine.constant
    elements = collect(affines, targets, layout.places)
    if len(elements.rows) == 0:
        value = constant(fixed.reshape(shape))
        return lambda blocks: value
    varying = _varying(elements, size, shape, layout, dtype)
    if not fixed.any():
        return varying
    offset = constant(fixed.reshape(shape))
    return lambda blocks: varying(blocks) + offset


def _varying(elements, size, shape, layout, dtype):
    whole = _whole_block(elements, size, shape, layout)
    if whole is not None:
        scale = _scale(elements.scales[np.argsort(elements.rows)], shape, dtype)
        return lambda blocks: _times(_cast(blocks[whole], dtype), scale)
    pieces = slices_of(elements, size)
    if pieces is not None:
        read = _read_pieces(pieces, layout, dtype)
    else:
        reads = [_read_block(elements, block, size, layout, dtype) for block in np.unique(elements.blocks)]
        read = reads[0] if len(reads) == 1 else lambda blocks: tf.add_n([r(blocks) for r in reads])
    return lambda blocks: _reshape(read(blocks), shape)


def _cast(x, dtype):
    return x if x.dtype == dtype else tf.cast(x, dtype)


def _scale(scales, shape, dtype):
    """None for one, a scalar or an array otherwise."""
    if (scales == scales[0]).all():
        return None if scales[0] == 1 else np.asarray(scales[0], dtype)
    return constant(scales.reshape(shape), dtype)


def _times(x, scale):
    return x if scale is None else x * scale


def _reshape(flat, shape):
    """(..., L) -> (..., *shape)."""
    if len(shape) == 1:
        return flat
    return tf.reshape(flat, [*flat.shape[:-1], *shape])


def _flat(tensor, block_shape):
    """(..., *block shape) -> (..., L)."""
    if len(block_shape) == 1:
        return tensor
    lead = tensor.shape[: len(tensor.shape) - len(block_shape)]
    return tf.reshape(tensor, [*lead, math.prod(block_shape)])


def _whole_block(elements, size, shape, layout):
    """The block that is read as it lies, where that is so."""
    block = int(elements.blocks[0])
    if not len(elements.rows) == size == layout.blocks[block].size or layout.blocks[block].shape != tuple(shape):
        return None
    same = (elements.blocks == block).all() and np.array_equal(elements.rows, elements.columns)
    return block if same and np.array_equal(np.sort(elements.rows), np.arange(size)) else None


def slices_of(elements, size):
    """Slices that, one after the other, make the result; None where it takes too many, or sums or scales."""
    if len(elements.rows) != size or not (elements.scales == 1).all():
        return None
    order = np.argsort(elements.rows, kind="stable")
    if not np.array_equal(elements.rows[order], np.arange(size)):
        return None
    blocks, columns = elements.blocks[order], elements.columns[order]
    breaks = np.flatnonzero((np.diff(blocks) != 0) | (np.diff(columns) != 1)) + 1
    if len(breaks) >= MAX_PIECES:
        return None
    starts, ends = np.r_[0, breaks], np.r_[breaks, size]
    return [(int(blocks[s]), int(columns[s]), int(e - s)) for s, e in zip(starts, ends)]


def _read_pieces(pieces, layout, dtype):
    def read(blocks):
        parts = []
        for block, start, length in pieces:
            flat = _cast(_flat(blocks[block], layout.blocks[block].shape), dtype)
            whole = length == layout.blocks[block].size
            parts.append(flat if whole else flat[..., start : start + length])
        return parts[0] if len(parts) == 1 else tf.concat(parts, -1)

    return read


def _read_block(elements, block, size, layout, dtype):
    """The part of a read that comes from one block: (..., size)."""
    mine = elements.blocks == block
    rows, columns, scales = elements.rows[mine], elements.columns[mine], elements.scales[mine]
    shape = layout.blocks[block].shape
    width = layout.blocks[block].size
    most = np.bincount(rows, minlength=size).max()
    small = size * width <= 1024 and most > 2
    if (small or most > MAX_GATHERS) and size * width <= MAX_MATRIX:
        matrix = np.zeros((width, size), dtype)
        np.add.at(matrix, (columns, rows), scales)
        matrix = constant(matrix)
        return lambda blocks: _product(_cast(_flat(blocks[block], shape), dtype), matrix)
    passes = _gather_passes(rows, columns, scales, size, width, dtype)

    def read(blocks):
        flat = _cast(_flat(blocks[block], shape), dtype)
        parts = [p(flat) for p in passes]
        return parts[0] if len(parts) == 1 else tf.add_n(parts)

    return read


def _product(x, matrix):
    if len(x.shape) == 1:
        return tf.reduce_sum(x[:, None] * matrix, 0)
    return tf.matmul(x, matrix)


def _gather_passes(rows, columns, scales, size, width, dtype):
    """Functions flat -> (..., size), each reading at most one element for each of the result."""
    order = np.lexsort((columns, rows))
    rows, columns, scales = rows[order], columns[order], scales[order]
    counts = np.bincount(rows, minlength=size)
    rank = np.arange(len(rows)) - np.r_[0, np.cumsum(counts)][rows]
    passes = []
    for r in range(counts.max()):
        at = rank == r
        passes.append(_gather_pass(rows[at], columns[at], scales[at], size, width, dtype))
    return passes


def _gather_pass(rows, columns, scales, size, width, dtype):
    run = (np.diff(rows) == 1).all() and (np.diff(columns) == 1).all()
    if run:
        scale = _scale(scales, scales.shape, dtype)
        start, stop = int(columns[0]), int(columns[-1]) + 1
        before, after = int(rows[0]), size - 1 - int(rows[-1])

        def read_slice(flat):
            part = flat if stop - start == width else flat[..., start:stop]
            part = _times(part, scale)
            pad = [[0, 0]] * (len(part.shape) - 1) + [[before, after]]
            return part if before == after == 0 else tf.pad(part, pad)

        return read_slice
    index, factor = np.zeros(size, np.int32), np.zeros(size)
    index[rows], factor[rows] = columns, scales
    index, scale = constant(index), _scale(factor, (size,), dtype)
    return lambda flat: _times(tf.gather(flat, index, axis=-1), scale)
