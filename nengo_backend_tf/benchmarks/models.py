"""The standard models.

Each function builds a new Network, seeded, so that all calls give the same model with state of its own. What a
simulator should record is in the network's `probes`.
"""

import nengo
import numpy as np

from .pendulum import Pendulum

SEED = 0
PROBE_SYNAPSE = 0.01


def integrator_100():
    """A recurrent population of 100 LIF neurons: few operators, small arrays."""
    return _integrator(100)


def integrator_1000():
    """A recurrent population of 1000 LIF neurons: few operators, larger arrays."""
    return _integrator(1000)


def arrays_64():
    """Two recurrent arrays of 64 ensembles with 50 LIF neurons each."""
    return _arrays(64)


def arrays_256():
    """Two recurrent arrays of 256 ensembles with 50 LIF neurons each: thousands of equal operators."""
    return _arrays(256)


def cconv_64():
    """Circular convolution of two 64-D vectors: feed-forward, many small ensembles, dense transforms."""
    dimensions = 64
    rng = np.random.RandomState(SEED)
    with nengo.Network(label="cconv_64", seed=SEED) as net:
        a, b = (nengo.Node(rng.randn(dimensions) / np.sqrt(dimensions)) for _ in range(2))
        cconv = nengo.networks.CircularConvolution(n_neurons=50, dimensions=dimensions)
        nengo.Connection(a, cconv.input_a)
        nengo.Connection(b, cconv.input_b)
        nengo.Probe(cconv.output, synapse=PROBE_SYNAPSE)
    return net


def basal_ganglia_10():
    """Basal ganglia and thalamus with 10 actions: many populations in small groups."""
    actions = 10
    with nengo.Network(label="basal_ganglia_10", seed=SEED) as net:
        salience = nengo.Node(np.linspace(0.3, 1.0, actions))
        ganglia = nengo.networks.BasalGanglia(actions)
        thalamus = nengo.networks.Thalamus(actions)
        nengo.Connection(salience, ganglia.input)
        nengo.Connection(ganglia.output, thalamus.input)
        nengo.Probe(thalamus.output, synapse=PROBE_SYNAPSE)
    return net


def pes_500():
    """A 16-D channel between populations of 500 LIF neurons, learned with PES."""
    n_neurons, dimensions = 500, 16
    with nengo.Network(label="pes_500", seed=SEED) as net:
        target = nengo.Node(np.linspace(-0.5, 0.5, dimensions))
        pre, post, error = (nengo.Ensemble(n_neurons, dimensions) for _ in range(3))
        nengo.Connection(target, pre)
        learned = nengo.Connection(pre, post, function=np.zeros_like, learning_rule_type=nengo.PES())
        nengo.Connection(post, error)
        nengo.Connection(target, error, transform=-1)
        nengo.Connection(error, learned.learning_rule)
        nengo.Probe(post, synapse=PROBE_SYNAPSE)
    return net


def closed_loop_100():
    """100 LIF neurons that balance a pendulum in a Python Node: one call of Python in each step."""
    return _closed_loop(100)


def closed_loop_1000():
    """1000 LIF neurons that balance a pendulum in a Python Node: one call of Python in each step."""
    return _closed_loop(1000)


def chain_5x200():
    """Five populations of 200 LIF neurons in a row, driven by a function of time alone."""
    with nengo.Network(label="chain_5x200", seed=SEED) as net:
        pre = nengo.Node(_sine)
        for _ in range(5):
            post = nengo.Ensemble(200, 1)
            nengo.Connection(pre, post)
            pre = post
        nengo.Probe(pre, synapse=PROBE_SYNAPSE)
    return net


def _integrator(n_neurons):
    with nengo.Network(label=f"integrator_{n_neurons}", seed=SEED) as net:
        velocity = nengo.Node([1.0])
        population = nengo.Ensemble(n_neurons, 1)
        nengo.Connection(velocity, population, transform=0.1)
        nengo.Connection(population, population, synapse=0.1)
        nengo.Probe(population, synapse=PROBE_SYNAPSE)
    return net


def _arrays(n_ensembles):
    with nengo.Network(label=f"arrays_{n_ensembles}", seed=SEED) as net:
        velocity = nengo.Node(np.linspace(-1, 1, n_ensembles))
        first, second = (nengo.networks.EnsembleArray(50, n_ensembles) for _ in range(2))
        nengo.Connection(velocity, first.input, transform=0.1)
        nengo.Connection(first.output, second.input, transform=0.1)
        for array in (first, second):
            nengo.Connection(array.output, array.input, synapse=0.1)
        nengo.Probe(second.output, synapse=PROBE_SYNAPSE)
    return net


def _closed_loop(n_neurons):
    with nengo.Network(label=f"closed_loop_{n_neurons}", seed=SEED) as net:
        environment = nengo.Node(Pendulum(), size_in=1, size_out=2)
        controller = nengo.Ensemble(n_neurons, 2, radius=2)
        nengo.Connection(environment, controller)
        nengo.Connection(controller, environment, function=_torque)
        nengo.Probe(environment)
        nengo.Probe(controller, synapse=PROBE_SYNAPSE)
    return net


def _torque(state):
    return -18 * state[0] - 6 * state[1]


def _sine(t):
    return np.sin(6 * t)


#: Name -> function without arguments that returns the Network.
MODELS = {
    model.__name__: model
    for model in (
        integrator_100,
        integrator_1000,
        arrays_64,
        arrays_256,
        cconv_64,
        basal_ganglia_10,
        pes_500,
        closed_loop_100,
        closed_loop_1000,
        chain_5x200,
    )
}
