"""Learning rules of each kind, alone, in lists and in dicts, with each other and with every kind of input."""

import nengo
import numpy as np
import pytest
from comparing import compare


def wave(t):
    return [np.sin(50 * t), np.cos(80 * t), 0.5]


FORMS = {
    "one": lambda rule: rule(1e-3),
    "list": lambda rule: [rule(1e-3), rule(1e-3)],
    "dict": lambda rule: {"x": rule(1e-3), "y": rule(1e-3)},
}


def targets(connection, form):
    """What the two errors go to."""
    rule = connection.learning_rule
    return {"one": lambda: (rule, rule), "list": lambda: rule, "dict": lambda: (rule["x"], rule["y"])}[form]()


def taught(form, rule):
    """A learned connection with two errors, one of them of one dimension, spread by a transform."""
    with nengo.Network(seed=0) as net:
        source, pre, post = nengo.Node(wave), nengo.Ensemble(15, 1, seed=1), nengo.Node(size_in=3)
        nengo.Connection(source[0], pre)
        learned = nengo.Connection(pre, post, function=lambda x: [0, 0, x[0]], learning_rule_type=FORMS[form](rule))
        first, second = targets(learned, form)
        nengo.Connection(source[1], first, transform=[[1], [2], [3]])
        nengo.Connection(nengo.Node([1.0, 0, -1]), second)
        nengo.Probe(learned, "weights")
        nengo.Probe(post, synapse=0.01)
    return net


@pytest.mark.filterwarnings("ignore:.*has already been built")  # of equal rules
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rule", [nengo.PES, nengo.RLS])
def test_errors_of_several_rules_add_up(rule, form):
    weights, output = compare(lambda: taught(form, rule), 40)
    assert not np.allclose(weights[-1], weights[0], atol=1e-9)
    if rule is nengo.PES:  # RLS is not linear in what it has learned
        alone = compare(lambda: taught("one", rule), 40, backends=())
        np.testing.assert_allclose(weights, alone[0], rtol=0, atol=1e-15)


def mixed():
    """Several kinds of rules on one connection, and the same kind on several with other parameters."""
    with nengo.Network(seed=4) as net:
        net.config[nengo.Ensemble].neuron_type = nengo.LIFRate()
        source = nengo.Node(wave)
        pre, post, keyed = (nengo.Ensemble(n, 2) for n in (12, 9, 9))
        nengo.Connection(source[:2], pre, synapse=None)
        together = nengo.Connection(pre, post, solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type={
            "bcm": nengo.BCM(1e-9, theta_synapse=0.05), "oja": nengo.Oja(1e-6, beta=0.7), "pes": nengo.PES(1e-3),
        })
        nengo.Connection(source[1:], together.learning_rule["pes"])
        nengo.Probe(together, "weights")
        for name, attr in (("bcm", "theta"), ("bcm", "delta"), ("oja", "pre_filtered"), ("oja", "post_filtered"), ("pes", "error")):
            nengo.Probe(together.learning_rule[name], attr)
        for rate in (1e-6, 2e-6):
            neurons = nengo.Connection(
                pre.neurons, post.neurons, transform=np.full((9, 12), 1e-4),
                learning_rule_type=nengo.Oja(rate, pre_synapse=nengo.Alpha(0.003), post_synapse=None),
            )
            nengo.Probe(neurons, "weights")
        for rate, synapse in ((1e-2, 0.003), (2e-2, None)):
            voja = nengo.Connection(
                source[:2], keyed, synapse=None, learning_rule_type=nengo.Voja(learning_rate=rate, post_synapse=synapse)
            )
            nengo.Connection(nengo.Node(lambda t: -1.0 if t > 0.02 else -0.3), voja.learning_rule, synapse=None)
            nengo.Probe(voja.learning_rule, "scaled_encoders")
        out = nengo.Node(size_in=1)
        for rate in (1e-3, 1e-2):
            rls = nengo.Connection(pre, out, function=lambda x: 0, learning_rule_type=nengo.RLS(rate, pre_synapse=nengo.Alpha(0.01)))
            nengo.Connection(out, rls.learning_rule)
            nengo.Connection(source[0], rls.learning_rule, transform=-1)
            nengo.Probe(rls, "weights")
            nengo.Probe(rls.learning_rule, "inv_gamma")
        nengo.Probe(out)
    return net


def test_kinds_and_parameters_side_by_side():
    data = compare(mixed, 60)
    assert all(np.ptp(x, axis=0).any() for x in data)


def differing():
    """The same rule, for connections of other sizes and rates: what is computed together stays apart."""
    with nengo.Network(seed=0) as net:
        for dimensions, rate, n in ((1, 1e-3, 5), (2, 1e-3, 5), (1, 2e-3, 5), (1, 1e-3, 8)):
            pre = nengo.Ensemble(n, 1, neuron_type=nengo.RectifiedLinear(), gain=np.zeros(n), bias=np.ones(n))
            post = nengo.Node(size_in=dimensions)
            learned = nengo.Connection(
                pre, post, function=lambda x, d=dimensions: np.zeros(d), learning_rule_type=nengo.PES(rate, pre_synapse=None)
            )
            nengo.Connection(nengo.Node(np.ones(dimensions)), learned.learning_rule, synapse=None)
            nengo.Probe(learned, "weights")
    return net


@pytest.mark.filterwarnings("ignore:.*(divide by zero|all zero activities)")
def test_rates_and_sizes_are_not_mixed_up():
    """Activity and error are 1, so that each step adds the same to each weight."""
    for weights, (dimensions, rate, n) in zip(compare(differing, 10), ((1, 1e-3, 5), (2, 1e-3, 5), (1, 2e-3, 5), (1, 1e-3, 8))):
        assert weights.shape == (10, dimensions, n)
        np.testing.assert_allclose(np.diff(weights, axis=0), -rate * 0.001 / n, rtol=1e-9)
