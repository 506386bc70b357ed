"""Probes of every attribute of everything, with synapses, sampling periods and slices."""

import nengo
from nengo.ensemble import Ensemble
from nengo.neurons import Direct
from nengo.transforms import Dense

from . import synapses
from .connections import sliced
from .learning import rules_of


def probe_some(draw, dt, places, connections):
    """Draw probes, at least one.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds.
    places : list of Place
    connections : list of Connection
    """
    targets = probed_things(places, connections)
    for _ in range(draw.integer(1, 8)):
        thing, attributes, solved = draw.pick(*targets)
        attribute = draw.pick(*attributes)
        arguments = {}
        if attribute in VECTORS and not isinstance(thing, nengo.Connection):
            thing, _ = sliced(draw, thing, thing.size_in if attribute == "input" else thing.size_out, repeats=False)
        if attribute == "decoded_output" and not solved:
            arguments["solver"] = nengo.solvers.NoSolver(draw.array((getattr(thing, "obj", thing).n_neurons, thing.size_out)) / 100)
        if draw.chance(0.3):
            arguments["sample_every"] = dt * draw.pick(1, 2, 3, 2.5, 1.7, 7, 60)
        if draw.chance(0.4):
            arguments["synapse"] = synapses.synapse(draw, dt)
        nengo.Probe(thing, attribute, **arguments)
    for rule in {rule: None for connection in connections for rule in rules_of(connection)}:
        nengo.Probe(rule, draw.pick(*rule.probeable))
    if draw.chance(0.6):
        for thing in dict.fromkeys(place.pre for place in places):
            if isinstance(thing, Ensemble) and not isinstance(thing.neuron_type, Direct):
                nengo.Probe(thing.neurons)


#: Attributes that are vectors of the object's size.
VECTORS = {"decoded_output", "input", "output"}


def probed_things(places, connections):
    """(object, its attributes, whether decoders can be solved for) for all that can be probed."""
    found = []
    for place in places:
        for thing in dict.fromkeys((place.pre, place.post)):
            if thing is None or thing.size_out == 0:
                continue
            direct = isinstance(thing, Ensemble) and isinstance(thing.neuron_type, Direct)
            found.append((thing, thing.probeable, place.decodable or direct))
            if isinstance(thing, Ensemble) and not direct:
                found.append((thing.neurons, thing.neurons.probeable, True))
    for connection in connections:
        has_matrix = isinstance(connection.transform, Dense) or hasattr(connection.transform, "kernel_shape")
        found.append((connection, ("output", "input", "weights") if has_matrix else ("output", "input"), True))
        found += [(rule, rule.probeable, True) for rule in rules_of(connection)]
    return found
