"""What the advanced examples show: gates, matrices, processes, other neurons, and the steps of the framework one by one."""

import nengo
import numpy as np
from nengo.dists import Choice, Gaussian, Uniform
from nengo.processes import FilteredNoise, PresentInput, WhiteNoise, WhiteSignal

from .collect import model

MODELS = {}


@model(MODELS)
def inhibitory_gating():
    """Two populations are shut in turn by inhibition of all of their neurons."""
    sine, gate = nengo.Node(lambda t: np.sin(30 * t)), nengo.Node(nengo.processes.Piecewise({0: 0, 0.05: 1, 0.1: 0}))
    first, second, inhibiting = (nengo.Ensemble(30, 1) for _ in range(3))
    nengo.Connection(sine, first)
    nengo.Connection(sine, second)
    nengo.Connection(gate, first.neurons, transform=[[-2.5]] * 30)
    nengo.Connection(gate, inhibiting)
    nengo.Connection(inhibiting, second.neurons, transform=[[-2.5]] * 30)
    for ensemble in (first, second, inhibiting):
        nengo.Probe(ensemble, synapse=0.01)


@model(MODELS)
def matrix_multiplication():
    """Two matrices, each in an array of populations; their products in another, from which the sums are taken."""
    a, b = np.array([[0.5, -0.5]]), np.array([[0.58, -1.0], [0.7, 0.1]])
    arrays = []
    for matrix in (a, b):
        array = nengo.networks.EnsembleArray(25, matrix.size)
        nengo.Connection(nengo.Node(matrix.ravel()), array.input)
        arrays.append(array)
        nengo.Probe(array.output, synapse=0.01)
    rows, inner, columns = *a.shape, b.shape[1]
    products = nengo.networks.EnsembleArray(30, rows * columns * inner, ens_dimensions=2, radius=1.5)
    for ensemble in products.all_ensembles:
        ensemble.encoders = Choice([[1, 1], [-1, 1], [1, -1], [-1, -1]])
    factors = [np.zeros((products.dimensions, array.dimensions)) for array in arrays]
    for i, j, k in np.ndindex(rows, inner, columns):
        pair = 2 * (j + k * inner + i * columns * inner)
        factors[0][pair, j + i * inner] = factors[1][pair + 1, k + j * columns] = 1
    for array, transform in zip(arrays, factors):
        nengo.Connection(array.output, products.input, transform=transform)
    result = nengo.networks.EnsembleArray(25, rows * columns)
    nengo.Connection(
        products.add_output("product", lambda x: x[0] * x[1]), result.input,
        transform=np.kron(np.eye(rows * columns), np.ones((1, inner))),
    )
    nengo.Probe(result.output, synapse=0.01)


@model(MODELS)
def izhikevich():
    """Each kind of Izhikevich's neurons."""
    ramp = nengo.Node(lambda t: 6 * t - 0.4)
    for reset_recovery, reset_voltage, tau in ((8, -65, 0.02), (4, -55, 0.02), (2, -50, 0.02), (2, -65, 0.1), (2, -65, 0.02)):
        neuron_type = nengo.Izhikevich(reset_recovery=reset_recovery, reset_voltage=reset_voltage, tau_recovery=tau)
        ensemble = nengo.Ensemble(10, 1, neuron_type=neuron_type)
        nengo.Connection(ramp, ensemble)
        for what in ("output", "voltage", "recovery"):
            nengo.Probe(ensemble.neurons, what)


@model(MODELS)
def nef_summary():
    """Representation, transformation and dynamics, of one dimension and of two."""
    signal = nengo.Node(WhiteSignal(0.5, high=20, seed=0))
    value, doubled = nengo.Ensemble(40, 1, max_rates=Uniform(150, 250)), nengo.Ensemble(40, 1)
    squared = nengo.Node(size_in=1)
    nengo.Connection(signal, value)
    nengo.Connection(value, doubled, transform=2)
    nengo.Connection(value, squared, function=np.square, synapse=0.02)
    rotating = nengo.Ensemble(60, 2)
    nengo.Connection(rotating, rotating, transform=[[1.0, -0.5], [0.5, 1.0]], synapse=0.05)
    nengo.Connection(signal, rotating[0], synapse=0.05)
    nengo.Probe(value.neurons)
    for probed in (value, doubled, squared, rotating):
        nengo.Probe(probed, synapse=0.01)


@model(MODELS)
def nef_algorithm():
    """Encoders, gains and biases by hand, and connections through full matrices of weights."""
    rng = np.random.RandomState(3)
    encoders, gain, bias = rng.choice([-1.0, 1.0], (30, 1)), rng.uniform(1, 5, 30), rng.uniform(-2, 3, 30)
    source = nengo.Node(lambda t: np.sin(20 * t))
    given = dict(encoders=encoders, gain=gain, bias=bias)
    pre, post = nengo.Ensemble(30, 1, **given), nengo.Ensemble(30, 1, **given)
    nengo.Connection(source, pre)
    nengo.Connection(pre, post, function=np.square, solver=nengo.solvers.LstsqL2(weights=True))
    nengo.Connection(pre.neurons, post.neurons, transform=1e-4 * rng.normal(size=(30, 30)))
    for ensemble in (pre, post):
        nengo.Probe(ensemble.neurons)
        nengo.Probe(ensemble, synapse=0.01)


class LinearSystem(nengo.Process):
    """x' = A x + B u, of which the state is put out; without inputs, it starts from one."""

    def __init__(self, a, b=None, **kwargs):
        self.a, self.b = np.asarray(a), None if b is None else np.asarray(b)
        super().__init__(default_size_in=0 if b is None else self.b.shape[1], default_size_out=len(a), **kwargs)

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"x": np.eye(*shape_out, 1).ravel()}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        x = state["x"]

        def step(t, *given):
            x[:] += dt * (self.a @ x + sum(self.b @ u for u in given))
            return x

        return step


@model(MODELS)
def processes():
    """Nengo's processes as inputs and as noise of neurons, and users' own, with and without inputs."""
    signal = nengo.Node(WhiteSignal(0.3, high=20, rms=0.3, seed=0))
    sources = [
        signal, nengo.Node(FilteredNoise(nengo.Alpha(0.005), Gaussian(0, 0.01), seed=0)), nengo.Node(WhiteNoise(seed=2)),
        nengo.Node(PresentInput([[0, 0.5], [0.3, 0.2], [-0.1, -0.7]], 0.05)),
        nengo.Node(LinearSystem([[-0.1, -30.0], [30.0, -0.1]])),
    ]
    driven = nengo.Node(LinearSystem([[-0.1, -30.0], [30.0, -0.1]], [[20.0], [0.0]]))
    nengo.Connection(signal, driven)
    for source in (*sources, driven):
        nengo.Probe(source)
    settings = dict(encoders=[[1]], intercepts=[0.01], max_rates=[100])
    for noise in (None, WhiteNoise(Gaussian(0, 0.01), seed=1)):
        neuron = nengo.Ensemble(1, 1, noise=noise, **settings).neurons
        nengo.Probe(neuron, "voltage")
        nengo.Probe(neuron)


@model(MODELS)
def functions_and_tuning_curves():
    """A function that is decoded by neurons whose tuning suits it, and by others."""
    signal = nengo.Node(lambda t: 2 * np.sin(10 * t) - 0.5)

    def soft(x):
        return 1 / (1 + np.exp(-4 * x))

    for intercepts, solver in ((Uniform(-1, 1), nengo.solvers.LstsqL2()), (Choice([0.1]), nengo.solvers.LstsqL2(reg=0.01)),
                               (Uniform(0, 0.9), nengo.solvers.NoSolver(np.full((50, 1), 1e-4)))):
        ensemble, out = nengo.Ensemble(50, 1, radius=2, intercepts=intercepts), nengo.Node(size_in=1)
        nengo.Connection(signal, ensemble)
        nengo.Connection(ensemble, out, function=soft, solver=solver)
        nengo.Probe(out)
        nengo.Probe(ensemble.neurons)
