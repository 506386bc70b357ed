"""What a program records: columns of one array for all that is sampled with one period."""

from typing import Any, NamedTuple

import numpy as np

from ..memory.access import reader
from .step import blocks_of, run_dtype


class Request(NamedTuple):
    """Something to record.

    Attributes
    ----------
    key : hashable
        Whose recording it is (a Probe).
    signal : Signal or None
        What is recorded, after the updates of a step; None for inputs of a deferred function.
    dtype : numpy.dtype
        The signal's dtype.
    period : float
        Timesteps from one sample to the next, as nengo counts them: a step is sampled if ``n_steps % period < 1``.
    """

    key: Any
    signal: Any
    dtype: Any
    period: float = 1


class Recording(NamedTuple):
    """Signals that are recorded together.

    Attributes
    ----------
    requests : tuple of Request
    columns : tuple of slice
        Where each signal lies.
    period : float
    read : callable
        ``blocks -> (..., width)`` tensor.
    width : int
    dtype : numpy.dtype
    blocks : frozenset of int
        Blocks that it reads.
    affines : tuple of Affine
        What each signal is.
    """

    requests: tuple
    columns: tuple
    period: float
    read: Any
    width: int
    dtype: Any
    blocks: frozenset
    affines: tuple


def make_recordings(requests, layout, dtype):
    """Group what is to be recorded by period and dtype.

    Parameters
    ----------
    requests : sequence of (Request, Affine)
        With the value after the step of each signal.
    layout : Layout
    dtype : numpy.dtype
        Dtype of floats.

    Returns
    -------
    tuple of Recording
    """
    groups = {}
    for request, affine in requests:
        groups.setdefault((request.period, run_dtype(request.dtype, dtype)), []).append((request, affine))
    recordings = []
    for (period, held), members in groups.items():
        affines = [a for _, a in members]
        ends = np.cumsum([0] + [a.size for a in affines])
        columns = tuple(slice(int(a), int(b)) for a, b in zip(ends, ends[1:]))
        width = int(ends[-1])
        read = reader(affines, "flat", (width,), layout, held)
        recordings.append(Recording(tuple(r for r, _ in members), columns, period, read, width, held, blocks_of(affines, layout), tuple(affines)))
    return tuple(recordings)


def sampled(first, n, period):
    """Whether each of the steps ``first .. first + n - 1`` (counted from 1) is sampled: (n,) ndarray of bool."""
    return np.arange(first, first + n) % period < 1


def sample_rows(first, n, capacity, period):
    """Row into which each step of a chunk writes: (capacity,) int32. Steps that are not sampled are overwritten.

    Each step writes at the row of the next sample, so that nothing has to be decided on the device; the rows of the
    samples are the first ones, and what comes behind them is of no meaning.
    """
    hits = sampled(first, n, period)
    rows = np.zeros(capacity, np.int32)
    rows[:n] = np.r_[0, np.cumsum(hits)[:-1]]
    return rows


def split_columns(recordings, samples):
    """(Request, (S, ..., width) ndarray) of each request, from the samples of each recording."""
    return [
        (request, array[..., columns])
        for recording, array in zip(recordings, samples)
        for request, columns in zip(recording.requests, recording.columns)
    ]
