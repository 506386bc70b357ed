"""What a pickled Simulator holds, so that its copy goes on exactly as the original would."""

import numpy as np
from nengo.builder.signal import Signal

from .closures import restore_closure, saved_closure

ARGUMENTS = ("progress_bar", "optimize", "minibatch_size", "device", "unroll", "seed")


def get_state(sim):
    """Everything of a Simulator that lasts: its arguments, built model, state and probe data.

    Parameters
    ----------
    sim : Simulator

    Returns
    -------
    dict
    """
    state = {name: getattr(sim, name) for name in ARGUMENTS}
    state.update(model=sim.model, settings=sim._settings, closed=sim.closed, chunks=sim._recorder.chunks,
                 clock=(sim.n_steps, sim.time))
    if not sim.closed:
        sim.signals.take_back()
        from .inspection import snapshot

        engine = sim._engine
        state.update(
            n_steps=engine.n_steps, values=engine.values, share=engine.share, plain=engine.plain,
            carried=renamed(engine.carried_values(), own_signals(engine)),
            closures=closures(engine), private=private_arrays(engine), streams=stream_states(engine),
            snapshot=snapshot(engine), unused=(engine.unused, engine.unused_after),
        )
    return state


def set_state(sim, state):
    """Make a Simulator what `get_state` was told of."""
    sim.closed = True
    for name in ARGUMENTS:
        setattr(sim, name, state[name])
    sim.model, sim._settings = state["model"], state["settings"]
    sim._prepare()
    if state["closed"]:
        sim._n_steps, sim._time = state["clock"]
        sim.close()
    else:
        sim.closed = False
        sim.reset(sim.seed)
        restore_engine(sim._engine, state)
        sim._read_clock()
    sim._recorder.chunks.update(state["chunks"])


def own_signals(engine):
    """Signals that are not the model's but a node's own -> (operator, place among what the node reads)."""
    return {
        s: (node.op, k) for node in engine.graph.nodes if node.plain is not None
        for k, s in enumerate(node.reads) if s not in node.op.all_signals
    }


def renamed(values, names):
    """A dict with other keys, where ``names`` has one."""
    return {names.get(key, key): value for key, value in values.items()}


def private_arrays(engine):
    """For each host operator, in order, and each item of the minibatch, the arrays that its step keeps to itself."""
    return [[[np.array(a) for a in _private(step)] for step in steps] for steps in engine.host_steps.values()]


def _private(step):
    return [a for s, a in getattr(step, "signals", {}).items() if isinstance(s, Signal) and not s.is_view]


def stream_states(engine):
    """Likewise, where the random streams are that the steps name."""
    return [[[rng.get_state() for rng in _streams(step)] for step in steps] for steps in engine.host_steps.values()]


def _streams(step):
    return getattr(step, "streams", ())


def closures(engine):
    """Likewise, what the operator's own step function keeps in its closure."""
    return [
        [saved_closure(getattr(step, "function", None), _private(step), str(op)) for step in steps]
        for op, steps in engine.host_steps.items()
    ]


def restore_engine(engine, state):
    """Go on from a pickled state."""
    for steps, items in zip(engine.host_steps.values(), state["closures"]):
        for step, saved in zip(steps, items):
            restore_closure(getattr(step, "function", None), saved)
    for steps, arrays in zip(engine.host_steps.values(), state["private"]):
        for step, saved in zip(steps, arrays):
            for array, value in zip(_private(step), saved):
                if array.flags.writeable:
                    array[...] = value
    for steps, streams in zip(engine.host_steps.values(), state["streams"]):
        for step, saved in zip(steps, streams):
            for rng, value in zip(_streams(step), saved):
                rng.set_state(value)
    carried = renamed(state["carried"], {name: s for s, name in own_signals(engine).items()})
    state = {**state, "carried": carried}
    engine.go_on(*(state[name] for name in ("n_steps", "values", "share", "plain", "carried", "snapshot")))
    engine.unused, engine.unused_after = state["unused"]
