"""The rule of SimNeurons, and its second-level registry by neuron type."""

from nengo.builder.neurons import SimNeurons

from ...graph.node import Node, Output, Write
from ..python import host_node
from ..registry import register_rule

KERNELS = {}


def register_neurons(neuron_type, merge_key=lambda neurons: ()):
    """Register how neurons of exactly this type are computed.

    Parameters
    ----------
    neuron_type : type
        Subclass of ``nengo.neurons.NeuronType``.
    merge_key : callable, optional
        ``neurons -> hashable``, what populations must have in common to be computed together.

    Returns
    -------
    callable
        Decorator of ``make_step(neurons, context) -> step(J, *state) -> (output, *state)``, where ``neurons`` are the
        neuron type instances of the group and ``state`` comes in the order of ``neuron_type.state``. All arrays have one
        shape; `Context.spread` gives parameters that match it.
    """

    def decorate(make_step):
        def make_neurons_step(ops, context):
            return make_step([op.neurons for op in ops], context)

        KERNELS[neuron_type] = (make_neurons_step, merge_key)
        return make_step

    return decorate


@register_rule(SimNeurons)
def neurons_rule(op, model):
    """A kernel where one is registered for exactly this neuron type; nengo's own step on the host elsewhere."""
    if type(op.neurons) not in KERNELS:
        return host_node(op, model, warn_of=type(op.neurons), register="neurons.register_neurons")
    make_step, merge_key = KERNELS[type(op.neurons)]
    state = tuple(op.state[name] for name in op.neurons.state)
    signals = (op.output, *state)
    return Node(
        op=op, make_step=make_step, reads=(op.J, *state), outputs=tuple(Output(s.shape, s.dtype) for s in signals),
        writes=tuple(Write(s, "set", i) for i, s in enumerate(signals)),
        key=(type(op.neurons).__name__, merge_key(op.neurons), op.J.shape), elementwise=True, minor=(), label=str(op),
    )
