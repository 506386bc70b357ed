"""Reset: ``dst[...] = value``."""

import numpy as np
from nengo.builder.operator import Reset
from nengo.exceptions import BuildError

from ..graph import affine as aff
from ..graph.node import Write
from .registry import register


@register(
    Reset,
    reads=lambda op: (),
    writes=lambda op: (Write(op.dst, "set"),),
    fold=lambda op: aff.constant(np.full(op.dst.size, op.value, op.dst.dtype)),
)
def make_reset_step(ops, context):
    """Never needed: a constant is folded into whoever reads ``dst``."""
    raise BuildError(f"{ops[0]}: a Reset is folded into its readers. It reached the device, which is a fault of the graph.")
