"""Copy: ``dst[dst_slice] = src[src_slice]``, or ``+=``."""

import numpy as np
from nengo.builder.operator import Copy
from nengo.exceptions import BuildError

from ..graph import affine as aff
from ..graph.node import Output, Write
from .registry import register


def _positions(signal, item):
    """Flat positions of ``signal[item]``, in the shape of the result."""
    item = Ellipsis if item is None else item
    return np.arange(signal.size).reshape(signal.shape)[np.asarray(item) if isinstance(item, list) else item]


def _indices(op):
    """Flat indices (source, target) of equal size; None for all elements in order."""
    if op.src_slice is None and op.dst_slice is None and op.src.shape == op.dst.shape:
        return None, None
    target = _positions(op.dst, op.dst_slice)
    source = np.broadcast_to(_positions(op.src, op.src_slice), target.shape)
    if not op.inc and len(np.unique(target)) < target.size:
        raise BuildError(f"{op}: Cannot have repeated indices in ``dst_slice`` when copy is not an increment")
    return source.reshape(-1), target.reshape(-1)


def _writes(op):
    return (Write(op.dst, "inc" if op.inc else "set", 0, _indices(op)[1]),)


def _outputs(op):
    source = _indices(op)[0]
    return (Output(op.src.shape if source is None else source.shape, op.src.dtype),)


@register(
    Copy,
    reads=lambda op: (op.src,),
    writes=_writes,
    outputs=_outputs,
    fold=lambda op, src: aff.take(src, _indices(op)[0]),
)
def make_copy_step(ops, context):
    """Never needed: a copy only forwards elements, so that the graph folds it into whoever reads ``dst``."""
    raise BuildError(f"{ops[0]}: a Copy is folded into its readers. It reached the device, which is a fault of the graph.")
