"""Time several simulators on one model, turn by turn."""

import gc
import time
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, NamedTuple, Optional

import nengo
import numpy as np
from nengo.exceptions import SimulationError

FIRST_STEPS = 100
SINGLE_STEPS = 200

# Thread pools (BLAS, TensorFlow) may spin for tens of milliseconds after the last call. Without a
# pause they would slow down whichever simulator comes next.
PAUSE_S = 0.05


class Candidate(NamedTuple):
    """A simulator in one configuration."""

    name: str
    simulator: Callable[..., Any]  # called as nengo.Simulator is
    dtype: Optional[str] = None  # for nengo_backend_tf.configure_settings; None: the network is left as it is


class Measurement(NamedTuple):
    """What one candidate took on one model, in seconds, and how far its probe data are from the reference's."""

    name: str
    build_s: float
    first_run_s: float  # FIRST_STEPS steps, compilation included
    runs_s: tuple  # the steady runs
    single_s: float  # one call of sim.step(), the median of SINGLE_STEPS
    max_difference: Optional[float]  # None for the reference itself

    @property
    def steady_s(self):
        """Median time of a steady run (s)."""
        return float(np.median(self.runs_s))


class _Started(NamedTuple):
    name: str
    sim: Any
    probes: list
    build_s: float


def measure_model(make_network, candidates, steps=1000, repeats=5, pause_s=PAUSE_S):
    """Measure every candidate on a network of its own.

    All build, all do the first run, and then take turns, so that a machine that drifts meets all of them alike.
    While they are measured, nengo's decoder cache is off and its precision is 64 bits, whatever the user's
    `nengo.rc` says.

    Parameters
    ----------
    make_network : callable
        Returns a new network, with probes, in each call. State in its Nodes must not be shared between calls.
    candidates : sequence of Candidate
        The first one is the reference.
    steps : int, optional
        Timesteps of a steady run.
    repeats : int, optional
        Number of steady runs.
    pause_s : float, optional
        Rest before whatever is timed (s).

    Returns
    -------
    tuple of Measurement
        In the order of the candidates. The difference covers all runs and single steps.
    """
    with ExitStack() as stack:
        stack.enter_context(_fixed_rc())
        started = [_start(candidate, make_network, stack, pause_s) for candidate in candidates]
        first_s = [_run(s, FIRST_STEPS, pause_s) for s in started]
        rounds = [[_run(s, steps, pause_s) for s in started] for _ in range(repeats)]
        single_s = [_single_steps(s, pause_s) for s in started]
        reference = started[0]
        return tuple(
            Measurement(s.name, s.build_s, first, runs, single, None if s is reference else _max_difference(s, reference))
            for s, first, runs, single in zip(started, first_s, zip(*rounds), single_s)
        )


def warm_up():
    """Build and run a small network in nengo.Simulator.

    The first build of a process imports parts of SciPy. That is neither the reference's time nor anyone else's.
    """
    with nengo.Network(seed=0) as net:
        nengo.Connection(nengo.Node([1.0]), nengo.Ensemble(10, 1))
    with nengo.Simulator(net, progress_bar=False) as sim:
        sim.run_steps(1)


def _start(candidate, make_network, stack, pause_s):
    net = make_network()
    if candidate.dtype is not None:
        # Imported late, since it brings TensorFlow along, and nengo alone can be measured without it.
        from nengo_backend_tf import configure_settings

        with net:
            configure_settings(dtype=candidate.dtype)
    _settle(pause_s)
    begin = time.perf_counter()
    sim = candidate.simulator(net, progress_bar=False)
    build_s = time.perf_counter() - begin
    return _Started(candidate.name, stack.enter_context(sim), net.probes, build_s)


def _run(started, steps, pause_s):
    """Time of one run (s)."""
    _settle(pause_s)
    begin = time.perf_counter()
    started.sim.run_steps(steps)
    return time.perf_counter() - begin


def _single_steps(started, pause_s):
    """Median time of one call of ``step`` (s)."""
    _settle(pause_s)
    times = []
    for _ in range(SINGLE_STEPS):
        begin = time.perf_counter()
        started.sim.step()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def _settle(pause_s):
    """Leave the next simulator neither the garbage nor the busy threads of the last one."""
    gc.collect()
    time.sleep(pause_s)


def _max_difference(started, reference):
    """Largest absolute difference of all probe data."""
    return max(
        _difference(started, np.asarray(started.sim.data[probe]), np.asarray(reference.sim.data[expected]))
        for probe, expected in zip(started.probes, reference.probes)
    )


def _difference(started, data, expected):
    # Broadcasting would hide a wrong shape.
    if data.shape != expected.shape:
        raise SimulationError(
            f"{started.name}: the probe data must have the reference's shape. Got {data.shape}, expected "
            f"{expected.shape}. Compare simulators without a minibatch, which record every timestep."
        )
    return float(np.max(np.abs(data - expected)))


@contextmanager
def _fixed_rc():
    fixed = {("decoder_cache", "enabled"): "False", ("precision", "bits"): "64"}
    before = {key: str(nengo.rc.get(*key)) for key in fixed}
    _set_rc(fixed)
    try:
        yield
    finally:
        _set_rc(before)


def _set_rc(values):
    for (section, option), value in values.items():
        nengo.rc.set(section, option, value)
