"""Processes: what a Node puts out, or what is added to an Ensemble's input."""

import nengo
import numpy as np

from . import synapses


def process(draw, dt, size):
    """A process without input, of a size that it can take, with a seed of its own in some cases.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds.
    size : int
        Number of outputs.
    """
    kind = draw.pick(white_signal, white_noise, filtered_noise, brown_noise, present_input, present_input, piecewise)
    return kind(draw, dt, size)


def noise(draw, dt, size):
    """A process that serves as noise of an Ensemble."""
    return draw.pick(white_noise, filtered_noise, brown_noise, white_signal)(draw, dt, size)


def _seed(draw):
    return draw.seed() if draw.chance(0.5) else None


def _distribution(draw):
    return draw.pick(nengo.dists.Gaussian(0, 0.3), nengo.dists.Uniform(-0.5, 0.5), nengo.dists.Exponential(0.2))


def white_signal(draw, dt, size):
    period = dt * draw.integer(20, 90)
    high = draw.number(1.5 / period, 0.4 / dt)
    return nengo.processes.WhiteSignal(period, high, rms=draw.number(0.25, 0.75), seed=_seed(draw))


def white_noise(draw, dt, size):
    return nengo.processes.WhiteNoise(_distribution(draw), scale=draw.chance(0.3), seed=_seed(draw))


def filtered_noise(draw, dt, size):
    return nengo.processes.FilteredNoise(
        synapse=synapses.lowpass(draw, dt), dist=_distribution(draw), scale=draw.chance(0.3), seed=_seed(draw)
    )


def brown_noise(draw, dt, size):
    return nengo.processes.BrownNoise(seed=_seed(draw))


def present_input(draw, dt, size):
    values = draw.array((draw.integer(1, 4), size))
    return nengo.processes.PresentInput(values, dt * draw.pick(1, 3, 7, 7.5, 20))


def piecewise(draw, dt, size):
    times = np.cumsum([dt * draw.pick(1, 2.5, 6, 13) for _ in range(draw.integer(2, 5))])
    data = {float(t): draw.array(size) for t in times}
    return nengo.processes.Piecewise(data, interpolation=draw.pick("zero", "zero", "linear", "nearest"))
