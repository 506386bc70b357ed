"""What a pickled Simulator holds, so that its copy goes on exactly as the original would."""

import numpy as np
from nengo.builder.processes import SimProcess
from nengo.builder.signal import Signal

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
            calls=call_counts(engine), private=private_arrays(engine), streams=stream_states(engine), snapshot=snapshot(engine),
            unused=engine.unused if engine.unused_for == key_of_unused(engine) else (),
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


def call_counts(engine):
    """For each host operator, in order, and each item of the minibatch, how often its step was called."""
    return [[getattr(step, "calls", 0) for step in steps] for steps in engine.host_steps.values()]


def private_arrays(engine):
    """Likewise, the arrays that its step keeps to itself."""
    return [[[np.array(a) for a in _private(step)] for step in steps] for steps in engine.host_steps.values()]


def _private(step):
    return [a for s, a in getattr(step, "signals", {}).items() if isinstance(s, Signal) and not s.is_view]


def stream_states(engine):
    """Likewise, where the random streams are that the steps name."""
    return [[[rng.get_state() for rng in _streams(step)] for step in steps] for steps in engine.host_steps.values()]


def _streams(step):
    return getattr(step, "streams", ())


def restore_engine(engine, state):
    """Go on from a pickled state.

    A process keeps its random stream in its step function, which cannot be pickled, so that its first steps are drawn
    once more.
    """
    for (op, steps), counts in zip(engine.host_steps.items(), state["calls"]):
        if type(op) is SimProcess and op.input is None:
            for step, count in zip(steps, counts):
                for i in range(1, count + 1):
                    step(i)
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
    engine.unused, engine.unused_for = state["unused"], key_of_unused(engine)


def key_of_unused(engine):
    """What `Engine.unused` is good for, where it is good for the next step of a run without data."""
    return id(engine.program), frozenset(), engine.n_steps
