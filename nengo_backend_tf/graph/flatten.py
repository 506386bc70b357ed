"""Fold the wiring of a model away: Graph -> FlatGraph.

The nodes are walked once, in an order in which nengo would run them, with the present value of every base signal as an
`Affine`. A node that only forwards elements (a copy, a reset, a scaling by a constant) changes these records and is
gone; any other becomes a Kernel with values of its own. A signal that is read before it is written in a step keeps its
value from the last step: it is carried.
"""

import numpy as np

from . import affine as aff
from .node import Carried, FlatGraph, Kernel, Node, Output, Value, kind_of
from .views import elements

#: An Affine of more terms than this is computed once, instead of by each of its readers.
MAX_TERMS = 64


def flatten(graph, values=None, fixed=frozenset()):
    """Fold copies, resets, scalings and one-nonzero-a-row products into the reads of the kernels.

    Parameters
    ----------
    graph : Graph
        The nodes, in order.
    values : dict, optional
        Base signal -> ndarray, values that take the place of the signals' initial values.
    fixed : frozenset of Signal
        Base signals that are fed from outside in each step, instead of being constant, or what a node makes them.

    Returns
    -------
    FlatGraph
    """
    walk = _Walk(graph, {} if values is None else values)
    for signal in walk.initial:
        walk.current(signal)
    for signal in fixed:
        walk.feed(signal)
    for node in graph.nodes:
        if not node.writes or not all(write.signal.base in fixed for write in node.writes):
            walk.visit(node)
    return walk.result()


def make_identity_step(ops, context):
    """y = x, for a sum that several readers share, or that changes its dtype."""
    del ops, context

    def step(x):
        return (x,)

    return step


class _Walk:
    """The state of one walk over the nodes."""

    def __init__(self, graph, values):
        self.graph = graph
        self.initial = values
        self.written = {write.signal.base for node in graph.nodes for write in node.writes}
        self.now = {}
        self.values = []
        self.kernels = []
        self.ahead = []
        self.carried = {}

    def new_value(self, shape, dtype, origin):
        self.values.append(Value(tuple(shape), np.dtype(dtype), origin))
        return len(self.values) - 1

    def initial_value(self, base):
        return np.asarray(self.initial.get(base, base.initial_value))

    def feed(self, base):
        value = self.new_value(base.shape, base.dtype, "ahead")
        node = Node(
            op=base, make_step=None, reads=(), outputs=(Output(base.shape, base.dtype),), writes=(), key="fed",
            where="ahead", label=base.name,
        )
        self.ahead.append((node, (value,)))
        self.now[base] = aff.whole(value, base.size)

    def current(self, base):
        """The value of a base signal at this point of the step."""
        if base not in self.now:
            if base not in self.written:
                self.now[base] = aff.constant(self.initial_value(base))
            else:
                value = self.new_value(base.shape, base.dtype, "carried")
                self.carried[base] = value
                self.now[base] = aff.whole(value, base.size)
        return self.now[base]

    def read(self, signal):
        return aff.take(self.current(signal.base), elements(signal))

    def visit(self, node):
        if node.where == "ahead":
            values = tuple(self.new_value(o.shape, o.dtype, "ahead") for o in node.outputs)
            self.ahead.append((node, values))
            outputs = [aff.whole(v, self.values[v].size) for v in values]
        else:
            inputs = tuple(None if s.sparse else self.read(s) for s in node.reads)
            folded = None if node.fold is None else node.fold(node.op, *inputs)
            outputs = [folded] if folded is not None else self.compute(node, inputs)
        for write in node.writes:
            self.write(write, outputs[write.output])

    def compute(self, node, inputs):
        kept = [i for i, a in enumerate(inputs) if a is not None]
        inputs = tuple(self.bounded(inputs[i], node.reads[i].dtype) for i in kept)
        values = tuple(self.new_value(o.shape, o.dtype, "kernel") for o in node.outputs)
        shapes = tuple(node.shape_of(i) for i in kept)
        self.kernels.append(Kernel((node,), inputs, shapes, tuple((v,) for v in values)))
        return [aff.whole(v, self.values[v].size) for v in values]

    def bounded(self, affine, dtype):
        return self.computed(affine, dtype) if len(affine.terms) > MAX_TERMS else affine

    def computed(self, affine, dtype):
        """The Affine as a value of its own."""
        node = Node(
            op=None, make_step=make_identity_step, reads=(), outputs=(Output((affine.size,), np.dtype(dtype)),),
            writes=(), key=("sum", kind_of(dtype)), elementwise=True, label="sum",
        )
        value = self.new_value((affine.size,), dtype, "kernel")
        self.kernels.append(Kernel((node,), (affine,), ((affine.size,),), ((value,),)))
        return aff.whole(value, affine.size)

    def write(self, write, output):
        base = write.signal.base
        output = self.cast(output, base.dtype)
        index = elements(write.signal)
        if write.index is not None:
            index = write.index if index is None else index[write.index]
        if write.mode == "inc":
            total = aff.add(self.current(base), aff.place(output, index, base.size))
        elif index is None:
            total = output
        else:
            total = aff.replace(self.current(base), index, output)
        if len(total.terms) > MAX_TERMS:
            total = self.bounded_sum(total, base.dtype)
        self.now[base] = total

    def bounded_sum(self, total, dtype):
        """A sum of many terms that each name a few elements is short for every element: leave it as it is."""
        named = sum(total.size if t.target is None else len(t.target) for t in total.terms)
        return self.computed(total, dtype) if named > 4 * total.size else total

    def cast(self, affine, dtype):
        kinds = {kind_of(self.values[v].dtype) for v in affine.values()}
        if kinds - {kind_of(dtype)}:
            return self.computed(affine, dtype)
        if affine.constant is not None and kind_of(affine.constant.dtype) != kind_of(dtype):
            return aff.Affine(affine.size, affine.terms, affine.constant.astype(dtype))
        return affine

    def result(self):
        carried = tuple(
            Carried(value, (base,), self.initial_value(base), self.now[base]) for base, value in self.carried.items()
        )
        flat = FlatGraph(
            tuple(self.values), tuple(self.kernels), tuple(self.ahead), carried, dict(self.now), self.graph.dt
        )
        return drop_unread(flat)


def drop_unread(flat):
    """Drop carried values that nothing reads: their signals are written whole, part by part, in every step."""
    after = {c.value: c.after.values() for c in flat.carried}
    readers = [a for kernel in flat.kernels for a in kernel.inputs] + list(flat.final.values())
    needed, frontier = set(), set().union(*(a.values() for a in readers))
    while frontier:
        needed |= frontier
        frontier = {v for value in frontier for v in after.get(value, ())} - needed
    return flat._replace(carried=tuple(c for c in flat.carried if c.value in needed))
