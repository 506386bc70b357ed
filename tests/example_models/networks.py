"""Nengo's ready-made networks."""

import nengo
import numpy as np

from .collect import model

MODELS = {}


@model(MODELS)
def ensemble_array():
    """A vector is kept in two-dimensional ensembles, and its parts pass through functions."""
    sines = nengo.Node(lambda t: np.sin(10 * t + np.arange(4)))
    first = nengo.networks.EnsembleArray(30, 2, ens_dimensions=2)
    second = nengo.networks.EnsembleArray(30, 4)
    first.add_output("rotated", lambda x: [-x[1], x[0]])
    nengo.Connection(sines, first.input)
    nengo.Connection(first.rotated, second.input)
    nengo.Probe(first.output, synapse=0.01)
    nengo.Probe(second.output, synapse=0.01)


@model(MODELS)
def integrator_network():
    """An integrator as a network of its own, used twice."""
    def make_integrator(tau, n_neurons):
        with nengo.Network(label="integrator") as net:
            net.input = nengo.Node(size_in=1)
            net.ensemble = nengo.Ensemble(n_neurons, 1)
            nengo.Connection(net.ensemble, net.ensemble, synapse=tau)
            nengo.Connection(net.input, net.ensemble, synapse=None, transform=tau)
        return net

    stimulus = nengo.Node(nengo.processes.Piecewise({0: 0, 0.03: 4, 0.08: -4, 0.12: 0}))
    first, second = make_integrator(0.1, 40), make_integrator(0.05, 30)
    nengo.Connection(stimulus, first.input, synapse=0.1)
    nengo.Connection(first.ensemble, second.input)
    for integrator in (first, second):
        nengo.Probe(integrator.ensemble, synapse=0.01)


@model(MODELS)
def basal_ganglia():
    """The largest of three values is selected, which changes over time."""
    values = nengo.Node(lambda t: [0.9, 0.5, 0.3] if t < 0.08 else [0.3, 0.6, 0.9])
    ganglia = nengo.networks.BasalGanglia(3, n_neurons_per_ensemble=40)
    thalamus = nengo.networks.Thalamus(3, n_neurons_per_ensemble=30)
    nengo.Connection(values, ganglia.input, synapse=None)
    nengo.Connection(ganglia.output, thalamus.input, synapse=0.008)
    for probed in (ganglia.input, ganglia.output, thalamus.output):
        nengo.Probe(probed, synapse=0.01)


@model(MODELS)
def input_gated_memory():
    """A value is stored while the gate is open."""
    memory = nengo.networks.InputGatedMemory(30, 2)
    nengo.Connection(nengo.Node(lambda t: [0.5, -0.5] if t < 0.08 else [0.1, 0.9]), memory.input)
    nengo.Connection(nengo.Node(lambda t: t > 0.05), memory.gate)
    nengo.Connection(nengo.Node(lambda t: t > 0.12), memory.reset)
    nengo.Probe(memory.output, synapse=0.01)


@model(MODELS)
def product():
    """The elements of two vectors are multiplied."""
    net = nengo.networks.Product(30, 2)
    nengo.Connection(nengo.Node(lambda t: [np.sin(9 * t), 0.5]), net.input_a)
    nengo.Connection(nengo.Node(lambda t: [0.7, np.cos(9 * t)]), net.input_b)
    nengo.Probe(net.output, synapse=0.01)


@model(MODELS)
def associative_memory_network():
    """A vector is cleaned up to the nearest of those that are known."""
    vectors = np.eye(4)[:3] * 0.9 + 0.05
    memory = nengo.networks.AssociativeMemory(vectors, n_neurons=20, threshold=0.3)
    memory.add_wta_network()
    nengo.Connection(nengo.Node(lambda t: 0.6 * vectors[int(t / 0.05) % 3] + 0.2 * vectors[0]), memory.input)
    nengo.Probe(memory.output, synapse=0.01)
