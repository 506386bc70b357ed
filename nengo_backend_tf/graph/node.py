"""The records of the graph: what one operator reads, computes and writes."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, Hashable, NamedTuple, Optional

import numpy as np

from .affine import Affine


class Write(NamedTuple):
    """An output of a step put into a signal.

    Attributes
    ----------
    signal : nengo.builder.Signal
        Where the output goes; a view writes the elements that it shows.
    mode : {"set", "inc", "update"}
        Nengo's order within a timestep: sets, then increments, then reads, then updates.
    output : int
        Which output of the step.
    index : (n,) ndarray of int or None
        Elements of the signal that are written, None for all.
    """

    signal: Any
    mode: str
    output: int = 0
    index: Optional[np.ndarray] = None


class Output(NamedTuple):
    """Shape (of one member of a group) and dtype of an output of a step."""

    shape: tuple
    dtype: np.dtype


@dataclass(frozen=True, eq=False)
class Node:
    """One operator, with all that the passes must know about it.

    Attributes
    ----------
    op : nengo.builder.Operator
        The operator. No pass looks inside.
    make_step : callable
        ``make_step(ops, context) -> step(*inputs) -> outputs``, for a group of operators with equal keys. For a node
        on the host, ``make_step(op, host) -> step(step_index, *inputs) -> outputs`` for this operator alone.
    reads : tuple of Signal
        Inputs of the step, in order; an operator's own previous state included.
    outputs : tuple of Output
        Outputs of the step, in order.
    writes : tuple of Write
        Where the outputs go.
    key : hashable
        Operators with equal keys may be computed as one group.
    fold : callable or None
        ``fold(op, *inputs) -> Affine or None``: the first output as an `Affine` of the inputs, where it is one.
    elementwise : bool
        Whether each element of the outputs depends on that element of the inputs only, so that operators of different
        sizes may share a group.
    minor : tuple of int or None
        The step can compute with the members of a group along the last axis, provided that the inputs named are constant.
        None where it cannot.
    stacks : bool
        The step is a matrix product, inputs (matrix, vector): those of one vector may be stacked.
    where : {"device", "ahead", "host", "after"}
        "ahead" for what needs no input but the time; "after" for host functions that only consume values.
    label : str
        For messages and printed plans.
    read_shapes : tuple of tuple or None
        Shapes in which the step takes its inputs; None for those of the signals.
    stream : callable or None
        ``stream(rng)`` draws from the simulator's random stream what nengo would draw to make this step.
    functions : tuple of callable
        Python functions of the user's that the step calls.
    make_array_step : callable or None
        As ``make_step``, of ndarrays, for loops that run on the host; None for nengo's own step, member by member. A step
        may change the arrays of the state that it sets.
    plain : Node or None
        The same operator with its state as nengo has it, where this node keeps it otherwise. It takes this node's place
        where the state is changed from outside, and in loops on the host.
    recode : callable or None
        ``recode(values) -> values``: to the state of this node or of the plain one, base signal -> ndarray, adds that of the
        other.
    multiply_adds : int
        Multiply-adds of a step that is no matrix product (those are known by their shapes), but costs more than its elements.
    fallback : str or None
        What the user is told, where this runs on the host for want of a rule.
    """

    op: Any
    make_step: Callable
    reads: tuple
    outputs: tuple
    writes: tuple
    key: Hashable
    fold: Optional[Callable] = None
    elementwise: bool = False
    minor: Optional[tuple] = None
    stacks: bool = False
    where: str = "device"
    label: str = ""
    read_shapes: Optional[tuple] = None
    stream: Optional[Callable] = None
    functions: tuple = ()
    make_array_step: Optional[Callable] = None
    plain: Optional["Node"] = None
    recode: Optional[Callable] = None
    multiply_adds: int = 0
    fallback: Optional[str] = None

    def shape_of(self, i):
        """Shape in which the step takes its input ``i``."""
        return self.reads[i].shape if self.read_shapes is None else self.read_shapes[i]


class Graph(NamedTuple):
    """A model as nodes, in an order in which nengo would run them."""

    nodes: tuple
    dt: float

    def plain(self):
        """The graph with all state as nengo has it."""
        return self._replace(nodes=tuple(n if n.plain is None else n.plain for n in self.nodes))


class Value(NamedTuple):
    """Elements that are computed, carried from the last step, or evaluated ahead; everything else is read from these."""

    shape: tuple
    dtype: np.dtype
    origin: str  # "kernel", "carried" or "ahead"

    @property
    def size(self):
        return math.prod(self.shape)


@lru_cache(maxsize=None)
def kind_of(dtype):
    """All floats are computed in one dtype, so that only other dtypes differ from each other."""
    dtype = np.dtype(dtype)
    return "f" if dtype.kind == "f" else dtype.str


@dataclass(frozen=True, eq=False)
class Kernel:
    """A node that is really computed.

    Attributes
    ----------
    nodes : tuple of Node
        One, or several stacked products of one vector.
    inputs : tuple of Affine
        What the step reads.
    input_shapes : tuple of tuple
        Shape of each input.
    outputs : tuple of tuple of int
        The values that make up each output, one after the other.
    """

    nodes: tuple
    inputs: tuple
    input_shapes: tuple
    outputs: tuple

    @property
    def node(self):
        return self.nodes[0]

    @property
    def kinds(self):
        """Kinds of the dtypes that the step reads and gives."""
        return tuple(kind_of(x.dtype) for x in (*self.node.reads, *self.node.outputs))

    @property
    def key(self):
        fixed = tuple(self.inputs[i].is_constant for i in self.node.minor or ())
        shapes = () if self.node.elementwise else self.input_shapes
        return (self.node.where, self.node.make_step, self.node.key, shapes, fixed, self.kinds)


class Carried(NamedTuple):
    """Base signals whose value lasts into the next step: all have the same, or it is one `SumOf` two."""

    value: int
    signals: tuple
    initial: np.ndarray
    after: Affine


class SumOf(NamedTuple):
    """What stands for two signals among the signals of a `Carried` value that is their sum."""

    weights: Any
    delta: Any

    @property
    def shape(self):
        return self.weights.shape


class FlatGraph(NamedTuple):
    """A model with its wiring folded into `Affine` reads.

    Attributes
    ----------
    values : tuple of Value
    kernels : tuple of Kernel
        In an order in which they may run.
    ahead : tuple of (Node, tuple of int)
        Nodes that are evaluated before the steps run, with the values that they give.
    carried : tuple of Carried
    final : dict
        Base signal -> Affine, its value after the step.
    dt : float
    after : tuple of Kernel
        Host kernels that are called after the steps of a chunk.
    """

    values: tuple
    kernels: tuple
    ahead: tuple
    carried: tuple
    final: dict
    dt: float
    after: tuple = ()
