"""Everything that nengo can build has a rule, or stands here with a reason; so has what is registered by its name."""

import importlib
import inspect
import pkgutil

import nengo
import nengo.builder
import nengo.neurons
import nengo.synapses
import numpy as np
import pytest
from cases import CASES
from nengo.builder import Model, Signal
from nengo.builder.neurons import SimNeurons
from nengo.builder.operator import Operator

from nengo_backend_tf.ops import neurons, processes, registry

NO_RULE = {
    "Operator": "the base class",
    "GeneralConvInc": "the base class of convolutions, which is never built",
    "SimProbe": "computes nothing: probes are read from the values after a step",
    "NeuronType": "the base class",
    "RatesToSpikesNeuronType": "the base class of types that spike at the rates of another",
    "Direct": "has no operator: its signals are connected without neurons",
    "Synapse": "the base class",
}

#: Draws that depend on the rates: nengo's own random stream can only be followed on the host.
ON_HOST = {"PoissonSpiking"}


def defined(modules, base):
    """All subclasses of ``base`` that are defined in the modules, the base included."""
    found = {
        c for module in modules for c in vars(module).values()
        if inspect.isclass(c) and issubclass(c, base) and c.__module__ == module.__name__
    }
    return sorted(found, key=lambda c: c.__name__)


def builder_modules():
    names = [m.name for m in pkgutil.iter_modules(nengo.builder.__path__) if m.name != "tests"]
    return [importlib.import_module(f"nengo.builder.{name}") for name in names]


OPERATORS = defined(builder_modules(), Operator)
NEURONS = defined([nengo.neurons], nengo.neurons.NeuronType)
SYNAPSES = defined([nengo.synapses], nengo.synapses.Synapse)


@pytest.mark.parametrize(
    "kind, table",
    [(c, registry.RULES) for c in OPERATORS] + [(c, neurons.registry.RULES) for c in NEURONS]
    + [(c, processes.registry.RULES) for c in SYNAPSES],
    ids=lambda x: x.__name__ if inspect.isclass(x) else "",
)
def test_has_a_rule(kind, table):
    assert (kind in table) != (kind.__name__ in NO_RULE)


def test_all_were_looked_at():
    names = {c.__name__ for c in (*OPERATORS, *NEURONS, *SYNAPSES)}
    assert set(NO_RULE) <= names
    assert len(OPERATORS) >= 19 and len(NEURONS) >= 15 and len(SYNAPSES) >= 5


@pytest.mark.parametrize("kind", [c for c in (*OPERATORS, *NEURONS, *SYNAPSES) if c.__name__ not in NO_RULE],
                         ids=lambda c: c.__name__)
def test_is_tested(kind):
    """Some row of cases has it, and asserts that its plan calls the host only if it has to."""
    rows = [case for case in CASES if case.needs is None and kind in case_kinds(case)]
    if kind.__name__ in ON_HOST:
        assert rows and all(case.on_host for case in rows)
    else:
        assert any(not case.on_host for case in rows)


TABLES = (registry.RULES, neurons.registry.RULES, processes.registry.RULES)
BY_NAME = sorted(name for table in TABLES for name in table if isinstance(name, str))


@pytest.mark.parametrize("name", BY_NAME)
def test_registered_by_name(name):
    """The name is that of a class with a row of cases, where the package is installed."""
    module, _, class_name = name.rpartition(".")
    kind = getattr(pytest.importorskip(module), class_name)
    assert f"{kind.__module__}.{kind.__qualname__}" == name
    assert any(kind in case_kinds(case) for case in CASES if case.needs is not None and name.startswith(f"{case.needs}."))


def test_a_parents_rule_needs_the_parents_step():
    """Whoever inherits a rule is computed by it only while ``step`` is inherited too."""
    model = Model()
    j, output = Signal(np.ones(3)), Signal(np.zeros(3))
    own = type("SoftLIFRate", (nengo.LIFRate,), {
        "__module__": "nengo_extras.neurons", "step": lambda self, dt, J, output: None, "sigma": 1.0,
    })
    keys = []
    for kind in (nengo.LIFRate, type("SoftLIFRate", (nengo.LIFRate,), {"__module__": "nengo_extras.neurons"}), own):
        (node,) = registry.nodes_of(SimNeurons(kind(), j, output), model)
        keys.append((node.make_step, node.key))
    assert keys[0] == keys[1] != keys[2]


def case_kinds(case):
    """Types of the operators of a case, and of their neurons and processes."""
    from harness import build

    kinds = set()
    for op in build(case, range(1)).model.operators:
        kinds |= {type(op), type(getattr(op, "neurons", None)), type(getattr(op, "process", None))}
    return kinds
