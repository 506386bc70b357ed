"""Timesteps with host calls between them.

A step is cut into sections at its host calls, each section compiled by XLA. The loop runs in TensorFlow's graph mode and
is rotated: what comes after the last call of a step and before the first call of the next is one section, so that a step
with one host call costs one call of the host and one of the device.
"""

import math

import numpy as np
import tensorflow as tf

from .step import HostGroup, as_block, block_spec, compute_group, first_blocks, next_carried, run_dtype


class HostCalls:
    """The host steps that a loop calls, and what they returned in the present chunk.

    Attributes
    ----------
    steps : list of list of callable
        For each node on the host, its step for each item of the minibatch.
    first : int
        Number of the first step of the chunk, counted from 1.
    returned : list of list
        For each host group, the outputs of each step of the chunk so far.
    playback : list of list or None
        Outputs to return instead of calling anything.
    error : Exception or None
        What a step raised.
    """

    def __init__(self):
        self.steps, self.first, self.returned, self.playback, self.error = [], 1, [], None, None

    def start(self, first, groups, playback=None):
        """Forget the last chunk."""
        self.first, self.error, self.playback = first, None, playback
        self.returned = [[] for _ in range(groups)]


def call_group(group, at, calls, functions, i, arrays):
    """Call the nodes of a host group at step ``i`` of the chunk; ``at`` is the place of its first node among all."""
    arrays = iter(arrays)
    outputs = []
    for k, (node, shapes) in enumerate(zip(group.nodes, group.shapes)):
        inputs = [next(arrays) for _ in shapes]
        items = []
        for item, step in enumerate(calls.steps[at + k]):
            mine = inputs if functions.batch is None else [x[item] for x in inputs]
            values = step(calls.first + i, *(x.reshape(s) for x, s in zip(mine, shapes)))
            items.append([np.array(v, run_dtype(o.dtype, functions.dtype)) for v, o in zip(values, node.outputs)])
        outputs += items[0] if functions.batch is None else [np.stack(v) for v in zip(*items)]
    return outputs


def make_callback(group, number, at, calls, functions):
    """The function of a host group that TensorFlow calls: (i, *inputs) -> outputs."""

    def callback(i, *arrays):
        if calls.playback is not None:
            return calls.playback[number][int(i)]
        try:
            with np.errstate(invalid="raise", divide="ignore"):
                outputs = call_group(group, at, calls, functions, int(i), arrays)
        except BaseException as error:
            calls.error = error
            raise
        calls.returned[number].append(outputs)
        return outputs

    return callback


def host_sections(functions):
    """The groups before, between and after the host groups: ([device groups], HostGroup or None) pairs."""
    sections, present = [], []
    for group in functions.groups:
        if isinstance(group, HostGroup):
            sections.append((present, group))
            present = []
        else:
            present.append(group)
    sections.append((present, None))
    return sections


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
        ``run(n, ahead, carried) -> (carried, before, recorded)``: carried blocks after and before the last step, and for
        each recording a row for each step.
    """
    sections = _make_sections(functions, recordings, xla)

    def run(n, ahead, carried):
        arrays = tuple(
            tf.TensorArray(r.dtype, size=n, element_shape=_row_shape(r, functions.batch)) for r in recordings
        )
        carried = tuple(carried)
        arguments, live = sections.first(tf.constant(0), ahead, carried)

        def body(i, carried, before, arguments, live, arrays):
            before = carried
            for k, group in enumerate(sections.host):
                outputs = _call_host(group, k, sections.starts[k], calls, functions, i, arguments)
                if k + 1 < len(sections.host):
                    arguments, live = sections.middle[k](i, ahead, carried, outputs, live)
            carried, rows, arguments, live = sections.last(i, ahead, carried, outputs, live)
            arrays = tuple(a.write(i, row) for a, row in zip(arrays, rows))
            return i + 1, carried, before, arguments, live, arrays

        state = (tf.constant(0), carried, carried, arguments, live, arrays)
        state = tf.while_loop(lambda i, *_: i < n, body, state, parallel_iterations=1)
        return state[1], state[2], tuple(a.stack() for a in state[5])

    return tf.function(run, autograph=False)


def _row_shape(recording, batch):
    return (recording.width,) if batch is None else (batch, recording.width)


def _call_host(group, number, at, calls, functions, i, arguments):
    """The graph operation that calls a host group."""
    specs = [block_spec(b, functions) for b in group.blocks]
    callback = make_callback(group, number, at, calls, functions)
    outputs = tf.numpy_function(callback, [i, *arguments], [dtype for _, dtype in specs])
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return tuple(tf.ensure_shape(x, shape) for x, (shape, _) in zip(outputs, specs))


class Sections:
    """The compiled parts of a step between host calls.

    ``first(i, ahead, carried) -> (arguments, live)`` runs up to the first host call of step i; ``middle[k]`` and ``last``
    take the outputs of a host call and ``live``, the blocks that later sections read. ``last`` ends step i and starts the
    next.
    """

    def __init__(self, host, starts, first, middle, last):
        self.host, self.starts, self.first, self.middle, self.last = host, starts, first, middle, last


def _make_sections(functions, recordings, xla):
    sections = host_sections(functions)
    host = [group for _, group in sections if group is not None]
    base = frozenset(functions.layout.ahead) | {c.block for c in functions.layout.carried}
    live = _live_blocks(sections, recordings, functions, base)

    def compiled(function):
        return tf.function(function, autograph=False, jit_compile=xla)

    def run_groups(k, blocks):
        for group in sections[k][0]:
            blocks = compute_group(group, blocks, functions)
        return blocks

    def before_host(k, blocks):
        """What host group k is called with, and what is still read after it."""
        arguments = tuple(
            tf.broadcast_to(read(blocks), _argument_shape(size, functions.batch))
            for readers, shapes in zip(host[k].readers, host[k].shapes)
            for read, size in zip(readers, (math.prod(s) for s in shapes))
        )
        return arguments, tuple(blocks[b] for b in live[k])

    def first(i, ahead, carried):
        return before_host(0, run_groups(0, first_blocks([tf.gather(x, i) for x in ahead], carried, functions)))

    def after_host(k, i, ahead, carried, outputs, passed):
        blocks = first_blocks([tf.gather(x, i) for x in ahead], carried, functions)
        blocks.update(zip(live[k], passed))
        blocks.update(zip(host[k].blocks, outputs))
        return run_groups(k + 1, blocks)

    def make_middle(k):
        return compiled(lambda *args: before_host(k + 1, after_host(k, *args)))

    def last(i, ahead, carried, outputs, passed):
        blocks = after_host(len(host) - 1, i, ahead, carried, outputs, passed)
        after = next_carried(blocks, functions)
        rows = tuple(tf.broadcast_to(r.read(blocks), _row_shape(r, functions.batch)) for r in recordings)
        following = tf.minimum(i + 1, ahead[0].shape[0] - 1) if ahead else i
        return (after, rows, *first(following, ahead, after))

    starts = np.cumsum([0] + [len(group.nodes) for group in host])
    middle = [make_middle(k) for k in range(len(host) - 1)]
    return Sections(host, starts, compiled(first), middle, compiled(last))


def _argument_shape(size, batch):
    return (size,) if batch is None else (batch, size)


def _live_blocks(sections, recordings, functions, base):
    """For each host group, the blocks computed before its call that are read after it, in order."""
    end = functions.carried_reads.union(*(r.blocks for r in recordings))
    made, live = set(), []
    for k in range(len(sections) - 1):
        made |= {b for group in sections[k][0] for b in group.blocks}
        later = set(end)
        for groups, host in sections[k + 1 :]:
            later |= {b for group in groups for b in group.reads} | (host.reads if host is not None else set())
        live.append(tuple(sorted((made & later) - base)))
        made |= set(sections[k][1].blocks)
    return live
