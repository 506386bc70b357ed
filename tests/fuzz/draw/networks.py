"""Whole networks."""

import copyreg
import importlib
import pickle
import random
import types
from contextlib import nullcontext
from functools import lru_cache
from typing import Any, NamedTuple

import nengo
from hypothesis import strategies as st
from nengo.builder import Model
from nengo.builder.optimizer import optimize
from nengo.neurons import RatesToSpikesNeuronType
from nengo.utils.simulator import operator_dependency_graph

from . import connections, learning, objects, probes
from .source import Draw

# A Piecewise process that interpolates has a module of SciPy as an attribute, which pickle refuses.
copyreg.pickle(types.ModuleType, lambda module: (importlib.import_module, (module.__name__,)))

#: Timesteps in seconds.
TIMESTEPS = (0.001, 0.001, 0.001, 0.0005, 0.002, 0.004, 1 / 11025, 2**-10)


class Drawn(NamedTuple):
    """A random network, and how it is to be simulated.

    Attributes
    ----------
    blob : bytes
        The pickled network: every simulator gets a copy of its own, with the state of its functions and processes.
    dt : float
        The timestep in seconds.
    seed : int
        The simulator's seed.
    exact : bool
        Whether its numbers are few-digit binary fractions.
    merged : bool
        Whether simulators get a model that nengo has built, and whose operators its optimizer has merged.
    choices : int
        Decides what else the checks have to choose.
    """

    blob: bytes
    dt: float
    seed: int
    exact: bool
    merged: bool
    choices: int

    def network(self):
        """A fresh copy."""
        return pickle.loads(self.blob)

    def model(self):
        """The built and merged model, which has no state of its own, so that simulators can share it."""
        return merged_model(self.blob, self.dt)


@lru_cache(maxsize=1)
def merged_model(blob, dt):
    """The model of a network, whose operators nengo's optimizer has merged."""
    model = Model(dt=dt)
    model.build(pickle.loads(blob))
    optimize(model, operator_dependency_graph(model.operators))
    return model


def lasting_state(net):
    """Whether anything keeps state that a reset leaves alone: objects of functions', and streams of stochastic neurons."""
    functions = any(callable(node.output) for node in net.all_nodes)
    return functions or any(isinstance(ens.neuron_type, RatesToSpikesNeuronType) for ens in net.all_ensembles)


def drawn_network(seed):
    """The network of a seed.

    Parameters
    ----------
    seed : int

    Returns
    -------
    Drawn
    """
    return draw_network(random.Random(seed))


def networks():
    """A hypothesis strategy of `Drawn` networks."""
    return st.randoms(use_true_random=False).map(draw_network)


def draw_network(rng):
    """Draw a network.

    Parameters
    ----------
    rng : random.Random

    Returns
    -------
    Drawn
    """
    draw = Draw(rng, exact=rng.random() < 0.2)
    dt = draw.pick(*TIMESTEPS)
    net = nengo.Network(seed=draw.seed())
    with net:
        networks = [net] + [nengo.Network() for _ in range(draw.pick(0, 0, 1, 2))]
        if len(networks) > 2:
            with networks[1]:
                networks.append(nengo.Network(seed=draw.seed()))
        places = draw_places(draw, dt, networks)
        made = draw_connections(draw, dt, places)
        probes.probe_some(draw, dt, places, made)
    merged = draw.chance(0.5) and not lasting_state(net)
    return Drawn(pickle.dumps(net), dt, draw.seed(), draw.exact, merged, draw.seed())


def draw_places(draw, dt, networks):
    """Nodes, ensembles, and sometimes an EnsembleArray, in any order and any of the networks."""
    makers = [objects.node] * draw.integer(1, 4) + [objects.ensemble] * draw.integer(1, 4)
    makers += [objects.ensemble_array] * draw.pick(0, 0, 0, 0, 1)
    draw.rng.shuffle(makers)
    places = []
    for rank, maker in enumerate(makers):
        home = draw.pick(*networks)
        with home:
            places += [place._replace(home=home) for place in maker(draw, dt, rank)]
    return places


def draw_connections(draw, dt, places):
    """Connections of all kinds, in the network that both ends lie in, or in the whole one, which nengo builds last."""
    sources = [p for p in places if p.pre is not None and p.pre.size_out]
    targets = [p for p in places if p.post is not None and p.post.size_in]
    made = []
    for _ in range(draw.integer(1, 2 * len(places)) if sources and targets else 0):
        pre, post = draw.pick(*sources), draw.pick(*targets)
        with pre.home if pre.home is post.home else nullcontext():
            made.append(connections.connect(draw, dt, pre, post))
    for _ in range(draw.pick(0, 0, 1, 1, 2)):
        made += learning.learn(draw, dt, places)
    return [connection for connection in made if connection is not None]
