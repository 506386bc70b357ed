"""Learning from errors, without errors, and of associations."""

from collections import deque

import nengo
import numpy as np
from nengo.processes import PresentInput, WhiteSignal
from nengo.utils.filter_design import cont2discrete

from .collect import model

MODELS = {}


def noise(size_out=1, seed=1, high=10):
    return nengo.Node(WhiteSignal(1.0, high=high, seed=seed), size_out=size_out)


def taught(function, dimensions, rate=2e-4):
    """A connection that begins with random decoders, and learns a function from an error that is switched off later."""
    source = noise(dimensions)
    pre = nengo.Ensemble(40 * dimensions, dimensions)
    size_out = np.size(function(np.zeros(dimensions)))
    post, error = nengo.Ensemble(40, size_out), nengo.Ensemble(40, size_out)
    nengo.Connection(source, pre)
    learned = nengo.Connection(
        pre, post, function=lambda x: np.random.RandomState(0).uniform(-1, 1, size_out), learning_rule_type=nengo.PES(rate)
    )
    nengo.Connection(error, learned.learning_rule)
    nengo.Connection(post, error)
    nengo.Connection(pre, error, function=function, transform=-1)
    stop = nengo.Node(lambda t: t >= 0.1)
    nengo.Connection(stop, error.neurons, transform=-20 * np.ones((error.n_neurons, 1)))
    for ensemble in (pre, post, error):
        nengo.Probe(ensemble, synapse=0.01)
    nengo.Probe(learned, "weights", sample_every=0.01)


@model(MODELS)
def learn_communication_channel():
    """The identity, of two dimensions."""
    taught(lambda x: x, 2)


@model(MODELS)
def learn_product():
    taught(lambda x: x[0] * x[1], 2)


@model(MODELS)
def learn_square():
    taught(np.square, 2)


def unsupervised(rule):
    """Full matrices of weights, changed by what the neurons on both sides do."""
    stimulus = nengo.Node(lambda t: np.sin(25 * t))
    pre, post = nengo.Ensemble(40, 1), nengo.Ensemble(30, 1)
    nengo.Connection(stimulus, pre)
    learned = nengo.Connection(pre, post, solver=nengo.solvers.LstsqL2(weights=True), learning_rule_type=rule)
    for ensemble in (pre, post):
        nengo.Probe(ensemble, synapse=0.01)
    nengo.Probe(learned, "weights", synapse=0.01, sample_every=0.01)


@model(MODELS)
def learn_unsupervised_bcm():
    unsupervised(nengo.BCM(learning_rate=5e-10))


@model(MODELS)
def learn_unsupervised_oja():
    unsupervised(nengo.Oja(learning_rate=6e-8))


@model(MODELS)
def learn_unsupervised_both():
    unsupervised([nengo.BCM(learning_rate=5e-10), nengo.Oja(learning_rate=2e-9)])


@model(MODELS)
def learn_associations():
    """Encoders move to the keys, and decoders learn the values; in the second half both are only recalled."""
    rng = np.random.RandomState(7)
    keys = nengo.dists.UniformHypersphere(surface=True).sample(4, 2, rng=rng)
    values = nengo.dists.UniformHypersphere().sample(4, 3, rng=rng)
    n, intercept = 60, (keys @ keys.T - np.eye(4)).max()
    key, value = nengo.Node(PresentInput(keys, 0.02)), nengo.Node(PresentInput(values, 0.02))
    learning, recall = nengo.Node(lambda t: -int(t >= 0.08)), nengo.Node(size_in=3)
    memory, error = nengo.Ensemble(n, 2, intercepts=[intercept] * n), nengo.Ensemble(n, 3)
    encoding = nengo.Connection(key, memory, synapse=None, learning_rule_type=nengo.Voja(learning_rate=5e-2, post_synapse=None))
    decoding = nengo.Connection(memory, recall, function=lambda x: np.zeros(3), learning_rule_type=nengo.PES(1e-3))
    nengo.Connection(learning, encoding.learning_rule, synapse=None)
    nengo.Connection(learning, error.neurons, transform=[[10.0]] * n, synapse=None)
    nengo.Connection(value, error, transform=-1, synapse=None)
    nengo.Connection(recall, error, synapse=None)
    nengo.Connection(error, decoding.learning_rule)
    nengo.Probe(error, synapse=0.005)
    nengo.Probe(recall)
    nengo.Probe(encoding.learning_rule, "scaled_encoders", sample_every=0.01)


@model(MODELS)
def force_learning():
    """Spiking reservoirs whose feedback learns an oscillation that dies away, by recursive least squares (FORCE).

    One learns its output, and one all of its currents, from a third that is given the output.
    """
    n, rng, gain = 40, np.random.RandomState(0), 1.5 / 400
    inward, outward = rng.uniform(-1, 1, (2, n, 1))
    chaos = rng.normal(size=(n, n)) * gain / np.sqrt(n)
    pulse = nengo.Node(PresentInput(np.r_[50.0, np.zeros(99)][:, None], 0.002))
    ideal = nengo.Node(size_in=1)
    width, frequency = 2.0, 2 * np.pi * 3
    nengo.Connection(pulse, ideal, synapse=nengo.LinearFilter([1, 0], [1 / (width * frequency), 1, frequency / width]))

    def reservoir(given):
        ensemble, currents = nengo.Ensemble(n, 1, intercepts=[-1] * n, seed=0), nengo.Node(size_in=n)
        nengo.Connection(pulse, currents, transform=inward, synapse=None)
        nengo.Connection(currents, ensemble.neurons, synapse=0.1)
        if given is not None:
            nengo.Connection(ensemble.neurons, currents, transform=chaos, synapse=None)
            nengo.Connection(given, currents, transform=outward, synapse=None)
        nengo.Probe(ensemble.neurons, synapse=0.05)
        return ensemble, currents

    def learn(ensemble, output, target):
        size = output.size_in
        learned = nengo.Connection(
            ensemble.neurons, output, transform=np.zeros((size, n)), synapse=None,
            learning_rule_type=nengo.RLS(learning_rate=0.1, pre_synapse=0.1),
        )
        error = nengo.Node(lambda t, e: e if t < 0.2 else 0 * e, size_in=size)
        nengo.Connection(output, error, synapse=None)
        nengo.Connection(target, error, transform=-1, synapse=None)
        nengo.Connection(error, learned.learning_rule, synapse=0.1)
        nengo.Probe(output, synapse=0.05)

    estimate = nengo.Node(size_in=1)
    learn(reservoir(estimate)[0], estimate, ideal)
    _, wanted = reservoir(ideal)
    ensemble, currents = reservoir(None)
    learn(ensemble, currents, wanted)
    nengo.Probe(ideal)


class Delay(nengo.synapses.Synapse):
    """A delay that keeps its values in a queue."""

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


def legendre(order, theta, dt):
    """Matrices of the discrete system whose state is the Legendre polynomials of the last theta seconds."""
    i, j = np.meshgrid(np.arange(order), np.arange(order), indexing="ij")
    a = np.where(i < j, -1.0, (-1.0) ** (i - j + 1)) * (2 * i + 1) / theta
    b = ((-1.0) ** i[:, :1]) * (2 * i[:, :1] + 1) / theta
    a, b, *_ = cont2discrete((a, b, np.eye(order), np.zeros((order, 1))), dt)
    return a, b


@model(MODELS)
def lmu():
    """A Legendre memory of the signal, from which a delayed version of it is learned."""
    order, delay, source = 6, 0.05, noise(high=20)
    a, b = legendre(order, 0.1, 0.001)
    memory, out = nengo.Node(size_in=order), nengo.Node(size_in=1)
    ensemble = nengo.Ensemble(100, order, neuron_type=nengo.SpikingRectifiedLinear())
    error = nengo.Node(lambda t, x: x if t < 0.1 else 0, size_in=1)
    nengo.Connection(source, memory, transform=b, synapse=None)
    nengo.Connection(memory, memory, transform=a, synapse=0)
    nengo.Connection(memory, ensemble, synapse=None)
    nengo.Connection(source, error, transform=-1, synapse=Delay(delay))
    nengo.Connection(out, error, synapse=None)
    learned = nengo.Connection(ensemble, out, function=lambda x: 0, learning_rule_type=nengo.PES(2e-4))
    nengo.Connection(error, learned.learning_rule, synapse=None)
    for probed in (memory, out, error):
        nengo.Probe(probed)
    nengo.Probe(source, synapse=Delay(delay))
