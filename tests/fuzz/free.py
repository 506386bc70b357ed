"""Fifty steps at a stretch."""

from typing import Any, NamedTuple

import numpy as np
from nengo.exceptions import SimulationError

from .compare import compare_array, ran_away
from .magnitudes import magnitudes
from .reference import base_signals, compiled, probe_data, quiet, reference

STEPS = 50
PRECISION = 1e-9


class ReferenceRun(NamedTuple):
    """What nengo.Simulator did.

    Attributes
    ----------
    sim : nengo.Simulator
        After the last step.
    steps : int
        Number of steps: fewer where the network runs away.
    before : dict
        Base signal -> value before the last step.
    """

    sim: Any
    steps: int
    before: dict


def reference_run(drawn, steps=STEPS):
    """Run nengo.Simulator, but not for the steps in which a network runs away, if it does.

    Parameters
    ----------
    drawn : Drawn
    steps : int

    Returns
    -------
    ReferenceRun
    """
    ref = reference(drawn)
    signals, before = base_signals(ref.model), {}
    for step in range(steps):
        before = {s: ref.signals[s].copy() for s in signals}
        try:
            ref.step()
        except (ArithmeticError, ValueError, SimulationError):
            break
        if ran_away(ref.signals[s] for s in signals):
            break
    else:
        return ReferenceRun(ref, steps, before)
    ref.close()
    return reference_run(drawn, step)


def free(drawn):
    """Compare all probe data, and all signals after the last step.

    Parameters
    ----------
    drawn : Drawn

    Returns
    -------
    list of Difference
    """
    settings = (dict(), dict(host_loop="tensorflow"))[drawn.choices % 2]
    check = f"free {settings}"
    with quiet():
        run = reference_run(drawn)
        with run.sim as ref, compiled(drawn, settings) as sim:
            if run.steps == 0:
                return []
            sim.run_steps(run.steps)
            found = compare_probes(check, sim, probe_data(sim), probe_data(ref))
            sizes = magnitudes(ref, run.before)
            for r, s in zip(base_signals(ref.model), base_signals(sim.model)):
                tolerance = PRECISION * np.maximum(sizes[r], 1e-3 * sizes[r].max(initial=0))
                found += compare_array(f"{check}, after {run.steps} steps", r.name, sim.signals[s], ref.signals[r], tolerance)
    return found


def compare_probes(check, sim, actual, expected, precision=PRECISION):
    """The differences of all probes' data.

    Parameters
    ----------
    check : str
        For the messages.
    sim : Simulator
        Names the probes.
    actual, expected : list of ndarray
        Data of the probes, in order.
    precision : float
        Relative to the largest value of a probe.
    """
    found = []
    for probe, a, e in zip(sim.model.probes, actual, expected):
        if len(a) == len(e) == 0:
            continue  # nengo forgets the shape of what was never sampled
        scale = np.abs(e).max(initial=0.0)
        found += compare_array(check, f"{probe.attr} of {probe.target}", a, e, precision * max(scale, 1e-3))
    return found
