"""Recurrent connections: integrators, oscillators, an attractor."""

import nengo
import numpy as np
from nengo.processes import Piecewise

from .collect import model

MODELS = {}
TAU = 0.1


def pulses():
    return nengo.Node(Piecewise({0: 0, 0.02: 5, 0.07: 0, 0.09: -10, 0.12: 0}))


@model(MODELS)
def integrator():
    """A population keeps what it has, and adds what comes in."""
    stimulus, value = pulses(), nengo.Ensemble(60, 1)
    nengo.Connection(value, value, synapse=TAU)
    nengo.Connection(stimulus, value, transform=TAU, synapse=TAU)
    nengo.Probe(stimulus)
    nengo.Probe(value, synapse=0.01)


def controlled(feedback, control):
    """An integrator of which a second dimension says how well it keeps its value."""
    state = nengo.Ensemble(90, 2, radius=1.5)
    nengo.Connection(state, state[0], function=feedback, synapse=TAU)
    nengo.Connection(pulses(), state[0], transform=TAU, synapse=TAU)
    nengo.Connection(nengo.Node(control), state[1], synapse=0.005)
    nengo.Probe(state, synapse=0.01)


@model(MODELS)
def controlled_integrator():
    """The second dimension is the feedback."""
    controlled(lambda x: x[0] * x[1], Piecewise({0: 1, 0.08: 0.5}))


@model(MODELS)
def controlled_integrator2():
    """The second dimension is what the feedback lacks."""
    controlled(lambda x: x[0] * (1 + x[1]), Piecewise({0: 0, 0.08: -0.5}))


@model(MODELS)
def oscillator():
    """A linear system of two dimensions, which is pushed once."""
    state = nengo.Ensemble(80, 2)
    nengo.Connection(state, state, transform=[[1, 1], [-1, 1]], synapse=TAU)
    nengo.Connection(nengo.Node(lambda t: [1.0 * (t < 0.1), 0]), state)
    nengo.Probe(state, synapse=0.01)


@model(MODELS)
def controlled_oscillator():
    """A third dimension is the frequency."""
    speed = nengo.Node(Piecewise({0: 1, 0.05: 0, 0.1: -1}))
    state, frequency = nengo.Ensemble(120, 3, radius=1.7), nengo.Ensemble(40, 1)

    def feedback(x):
        return x[0] + 2 * x[2] * x[1], x[1] - 2 * x[2] * x[0]

    nengo.Connection(state, state[:2], function=feedback, synapse=TAU)
    nengo.Connection(nengo.Node(lambda t: [float(t < 0.05), 0]), state[:2])
    nengo.Connection(speed, frequency)
    nengo.Connection(frequency, state[2])
    nengo.Probe(state, synapse=0.01)


@model(MODELS)
def lorenz_attractor():
    """Lorenz's equations, with the third variable moved to zero."""
    state = nengo.Ensemble(200, 3, radius=60)

    def feedback(x):
        flow = 10 * (x[1] - x[0]), -x[0] * x[2] - x[1], x[0] * x[1] - 8 / 3 * (x[2] + 28) - 28
        return TAU * np.array(flow) + x

    nengo.Connection(state, state, function=feedback, synapse=TAU)
    nengo.Probe(state, synapse=TAU)
    nengo.Probe(state.neurons)
