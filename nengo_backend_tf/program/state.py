"""Carried blocks as arrays by signal, and back."""

import numpy as np
import tensorflow as tf

from .step import block_spec


def initial_carried(program):
    """The carried blocks before the first step: tuple of tensors (..., *block shape)."""
    return pack(program, {})


def pack(program, values):
    """Carried blocks from arrays by signal.

    Parameters
    ----------
    program : Program
    values : dict
        Base signal -> (..., *shape) ndarray; the initial value where a signal is missing. The leading minibatch axis may be
        missing.
    """
    tensors = []
    for record in program.layout.carried:
        shape, dtype = block_spec(record.block, program.functions)
        lead = shape[:1] if program.options.batch is not None else ()
        flat = np.zeros((*lead, program.layout.blocks[record.block].size), dtype)
        for c in record.carried:
            place = program.layout.places[c.value]
            known = [values[s] for s in c.signals if s in values]
            value = np.asarray(known[0] if known else c.initial)
            batched = lead and value.ndim > c.initial.ndim
            flat[..., place.positions()] = value.reshape((*(lead if batched else ()), -1))
        with tf.init_scope():
            tensors.append(tf.constant(flat.reshape(shape)))
    return tuple(tensors)


def unpack(program, carried, base=None):
    """Base signal -> (..., *shape) ndarray, for every carried signal, or (at most) one."""
    values = {}
    for record, tensor in zip(program.layout.carried, carried):
        if base is None or any(base in c.signals for c in record.carried):
            values.update(_unpack_block(program, record, np.asarray(tensor)))
    return values


def _unpack_block(program, record, array):
    lead = array.shape[:1] if program.options.batch is not None else ()
    flat = array.reshape((*lead, -1))
    for c in record.carried:
        value = flat[..., program.layout.places[c.value].positions()]
        for signal in c.signals:
            yield signal, value.reshape((*lead, *signal.shape)).copy()


def evaluate(affine, value_of, lead, dtype):
    """An Affine on arrays: (*lead, size) ndarray.

    Parameters
    ----------
    affine : Affine
    value_of : callable
        Value -> (*lead, size of the value) ndarray.
    lead : tuple of int
        Leading axes.
    dtype : numpy.dtype
    """
    total = np.zeros((*lead, affine.size), dtype)
    if affine.constant is not None:
        total[...] = affine.constant
    for term in affine.terms:
        values = value_of(term.value)
        picked = (values if term.source is None else values[..., term.source]) * term.scale
        total[..., slice(None) if term.target is None else term.target] += picked.astype(dtype)
    return total
