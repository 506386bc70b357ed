"""Users' own learning rules do what they do on the reference."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, compare
from own_rules import ClippedBCM, Decay, DecayOfDecoders, Imprint, Jitter, NegativeBCM, ScaledPES

from nengo_backend_tf.ops import HostFallbackWarning

pytestmark = pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")


def decoded(rule):
    """Decoders are learned, from an error where the rule has one."""
    pre, post = nengo.Ensemble(12, 1), nengo.Node(size_in=2)
    nengo.Connection(nengo.Node(lambda t: np.sin(50 * t)), pre, synapse=None)
    learned = nengo.Connection(pre, post, function=lambda x: [x[0], 1 - x[0]], learning_rule_type=rule)
    if learned.learning_rule.size_in:
        nengo.Connection(post, learned.learning_rule)
    nengo.Probe(post)
    return learned


def between_neurons(rule):
    """A full matrix is learned."""
    pre, post = (nengo.Ensemble(n, 1, neuron_type=nengo.LIFRate()) for n in (10, 7))
    nengo.Connection(nengo.Node(0.6), pre, synapse=None)
    learned = nengo.Connection(pre, post, solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type=rule)
    if learned.learning_rule.size_in:
        nengo.Connection(nengo.Node(0.5), learned.learning_rule)
    nengo.Probe(post.neurons)
    return learned


def encoding(rule):
    """Encoders are learned."""
    post = nengo.Ensemble(9, 2)
    learned = nengo.Connection(nengo.Node([0.5, -0.2]), post, learning_rule_type=rule)
    nengo.Probe(post.neurons, "input")
    return learned


def network(build, rule, probed):
    with nengo.Network(seed=3) as net:
        learned = build(rule)
        nengo.Probe(learned.learning_rule if build is encoding else learned, probed)
        for attr in rule.probeable:
            nengo.Probe(learned.learning_rule, attr)
    return net


CASES = [
    (decoded, DecayOfDecoders(), "weights"), (between_neurons, Decay(0.1), "weights"), (decoded, Imprint(), "weights"),
    (encoding, Jitter(), "scaled_encoders"), (between_neurons, NegativeBCM(learning_rate=-1e-9), "weights"),
    (between_neurons, ClippedBCM(learning_rate=1e-6), "weights"), (decoded, ScaledPES(1e-2), "weights"),
]


@pytest.mark.parametrize("build, rule, probed", CASES, ids=lambda x: getattr(x, "__name__", type(x).__name__))
def test_like_reference(build, rule, probed):
    learned = compare(lambda: network(build, rule, probed), 20, 10)[1]
    assert np.ptp(learned, axis=0).any()


@pytest.mark.parametrize("rule, operator", [(Decay(), "SimDecay"), (ClippedBCM(), "SimClippedBCM")], ids=["own", "derived"])
def test_operators_without_a_rule_are_named(rule, operator):
    with pytest.warns(HostFallbackWarning, match=f"{operator} has no native TensorFlow rule"):
        BACKENDS[0](network(between_neurons, rule, "weights")).close()


def test_a_negative_rate_unlearns():
    changes = []
    for rule in (nengo.BCM(learning_rate=1e-12), NegativeBCM(learning_rate=-1e-12)):
        weights = compare(lambda: network(between_neurons, rule, "weights"), 15)[1]
        changes.append(weights[-1] - weights[0])
    scale = np.abs(changes[0]).max()
    assert scale > 0
    np.testing.assert_allclose(changes[0], -changes[1], rtol=0, atol=1e-3 * scale)
