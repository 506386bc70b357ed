"""Slices, index lists and masks name the elements that NumPy's indexing names, wherever Nengo takes them."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, assert_close, compare, simulate

SIZE = 5
INDICES = {
    "whole": slice(None), "reversed": slice(None, None, -1), "strided": slice(None, None, 2),
    "from the end": slice(-2, None, -2), "part reversed": slice(3, 0, -1), "first": 0, "last": -1,
    "list": [3, 0], "list with a repeat": [1, 4, 1], "negative list": [-1, -5, 2], "mask": [True, False, True, True, False],
    "one-element list": [2],
}


def taken(index):
    return np.atleast_1d(np.arange(SIZE)[index])


def varying(t):
    return np.sin(300 * t + np.arange(SIZE)) + np.arange(SIZE)


def node():
    return nengo.Node(varying)


def passthrough():
    """A Node that is written to, and read from."""
    return nengo.Node(size_in=SIZE)


def function_of_values():
    return nengo.Node(lambda t, x: x, size_in=SIZE, size_out=SIZE)


def ensemble():
    return nengo.Ensemble(8, SIZE, n_eval_points=40, neuron_type=nengo.LIFRate())


def direct():
    return nengo.Ensemble(1, SIZE, neuron_type=nengo.Direct())


def neurons():
    return nengo.Ensemble(SIZE, 1, neuron_type=nengo.RectifiedLinear(), gain=np.ones(SIZE), bias=np.ones(SIZE)).neurons


RECEIVING = [passthrough, function_of_values, ensemble, direct, neurons]


def drive(target):
    """Feed what does not vary by itself."""
    if target.size_in:
        nengo.Connection(node(), target, synapse=None)
    return target


def indexed_pres(kind):
    """Each index on the pre of a connection, and on what is probed."""
    with nengo.Network(seed=0) as net:
        pre = drive(kind())
        for index in INDICES.values():
            post = nengo.Node(size_in=len(taken(index)))
            nengo.Connection(pre[index], post, synapse=None)
            nengo.Probe(post)
            nengo.Probe(pre[index])
    return net


def indexed_posts(kind):
    """Each index on the post of a connection."""
    with nengo.Network(seed=0) as net:
        for index in INDICES.values():
            post = kind()
            nengo.Connection(node()[: len(taken(index))], post[index], synapse=None)
            nengo.Probe(post)
    return net


def indexed_both(kind):
    """An index on each side, with transforms, a function and a synapse between."""
    with nengo.Network(seed=0) as net:
        pre, post = drive(kind()), kind()
        matrix = np.random.RandomState(0).uniform(-1, 1, (2, 3))
        nengo.Connection(pre[[4, 0, 2]], post[::3], transform=matrix, synapse=None)
        nengo.Connection(pre[3], post[-1], transform=-2, synapse=nengo.Alpha(0.003))
        if not isinstance(pre, nengo.Ensemble):
            sparse = nengo.Sparse((2, 3), indices=[[1, 0], [0, 2]], init=[2.0, -1.0])
            nengo.Connection(pre[::-2], post[[1, 3]], transform=sparse)
        if isinstance(pre, nengo.Ensemble) or getattr(pre, "output", None) is not None:
            nengo.Connection(pre[[1, 3]], post[:2], function=lambda x: [x[1], x[0] * x[1]], synapse=None)
        nengo.Probe(post)
        nengo.Probe(post[::-1], synapse=0.002)
    return net


@pytest.mark.parametrize("make", [indexed_pres, indexed_posts, indexed_both])
@pytest.mark.parametrize("kind", RECEIVING)
def test_like_reference(kind, make):
    compare(lambda: make(kind), 6)


def test_values_of_a_sliced_node_change_every_step():
    """A Node that is read through slices alone."""
    steps = 6
    values = np.array([varying(0.001 * (i + 1)) for i in range(steps)])
    expected = [np.stack([x[index] for x in values]).reshape(steps, -1) for index in INDICES.values() for _ in range(2)]
    for backend in BACKENDS:
        assert_close(simulate(backend, lambda: indexed_pres(node), steps), expected)


@pytest.mark.parametrize("transform", [1, [[1]], [[-2.5]], nengo.Sparse((1, 1), indices=[[0, 0]], init=[3.0])], ids=str)
@pytest.mark.parametrize("synapse", [None, 0, 0.002])
def test_connections_that_differ_in_their_slices_alone(transform, synapse):
    """They are alike but for what they read and write; none may be taken for another."""
    def network():
        with nengo.Network(seed=0) as net:
            source, both = node(), nengo.Node(size_in=2)
            for i in range(SIZE):
                nengo.Connection(source[i], both[0], transform=transform, synapse=synapse)
                nengo.Connection(source[SIZE - 1], both[1], transform=transform, synapse=synapse)
            nengo.Probe(both)
        return net

    (data,) = compare(network, 5)
    assert not np.allclose(data[-1, 0], data[-1, 1])


def test_neurons_of_an_array_are_inhibited_one_ensemble_at_a_time():
    def network():
        with nengo.Network(seed=1) as net:
            array = nengo.networks.EnsembleArray(15, 3, seed=2)
            nengo.Connection(nengo.Node(np.ones(3)), array.input, synapse=None)
            inhibition = nengo.Node([0, 1, 0])
            for i, member in enumerate(array.ea_ensembles):
                nengo.Connection(inhibition[i], member.neurons, transform=-30 * np.ones((15, 1)), synapse=None)
                nengo.Probe(member.neurons)
        return net

    first, second, third = compare(network, 60)
    assert first.any() and third.any() and not second.any()


def test_learned_connections_between_slices():
    """Errors, learned outputs, and what rules read of sliced objects."""
    def network():
        with nengo.Network(seed=0) as net:
            source, pre, post = node(), ensemble(), nengo.Node(size_in=4)
            nengo.Connection(source, pre, synapse=None)
            learned = nengo.Connection(pre, post[[3, 1]], function=lambda x: [x[0], x[1]], learning_rule_type=nengo.PES(1e-2))
            nengo.Connection(source[:-3:-1], learned.learning_rule[::-1], synapse=None)
            part = nengo.Connection(pre[[2, 4]], post[::3], learning_rule_type=nengo.PES(1e-2))
            nengo.Connection(source[-1], part.learning_rule[-1], synapse=None)
            voja = nengo.Connection(source[::2], pre[1:4], learning_rule_type=nengo.Voja(post_synapse=None, learning_rate=0.1))
            for connection in (learned, part):
                nengo.Probe(connection, "weights")
            nengo.Probe(voja.learning_rule, "scaled_encoders")
            nengo.Probe(post)
        return net

    data = compare(network, 20)
    assert all(np.ptp(x, axis=0).any() for x in data)
