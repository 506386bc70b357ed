"""Double precision, where it is asked for: large values stay finite, and small changes of large ones are not lost."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, compare, simulate


def large():
    """Products, sums and filters of values that single precision has not."""
    with nengo.Network(seed=0) as net:
        source, product, filtered = nengo.Node([1e30, -1e-30]), nengo.Node(size_in=2), nengo.Node(size_in=2)
        nengo.Connection(source, product, transform=[1e10, 1e-20], synapse=None)
        nengo.Connection(product, filtered, synapse=0.01)
        nengo.Connection(product, nengo.Node(lambda t, x: x, size_in=2, label="on the host"), synapse=None)
        neurons = nengo.Ensemble(2, 1, neuron_type=nengo.RectifiedLinear(), gain=[1e20, 1e-20], bias=[1e40, 1e-40]).neurons
        nengo.Connection(source[0], neurons, transform=[[1e10], [1.0]], synapse=None)
        for target in (product, filtered, neurons):
            nengo.Probe(target)
    return net


def test_large_values_stay_finite():
    product, *others = compare(large, 5)
    np.testing.assert_allclose(product, [[1e40, -1e-50]] * 5, rtol=1e-12)
    assert all(np.isfinite(x).all() for x in others)


def accumulating():
    """A value of 1000 to which a hundred-thousandth is added every step: in a loop, and by a filter that integrates."""
    with nengo.Network(seed=0) as net:
        steps = nengo.Node(lambda t: 1000.0 if t < 0.0015 else 1e-5)
        for synapse in (0, nengo.LinearFilter([1], [1, 0], analog=False)):
            total = nengo.Node(size_in=1)
            nengo.Connection(total, total, synapse=synapse)
            nengo.Connection(steps, total, synapse=None)
            nengo.Probe(total)
        nengo.Probe(steps, synapse=nengo.LinearFilter([1], [1, -1], analog=False))
        nengo.Probe(steps, synapse=nengo.LinearFilter([1000], [1, 0]))
    return net


def test_small_increments_add_up():
    data = compare(accumulating, 1001, tolerance=1e-14)
    for total, increments in zip(data, (1000, 1000, 999, 999)):
        np.testing.assert_allclose(total[-1] - 1000, increments * 1e-5, rtol=1e-6)


def slow_learning():
    """Weights of a neuron whose changes are a billionth of them."""
    with nengo.Network(seed=0) as net:
        pre, post = nengo.Ensemble(10, 1, neuron_type=nengo.LIFRate()), nengo.Node(size_in=1)
        learned = nengo.Connection(pre, post, function=lambda x: 1e4, learning_rule_type=nengo.PES(1e-8))
        nengo.Connection(nengo.Node(1.0), learned.learning_rule, synapse=None)
        nengo.Probe(learned, "weights")
    return net


def test_slow_learning_goes_on():
    (expected,) = simulate(lambda net: nengo.Simulator(net, progress_bar=False), slow_learning, 300)
    change = expected - expected[0]
    assert 0 < np.abs(change).max() < 1e-7 * np.abs(expected).max()
    for backend in BACKENDS:
        (actual,) = simulate(backend, slow_learning, 300)
        np.testing.assert_allclose(actual - actual[0], change, rtol=0, atol=1e-5 * np.abs(change).max())


@pytest.mark.parametrize("dt", [0.001, 1e-6])
def test_time_constants_from_tiny_to_huge(dt):
    def network():
        with nengo.Network() as net:
            source = nengo.Node(lambda t: np.cos(t / dt))
            for tau in (1e-5, 1.0, 1e4):
                nengo.Probe(source, synapse=tau)
                nengo.Probe(source, synapse=nengo.Alpha(max(tau, 10 * dt)))
        return net

    assert all(np.isfinite(x).all() and x.any() for x in compare(network, 20, dt=dt))
