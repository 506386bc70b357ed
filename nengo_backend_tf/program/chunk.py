"""Run the steps of one chunk: ahead, the loop, and after."""

from typing import Any, NamedTuple

import numpy as np
import tensorflow as tf

from .after import call_after, late_recordings
from .ahead import AheadError, evaluate_ahead, left_over
from .recording import sample_rows, sampled, split_columns
from .step import HostGroup


class Chunk(NamedTuple):
    """Steps that were run, and all that it takes to look into the last of them.

    Attributes
    ----------
    program : Program
    n : int
        Number of steps.
    first : int
        Number of the first step, counted from 1.
    ahead : tuple of ndarray
        What was evaluated ahead.
    before : tuple of tensor
        Carried blocks before the first step.
    host : list of list of list of ndarray or None
        For each host group, the packed outputs of each step.
    after : dict
        Value -> (n, ..., size) ndarray of what deferred functions returned.
    """

    program: Any
    n: int
    first: int
    ahead: tuple
    before: tuple
    host: Any
    after: dict


class Result(NamedTuple):
    """What came of a chunk.

    Attributes
    ----------
    chunk : Chunk or None
        None where no step was completed.
    carried : tuple of tensor
        Carried blocks after the steps.
    recorded : list of (Request, ndarray (samples, ..., width))
    error : BaseException or None
        What a function of the user's raised in the step after the last one.
    unused : dict
        What was evaluated ahead for steps that were not run, as `left_over` has it.
    """

    chunk: Any
    carried: tuple
    recorded: list
    error: Any
    unused: dict = {}


def run_chunk(program, host_steps, carried, first, n, fed, known=None):
    """Run up to ``n`` steps.

    Parameters
    ----------
    program : Program
    host_steps : dict
        Node operator -> list of its steps, one an item of the minibatch.
    carried : tuple of tensor
    first : int
        Number of the first step, counted from 1.
    n : int
        Number of steps, at most ``program.capacity``.
    fed : dict
        Base signal -> (n, ..., size) ndarray that is fed.
    known : dict, optional
        What the last chunk left unused.

    Returns
    -------
    Result
    """
    try:
        ahead, error = evaluate_ahead(program, host_steps, first, n, fed, known), None
    except AheadError as failure:
        n, ahead, error = failure.steps, failure.arrays, failure.error
    if n == 0:
        return Result(None, carried, [], error, known or {})
    done, run_error, playback, loop = _run_loop(program, host_steps, carried, first, n, ahead)
    error = error if run_error is None else run_error
    given = {}
    if done and program.flat.after:
        inputs = {r.key: x for r, x in split_columns(program.recordings, loop.samples(done)) if r.signal is None}
        complete, given, after_error = call_after(program, host_steps, first, done, inputs)
        if after_error is not None:
            error = after_error
            if complete:
                loop = _again(program, carried, first, complete, ahead, playback)
            done = complete
    unused = left_over(program, ahead, known, done, n, fed) if error is not None or known else {}
    if done == 0:
        return Result(None, carried, [], error, unused)
    recorded = [(r, x) for r, x in split_columns(program.recordings, loop.samples(done)) if r.signal is not None]
    recorded += late_recordings(program, first, done, given)
    chunk = Chunk(program, done, first, ahead, carried, loop.returned, given)
    return Result(chunk, loop.carried, recorded, error, unused)


class _Loop(NamedTuple):
    """What a call of the program gave."""

    program: Any
    first: int
    carried: tuple
    recorded: tuple
    returned: Any

    def samples(self, n):
        """The sampled rows of each recording."""
        every_row = self.returned is not None
        return [_samples(np.asarray(x), self.first, n, r.period, every_row) for r, x in zip(self.program.recordings, self.recorded)]


def _samples(rows, first, n, period, every_row):
    """The samples of ``n`` steps, among the rows of every step or with nothing in between."""
    if period <= 1:
        return _head(rows, n)
    hits = sampled(first, n, period)
    return rows[:n][hits] if every_row else _head(rows, int(hits.sum()))


def _head(array, n):
    """The first rows; a copy where a view would keep much more memory than it shows."""
    return array[:n] if 2 * n >= len(array) else array[:n].copy()


def rows(program, first, n):
    """Where the recordings that do not sample every step write: tuple of (capacity,) int32 tensors."""
    return tuple(
        tf.constant(sample_rows(first, n, program.capacity, r.period)) for r in program.recordings if r.period > 1
    )


def _run_loop(program, host_steps, carried, first, n, ahead):
    """Steps done, the error that ended them, what the host returned, and the _Loop."""
    if program.calls is None:
        return n, None, None, _again(program, carried, first, n, ahead, None)
    calls = program.calls
    calls.steps = [host_steps[node.op] for node in program.on_host]
    calls.start(first, host_groups(program))
    try:
        after, recorded = _call(program, n, ahead, carried)
    except BaseException:
        if calls.error is None:
            raise
        # The steps before the one that failed are run once more, with what the host returned in them.
        error, playback = calls.error, calls.returned
        done = min((len(r) for r in playback), default=program.calls.done)
        loop = _again(program, carried, first, done, ahead, playback) if done else None
        return done, error, playback, loop
    return n, None, calls.returned, _Loop(program, first, after, recorded, calls.returned)


def _again(program, carried, first, n, ahead, playback):
    """Run steps without calling the host: with ``playback``, what it returned, where the program has host calls."""
    if program.calls is None:
        after, recorded = program.run(tf.constant(n), rows(program, first, n), _tensors(ahead), carried)
    else:
        program.calls.start(first, host_groups(program), playback)
        after, recorded = _call(program, n, ahead, carried)
    return _Loop(program, first, after, recorded, playback)


def run_again(chunk, n):
    """Carried blocks after the first ``n`` steps of a chunk that was run."""
    return chunk.before if n == 0 else _again(chunk.program, chunk.before, chunk.first, n, chunk.ahead, chunk.host).carried


def _call(program, n, ahead, carried):
    """Call a loop with host calls: on tensors, or on arrays."""
    return program.run(n, ahead, carried) if program.on_arrays else program.run(tf.constant(n), _tensors(ahead), carried)


def _tensors(arrays):
    return tuple(tf.constant(a) for a in arrays)


def host_groups(program):
    return sum(isinstance(group, HostGroup) for group in program.functions.groups)
