"""The rule of SimProcess, and its second-level registry by process type."""

from nengo.builder.processes import SimProcess

from ..python import host_node
from ..registry import register_rule

RULES = {}


def register_process(*process_types):
    """Register how processes with input, of exactly these types, become nodes.

    Returns
    -------
    callable
        Decorator of ``rule(op, model) -> Node``, where ``op`` is the SimProcess.
    """

    def decorate(rule):
        RULES.update({process_type: rule for process_type in process_types})
        return rule

    return decorate


@register_rule(SimProcess)
def process_rule(op, model):
    """Processes without input are evaluated ahead with nengo's own step function and random stream.

    Others need a rule for exactly their type, or run within the steps on the host.
    """
    if op.input is None:
        return host_node(op, model, reads=(), where="ahead", functions=(op.process,))
    if type(op.process) in RULES:
        return RULES[type(op.process)](op, model)
    return host_node(
        op, model, functions=(op.process,), warn_of=type(op.process), register="processes.register_process"
    )
