"""Synapses of every kind."""

import nengo
import numpy as np


def synapse(draw, dt, optional=True):
    """A synapse, a number, or None where it is optional.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds, which all time constants have to do with.
    optional : bool
        Whether it may be None.
    """
    kinds = [lowpass, lowpass, short, alpha, linear, linear, digital, triangle]
    if optional and draw.chance(0.3):
        return draw.pick(None, None, 0)
    return draw.pick(*kinds)(draw, dt)


def lowpass(draw, dt):
    return draw.pick(nengo.Lowpass, float)(draw.number(2 * dt, 30 * dt))


def short(draw, dt):
    """Time constants below, at and near the timestep."""
    return nengo.Lowpass(dt * draw.pick(0.0, 0.01, 0.03, 0.05, 0.4, 1.0))


def alpha(draw, dt):
    return nengo.Alpha(draw.number(1.5 * dt, 20 * dt))


def triangle(draw, dt):
    return nengo.Triangle(dt * draw.pick(0.5, 1.0, 2.5, 7.0, 10.0))


def linear(draw, dt):
    """Analog filters of order 0 to 4, stable, with a passthrough in some."""
    order = draw.integer(0, 4)
    if order == 0:
        return nengo.LinearFilter([draw.number(-1, 1)], [1.0])
    poles = [-1 / (dt * draw.number(3, 30)) for _ in range(order)]
    den = np.poly(poles)
    num = np.array([den[-1] * draw.number(0.25, 1.0)])
    if draw.chance(0.4):
        zeros = [-1 / (dt * draw.number(2, 40)) for _ in range(draw.integer(1, order))]
        num = np.poly(zeros) * den[-1] / np.poly(zeros)[-1] * draw.number(0.25, 1.0)
    return nengo.LinearFilter(num, den, method=draw.pick("zoh", "zoh", "bilinear", "backward_diff"))


def digital(draw, dt):
    """Digital filters: pure delays, and stable ones of order 1 to 3."""
    order = draw.integer(1, 4)
    if draw.chance(0.4):
        return nengo.LinearFilter([1.0], [1.0] + [0.0] * order, analog=False)
    den = np.poly([draw.number(-0.9, 0.9) for _ in range(order)])
    num = draw.array(draw.integer(1, order + 1))
    num[0] = 0.5
    return nengo.LinearFilter(num, den, analog=False)
