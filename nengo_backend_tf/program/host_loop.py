"""Timesteps with host calls between them.

A step is cut into sections at its host calls, each section compiled by XLA. The loop runs in TensorFlow's graph mode and
is rotated: what comes after the last call of a step and before the first call of the next is one section, so that a step
with one host call costs one call of the host and one of the device. Everything that goes from section to section travels
in one vector a dtype: what such a loop carries costs about a microsecond a tensor and step.
"""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from .host_calls import group_packing, make_callback
from .loop import traced_once
from .packing import Packing
from .step import HostGroup, block_spec, compute_group, first_blocks, next_carried


class Section(NamedTuple):
    """Device groups between two host calls, with what they get and give.

    Attributes
    ----------
    groups : tuple of DeviceGroup
    passed : tuple of int
        Blocks of the step that were computed before and are read in this section or later.
    """

    groups: tuple
    passed: tuple


class HostPlan(NamedTuple):
    """A step cut at its host calls.

    Attributes
    ----------
    first : tuple of DeviceGroup
        What comes before the first call.
    host : tuple of HostGroup
    sections : tuple of Section
        What comes after each call.
    """

    first: tuple
    host: tuple
    sections: tuple


def cut(functions, recordings):
    """Cut a step at its host groups."""
    parts, host = [[]], []
    for group in functions.groups:
        if isinstance(group, HostGroup):
            host.append(group)
            parts.append([])
        else:
            parts[-1].append(group)
    base = frozenset(functions.layout.ahead) | {c.block for c in functions.layout.carried}
    end = functions.carried_reads.union(*(r.blocks for r in recordings))
    made, sections = set(), []
    for k, groups in enumerate(parts[1:]):
        made |= {b for group in parts[k] for b in group.blocks}
        later = set(end).union(*(g.reads for part in parts[k + 1 :] for g in part), *(g.reads for g in host[k + 1 :]))
        sections.append(Section(tuple(groups), tuple(sorted((made & later) - base))))
        made |= set(host[k].blocks)
    return HostPlan(tuple(parts[0]), tuple(host), tuple(sections))


def make_host_loop(functions, recordings, calls, xla=True):
    """A function that runs steps with calls of the host within them.

    Parameters
    ----------
    functions : StepFunctions
    recordings : tuple of Recording
    calls : HostCalls
        The host steps to call.
    xla : bool
        Whether XLA compiles the sections.

    Returns
    -------
    callable
        ``run(n, ahead, carried) -> (carried, recorded)``: carried blocks after the last step, and for each recording a row
        for each step.
    """
    plan = cut(functions, recordings)
    compiled = _compile_sections(plan, functions, recordings, xla)
    carried_specs = Packing(tuple(block_spec(c.block, functions) for c in functions.layout.carried))
    rows, last = _row_packing(recordings, functions.batch), len(plan.host) - 1
    callbacks = _make_callbacks(plan, functions, calls, rows)

    def run(n, ahead, carried):
        message, state = compiled.first(tf.constant(0), ahead, carried_specs.pack(carried))

        def body(i, message, state):
            for k, callback in enumerate(callbacks):
                outputs = _call_host(callback, plan.host[k], functions, message)
                if k < last:
                    message, state = compiled.middle[k](i, ahead, outputs, state)
            message, state = compiled.last(i, ahead, outputs, state)
            return i + 1, message, state

        start = (tf.constant(0), message, state)
        _, message, state = tf.while_loop(lambda i, *_: i < n, body, start, parallel_iterations=1)
        return compiled.end(state), message

    graph = traced_once(tf.function(run, autograph=False))

    def run_steps(n, ahead, carried):
        calls.rows.clear()
        carried, message = graph(n, ahead, carried)
        calls.rows.append([x.numpy()[: size] for x, size in zip(message, rows.sizes())])
        # The first message is from before the first step.
        recorded = [np.stack(vectors) for vectors in zip(*calls.rows[1:])]
        return carried, tuple(rows.unpack_arrays(recorded))

    run_steps.function = graph.function
    return run_steps


def _make_callbacks(plan, functions, calls, rows):
    starts = np.cumsum([0] + [len(group.nodes) for group in plan.host])
    return [
        make_callback(group, k, int(starts[k]), calls, functions, rows if k == 0 else Packing(()))
        for k, group in enumerate(plan.host)
    ]


def _row_packing(recordings, batch):
    lead = () if batch is None else (batch,)
    return Packing(tuple(((*lead, r.width), np.dtype(r.dtype)) for r in recordings))


def _call_host(callback, group, functions, message):
    """The graph operation that calls a host group: packed outputs."""
    _, outputs = group_packing(group, functions)
    if not outputs.specs:
        # The operation needs an output to be ordered by.
        return (tf.numpy_function(lambda *args: (callback(*args), np.int32(0))[1], message, tf.int32),)
    given = tf.numpy_function(callback, message, list(outputs.dtypes()))
    given = given if isinstance(given, (list, tuple)) else [given]
    for vector, size in zip(given, outputs.sizes()):
        vector.set_shape((size,))
    return tuple(given)


class _Sections(NamedTuple):
    """The compiled parts of a step.

    ``first(i, ahead, carried) -> (message, state)`` runs up to the first host call of step i; ``middle[k]`` and ``last``
    take the outputs of a host call and the state. ``last`` ends step i and starts the next. All are packed. A message is
    what the host is called with: the arguments of its functions, and, for the first call of a step, before them what was
    recorded of the step before.
    """

    first: Any
    middle: tuple
    last: Any
    end: Any


def _compile_sections(plan, functions, recordings, xla):
    carried = [block_spec(c.block, functions) for c in functions.layout.carried]
    states = [Packing((*carried, *(block_spec(b, functions) for b in s.passed))) for s in plan.sections]
    rows = _row_packing(recordings, functions.batch)
    only_carried, no_row = Packing(tuple(carried)), [np.zeros(*spec) for spec in rows.specs]

    def compiled(function):
        return tf.function(function, autograph=False, jit_compile=xla)

    def before_call(k, blocks, groups, carried_now, row=()):
        """The message of host call k, and the state after it."""
        for group in groups:
            blocks = compute_group(group, blocks, functions)
        arguments, _ = group_packing(plan.host[k], functions)
        read = [r(blocks) for readers in plan.host[k].readers for r in readers]
        read = [tf.broadcast_to(x, shape) for x, (shape, _) in zip(read, arguments.specs)]
        passed = [blocks[b] for b in plan.sections[k].passed]
        packing = Packing((*rows.specs, *arguments.specs)) if k == 0 else arguments
        return packing.pack([*row, *read]), states[k].pack([*carried_now, *passed])

    def ahead_at(i, ahead):
        # A slice would have to be known when XLA compiles.
        return [tf.gather(x, i) for x in ahead]

    def first_call(i, ahead, carried_now, row):
        return before_call(0, first_blocks(ahead_at(i, ahead), carried_now, functions), plan.first, carried_now, row)

    def after_call(k, i, ahead, outputs, state):
        unpacked = states[k].unpack(state)
        carried_now, passed = unpacked[: len(carried)], unpacked[len(carried) :]
        blocks = first_blocks(ahead_at(i, ahead), carried_now, functions)
        blocks.update(zip(plan.sections[k].passed, passed))
        _, packing = group_packing(plan.host[k], functions)
        blocks.update(zip(plan.host[k].blocks, packing.unpack(outputs) if packing.specs else ()))
        return blocks, carried_now

    def make_middle(k):
        def middle(i, ahead, outputs, state):
            blocks, carried_now = after_call(k, i, ahead, outputs, state)
            return before_call(k + 1, blocks, plan.sections[k].groups, carried_now)

        return compiled(middle)

    def last(i, ahead, outputs, state):
        blocks, _ = after_call(len(plan.host) - 1, i, ahead, outputs, state)
        for group in plan.sections[-1].groups:
            blocks = compute_group(group, blocks, functions)
        after = next_carried(blocks, functions)
        row = [tf.broadcast_to(r.read(blocks), shape) for r, (shape, _) in zip(recordings, rows.specs)]
        following = tf.minimum(i + 1, ahead[0].shape[0] - 1) if ahead else i
        return first_call(following, ahead, after, row)

    return _Sections(
        compiled(lambda i, ahead, packed: first_call(i, ahead, only_carried.unpack(packed), no_row)),
        tuple(make_middle(k) for k in range(len(plan.host) - 1)),
        compiled(last),
        lambda state: tuple(states[0].unpack(state)[: len(carried)]),
    )
