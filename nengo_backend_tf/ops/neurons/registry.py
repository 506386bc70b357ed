"""The rule of SimNeurons, and its second-level registry by neuron type."""

import copy
from dataclasses import replace

import numpy as np
from nengo.builder.neurons import SimNeurons
from nengo.builder.signal import Signal

from ...graph.node import Node, Output, Write
from ..python import host_node
from ..registry import register_rule, rule_for

RULES = {}


def register_neurons(neuron_type, merge_key=lambda neurons: (), draw=None, make_array_step=None, inherits=None):
    """Register how neurons of exactly this type are computed.

    Parameters
    ----------
    neuron_type : type or str
        Subclass of ``nengo.neurons.NeuronType``, or its full name where its package need not be installed.
    merge_key : callable, optional
        ``neurons -> hashable``, what populations must have in common to be computed together.
    draw : callable, optional
        ``draw(rng, shape) -> ndarray``, the random numbers that a step takes from the population's own stream (its state
        "rng"). They are drawn ahead of the steps, and are the last input of the step.
    make_array_step : callable, optional
        As what is decorated, of ndarrays, for loops that run on the host; by default the neuron type's own step. It may
        change the state in place.
    inherits : type, optional
        A parent with a rule, which holds for this type too where it has not overridden the parent's ``step``.

    Returns
    -------
    callable
        Decorator of ``make_step(neurons, context) -> step(J, *state) -> (output, *state)``, where ``neurons`` are the
        neuron type instances of the group and ``state`` comes in the order of ``neuron_type.state``. All arrays have one
        shape; `Context.spread` gives parameters that match it.
    """

    name = getattr(neuron_type, "__name__", neuron_type)

    def decorate(make_step):
        def make_neurons_step(ops, context):
            return make_step([op.neurons for op in ops], context)

        def array_step(ops, context):
            return make_array_step([op.neurons for op in ops], context)

        def rule(op, model):
            if inherits is not None and type(op.neurons).step is inherits.step:
                return RULES[inherits](op, model)
            drawn = () if draw is None else (Signal(np.zeros(op.J.shape, op.output.dtype), name=f"{op.J.name}.drawn"),)
            state = tuple(op.state[name] for name in op.neurons.state)
            signals = (op.output, *state)
            kernel = Node(
                op=op, make_step=make_neurons_step, reads=(op.J, *state, *drawn),
                outputs=tuple(Output(s.shape, s.dtype) for s in signals),
                writes=tuple(Write(s, "set", i) for i, s in enumerate(signals)),
                key=(name, merge_key(op.neurons), op.J.shape), elementwise=True, minor=(), label=str(op),
                make_array_step=None if drawn else make_neurons_array_step if make_array_step is None else array_step,
            )
            return (*(_draws_node(op, draw, signal) for signal in drawn), kernel)

        register_neurons_rule(neuron_type)(rule)
        return make_step

    return decorate


def register_neurons_rule(neuron_type):
    """Register a function ``rule(op, model) -> Node or tuple of Node`` for neurons of exactly this type."""

    def decorate(rule):
        RULES[neuron_type] = rule
        return rule

    return decorate


@register_rule(SimNeurons)
def neurons_rule(op, model):
    """A kernel where one is registered for exactly this neuron type; nengo's own step on the host elsewhere."""
    rule = rule_for(RULES, type(op.neurons))
    if rule is not None:
        return rule(op, model)
    return host_neurons(op, model, warn_of=type(op.neurons), register="neurons.register_neurons")


def host_neurons(op, model, **warning):
    """A node that runs a population through nengo's own step on the host.

    Parameters
    ----------
    op : SimNeurons
    model : nengo.builder.Model
    warning
        As for `host_node`.
    """
    node = host_node(op, model, **warning)

    def make_step(op, host):
        mine = copy.copy(op)
        mine.state_extra = {name: stream_of(rng, host.item) for name, rng in op.state_extra.items()}
        step = node.make_step(mine, host)
        step.streams = tuple(mine.state_extra.values())
        return step

    return replace(node, make_step=make_step)


def stream_of(rng, item):
    """The random stream of an item of the minibatch: for item 0 that of the model, which nengo.Simulator would use.

    Parameters
    ----------
    rng : numpy.random.RandomState
        The population's stream, part of the built model: it goes on where it is, also after a reset.
    item : int

    Returns
    -------
    numpy.random.RandomState
    """
    if item == 0:
        return rng
    _, words, position, _, _ = rng.get_state()
    return np.random.RandomState([item, position, *words[:8]])


def _draws_node(op, draw, signal):
    """What is drawn for the steps of a population, before they run."""

    def make_step(op, host):
        rng = stream_of(op.state_extra["rng"], host.item)

        def step_draw(step_index):
            return (draw(rng, signal.shape),)

        step_draw.streams = (rng,)
        return step_draw

    return Node(
        op=op, make_step=make_step, reads=(), outputs=(Output(signal.shape, signal.dtype),), writes=(Write(signal, "set"),),
        key=id(op), where="ahead", label=f"draws of {op}",
    )


def make_neurons_array_step(ops, context):
    """Nengo's own step of a neuron type, on the arrays of a whole group; the state changes in place."""
    names = list(ops[0].state)
    equal = all(op.neurons == ops[0].neurons for op in ops)
    starts = np.cumsum((0, *context.sizes))
    slices = [slice(None)] if equal else [slice(a, b) for a, b in zip(starts, starts[1:])]

    def step_neurons(J, *state):
        output = np.empty_like(J)
        for op, part in zip(ops, slices):
            mine = dict(zip(names, (x.reshape(-1)[part] for x in state)))
            op.neurons.step(context.dt, J.reshape(-1)[part], output.reshape(-1)[part], **mine)
        return (output, *state)

    return step_neurons
