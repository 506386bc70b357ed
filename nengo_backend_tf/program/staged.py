"""Timesteps in stages: sweeps over all steps of a chunk at once, and loops over them, in turns.

What a stage computes for others it hands on as one array with all timesteps, exactly as what was evaluated ahead comes:
a *stream* of a block, (T, ..., *block shape). Carried values that another stage reads are streams too, of the values that
they have when each step begins.
"""

from typing import NamedTuple

import tensorflow as tf

from .loop import empty_recording, record, traced_once
from .step import as_block, block_spec, compute_group

#: A chunk that has sweeps is as long as the next power of two, since each length is compiled by itself.
SHORTEST = 16


class StagePlan(NamedTuple):
    """What a stage reads and hands on.

    Attributes
    ----------
    kind : {"loop", "sweep"}
    groups : tuple of DeviceGroup
    carried : tuple of (int, CarriedBlock)
        With their places among all carried blocks.
    imports : frozenset of int
        Blocks whose streams it reads.
    exports : tuple of int
        Blocks whose streams others read.
    recordings : tuple of int
        Recordings that are made in it.
    """

    kind: str
    groups: tuple
    carried: tuple
    imports: frozenset
    exports: tuple
    recordings: tuple


def plan_streams(stages, functions, recordings):
    """Which streams each stage reads and makes.

    Parameters
    ----------
    stages : tuple of Stage
    functions : StepFunctions
    recordings : tuple of Recording

    Returns
    -------
    tuple of StagePlan
    """
    layout = functions.layout
    home = {b: g.stage for g in functions.groups for b in g.blocks}
    home.update({c.block: c.stage for c in layout.carried})
    at = [max((home[b] for b in r.blocks if b in home), default=len(stages) - 1) for r in recordings]
    plans = []
    for s, stage in enumerate(stages):
        groups = tuple(g for g in functions.groups if g.stage == s)
        carried = tuple((i, c) for i, c in enumerate(layout.carried) if c.stage == s)
        reads = set().union(*(g.reads for g in groups), *(_reads_of(c, layout) for _, c in carried))
        made = tuple(k for k, stage_of in enumerate(at) if stage_of == s)
        reads |= set().union(*(recordings[k].blocks for k in made))
        own = {b for g in groups for b in g.blocks} | ({c.block for _, c in carried} if stage.kind == "loop" else set())
        plans.append(StagePlan(stage.kind, groups, carried, frozenset(reads - own), (), made))
    read_by = [set().union(*(p.imports for p in plans[s + 1 :])) for s in range(len(plans))]
    read_by[:] = [r | (p.imports & {c.block for _, c in p.carried}) for r, p in zip(read_by, plans)]
    return tuple(
        p._replace(exports=tuple(sorted(b for b in read_by[s] if home.get(b) == s))) for s, p in enumerate(plans)
    )


def _reads_of(carried, layout):
    if carried.source is not None:
        return {carried.source}
    return {layout.places[v].block for c in carried.carried for v in c.after.values()}


def streams_size(plans, functions):
    """Bytes that all streams take for each step and item of the minibatch."""
    sizes = {b: functions.layout.blocks[b].size * block_spec(b, functions)[1].itemsize for p in plans for b in p.exports}
    return sum(sizes.values())


def make_staged(plans, functions, recordings, capacity, unroll=1, xla=True):
    """A function that runs up to ``capacity`` steps, as `make_loop` has it, of arrays of any such length.

    Parameters
    ----------
    plans : tuple of StagePlan
    functions : StepFunctions
        With device groups only.
    recordings : tuple of Recording
    capacity : int
        Most steps of one call.
    unroll : int
        Steps that one turn of a loop computes.
    xla : bool
        Whether XLA compiles it.
    """
    compiled = {}

    def run(n, rows, ahead, carried):
        length = chunk_length(int(n), capacity)
        if length not in compiled:
            run_stages = _make_run(plans, functions, recordings, length, unroll)
            compiled[length] = traced_once(tf.function(run_stages, autograph=False, jit_compile=xla))
        return compiled[length](n, tuple(r[:length] for r in rows), tuple(a[:length] for a in ahead), carried)

    run.compiled = compiled
    return run


def chunk_length(n, capacity):
    """Steps that are computed, to keep ``n`` of them."""
    length = SHORTEST
    while length < n:
        length *= 2
    return min(length, capacity)


def _make_run(plans, functions, recordings, length, unroll):
    layout = functions.layout
    sampled_rows = [k for k, r in enumerate(recordings) if r.period > 1]

    def run(n, rows, ahead, carried):
        streams, after = dict(zip(layout.ahead, ahead)), list(carried)
        recorded = [None] * len(recordings)
        rows = dict(zip(sampled_rows, rows))
        for plan in plans:
            run_stage = _run_loop if plan.kind == "loop" else _run_sweep
            made, next_values, samples = run_stage(plan, functions, recordings, n, length, rows, streams, carried, unroll)
            streams.update(made)
            for (i, _), value in zip(plan.carried, next_values):
                after[i] = value
            for k, array in zip(plan.recordings, samples):
                recorded[k] = array
        return tuple(after), tuple(recorded)

    return run


def _run_sweep(plan, functions, recordings, n, length, rows, streams, carried, unroll):
    """All steps at once: streams, next carried values, and recordings."""
    del unroll
    blocks = {b: streams[b] for b in plan.imports if b in streams}
    made = {}
    for group in plan.groups:
        blocks = compute_group(group, blocks, functions, (length,))
    for i, c in plan.carried:
        after = as_block(functions.carried[i](blocks), c.block, functions, (length,))
        made[c.block] = tf.concat([carried[i][None], after[:-1]], 0)
        made["after", i] = after[n - 1]
        blocks[c.block] = made[c.block]
    samples = [_sampled(recordings[k], blocks, functions, length, n, rows.get(k)) for k in plan.recordings]
    next_values = [made.pop(("after", i)) for i, _ in plan.carried]
    made.update({b: blocks[b] for b in plan.exports})
    return made, next_values, samples


def _sampled(recording, blocks, functions, length, n, rows):
    """The samples of a recording, (samples, ..., width), from the streams of its blocks."""
    lead = () if functions.batch is None else (functions.batch,)
    values = tf.broadcast_to(recording.read(blocks), (length, *lead, recording.width))
    if rows is None:
        return values
    steps = tf.range(length)
    samples = empty_recording(recording, length, functions.batch).shape[0]
    last = tf.math.unsorted_segment_max(tf.where(steps < n, steps, -1), rows, samples)
    return tf.gather(values, tf.maximum(last, 0))


def _run_loop(plan, functions, recordings, n, length, rows, streams, carried, unroll):
    """Step by step: streams, next carried values, and recordings."""
    mine = [recordings[k] for k in plan.recordings]
    my_rows = [rows[k] for k in plan.recordings if k in rows]
    incoming = {b: streams[b] for b in plan.imports if b in streams}

    def step(i, values, exports, recorded):
        blocks = {b: stream[i] for b, stream in incoming.items()}
        blocks.update({c.block: x for (_, c), x in zip(plan.carried, values)})
        for group in plan.groups:
            blocks = compute_group(group, blocks, functions)
        values = tuple(as_block(functions.carried[k](blocks), c.block, functions) for k, c in plan.carried)
        exports = tuple(tf.tensor_scatter_nd_update(x, [[i]], blocks[b][None]) for b, x in zip(plan.exports, exports))
        return values, exports, record(i, my_rows, blocks, recorded, mine, functions.batch)

    def turn(steps):
        def body(i, *state):
            for k in range(steps):
                state = step(i + k, *state)
            return (i + steps, *state)

        return body

    exports = tuple(tf.zeros((length, *shape), dtype) for shape, dtype in (block_spec(b, functions) for b in plan.exports))
    recorded = tuple(empty_recording(r, length, functions.batch) for r in mine)
    state = (tf.constant(0), tuple(carried[i] for i, _ in plan.carried), exports, recorded)
    if unroll > 1:
        whole = n - n % unroll
        state = tf.while_loop(lambda i, *_: i < whole, turn(unroll), state)
    _, values, exports, recorded = tf.while_loop(lambda i, *_: i < n, turn(1), state)
    return dict(zip(plan.exports, exports)), values, recorded
