"""The value of any signal after the last step, whether it was carried, folded away, or computed and forgotten."""

import numpy as np
import tensorflow as tf

from .graph.views import elements
from .program.chunk import run_again
from .program.compile import final_value
from .program.host_calls import group_packing
from .program.state import evaluate
from .program.step import HostGroup, compute_group, first_blocks, run_dtype


def signal_value(engine, signal):
    """The present value of a signal.

    Parameters
    ----------
    engine : Engine
    signal : nengo.builder.Signal

    Returns
    -------
    (..., *shape) ndarray
        With a leading minibatch axis where the value has one. Not live.
    """
    model, base = engine.model, signal.base
    dtype = run_dtype(signal.dtype, engine.options.dtype)
    if base is model.step or base is model.time:
        step = np.asarray(engine.n_steps, model.step.dtype)
        return np.array(step if base is model.step else step * model.dt, base.dtype)
    if base.sparse:
        return base.initial_value.allocate() if hasattr(base.initial_value, "allocate") else base.initial_value
    private = _private_array(engine, base)
    if private is not None:
        return private.reshape(-1)[_index(signal)].reshape(signal.shape).astype(dtype)
    for known in (engine.carried_values(base), engine.values, engine.snapshot):
        if base in known:
            return _view(known[base], signal, dtype)
    chunk = engine.chunk
    affine = final_value((engine.program if chunk is None else chunk.program).flat, signal)
    if chunk is None or affine.is_constant:
        initial = affine.constant_array(dtype) if affine.is_constant and engine.n_steps else signal.initial_value
        return np.array(initial, dtype).reshape(signal.shape)
    value = evaluate(affine, last_values(engine), _lead(engine), dtype)
    return value.reshape((*value.shape[:-1], *signal.shape))


def _lead(engine):
    return () if engine.options.batch is None else (engine.options.batch,)


def snapshot(engine):
    """Base signal -> value of all that was computed in the last step and not carried, to be kept without the step."""
    if engine.chunk is None:
        return dict(engine.snapshot)
    value_of, program = last_values(engine), engine.chunk.program
    known = {s for c in program.flat.carried for s in c.signals} | {engine.model.step, engine.model.time}
    values = {}
    for base, affine in program.flat.final.items():
        if base not in known and not affine.is_constant and _private_array(engine, base) is None:
            dtype = run_dtype(base.dtype, engine.options.dtype)
            value = evaluate(affine, value_of, _lead(engine), dtype)
            values[base] = value.reshape((*value.shape[:-1], *base.shape))
    return values


def _index(signal):
    index = elements(signal)
    return slice(None) if index is None else index


def _private_array(engine, base):
    """The array of a host node evaluated ahead, which keeps its state to itself."""
    for node in engine.graph.nodes:
        if node.where == "ahead" and any(s.base is base for s in getattr(node.op, "updates", ())):
            return getattr(engine.host_steps[node.op][0], "signals", {}).get(base)
    return None


def _view(value, signal, dtype):
    """The elements of a base signal's value that a signal shows; leading axes stay."""
    value = np.asarray(value)
    lead = value.shape[: value.ndim - signal.base.ndim]
    return np.array(value.reshape((*lead, -1))[..., _index(signal)].reshape((*lead, *signal.shape)), dtype)


def last_values(engine):
    """What the last step computed: a function value -> (..., size) ndarray."""
    chunk, lead = engine.chunk, _lead(engine)
    if engine.inspected[0] is not chunk:
        with engine.on_device():
            engine.inspected = (chunk, last_blocks(chunk))
    blocks = engine.inspected[1]

    def value_of(value):
        if value in chunk.after:
            return chunk.after[value][chunk.n - 1]
        place = chunk.program.layout.places[value]
        array = blocks[place.block]
        return np.broadcast_to(array, (*lead, *array.shape[len(lead):])).reshape((*lead, -1))[..., place.positions()]

    return value_of


def last_blocks(chunk):
    """All blocks at the end of the last step of a chunk, as ndarrays: the last step is computed once more."""
    program, last = chunk.program, chunk.n - 1
    carried = [tf.convert_to_tensor(x) for x in run_again(chunk, last)]
    blocks = first_blocks([tf.constant(x[last]) for x in chunk.ahead], carried, program.functions)
    returned = iter(chunk.host or ())
    for group in program.functions.groups:
        if isinstance(group, HostGroup):
            outputs = next(returned)[last]
            if not program.on_arrays:
                outputs = group_packing(group, program.functions)[1].unpack_arrays(outputs)
            blocks.update(zip(group.blocks, map(tf.constant, outputs)))
        else:
            blocks = compute_group(group, blocks, program.functions)
    return {block: np.asarray(value) for block, value in blocks.items()}
