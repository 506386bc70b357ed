"""The first examples: representing, communicating, adding, multiplying."""

import nengo
import numpy as np
from nengo.dists import Choice, Uniform
from nengo.processes import Piecewise

from .collect import model

MODELS = {}


@model(MODELS)
def single_neuron():
    """One neuron follows a cosine, as far as one can."""
    cosine = nengo.Node(lambda t: np.cos(8 * t))
    neuron = nengo.Ensemble(1, 1, intercepts=Uniform(-0.5, -0.5), max_rates=Uniform(100, 100), encoders=[[1]])
    nengo.Connection(cosine, neuron)
    nengo.Probe(cosine)
    for what in ("output", "voltage"):
        nengo.Probe(neuron.neurons, what)
    nengo.Probe(neuron, synapse=0.01)


@model(MODELS)
def two_neurons():
    """Two neurons with opposite encoders."""
    sine = nengo.Node(lambda t: np.sin(8 * t))
    pair = nengo.Ensemble(2, 1, intercepts=[-0.5, -0.5], max_rates=[100, 100], encoders=[[1], [-1]])
    nengo.Connection(sine, pair, synapse=0.01)
    for what in ("output", "voltage"):
        nengo.Probe(pair.neurons, what)
    nengo.Probe(pair, synapse=0.01)


@model(MODELS)
def many_neurons():
    """A population represents a value."""
    sine = nengo.Node(lambda t: np.sin(8 * t))
    population = nengo.Ensemble(100, 1)
    nengo.Connection(sine, population, synapse=0.01)
    nengo.Probe(population.neurons)
    nengo.Probe(population, synapse=0.01)


@model(MODELS)
def communication_channel():
    """A value is passed from population to population."""
    sine = nengo.Node(np.sin)
    sender, receiver = nengo.Ensemble(60, 1), nengo.Ensemble(60, 1)
    nengo.Connection(sine, sender)
    nengo.Connection(sender, receiver)
    for ensemble in (sender, receiver):
        nengo.Probe(ensemble, synapse=0.01)


@model(MODELS)
def addition():
    """Two inputs to one population add up."""
    total = nengo.Ensemble(50, 1)
    for value in (0.5, 0.3):
        term = nengo.Ensemble(50, 1)
        nengo.Connection(nengo.Node(value), term)
        nengo.Connection(term, total)
        nengo.Probe(term, synapse=0.01)
    nengo.Probe(total, synapse=0.01)


@model(MODELS)
def squaring():
    """A nonlinear function is decoded."""
    sine = nengo.Node(lambda t: np.sin(8 * t))
    value, square = nengo.Ensemble(60, 1), nengo.Ensemble(60, 1)
    nengo.Connection(sine, value)
    nengo.Connection(value, square, function=np.square)
    for ensemble in (value, square):
        nengo.Probe(ensemble, synapse=0.01)


@model(MODELS)
def multiplication():
    """A product is decoded from a population that represents both factors."""
    inputs = Piecewise({0: 0, 0.05: 8, 0.1: -8}), Piecewise({0: 4, 0.075: -4})
    combined = nengo.Ensemble(80, 2, radius=15, encoders=Choice([[1, 1], [-1, 1], [1, -1], [-1, -1]]))
    for i, values in enumerate(inputs):
        factor = nengo.Ensemble(40, 1, radius=10)
        nengo.Connection(nengo.Node(values), factor)
        nengo.Connection(factor, combined[i])
        nengo.Probe(factor, synapse=0.01)
    product = nengo.Ensemble(40, 1, radius=60)
    nengo.Connection(combined, product, function=lambda x: x[0] * x[1])
    nengo.Probe(combined, synapse=0.01)
    nengo.Probe(product, synapse=0.01)


@model(MODELS)
def combining():
    """Two one-dimensional populations become one of two dimensions."""
    both = nengo.Ensemble(60, 2)
    for i, function in enumerate((np.sin, np.cos)):
        part = nengo.Ensemble(40, 1)
        nengo.Connection(nengo.Node(lambda t, f=function: f(8 * t)), part)
        nengo.Connection(part, both[i])
        nengo.Probe(part, synapse=0.01)
    nengo.Probe(both, synapse=0.01)


@model(MODELS)
def representation_2d():
    """A population represents a vector."""
    vector = nengo.Ensemble(80, 2)
    nengo.Connection(nengo.Node(lambda t: np.sin(8 * t)), vector[0])
    nengo.Connection(nengo.Node(lambda t: np.cos(8 * t)), vector[1])
    nengo.Probe(vector, synapse=0.01)
    nengo.Probe(vector.neurons)
