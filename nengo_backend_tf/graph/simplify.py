"""Passes that make a FlatGraph smaller: FlatGraph -> FlatGraph, each by its name in `PASSES`."""

from dataclasses import replace

import numpy as np

from . import affine as aff
from .affine import Affine
from .node import Carried


def _rename(affine, names):
    terms = tuple(replace(t, value=names[t.value]) if t.value in names else t for t in affine.terms)
    return Affine(affine.size, terms, affine.constant)


def rename_values(flat, names):
    """Read other values instead: ``names`` maps value -> value."""
    if not names:
        return flat
    kernels = tuple(replace(k, inputs=tuple(_rename(a, names) for a in k.inputs)) for k in flat.kernels)
    carried = tuple(c._replace(after=_rename(c.after, names)) for c in flat.carried)
    final = {base: _rename(a, names) for base, a in flat.final.items()}
    return flat._replace(kernels=kernels, carried=carried, final=final)


def share_carried(flat):
    """Carry signals that always hold the same value as one (a filter's output and its state)."""
    groups = {}
    for c in flat.carried:
        same = (aff.key(c.after), np.ravel(c.initial).tobytes(), c.initial.dtype.str)
        groups.setdefault(same, []).append(c)
    names, kept = {}, []
    for members in groups.values():
        first = members[0]
        kept.append(Carried(first.value, sum((c.signals for c in members), ()), first.initial, first.after))
        names.update({c.value: first.value for c in members[1:]})
    return rename_values(flat._replace(carried=tuple(kept)), names)


def share_products(flat):
    """Compute products of equal matrices with equal vectors once."""
    seen, names, kept = {}, {}, []
    for kernel in flat.kernels:
        if not (kernel.node.stacks and kernel.inputs[0].is_constant and kernel.inputs[0].size <= 1_000_000):
            kept.append(kernel)
            continue
        inputs = tuple(_rename(a, names) for a in kernel.inputs)
        same = (kernel.key, tuple(aff.key(a) for a in inputs))
        if same in seen:
            names.update(zip((v for o in kernel.outputs for v in o), (v for o in seen[same].outputs for v in o)))
        else:
            seen[same] = kernel
            kept.append(kernel)
    return rename_values(flat._replace(kernels=tuple(kept)), names)


def stack_products(flat):
    """Join the rows of constant matrices that multiply one vector: decoders that read the same neurons."""
    readers = {}
    for i, kernel in enumerate(flat.kernels):
        matrix = kernel.inputs[0] if kernel.node.stacks else None
        if matrix is not None and matrix.is_constant and not kernel.inputs[1].is_constant:
            columns = kernel.input_shapes[0][-1]
            readers.setdefault((kernel.node.key, kernel.kinds, columns, aff.key(kernel.inputs[1])), []).append(i)
    kernels = list(flat.kernels)
    for members in readers.values():
        if len(members) > 1:
            kernels[members[0]] = _stacked([flat.kernels[i] for i in members])
            for i in members[1:]:
                kernels[i] = None
    return flat._replace(kernels=tuple(k for k in kernels if k is not None))


def _stacked(kernels):
    columns = kernels[0].input_shapes[0][-1]
    matrix = np.concatenate([k.inputs[0].constant_array().reshape(-1, columns) for k in kernels])
    return replace(
        kernels[0],
        nodes=sum((k.nodes for k in kernels), ()),
        inputs=(aff.constant(matrix), kernels[0].inputs[1]),
        input_shapes=(matrix.shape, kernels[0].input_shapes[1]),
        outputs=(sum((k.outputs[0] for k in kernels), ()),),
    )


PASSES = {
    "share_carried": share_carried,
    "share_products": share_products,
    "stack_products": stack_products,
}
