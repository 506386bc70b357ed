"""Semantic pointers: binding, remembering, questions and sequences, with Nengo's older SPA module."""

import nengo
import numpy as np
from nengo import spa

from .collect import model

MODELS = {}
SIZE = 8
SMALL = dict(dimensions=SIZE, subdimensions=4, neurons_per_dimension=8)


def expressions(*times):
    """What is shown at which time: pairs of the time until which it is shown, and an expression."""
    return lambda t: next((expression for end, expression in times if t < end), "0")


def probe(*modules):
    for module in modules:
        for output, _ in module.outputs.values():
            nengo.Probe(output, synapse=0.03)


class Built(spa.SPA):
    """Modules are attributes, set by a function."""

    def __init__(self, build):
        super().__init__(seed=0)
        self.config[nengo.Ensemble].n_eval_points = 100  # it is built faster, and decodes well enough
        build(self)


def spa_model(build):
    """Add a function that sets the modules of a network, as `collect.model` does."""

    def make():
        return Built(build)

    MODELS[build.__name__] = make
    return make


@spa_model
def convolution(net):
    """Two vectors are bound."""
    with net:
        net.a, net.b, net.bound = spa.State(**SMALL), spa.State(**SMALL), spa.Bind(SIZE, n_neurons=20)
        nengo.Connection(net.a.output, net.bound.A)
        nengo.Connection(net.b.output, net.bound.B)
        net.given = spa.Input(a=expressions((0.05, "RED"), (9, "BLUE")), b=expressions((0.08, "CIRCLE"), (9, "SQUARE")))
        probe(net.a, net.bound)


@spa_model
def question(net):
    """Bound pairs are added up, and one is asked for."""
    with net:
        net.color, net.shape, net.cue = (spa.State(**SMALL) for _ in range(3))
        net.conv, net.out = spa.State(**SMALL), spa.State(**SMALL)
        net.cortical = spa.Cortical(spa.Actions("conv = color * shape", "out = conv * ~cue"), neurons_cconv=20)
        net.given = spa.Input(
            color=expressions((0.05, "RED"), (0.1, "BLUE")), shape=expressions((0.05, "CIRCLE"), (0.1, "SQUARE")),
            cue=expressions((0.08, "CIRCLE"), (9, "RED")),
        )
        probe(net.conv, net.out)


@spa_model
def question_memory(net):
    """The same, with a memory between."""
    with net:
        net.color, net.shape, net.cue, net.out = (spa.State(**SMALL) for _ in range(4))
        net.conv = spa.State(feedback=1, feedback_synapse=0.1, **SMALL)
        net.cortical = spa.Cortical(spa.Actions("conv = color * shape", "out = conv * ~cue"), neurons_cconv=20)
        net.given = spa.Input(
            color=expressions((0.05, "RED"), (0.1, "BLUE")), shape=expressions((0.05, "CIRCLE"), (0.1, "SQUARE")),
            cue=expressions((0.1, "0"), (9, "RED")),
        )
        probe(net.conv, net.out)


@spa_model
def question_control(net):
    """Statements are stored and questions answered, as the basal ganglia decide."""
    with net:
        net.visual, net.motor = spa.State(**SMALL), spa.State(**SMALL)
        net.memory = spa.State(feedback=1, feedback_synapse=0.1, **SMALL)
        actions = spa.Actions(
            "dot(visual, STATEMENT) --> memory = visual", "dot(visual, QUESTION) --> motor = memory * ~visual",
        )
        net.bg = spa.BasalGanglia(actions)
        net.given = spa.Input(visual=expressions((0.05, "0.6*STATEMENT+RED*CIRCLE"), (9, "0.6*QUESTION+RED")))
        net.thalamus = spa.Thalamus(net.bg, neurons_cconv=20, neurons_channel_dim=10, subdim_channel=4)
        probe(net.visual, net.memory, net.motor)
        nengo.Probe(net.thalamus.actions.output, synapse=0.03)


def sequence_actions(first):
    return spa.Actions(first, "dot(state, A) --> state = B", "dot(state, B) --> state = C", "dot(state, C) --> state = A")


def sequence(net, actions):
    net.bg = spa.BasalGanglia(actions)
    net.thalamus = spa.Thalamus(net.bg, neurons_channel_dim=10, subdim_channel=4)
    probe(net.state)
    nengo.Probe(net.bg.input, synapse=0.03)
    nengo.Probe(net.thalamus.actions.output, synapse=0.03)


@spa_model
def spa_sequence(net):
    """Actions follow one another."""
    with net:
        net.state = spa.State(**SMALL)
        net.given = spa.Input(state=expressions((0.05, "A")))
        sequence(net, sequence_actions("0.1 --> state = A"))


@spa_model
def spa_sequence_routed(net):
    """The first is taken from what is seen."""
    with net:
        net.state, net.vision = spa.State(**SMALL), spa.State(**SMALL)
        net.given = spa.Input(vision=expressions((0.05, "0.8*START+B")))
        sequence(net, sequence_actions("dot(vision, START) --> state = vision"))


@spa_model
def spa_parser(net):
    """Words come one by one, and a verb says what is to be done with them."""
    with net:
        net.vision, net.phrase, net.motor = (spa.State(**SMALL) for _ in range(3))
        net.noun, net.verb = (spa.State(feedback=1, feedback_synapse=0.1, **SMALL) for _ in range(2))
        net.bg = spa.BasalGanglia(spa.Actions(
            "dot(vision, WRITE) --> verb = vision", "dot(vision, ONE+TWO) --> noun = vision",
            "0.5*(dot(phrase, WRITE*VERB) + dot(noun, ONE)) - dot(vision, ONE) --> motor = phrase * ~NOUN",
        ))
        net.thalamus = spa.Thalamus(net.bg, neurons_cconv=20, neurons_channel_dim=10, subdim_channel=4)
        net.cortical = spa.Cortical(spa.Actions("phrase = verb*VERB + noun*NOUN"), neurons_cconv=20)
        net.given = spa.Input(vision=expressions((0.05, "WRITE"), (0.1, "ONE")))
        probe(net.phrase, net.motor, net.noun, net.verb)


@spa_model
def associative_memory(net):
    """Noisy vectors are mapped to others."""
    with net:
        keys, values = (spa.Vocabulary(SIZE, rng=np.random.RandomState(seed)) for seed in (1, 2))
        keys.parse("A+B+C")
        values.parse("X+Y+Z")
        net.given_state = spa.State(vocab=keys, **SMALL)
        net.memory = spa.AssociativeMemory(
            keys, values, input_keys=["A", "B", "C"], output_keys=["X", "Y", "Z"], wta_output=True, threshold_output=True
        )
        nengo.Connection(net.given_state.output, net.memory.input)
        net.given = spa.Input(given_state=expressions((0.08, "A+0.3*B"), (9, "0.8*C")))
        probe(net.given_state, net.memory)


@model(MODELS)
def circular_convolution():
    """The network that binds, on its own, and its inverse."""
    given = nengo.Node(lambda t: [0.5, -0.3, 0.2, 0.4]), nengo.Node(lambda t: [0.1, 0.6, -0.2, 0.3])
    bind, unbind = (nengo.networks.CircularConvolution(20, 4, invert_b=invert) for invert in (False, True))
    nengo.Connection(given[0], bind.input_a)
    nengo.Connection(given[1], bind.input_b)
    nengo.Connection(bind.output, unbind.input_a)
    nengo.Connection(given[1], unbind.input_b)
    for net in (bind, unbind):
        nengo.Probe(net.output, synapse=0.01)
