"""Passes that make a FlatGraph smaller: FlatGraph -> FlatGraph, each by its name in `PASSES`."""

from dataclasses import replace

import numpy as np

from . import affine as aff
from .affine import Affine
from .node import Carried, SumOf


def _rename(affine, names):
    if names.keys().isdisjoint(affine.values()):
        return affine
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


def sum_carried(flat):
    """Carry a learned weight and what is next added to it as one: all that read them read their sum."""
    by_value = {c.value: c for c in flat.carried}
    pair_of = {}
    for c in flat.carried:
        pair = _added_to_itself(c, by_value)
        if pair is not None and pair_of.keys().isdisjoint(pair):
            pair_of.update(dict.fromkeys(pair, pair))
    readers = [a for k in (*flat.kernels, *flat.after) for a in k.inputs]
    readers += [*(c.after for c in flat.carried), *flat.final.values()]
    for affine in readers:
        for pair in {pair_of[v] for v in affine.values() if v in pair_of}:
            if not _read_together(affine, pair):
                del pair_of[pair[0]], pair_of[pair[1]]
    return _carry_sums(flat, [(by_value[w], by_value[d]) for w, d in dict.fromkeys(pair_of.values())])


def _added_to_itself(c, by_value):
    """(w, d), if what c is next is itself, w, plus another carried value, d."""
    terms = c.after.terms
    plain = c.after.constant is None and all(
        t.source is None and t.target is None and not isinstance(t.scale, np.ndarray) and t.scale == 1 for t in terms
    )
    if len(terms) == 2 and plain and terms[0].value == c.value and terms[1].value in by_value and terms[1].value != c.value:
        return c.value, terms[1].value
    return None


def _read_together(affine, pair):
    """Whether each term of the one value of a pair has a like term of the other."""
    weights, deltas = ([t for t in affine.terms if t.value == value] for value in pair)
    return len(weights) == len(deltas) and all(_read_alike(w, d) for w, d in zip(weights, deltas))


def _read_alike(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("source", "target", "scale"))


def _carry_sums(flat, pairs):
    """One carried value for the sum of each two."""
    if not pairs:
        return flat
    totals = {w.value: len(flat.values) + i for i, (w, _) in enumerate(pairs)}
    deltas = {d.value for _, d in pairs}

    def summed(affine):
        """With a term of the sum for each two terms of a pair."""
        if totals.keys().isdisjoint(affine.values()):
            return affine
        terms = tuple(
            replace(t, value=totals[t.value]) if t.value in totals else t for t in affine.terms if t.value not in deltas
        )
        return Affine(affine.size, terms, affine.constant)

    def rewired(kernels):
        return tuple(replace(k, inputs=tuple(summed(a) for a in k.inputs)) for k in kernels)

    return flat._replace(
        values=(*flat.values, *(flat.values[w.value] for w, _ in pairs)),
        kernels=rewired(flat.kernels),
        after=rewired(flat.after),
        carried=(
            *(c._replace(after=summed(c.after)) for c in flat.carried if c.value not in totals and c.value not in deltas),
            *(_carried_sum(totals[w.value], w, d, summed(d.after)) for w, d in pairs),
        ),
        final={base: summed(a) for base, a in flat.final.items()},
    )


def _carried_sum(total, weights, delta, next_delta):
    signal, added = weights.signals[0], delta.signals[0]
    next_sum = aff.add(aff.whole(total, weights.after.size), next_delta)
    return Carried(total, (SumOf(signal, added),), weights.initial + delta.initial, next_sum)


#: Passes after which signals that the user changes one by one are no longer carried one by one.
JOINING = ("share_carried", "sum_carried")

PASSES = {
    "share_carried": share_carried,
    "sum_carried": sum_carried,
    "share_products": share_products,
    "stack_products": stack_products,
}
