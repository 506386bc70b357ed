"""What was drawn: counted in the networks and in what nengo builds of them, not where it is drawn.

What has to be there is read from nengo itself, so that something new in nengo is missed here, too.
"""

import importlib
import inspect
import pkgutil
from collections import Counter

import nengo
import nengo.builder
from nengo.builder import Model
from nengo.builder.operator import Operator
from nengo.ensemble import Ensemble, Neurons

from .draw import functions

#: What no network is built of, with the reason.
NEVER = {
    "operator": {
        "Operator": "the base class", "GeneralConvInc": "the base class of convolutions",
    },
    "neuron type": {"NeuronType": "the base class", "RatesToSpikesNeuronType": "a base class"},
    "synapse": {"Synapse": "the base class"},
    "rule": {"LearningRuleType": "the base class"},
    "transform": {"Transform": "the base class", "_ConvolutionBase": "the base class"},
    "process": {"Process": "the base class"},
}


def tally(drawn):
    """Count what is in a network.

    Parameters
    ----------
    drawn : Drawn

    Returns
    -------
    Counter
        (kind, name) -> number of networks that have it: 1 each.
    """
    net = drawn.network()
    found = {("dt", f"{drawn.dt:.3g}"), ("numbers", "exact" if drawn.exact else "any")}
    found |= {("nested", "networks")} if net.networks else set()
    for ens in net.all_ensembles:
        found.add(("neuron type", type(ens.neuron_type).__name__))
        if ens.noise is not None:
            found |= {("process", type(ens.noise).__name__), ("noise", type(ens.noise).__name__)}
    for node in net.all_nodes:
        found |= set(_of_node(node))
    for connection in net.all_connections:
        found |= set(_of_connection(connection))
    for probe in net.all_probes:
        found |= set(_of_probe(probe))
    model = drawn.model() if drawn.merged else Model(dt=drawn.dt)
    if drawn.merged:
        found.add(("operators", "merged by nengo"))
    else:
        model.build(net)
    found |= {("operator", type(op).__name__) for op in model.operators}
    found |= {("synapse", type(op.process).__name__) for op in model.operators
              if isinstance(getattr(op, "process", None), nengo.synapses.Synapse)}
    return Counter(found)


def _of_node(node):
    if isinstance(node.output, nengo.Process):
        kind = "synapse" if isinstance(node.output, nengo.synapses.Synapse) else "process"
        yield kind, type(node.output).__name__
        yield "node", "process"
    elif callable(node.output):
        owner = getattr(node.output, "__self__", node.output)
        yield "function", type(owner).__name__
        yield "node", "function of values" if node.size_in else "function of time"
    else:
        yield "node", "passthrough" if node.output is None else "constant"


def _of_connection(connection):
    yield "transform", type(connection.transform).__name__
    yield "synapse", type(connection.synapse).__name__
    yield "solver", f"{type(connection.solver).__name__}{', weights' if connection.solver.weights else ''}"
    if connection.function is not None:
        yield "function", getattr(connection.function, "__name__", type(connection.function).__name__)
    rules = connection.learning_rule_type
    if rules is not None:
        yield "rules", type(rules).__name__ if isinstance(rules, (list, dict)) else "alone"
        for rule in rules.values() if isinstance(rules, dict) else rules if isinstance(rules, list) else [rules]:
            yield "rule", type(rule).__name__
    for thing in (connection.pre_slice, connection.post_slice):
        if isinstance(thing, list):
            yield "slice", "list with repeats" if len(set(thing)) < len(thing) else "list"
        elif thing.step not in (None, 1):
            yield "slice", "negative step" if thing.step < 0 else "step"


def _of_probe(probe):
    yield "probe", f"{_kind(probe.obj)}.{probe.attr}"
    if probe.sample_every is not None:
        yield "probe", "with sample_every"
    if probe.synapse is not None:
        yield "probe", "with synapse"


def _kind(thing):
    for kind in (Ensemble, Neurons, nengo.Node, nengo.Connection):
        if isinstance(thing, kind):
            return kind.__name__
    return type(thing.learning_rule_type).__name__


def expected():
    """All (kind, name) that must have been drawn, but for ``NEVER``."""
    found = set()
    modules = {
        "operator": (_builders(), Operator), "neuron type": ([nengo.neurons], nengo.neurons.NeuronType),
        "synapse": ([nengo.synapses], nengo.synapses.Synapse), "rule": ([nengo.learning_rules], nengo.learning_rules.LearningRuleType),
        "transform": ([nengo.transforms], nengo.transforms.Transform), "process": ([nengo.processes], nengo.Process),
    }
    for kind, (places, base) in modules.items():
        names = {c.__name__ for module in places for c in _defined(module, base)} - NEVER[kind].keys()
        found |= {(kind, name) for name in names}
    found |= {("probe", f"{owner}.{name}") for owner, names in probeable().items() for name in names}
    found |= {("function", f.__name__) for f in functions.OF_VALUES}
    found |= {("rules", kind) for kind in ("alone", "list", "dict")}
    found |= {("slice", kind) for kind in ("list", "list with repeats", "step", "negative step")}
    found |= {("synapse", "NoneType"), ("nested", "networks"), ("numbers", "exact"), ("numbers", "any"),
              ("probe", "with sample_every"), ("probe", "with synapse"), ("solver", "NoSolver, weights"), ("solver", "LstsqL2, weights")}
    return found


def probeable():
    """Kind of object -> all attributes that can be probed on one of them."""
    neurons = {"output", "input"}
    for kind in _defined(nengo.neurons, nengo.neurons.NeuronType):
        if kind.__name__ not in NEVER["neuron type"]:
            made = kind(nengo.RectifiedLinear()) if issubclass(kind, nengo.neurons.RatesToSpikesNeuronType) else kind()
            neurons |= set(made.probeable)
    rules = {rule.__name__: set(rule.probeable) for rule in _defined(nengo.learning_rules, nengo.learning_rules.LearningRuleType)}
    return {
        "Ensemble": Ensemble.probeable, "Neurons": neurons, "Node": nengo.Node.probeable,
        "Connection": nengo.Connection.probeable, **rules,
    }


def _defined(module, base):
    return [c for c in vars(module).values() if inspect.isclass(c) and issubclass(c, base) and c.__module__ == module.__name__]


def _builders():
    names = [m.name for m in pkgutil.iter_modules(nengo.builder.__path__) if m.name != "tests"]
    return [importlib.import_module(f"nengo.builder.{name}") for name in names]
