"""Which values share an array, and where in it each one lies."""

import math
from typing import NamedTuple, Optional

import numpy as np

#: Groups of at least this many members of at most so many elements keep their members along the last axis, where
#: elementwise steps and sums over the elements of each member vectorise.
MINOR_MEMBERS = 8
MINOR_SIZE = 128


class Block(NamedTuple):
    """An array of the program, without its minibatch axis.

    Attributes
    ----------
    shape : tuple of int
    dtype : numpy.dtype
    origin : {"kernel", "carried", "ahead"}
    """

    shape: tuple
    dtype: np.dtype
    origin: str

    @property
    def size(self):
        return math.prod(self.shape)


class Place(NamedTuple):
    """Elements ``start + step * arange(size)`` of a flat block hold a value."""

    block: int
    start: int
    step: int
    size: int

    def positions(self, index=None):
        index = np.arange(self.size) if index is None else index
        return self.start + self.step * index


class GroupLayout(NamedTuple):
    """How the members of a group share the arrays of its step.

    Attributes
    ----------
    kernels : tuple of Kernel
        The members in the order in which they lie.
    form : {"flat", "stacked", "minor"}
        "flat": elements of all members one after the other, (L,). "stacked": (G, *shape). "minor": (*shape, G).
    input_shapes : tuple of tuple
        Shape of each input of the step.
    output_blocks : tuple of int
        Block of each output of the step.
    stage : int
        Which of the stages it belongs to.
    """

    kernels: tuple
    form: str
    input_shapes: tuple
    output_blocks: tuple
    stage: int = 0


class CarriedBlock(NamedTuple):
    """A block that lasts into the next step.

    Attributes
    ----------
    block : int
    carried : tuple of Carried
    source : int or None
        The block that holds its next value as it lies; None where it must be gathered.
    stage : int
        The stage in which its next value is known.
    """

    block: int
    carried: tuple
    source: Optional[int]
    stage: int = 0


class Layout(NamedTuple):
    """Blocks, and the place of every value.

    Attributes
    ----------
    blocks : tuple of Block
    places : dict
        Value -> Place.
    groups : tuple of GroupLayout
    carried : tuple of CarriedBlock
    ahead : tuple of int
        Blocks that hold what was evaluated ahead for the step, one a dtype.
    """

    blocks: tuple
    places: dict
    groups: tuple
    carried: tuple
    ahead: tuple


def choose_form(kernels, may_be_minor=True):
    """The form that the members of a group take in its arrays."""
    node = kernels[0].node
    shapes = kernels[0].input_shapes
    if node.elementwise and not all(k.input_shapes == shapes and k.node.outputs == node.outputs for k in kernels):
        return "flat"
    small = all(length <= MINOR_SIZE for shape in shapes for length in shape)
    may = may_be_minor and node.minor is not None and all(kernels[0].inputs[i].is_constant for i in node.minor)
    if may and small and len(kernels) >= MINOR_MEMBERS:
        return "minor"
    if node.elementwise and (node.minor is None or len(kernels) == 1):
        return "flat"
    return "stacked"


def group_shape(form, shape, members, total):
    """Shape of an array that holds ``members`` of one ``shape``, or ``total`` elements in all where they are flat."""
    if form == "flat":
        return (total,)
    return (members, *shape) if form == "stacked" else (*shape, members)


def layout(flat, groups, requested=(), may_be_minor=True, stages=()):
    """Lay the values of a graph out in blocks.

    Parameters
    ----------
    flat : FlatGraph
    groups : tuple of Group
    requested : sequence of Affine
        What else is read at the end of a step.
    may_be_minor : bool
        Whether groups may keep their members along the last axis.
    stages : tuple of Stage
        Values that are carried by different stages do not share an array; one stage by default.

    Returns
    -------
    Layout
    """
    build = _Build(flat, may_be_minor, {c.value: i for i, stage in enumerate(stages) for c in stage.carried})
    build.place_ahead(requested)
    for group in groups:
        build.place_group(group)
    build.place_carried()
    return Layout(
        tuple(build.blocks), build.places, tuple(build.groups), tuple(build.carried), tuple(build.ahead)
    )


class _Build:
    def __init__(self, flat, may_be_minor, stage_of):
        self.flat, self.may_be_minor, self.stage_of = flat, may_be_minor, stage_of
        self.blocks, self.places, self.groups, self.carried, self.ahead = [], {}, [], [], []

    def new_block(self, shape, dtype, origin):
        self.blocks.append(Block(tuple(shape), np.dtype(dtype), origin))
        return len(self.blocks) - 1

    def place_ahead(self, requested):
        """One flat block a dtype, with the values of user functions, and what else is read in the step."""
        flat = self.flat
        readers = [a for k in flat.kernels for a in k.inputs] + [c.after for c in flat.carried] + list(requested)
        own = {
            w.signal.base for node, _ in flat.ahead for w in node.writes if w.mode == "update" or node.key == "TimeUpdate"
        }
        readers += [a for base, a in flat.final.items() if base not in own]
        readers += [a for k in flat.after for a in k.inputs]
        read = set().union(*(a.values() for a in readers))
        by_dtype = {}
        for node, values in flat.ahead:
            for value in values:
                if value in read or node.functions:
                    by_dtype.setdefault(flat.values[value].dtype, []).append(value)
        for dtype, values in by_dtype.items():
            sizes = [flat.values[v].size for v in values]
            block = self.new_block((sum(sizes),), dtype, "ahead")
            self.ahead.append(block)
            self.place_flat(block, values, sizes)

    def place_flat(self, block, values, sizes):
        start = 0
        for value, size in zip(values, sizes):
            self.places[value] = Place(block, start, 1, size)
            start += size

    def place_group(self, group):
        if group.where == "host":
            outputs = tuple(b for k in group.kernels for b in self.place_host(k))
            self.groups.append(GroupLayout(group.kernels, "host", (), outputs, group.stage))
            return
        kernels = tuple(sorted(group.kernels, key=self.first_read))
        form = choose_form(kernels, self.may_be_minor and not group.sweeps)
        inputs = tuple(
            group_shape(form, shape, len(kernels), sum(k.inputs[i].size for k in kernels))
            for i, shape in enumerate(kernels[0].input_shapes)
        )
        outputs = tuple(self.place_output(kernels, i, form) for i in range(len(kernels[0].outputs)))
        self.groups.append(GroupLayout(kernels, form, inputs, outputs, group.stage))

    def place_host(self, kernel):
        for output, (value,) in zip(kernel.node.outputs, kernel.outputs):
            block = self.new_block(output.shape, output.dtype, "kernel")
            self.places[value] = Place(block, 0, 1, self.flat.values[value].size)
            yield block

    def place_output(self, kernels, i, form):
        sizes = [[self.flat.values[v].size for v in k.outputs[i]] for k in kernels]
        output = kernels[0].node.outputs[i]
        stacked = any(len(k.outputs[i]) > 1 for k in kernels)
        shape = (sum(sizes[0]),) if stacked else output.shape
        total = sum(sum(s) for s in sizes)
        block = self.new_block(group_shape(form, shape, len(kernels), total), output.dtype, "kernel")
        start = 0
        for g, (kernel, parts) in enumerate(zip(kernels, sizes)):
            within = 0
            for value, size in zip(kernel.outputs[i], parts):
                if form == "minor":
                    self.places[value] = Place(block, within * len(kernels) + g, len(kernels), size)
                else:
                    self.places[value] = Place(block, start + within, 1, size)
                within += size
            start += sum(parts)
        return block

    def first_read(self, kernel):
        """Where the kernel starts to read, so that members lie in the order of what they read."""
        for affine in reversed(kernel.inputs):
            for term in affine.terms:
                place = self.places.get(term.value)
                if place is not None:
                    first = 0 if term.source is None else int(term.source[0]) if len(term.source) else 0
                    return (place.block, place.start + place.step * first)
        return (-1, 0)

    def place_carried(self):
        """Carried values lie as the outputs that become them do; others by who reads them first."""
        whole = {}
        for c in self.flat.carried:
            value = whole_value(c.after, self.flat)
            if value is not None:
                whole.setdefault(value, c)
        loose = {c.value: c for c in self.flat.carried}
        for group in self.groups:
            for i, block in enumerate(group.output_blocks if group.form != "host" else ()):
                values = [k.outputs[i] for k in group.kernels]
                if all(len(v) == 1 and v[0] in whole for v in values):
                    members = tuple(whole[v[0]] for v in values)
                    mirror = self.new_block(self.blocks[block].shape, self.blocks[block].dtype, "carried")
                    for c, (v,) in zip(members, values):
                        self.places[c.value] = self.places[v]._replace(block=mirror)
                        loose.pop(c.value)
                    self.carried.append(CarriedBlock(mirror, members, block, group.stage))
        self.place_loose(loose)

    def place_loose(self, loose):
        readers = {}
        for g, group in enumerate(self.groups):
            for kernel in group.kernels:
                for i, affine in enumerate(kernel.inputs):
                    for value in affine.values() & loose.keys():
                        readers.setdefault(value, (g, i))
        blocks = {}
        order = {v: n for n, v in enumerate(readers)}
        for value, c in sorted(loose.items(), key=lambda item: order.get(item[0], len(order))):
            v = self.flat.values[value]
            blocks.setdefault((readers.get(value), v.size, v.dtype, self.stage_of.get(value, 0)), []).append(c)
        for (_, size, dtype, stage), members in blocks.items():
            block = self.new_block((size * len(members),), dtype, "carried")
            self.place_flat(block, [c.value for c in members], [size] * len(members))
            self.carried.append(CarriedBlock(block, tuple(members), None, stage))


def whole_value(affine, flat):
    """The value that an Affine is, all its elements in order and unscaled; None where it is anything else."""
    if len(affine.terms) != 1 or affine.constant is not None:
        return None
    (term,) = affine.terms
    plain = term.source is None and term.target is None and not isinstance(term.scale, np.ndarray) and term.scale == 1
    return term.value if plain and flat.values[term.value].size == affine.size else None
