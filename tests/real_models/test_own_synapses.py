"""Synapses that users write, and linear filters of high order, as delays and wherever rules take a synapse."""

from collections import deque

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, compare, reference

pytestmark = pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")


class QueueDelay(nengo.synapses.Synapse):
    """A delay whose step function keeps its values in a queue, of which Nengo's state knows nothing."""

    def __init__(self, delay):
        super().__init__()
        self.delay = delay

    def make_state(self, shape_in, shape_out, dt, dtype=None, y0=0):
        return {}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        queue = deque([np.zeros(shape_in)] * int(round(self.delay / dt)))

        def step(t, x):
            queue.append(x.copy())
            return queue.popleft()

        return step


class KeepingItsInput(QueueDelay):
    """The same, with the array that it was given in the queue, without a copy: it then shows the present, which is no delay."""

    def make_step(self, shape_in, shape_out, dt, rng, state):
        queue = deque([np.zeros(shape_in)] * 2)

        def step(t, x):
            queue.append(x)
            return queue.popleft()

        return step


class Median(nengo.synapses.Synapse):
    """The median of the last three values, which are its state."""

    def make_state(self, shape_in, shape_out, dt, dtype=None, y0=0):
        return {"last": np.zeros((3, *shape_in))}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        def step(t, x):
            state["last"][:-1] = state["last"][1:]
            state["last"][-1] = x
            return np.median(state["last"], axis=0)

        return step


class Squashed(nengo.Lowpass):
    """A filter of Nengo's, of which the output is squashed."""

    def make_step(self, shape_in, shape_out, dt, rng, state):
        inherited = super().make_step(shape_in, shape_out, dt, rng, state)
        return lambda t, x: np.tanh(inherited(t, x))


def shift(order):
    """A digital filter that is a delay of so many steps."""
    return nengo.LinearFilter([1], [1] + [0] * order, analog=False)


def average(order):
    """The mean of the last values."""
    return nengo.LinearFilter(np.full(order, 1 / order), [1] + [0] * order, analog=False)


def comb(order):
    """An echo that comes back again and again."""
    return nengo.LinearFilter([0.5], [1] + [0] * (order - 1) + [-0.5], analog=False)


OWN = [QueueDelay(0.007), KeepingItsInput(0), Median(), Squashed(0.01)]
LONG = [shift(100), average(60), comb(75)]


def everywhere(synapse):
    """On connections of each kind, on probes, in a loop, and in learning rules."""
    with nengo.Network(seed=0) as net:
        source = nengo.Node(lambda t: [np.sin(100 * t), np.cos(70 * t)])
        pre, target, loop = nengo.Ensemble(8, 2), nengo.Node(size_in=2), nengo.Node(size_in=2)
        nengo.Connection(source, pre)
        nengo.Connection(source, target, synapse=synapse)
        nengo.Connection(source, loop, synapse=None)
        nengo.Connection(loop, loop, synapse=synapse, transform=-0.5)
        learned = nengo.Connection(
            pre, target, function=lambda x: [0, 0], learning_rule_type=nengo.PES(1e-3, pre_synapse=synapse)
        )
        nengo.Connection(source, learned.learning_rule)
        for probed in (target, loop):
            nengo.Probe(probed)
        nengo.Probe(learned, "weights")
        nengo.Probe(pre.neurons, synapse=synapse)
    return net


@pytest.mark.parametrize("synapse", OWN + LONG, ids=lambda s: f"{type(s).__name__}{len(getattr(s, 'den', [1])) - 1}")
def test_like_reference(synapse):
    target, loop, weights, _ = compare(lambda: everywhere(synapse), 70, 40)
    assert target.any() and loop.any() and np.ptp(weights, axis=0).any()


@pytest.mark.parametrize("synapse, delay", [(QueueDelay(0.007), 7), (shift(50), 50), (shift(100), 100)])
def test_delays_are_exact(synapse, delay):
    def network():
        with nengo.Network() as net:
            source = nengo.Node(lambda t: np.sin(100 * t))
            nengo.Probe(source)
            nengo.Probe(source, synapse=synapse)
        return net

    given, delayed = compare(network, 130)
    late = delay + (1 if isinstance(synapse, QueueDelay) else 0)  # what a step computes is seen in the next
    np.testing.assert_allclose(delayed[late:], given[:-late], atol=1e-12)
    assert not delayed[:late].any()


def runs_of(simulator, net):
    """Probe data before and after a reset."""
    with simulator(net) as sim:
        runs = []
        for _ in range(2):
            sim.run_steps(30)
            runs.append([sim.data[p].copy() for p in net.probes])
            sim.reset()
    return runs


def test_a_reset_empties_the_queues_that_make_step_makes():
    with nengo.Network() as net:
        source = nengo.Node(lambda t: 1000 * t)
        for synapse in OWN:
            nengo.Probe(source, synapse=synapse)
    expected = runs_of(reference, net)
    for backend in BACKENDS:
        np.testing.assert_equal(runs_of(backend, net), expected)
