"""Run operators alone, without a network: with nengo's own step functions, and compiled.

A `Case` adds operators to a bare model. Whatever they read and nothing writes is driven: a process sets it anew in every
step, unless it is read-only, so that constants stay constants. All signals that anything writes are recorded.
"""

import warnings
from contextlib import contextmanager
from typing import Any, Callable, NamedTuple

import nengo
import numpy as np
import pytest
from nengo.builder import Model
from nengo.builder.processes import SimProcess

from nengo_backend_tf.engine import Engine
from nengo_backend_tf.inspection import signal_value
from nengo_backend_tf.ops import HostFallbackWarning
from nengo_backend_tf.program.compile import Options
from nengo_backend_tf.program.recording import Request

STEPS = 20
DT = 0.001


class Case(NamedTuple):
    """Operators to test.

    Attributes
    ----------
    name : str
    make : callable
        ``make(model, rng)`` adds the operators of one member to a bare model. It is called once for each member, with a
        random stream of its own, so that members differ in values; in parameters or shapes too where it draws those.
        Signals that are read and never written are driven: their elements are their initial values times random factors
        in each step. They stay as they are where they are made with ``readonly=True``.
    members : int
        How many members are simulated together.
    groups : int or None
        Into how many groups the kernels of all members must be merged; None where that is not tested.
    on_host : bool
        Whether the operators run on the host within the steps.
    warns : bool
        Whether the user is warned that the operators have no native rule.
    own_stream : bool
        Whether the operators draw from a random stream that is part of the model: then only the first item of a minibatch
        computes what nengo does.
    rtol : float
        Greatest error, relative to the greatest magnitude of a signal.
    needs : str or None
        A module that has to be installed; the case is skipped elsewhere.
    """

    name: str
    make: Callable
    members: int = 3
    groups: Any = None
    on_host: bool = False
    warns: bool = False
    own_stream: bool = False
    rtol: float = 1e-12
    needs: Any = None


class Drive(nengo.Process):
    """Puts out given values, one a step."""

    def __init__(self, values):
        super().__init__(default_size_in=0)
        self.values = values

    def make_step(self, shape_in, shape_out, dt, rng, state):
        return lambda t: self.values[round(t / dt) - 1]


class Built(NamedTuple):
    """A bare model: ``recorded`` base signals, and ``driven``, a list of (signal, (STEPS, *shape) ndarray)."""

    model: Any
    recorded: list
    driven: list


def build(case, members, item=0):
    """Build members of a case.

    Parameters
    ----------
    case : Case
    members : sequence of int
        Which members.
    item : int
        The driven values depend on it.

    Returns
    -------
    Built
    """
    if case.needs is not None:
        pytest.importorskip(case.needs)
    model = Model(dt=DT)
    recorded, driven = [], []
    for member in members:
        start = len(model.operators)
        case.make(model, np.random.RandomState([11, member]))
        ops = model.operators[start:]
        rng = np.random.RandomState([13, member, item])
        written = dict.fromkeys(s.base for op in ops for s in (*op.sets, *op.incs, *op.updates))
        read = dict.fromkeys(s.base for op in ops for s in op.reads if not (s.readonly or s.sparse))
        for signal in read:
            if signal not in written and signal not in (model.step, model.time):
                driven.append((signal, drive_values(signal, rng)))
                model.add_op(SimProcess(Drive(driven[-1][1]), None, signal, model.time))
        recorded += written
    return Built(model, recorded, driven)


def drive_values(signal, rng):
    """Initial values times random factors of up to 1.5, of either sign."""
    shape = (STEPS, *signal.shape)
    if signal.dtype.kind == "b":
        return rng.rand(*shape) < 0.5
    factors = rng.uniform(-1.5, 1.5, shape)
    return (np.round if signal.dtype.kind in "iu" else np.asarray)(signal.initial_value * factors).astype(signal.dtype)


def run_nengo(built):
    """What nengo.Simulator computes: for each recorded signal a (STEPS, *shape) ndarray."""
    rows = []
    with nengo.Simulator(None, dt=DT, model=built.model, seed=3, optimize=False, progress_bar=False) as sim:
        for _ in range(STEPS):
            sim.step()
            rows.append([np.array(sim.signals[s]) for s in built.recorded])
    return [np.stack(column) for column in zip(*rows)]


class Result(NamedTuple):
    """What the compiled program computes.

    Attributes
    ----------
    recorded : list of ndarray
        For each recorded signal (STEPS, ..., *shape).
    final : list of ndarray
        Their values after the last step, as ``Simulator.signals`` shows them.
    program : Program
    """

    recorded: list
    final: list
    program: Any


def run_compiled(built, batch=None, xla=True, dtype=np.float64, data=None, steps=STEPS, on_arrays=False):
    """Run a bare model with the backend's engine.

    Parameters
    ----------
    built : Built
    batch : int, optional
        Size of the minibatch.
    xla : bool
        Whether XLA compiles.
    dtype : numpy.dtype
        Of floats.
    data : dict, optional
        Driven signal -> (STEPS, batch, *shape) ndarray that takes the place of what drives it.
    steps : int
        Number of steps.
    on_arrays : bool
        Whether NumPy may take TensorFlow's place, as it does for a few steps of small models.

    Returns
    -------
    Result
    """
    requests = tuple(Request(i, s, s.dtype) for i, s in enumerate(built.recorded))
    options = Options(np.dtype(dtype), batch, 1, xla, "auto" if on_arrays else "tensorflow")
    engine = Engine(built.model, requests, options)
    engine.reset(3)
    samples = [[] for _ in requests]

    def sink(n, recorded):
        for request, rows in recorded:
            samples[request.key].append(rows)

    fed = {s: x.reshape(*x.shape[: x.ndim - s.ndim], -1) for s, x in (data or {}).items()}
    engine.run(steps, fed, sink)
    arrays = [np.concatenate(x) for x in samples]
    recorded = [x.reshape(*x.shape[:-1], *s.shape) for x, s in zip(arrays, built.recorded)]
    final = [signal_value(engine, s) for s in built.recorded]
    return Result(recorded, final, engine.program)


def assert_close(actual, expected, rtol, names):
    """Equal up to ``rtol`` of each signal's greatest magnitude; exactly where the dtype is not a float."""
    for a, e, name in zip(actual, expected, names):
        assert a.dtype == e.dtype, name
        assert a.shape == e.shape, name
        if e.dtype.kind != "f":
            np.testing.assert_array_equal(a, e, err_msg=name)
        else:
            scale = np.abs(e[np.isfinite(e)]).max(initial=0)
            np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * max(scale, 1e-3), err_msg=name)


@contextmanager
def fallback(case):
    """A context that a `HostFallbackWarning` must, or must not, come out of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert any(issubclass(w.category, HostFallbackWarning) for w in caught) == case.warns


def names_of(built):
    """The names of the recorded signals."""
    return [s.name for s in built.recorded]
