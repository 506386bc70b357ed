"""The rule of SimProcess, and its second-level registry by process type."""

from nengo.builder.processes import SimProcess
from nengo.params import FrozenObject, iter_params

from ..python import host_node
from ..registry import register_rule, rule_for

RULES = {}


def register_process(*process_types):
    """Register how processes with input, of exactly these types, become nodes.

    Parameters
    ----------
    process_types : type or str
        Subclasses of ``nengo.Process``, or their full names where their package need not be installed.

    Returns
    -------
    callable
        Decorator of ``rule(op, model) -> Node``, where ``op`` is the SimProcess.
    """

    def decorate(rule):
        RULES.update({process_type: rule for process_type in process_types})
        return rule

    return decorate


def functions_of(process):
    """The user's functions that a process calls.

    Nengo's own processes change nothing but their random stream, so that they only call what they were given.
    """
    if not _is_nengos(process):
        return (process,)
    given = [getattr(process, name) for name in iter_params(process)]
    given += [value for item in given if isinstance(item, dict) for value in item.values()]
    return tuple(x for x in given if callable(x) or (isinstance(x, FrozenObject) and not _is_nengos(x)))


def _is_nengos(x):
    return type(x).__module__ in ("nengo.processes", "nengo.synapses", "nengo.dists")


@register_rule(SimProcess)
def process_rule(op, model):
    """Processes without input are evaluated ahead with nengo's own step function and random stream.

    Others need a rule for exactly their type, or run within the steps on the host.
    """
    if op.input is None:
        return host_node(op, model, reads=(), where="ahead", functions=functions_of(op.process))
    rule = rule_for(RULES, type(op.process))
    if rule is not None:
        return rule(op, model)
    return host_node(
        op, model, functions=functions_of(op.process), warn_of=type(op.process), register="processes.register_process"
    )
