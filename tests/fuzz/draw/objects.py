"""Nodes and ensembles, and what else connections can begin and end at."""

from typing import Any, NamedTuple

import nengo
import numpy as np
from nengo.dists import Choice

from . import functions, neurons, processes, synapses


class Place(NamedTuple):
    """Something that connections may begin or end at.

    Attributes
    ----------
    pre, post : nengo object or None
        Where they begin and end; None where they may not.
    rank : int
        A connection to a place of no higher rank needs a synapse, so that no loop is without delay.
    scale : float
        The size of inputs that do something without saturating.
    height : float
        The size of outputs.
    decodable : bool
        Whether nengo can solve for decoders.
    home : Network or None
        The network that it lies in.
    """

    pre: Any
    post: Any
    rank: int
    scale: float = 1.0
    height: float = 1.0
    decodable: bool = True
    home: Any = None


def node(draw, dt, rank):
    """Places of a Node of any kind."""
    size = draw.size(4)
    kind = draw.pick(constant, constant, of_time, of_time, of_process, of_values, of_values, passthrough, filtering, sink)
    return [place._replace(rank=rank) for place in kind(draw, dt, size)]


def constant(draw, dt, size):
    values = draw.array(size)
    if draw.chance(0.4):
        values[:] = draw.pick(0.5, 1.0, 0.25, -0.5)
    return [Place(nengo.Node(values if size > 1 or draw.chance(0.5) else float(values[0])), None, 0)]


def of_time(draw, dt, size):
    kind = draw.pick("wave", "ramp", "counter", "dice")
    if kind == "wave":
        output = functions.Wave(draw.array(size, 1, 0.2 / dt), draw.number(0.5, 1))
    elif kind == "ramp":
        output = functions.Ramp(size, dt * draw.pick(1, 2.5, 7))
    elif kind == "counter":
        output = functions.Counter(size, draw.pick(0.125, 0.1))
    else:
        output = functions.Dice(size, draw.seed())
    return [Place(nengo.Node(output, size_out=size if draw.chance(0.7) else None), None, 0)]


def of_process(draw, dt, size):
    return [Place(nengo.Node(processes.process(draw, dt, size), size_out=size), None, 0)]


def of_values(draw, dt, size):
    """Functions that get values: with state, without, and two that share an object."""
    kind = draw.pick("plant", "scaled", "world")
    if kind == "plant":
        size_in = draw.size(3)
        made = nengo.Node(functions.Plant(draw.array((size, size_in)), draw.number(0.0, 0.9)), size_in=size_in)
    elif kind == "scaled":
        made = nengo.Node(functions.Scaled(draw.number(-1, 1)), size_in=size, size_out=size)
    else:
        world = functions.World(size)
        reader = nengo.Node(world.read, size_out=size)
        writer = nengo.Node(world.write, size_in=size, size_out=0)
        return [Place(reader, None, 0), Place(None, writer, 0)]
    return [Place(made, made, 0)]


def passthrough(draw, dt, size):
    made = nengo.Node(size_in=size)
    return [Place(made, made, 0)]


def filtering(draw, dt, size):
    """A Node whose output is a synapse."""
    kind = draw.pick(synapses.alpha, synapses.short, synapses.triangle, synapses.linear, synapses.digital)
    made = nengo.Node(kind(draw, dt), size_in=size, size_out=size)
    return [Place(made, made, 0)]


def sink(draw, dt, size):
    """A Node that only takes values in."""
    made = nengo.Node(functions.World(size).write, size_in=size, size_out=0)
    return [Place(None, made, 0)]


def ensemble(draw, dt, rank):
    """Places of an Ensemble: itself, and its neurons."""
    n, d = draw.size(20), draw.pick(1, 1, 2, 3)
    settings = dict(radius=draw.pick(1, 1, 2.0, 0.5), n_eval_points=40)
    if draw.chance(0.25):
        settings["seed"] = draw.seed()
    if draw.chance(0.15):
        settings["noise"] = processes.noise(draw, dt, n)
    if draw.chance(0.06):
        made = nengo.Ensemble(n, d, neuron_type=nengo.Direct(), **settings)
        return [Place(made, made, rank)]
    kind = neurons.neuron_type(draw, dt)
    decodable, tuning = _tuning(draw, dt, kind, n, d)
    made = nengo.Ensemble(n, d, neuron_type=kind, **tuning, **settings)
    height = kind.amplitude / dt if kind.spiking and hasattr(kind, "amplitude") else 1 / dt if kind.spiking else 100.0
    scale = neurons.current_scale(kind)
    places = [Place(made, made, rank, settings["radius"], settings["radius"], decodable)]
    return [*places, Place(made.neurons, made.neurons, rank, scale, height)] if draw.chance(0.7) else places


def _tuning(draw, dt, kind, n, d):
    """Whether decoders can be solved for, and the arguments that make the tuning curves."""
    scale = neurons.current_scale(kind)
    arguments = {}
    if draw.exact:
        arguments["encoders"] = Choice(np.eye(d)) if draw.chance(0.7) else Choice(np.concatenate([np.eye(d), -np.eye(d)]))
        if draw.chance(0.7):
            gain = draw.pick(1.0, 100.0, 125.0, 200.0, 250.0) if scale > 100 else draw.pick(1.0, 1.0, 2.0)
            return False, dict(arguments, gain=Choice([gain]), bias=Choice([draw.pick(0.0, 0.0, 0.5 * gain)]))
        # Inputs are often eighths too, so that the current is then exactly at the threshold.
        top = neurons.top_rate(kind)
        return True, dict(arguments, intercepts=Choice([draw.pick(0.5, 0.25, -0.5)]), max_rates=Choice([0.75 * top, top]))
    tau_rc = getattr(getattr(kind, "base_type", kind), "tau_rc", 1.0)
    if draw.chance(0.3) or tau_rc < dt:
        # With the shortest time constants nengo finds no gain for a maximum rate.
        gain, bias = draw.array(n, 0.25, 1) * scale, draw.array(n, -0.25, 1) * scale
        return False, dict(gain=gain, bias=bias)
    top = neurons.top_rate(kind)
    arguments["max_rates"] = nengo.dists.Uniform(0.7 * top, top)
    arguments["intercepts"] = nengo.dists.Uniform(-0.9, draw.pick(0.5, 0.9))
    if draw.chance(0.3):
        arguments["encoders"] = draw.array((n, d)) + 0.01
    if draw.chance(0.1):
        arguments["normalize_encoders"] = False
    return True, arguments


def ensemble_array(draw, dt, rank):
    """Places of an EnsembleArray's input, output, and one member's neurons."""
    kind = neurons.plain_lif(draw, dt) if draw.chance(0.5) else neurons.rectified(draw, dt)
    array = nengo.networks.EnsembleArray(
        draw.integer(3, 10), draw.integer(2, 4), ens_dimensions=draw.pick(1, 1, 2), neuron_type=kind, n_eval_points=30,
        seed=draw.seed() if draw.chance(0.5) else None,
    )
    places = [Place(array.output, array.input, rank)]
    if draw.chance(0.3):
        output = array.add_output("other", draw.pick(functions.square, functions.sine))
        places.append(Place(output, None, rank))
    member = array.ea_ensembles[-1]
    return [*places, Place(member, member, rank)]
