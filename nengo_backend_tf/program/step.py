"""One timestep as a function of tensors: blocks of the last step and of what was evaluated ahead -> all blocks."""

from typing import Any, Callable, NamedTuple

import numpy as np
import tensorflow as tf

from ..memory.access import reader
from ..ops.registry import Context


class DeviceGroup(NamedTuple):
    """A group that is computed by TensorFlow: ``readers`` gather what ``step`` gets, which fills ``blocks``.

    ``reads`` are the blocks that the readers read, and ``stage`` is the stage that it belongs to.
    """

    step: Callable
    readers: tuple
    blocks: tuple
    reads: frozenset
    stage: int = 0


class HostGroup(NamedTuple):
    """Nodes that are computed on the host in one call.

    Attributes
    ----------
    nodes : tuple of Node
        In the order in which they are called.
    readers : tuple of tuple of callable
        For each node, how to read its inputs.
    shapes : tuple of tuple of tuple
        For each node, the shapes of its inputs.
    blocks : tuple of int
        Blocks of all outputs.
    reads : frozenset of int
        Blocks that the readers read.
    stage : int
        The stage that it belongs to.
    """

    nodes: tuple
    readers: tuple
    shapes: tuple
    blocks: tuple
    reads: frozenset
    stage: int = 0


class StepFunctions(NamedTuple):
    """A timestep, in parts.

    Attributes
    ----------
    groups : tuple of DeviceGroup or HostGroup
        In the order in which they run.
    carried : tuple of callable
        ``blocks -> tensor``, the next value of each carried block.
    layout : Layout
    dtype : numpy.dtype
        Of floats.
    batch : int or None
        Size of the minibatch axis; None for none.
    carried_reads : frozenset of int
        Blocks that the next values read.
    """

    groups: tuple
    carried: tuple
    layout: Any
    dtype: Any
    batch: Any
    carried_reads: frozenset


def run_dtype(dtype, float_dtype):
    """The dtype in which the program holds a signal's dtype."""
    return np.dtype(float_dtype) if np.dtype(dtype).kind == "f" else np.dtype(dtype)


def make_step_functions(flat, layout, dtype, batch=None):
    """Resolve reads and make the steps of all groups.

    Parameters
    ----------
    flat : FlatGraph
    layout : Layout
    dtype : numpy.dtype
        Dtype of floats.
    batch : int or None
        Size of the minibatch; None for no minibatch axis.
    """
    dtype = np.dtype(dtype)
    groups = tuple(
        _host_group(g, layout, dtype) if g.form == "host" else _device_group(g, flat, layout, dtype)
        for g in layout.groups
    )
    carried = tuple(_next_value(c, layout, dtype) for c in layout.carried)
    reads = blocks_of((c.after for block in layout.carried for c in block.carried), layout)
    return StepFunctions(groups, carried, layout, dtype, batch, reads)


def _input_dtype(kernel, i, dtype):
    reads = [s for s in kernel.node.reads if not s.sparse]
    return run_dtype(reads[i].dtype if reads else kernel.node.outputs[0].dtype, dtype)


def _device_group(group, flat, layout, dtype):
    node = group.kernels[0].node
    sizes = tuple(sum(flat.values[v].size for v in k.outputs[0]) for k in group.kernels)
    context = Context(flat.dt, dtype, group.form, group.input_shapes, sizes)
    readers = tuple(
        reader([k.inputs[i] for k in group.kernels], group.form, shape, layout, _input_dtype(group.kernels[0], i, dtype))
        for i, shape in enumerate(group.input_shapes)
    )
    step = node.make_step([k.node.op for k in group.kernels], context)
    return DeviceGroup(step, readers, group.output_blocks, _blocks_read(group, layout), group.stage)


def _host_group(group, layout, dtype):
    readers, shapes = [], []
    for kernel in group.kernels:
        readers.append(tuple(
            reader([a], "flat", (a.size,), layout, _input_dtype(kernel, i, dtype)) for i, a in enumerate(kernel.inputs)
        ))
        shapes.append(kernel.input_shapes)
    nodes = tuple(k.node for k in group.kernels)
    return HostGroup(nodes, tuple(readers), tuple(shapes), group.output_blocks, _blocks_read(group, layout))


def _blocks_read(group, layout):
    return blocks_of((a for k in group.kernels for a in k.inputs), layout)


def blocks_of(affines, layout):
    """The blocks that Affines read."""
    return frozenset(layout.places[v].block for a in affines for v in a.values())


def _next_value(carried, layout, dtype):
    if carried.source is not None:
        return lambda blocks: blocks[carried.source]
    block = layout.blocks[carried.block]
    affines = [c.after for c in carried.carried]
    return reader(affines, "flat", block.shape, layout, run_dtype(block.dtype, dtype))


def compute_group(group, blocks, functions, steps=()):
    """``blocks`` with the outputs of a device group: of one step, or of ``steps`` = (T,) steps along a first axis."""
    outputs = group.step(*(read(blocks) for read in group.readers))
    new = dict(blocks)
    for block, output in zip(group.blocks, outputs):
        new[block] = as_block(output, block, functions, steps)
    return new


def as_block(tensor, block, functions, steps=()):
    """A tensor with the full shape and dtype of its block, minibatch axis and axis of timesteps included."""
    shape, dtype = block_spec(block, functions)
    shape = (*steps, *shape)
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype != dtype:
        tensor = tf.cast(tensor, dtype)
    if tensor.shape.rank < len(shape):
        tensor = tf.broadcast_to(tensor, shape)
    return tf.ensure_shape(tensor, shape)


def block_spec(block, functions):
    """Shape, minibatch axis included, and dtype of a block in the program."""
    record = functions.layout.blocks[block]
    lead = () if functions.batch is None else (functions.batch,)
    return lead + tuple(record.shape), run_dtype(record.dtype, functions.dtype)


def next_carried(blocks, functions):
    """The carried blocks after the step, in the order of ``layout.carried``."""
    return tuple(
        as_block(after(blocks), c.block, functions) for c, after in zip(functions.layout.carried, functions.carried)
    )


def first_blocks(ahead, carried, functions):
    """The blocks that are there when a step begins."""
    layout = functions.layout
    return {**dict(zip(layout.ahead, ahead)), **{c.block: x for c, x in zip(layout.carried, carried)}}
