"""How operators are turned into nodes: one rule an operator type, matched exactly.

A type of a package that need not be installed is registered by its full name, "module.Class": nothing imports it.

A rule is registered in the file of its operator, and nothing else has to be told about it::

    @register(DotInc, reads=..., writes=..., ...)
    def make_dot_step(ops, context):
        ...constants...
        def step(a, x):
            return (y,)
        return step

``make_step`` gets the operators of a group and a `Context`; ``step`` gets their inputs, gathered by the engine into one
array for each, and returns their outputs. The arrays have any leading axes ``...`` (a minibatch), then one of three forms:
stacked (..., G, *shape), minor (..., *shape, G), or, for elementwise operators of different sizes, flat (..., L). Constant
inputs have no leading axes.
"""

from typing import Any, NamedTuple, Optional

import numpy as np
from nengo.exceptions import BuildError

from ..graph.node import Node, Output, Write

RULES = {}


class Context(NamedTuple):
    """What a group's ``make_step`` is told.

    Attributes
    ----------
    dt : float
        Length of a timestep in seconds.
    dtype : numpy.dtype
        Dtype of floats in the program.
    form : {"flat", "stacked", "minor"}
        How the members share the arrays.
    input_shapes : tuple of tuple
        Shapes of the inputs of the step, without leading axes.
    sizes : tuple of int
        For each member, the number of elements of its first output.
    """

    dt: float
    dtype: Any
    form: str
    input_shapes: tuple
    sizes: tuple

    def spread(self, values, rank=1):
        """One number for each member, shaped to be combined with arrays of this form.

        Parameters
        ----------
        values : sequence of float
            One a member.
        rank : int
            Number of axes that each member has in the array.

        Returns
        -------
        numpy scalar or ndarray
            A scalar where all are equal; else (G, 1, ...), (1, ..., G) or (L,).
        """
        values = np.asarray(values, self.dtype)
        if (values == values[0]).all():
            return values[0]
        if self.form == "flat":
            return np.repeat(values, self.sizes)
        ones = (1,) * rank
        return values.reshape(ones + (-1,) if self.form == "minor" else (-1,) + ones)


def register(
    op_type, *, reads, writes, outputs=None, merge_key=lambda op: (), fold=None, elementwise=False, minor=None,
    stacks=False,
):
    """Register how operators of exactly this type are computed. See `Node` for what the arguments mean.

    Parameters
    ----------
    op_type : type or str
        Subclass of nengo's ``Operator``, or its full name.
    reads : callable
        ``op -> tuple of Signal``.
    writes : callable
        ``op -> tuple of Write``.
    outputs : callable, optional
        ``op -> tuple of Output``; by default shape and dtype of the first signal that each output is written to.
    merge_key : callable, optional
        ``op -> hashable``, what operators must have in common, beside type and shapes, to be computed together.
    fold, elementwise, minor, stacks
        As in `Node`.
    """

    name = getattr(op_type, "__name__", op_type)

    def decorate(make_step):
        def rule(op, model):
            del model
            return Node(
                op=op, make_step=make_step, reads=tuple(reads(op)), outputs=_outputs(op, outputs, writes),
                writes=tuple(writes(op)), key=(name, merge_key(op)), fold=fold, elementwise=elementwise,
                minor=minor, stacks=stacks, label=str(op),
            )

        RULES[op_type] = rule
        return make_step

    return decorate


def register_rule(op_type):
    """Register a function ``rule(op, model) -> Node or sequence of Node`` for operators of exactly this type."""

    def decorate(rule):
        RULES[op_type] = rule
        return rule

    return decorate


def rule_for(rules, kind):
    """Look up the rule of exactly this type.

    Parameters
    ----------
    rules : dict
        Rules by type, or by a type's full name.
    kind : type

    Returns
    -------
    callable or None
    """
    return rules.get(kind, rules.get(f"{kind.__module__}.{kind.__qualname__}"))


def _outputs(op, outputs, writes):
    if outputs is not None:
        return tuple(outputs(op))
    first = {}
    for write in writes(op):
        first.setdefault(write.output, Output(write.signal.shape, write.signal.dtype))
    return tuple(first[i] for i in range(len(first)))


def nodes_of(op, model):
    """The nodes of an operator, by the rule of exactly its type, or of operators that have none.

    Parameters
    ----------
    op : nengo.builder.Operator
    model : nengo.builder.Model

    Returns
    -------
    tuple of Node

    Raises
    ------
    BuildError
        If the operator touches a dtype other than float, integer and boolean, or has neither a rule nor a step.
    """
    for signal in op.all_signals:
        if signal.dtype.kind not in "fiub":
            raise BuildError(
                f"{op}: {type(op).__name__} touches the signal {signal.name!r} of dtype {signal.dtype}. Expected a float, "
                "integer or boolean dtype. Cast the signal's initial value."
            )
    rule = rule_for(RULES, type(op)) or RULES[None]
    nodes = rule(op, model)
    return nodes if isinstance(nodes, tuple) else (nodes,)
