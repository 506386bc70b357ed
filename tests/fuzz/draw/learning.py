"""Learning rules: alone, in lists and in dicts, with what drives them."""

import nengo
from nengo.ensemble import Ensemble, Neurons
from nengo.neurons import Direct

from . import synapses
from .connections import solver


def learn(draw, dt, places):
    """Draw a connection that learns, and a connection into its learning rule. Returns both, or () where none can be.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds.
    places : list of Place
    """
    ensembles = [p for p in places if isinstance(p.pre, Ensemble) and not isinstance(p.pre.neuron_type, Direct)]
    if not ensembles:
        return ()
    pre = draw.pick(*ensembles)
    kind = draw.pick("decoders", "decoders", "neurons", "weights", "weights", "encoders")
    posts = [p for p in places if p.post is not None and p.post.size_in]
    if kind in ("weights", "encoders"):
        posts = ensembles
    elif kind == "decoders":
        posts = [p for p in posts if not isinstance(p.post, Neurons)]
    post = draw.pick(*posts)
    connection = MAKERS[kind](draw, dt, pre, post)
    return (connection, *_drive(draw, dt, connection, places))


def _several(draw, first, second):
    """One rule, or both of two, in a list or a dict."""
    return draw.pick(first, first, [first], [first, second], {"one": first, "two": second})


def pes(draw, dt):
    return nengo.PES(draw.number(1e-5, 1e-3), pre_synapse=synapses.synapse(draw, dt))


def rls(draw, dt):
    return nengo.RLS(draw.pick(1e-3, 0.1, 10.0), pre_synapse=synapses.synapse(draw, dt))


def bcm(draw, dt):
    if draw.chance(0.3):
        return nengo.BCM(1e-9)
    return nengo.BCM(draw.number(1e-10, 1e-8), pre_synapse=synapses.synapse(draw, dt),
                     post_synapse=synapses.synapse(draw, dt), theta_synapse=synapses.lowpass(draw, dt))


def oja(draw, dt):
    return nengo.Oja(draw.number(1e-8, 1e-6), pre_synapse=synapses.synapse(draw, dt),
                     post_synapse=synapses.synapse(draw, dt), beta=draw.number(0, 2))


def voja(draw, dt):
    return nengo.Voja(draw.number(1e-3, 0.1), post_synapse=synapses.synapse(draw, dt))


def on_decoders(draw, dt, pre, post):
    size = post.post.size_in
    return nengo.Connection(
        pre.pre, post.post, solver=solver(draw, pre), synapse=synapses.synapse(draw, dt, optional=False),
        transform=draw.array((size, pre.pre.size_out)),
        learning_rule_type=_several(draw, *draw.rng.sample([pes(draw, dt), rls(draw, dt), pes(draw, dt)], 2)),
    )


def on_neurons(draw, dt, pre, post):
    """From neurons to whatever there is, by a matrix."""
    size, n = post.post.size_in, pre.pre.n_neurons
    rules = [pes(draw, dt)]
    if isinstance(post.post, Neurons):
        rules += [bcm(draw, dt), oja(draw, dt)]
    return nengo.Connection(
        pre.pre.neurons, post.post, transform=draw.array((size, n)) * post.scale / 1000,
        synapse=synapses.synapse(draw, dt, optional=False),
        learning_rule_type=_several(draw, *draw.rng.sample([*rules, pes(draw, dt)], 2)),
    )


def on_weights(draw, dt, pre, post):
    """All weights between two ensembles."""
    rules = [bcm(draw, dt), oja(draw, dt), pes(draw, dt)]
    return nengo.Connection(
        pre.pre, post.post, solver=solver(draw, pre, weights=True),
        transform=draw.array((post.post.size_in, pre.pre.size_out)), synapse=synapses.synapse(draw, dt, optional=False),
        learning_rule_type=_several(draw, *draw.rng.sample(rules, 2)),
    )


def on_encoders(draw, dt, pre, post):
    return nengo.Connection(
        pre.pre, post.post, solver=solver(draw, pre), transform=draw.array((post.post.size_in, pre.pre.size_out)),
        synapse=synapses.synapse(draw, dt, optional=False), learning_rule_type=_several(draw, voja(draw, dt), pes(draw, dt)),
    )


MAKERS = {"decoders": on_decoders, "neurons": on_neurons, "weights": on_weights, "encoders": on_encoders}


def rules_of(connection):
    """All learning rules of a connection."""
    rules = connection.learning_rule
    return [] if rules is None else list(rules.values()) if isinstance(rules, dict) else list(
        rules) if isinstance(rules, list) else [rules]


def _drive(draw, dt, connection, places):
    """Connections into the learning rules that take a signal, for most of them."""
    made = []
    sources = [p for p in places if p.pre is not None and p.pre.size_out and p.decodable]
    for rule in rules_of(connection):
        if rule.size_in and sources and draw.chance(0.85):
            pre = draw.pick(*sources)
            transform = draw.array((rule.size_in, pre.pre.size_out)) / pre.height
            made.append(nengo.Connection(pre.pre, rule, transform=transform, synapse=synapses.synapse(draw, dt)))
    return made
