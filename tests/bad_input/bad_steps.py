"""What goes wrong in a step: code of the user's that raises, or gives back what it should not, in the fourth step."""

import nengo
import numpy as np
from nengo.builder import Builder, Operator
from nengo.learning_rules import LearningRuleType

FAILS_IN = 4


class Boom(Exception):
    """Raised by code of the user's."""


class Culprit:
    """Gives a good value, but ``bad`` (or an error) in the fourth call after `start`."""

    def __init__(self, bad):
        self.bad, self.calls = bad, None

    def start(self):
        self.calls = 0

    def __call__(self):
        if self.calls is None:  # while nengo builds
            return np.ones(2)
        self.calls += 1
        if self.calls != FAILS_IN:
            return np.ones(2)
        if self.bad is Boom:
            raise Boom("by the user's code")
        return self.bad


class OwnProcess(nengo.Process):
    """A process, with or without an input."""

    def __init__(self, culprit, size_in):
        super().__init__(default_size_in=size_in, default_size_out=2)
        self.__dict__["culprit"] = culprit

    def make_state(self, shape_in, shape_out, dt, dtype=None, y0=0):
        return {}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        return lambda t, x=None: self.culprit()


class OwnSynapse(nengo.synapses.Synapse):
    """A synapse."""

    def __init__(self, culprit):
        super().__init__()
        self.__dict__["culprit"] = culprit

    make_state, make_step = OwnProcess.make_state, OwnProcess.make_step


class OwnNeurons(nengo.LIFRate):
    """A neuron type."""

    def __init__(self, culprit):
        super().__init__()
        self.__dict__["culprit"] = culprit

    def step(self, dt, J, output):
        output[...] = self.culprit()


class OwnRule(LearningRuleType):
    """A learning rule with an operator of its own."""

    modifies = "decoders"
    probeable = ("delta",)

    def __init__(self, culprit):
        super().__init__()
        self.__dict__["culprit"] = culprit

    @property
    def _argreprs(self):
        return ["'culprit'"]


class SimOwnRule(Operator):
    """Changes the weights by what the culprit gives."""

    def __init__(self, culprit, delta, tag):
        super().__init__(tag=tag)
        self.culprit, self.sets, self.incs, self.reads, self.updates = culprit, [], [], [], [delta]

    def make_step(self, signals, dt, rng):
        delta = signals[self.updates[0]]

        def step_own_rule():
            delta[0] = self.culprit()

        return step_own_rule


@Builder.register(OwnRule)
def build_own_rule(model, own, rule):
    model.add_op(SimOwnRule(own.culprit, model.sig[rule]["delta"], tag=str(rule.connection)))


def process(culprit, given):
    return nengo.Node(OwnProcess(culprit, 0), label="culprit")


def process_with_input(culprit, given):
    node = nengo.Node(OwnProcess(culprit, 2), label="culprit")
    nengo.Connection(given, node)
    return node


def synapse(culprit, given):
    node = nengo.Node(size_in=2, label="filtered")
    nengo.Connection(nengo.Node(np.ones(2), label="culprit"), node, synapse=OwnSynapse(culprit))
    return node


def neurons(culprit, given):
    return nengo.Ensemble(2, 2, neuron_type=OwnNeurons(culprit), label="culprit").neurons


def function_of_time(culprit, given):
    return nengo.Node(lambda t: culprit(), size_out=2, label="culprit")


def function_of_values(culprit, given):
    node = nengo.Node(lambda t, x: culprit(), size_in=2, size_out=2, label="culprit")
    nengo.Connection(given, node)
    nengo.Connection(node, node, transform=0.5)
    return node


def function_that_only_consumes(culprit, given):
    node = nengo.Node(lambda t, x: culprit(), size_in=2, size_out=2, label="culprit")
    nengo.Connection(given, node)
    return node


def function_of_a_connection(culprit, given):
    node = nengo.Node(size_in=2)
    nengo.Connection(given, node, function=lambda x: culprit(), synapse=0.01, label="culprit")
    return node


def learning_rule(culprit, given):
    ensemble, learned = nengo.Ensemble(2, 2, neuron_type=nengo.RectifiedLinear()), nengo.Node(size_in=2, label="culprit")
    nengo.Connection(given, ensemble)
    nengo.Connection(ensemble.neurons, learned, transform=np.eye(2), learning_rule_type=OwnRule(culprit))
    return learned


KINDS = (
    process, process_with_input, synapse, neurons, function_of_time, function_of_values, function_that_only_consumes,
    function_of_a_connection, learning_rule,
)
FUNCTIONS = (function_of_time, function_of_values, function_that_only_consumes, function_of_a_connection)
RAISING = {
    "raises": Boom, "another size": np.ones(3), "list of another size": [1, 2, 3], "column": np.ones((2, 1)), "text": "a",
    "complex": 1j, "dict": {}, "list in a list": [[1, 2]] * 3,
}
NOT_FINITE = {"nan": np.nan, "none": None, "infinity": np.inf, "array with nan": np.array([1, np.nan])}


def network(kind, bad):
    """A network with a culprit, which is returned as well, and probes."""
    culprit = Culprit(bad)
    with nengo.Network(seed=0) as net:
        given = nengo.Node(lambda t: [t, 1.0], label="given")
        target = kind(culprit, given)
        nengo.Probe(target, synapse=None)
        nengo.Probe(given, synapse=0.01)
    return net, culprit
