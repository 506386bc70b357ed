"""Rows for the learning rules: SimPES, SimBCM, SimOja, SimVoja, SimRLS."""

from functools import partial

import numpy as np
from harness import Case
from nengo.builder import Signal
from nengo.builder.learning_rules import SimBCM, SimOja, SimPES, SimRLS, SimVoja
from nengo.builder.operator import Copy, DotInc, Reset

PRE, POST, DIMENSIONS = 7, 4, 3


def positive(rng, *shape):
    """A signal of random activities."""
    return Signal(rng.uniform(0.2, 1, shape))


def weights(model, rng, *shape):
    """Weights with the signal of their changes, which are added at the beginning of the next step."""
    delta, target = Signal(np.zeros(shape), name="delta"), Signal(rng.uniform(-1, 1, shape), name="weights")
    model.add_op(Copy(delta, target, inc=True))
    return delta, target


def rate(rng, same):
    """Learning rates large enough to matter within a few steps."""
    return 20.0 if same else rng.uniform(5, 50)


def make_pes(model, rng, same=False, dimensions=DIMENSIONS, n_neurons=PRE):
    delta, target = weights(model, rng, dimensions, n_neurons)
    activities, decoded = positive(rng, n_neurons), Signal(np.zeros(dimensions))
    model.add_op(Reset(decoded))
    model.add_op(DotInc(target, activities, decoded))
    model.add_op(SimPES(activities, positive(rng, dimensions), delta, rate(rng, same)))


def make_pes_of_constant(model, rng):
    """An error that never changes."""
    delta, _ = weights(model, rng, DIMENSIONS, PRE)
    error = Signal(rng.uniform(-1, 1, DIMENSIONS), readonly=True)
    model.add_op(SimPES(positive(rng, PRE), error, delta, rate(rng, False)))


def make_pes_sizes(model, rng):
    """Members of different sizes, which no group can hold together."""
    dimensions, n_neurons = rng.randint(1, 9, 2)
    make_pes(model, rng, dimensions=dimensions, n_neurons=n_neurons)


def make_bcm(model, rng, same=False):
    delta, _ = weights(model, rng, POST, PRE)
    pre, post, theta = positive(rng, PRE), positive(rng, POST), positive(rng, POST)
    model.add_op(SimBCM(pre, post, theta, delta, rate(rng, same)))


def make_oja(model, rng, same=False):
    delta, target = weights(model, rng, POST, PRE)
    beta = 1.0 if same else rng.uniform(0.5, 2)
    model.add_op(SimOja(positive(rng, PRE), positive(rng, POST), target, delta, rate(rng, same), beta))


def make_oja_constant_weights(model, rng):
    """Changes that are computed, but not applied."""
    target, delta = Signal(rng.uniform(-1, 1, (POST, PRE)), readonly=True), Signal(np.zeros((POST, PRE)))
    model.add_op(SimOja(positive(rng, PRE), positive(rng, POST), target, delta, rate(rng, False), 0.7))


def make_voja(model, rng, same=False, dimensions=DIMENSIONS):
    delta, encoders = weights(model, rng, POST, dimensions)
    decoded, post, learning = positive(rng, dimensions), positive(rng, POST), positive(rng, 1)
    scale = rng.uniform(0.5, 2, POST)
    model.add_op(SimVoja(decoded, post, encoders, delta, scale, learning, rate(rng, same)))


def make_rls(model, rng, same=False):
    delta, _ = weights(model, rng, DIMENSIONS, PRE)
    inv_gamma = Signal(np.eye(PRE) * (0.1 if same else rng.uniform(0.1, 1)))
    model.add_op(SimRLS(positive(rng, PRE), positive(rng, DIMENSIONS), delta, inv_gamma))


CASES = (
    Case("pes", make_pes, groups=2),
    Case("pes_same_rate", partial(make_pes, same=True), groups=2),
    Case("pes_one_dimension", partial(make_pes, dimensions=1), members=9),
    Case("pes_one_neuron", partial(make_pes, n_neurons=1)),
    Case("pes_constant_error", make_pes_of_constant, groups=1),
    Case("pes_sizes", make_pes_sizes),
    Case("bcm", make_bcm, groups=1),
    Case("bcm_same_rate", partial(make_bcm, same=True), groups=1),
    Case("oja", make_oja, groups=1),
    Case("oja_same_rate", partial(make_oja, same=True), groups=1),
    Case("oja_constant_weights", make_oja_constant_weights, groups=1),
    Case("voja", make_voja, groups=1),
    Case("voja_same_rate", partial(make_voja, same=True), groups=1),
    Case("voja_one_dimension", partial(make_voja, dimensions=1), members=9, groups=1),
    Case("rls", make_rls, groups=1),
    Case("rls_same_rate", partial(make_rls, same=True), groups=1),
)
