"""An environment for closed loops: a Python object with a state, behind a Node."""

import numpy as np

GRAVITY_OVER_LENGTH = 9.8
START = (0.5, 0.0)


class Pendulum:
    """The function of a Node: an inverted pendulum, driven by a torque.

    The state is the angle from the upright position (rad) and its velocity (rad/s), moved by Euler's method. One
    instance belongs to one simulator: nengo does not reset the state of Python functions, so the pendulum goes back
    to its start by itself when it is called with a time that is not later than the last one.
    """

    def __init__(self):
        self._time = 0.0
        self._state = np.array(START)

    def __call__(self, t, torque):
        """Move on to time `t` (s).

        Parameters
        ----------
        t : float
        torque : ndarray
            Shape (1,).

        Returns
        -------
        ndarray
            Angle and velocity, shape (2,).
        """
        if t <= self._time:
            self._time, self._state = 0.0, np.array(START)
        angle, velocity = self._state
        acceleration = GRAVITY_OVER_LENGTH * np.sin(angle) + torque[0]
        self._state = self._state + (t - self._time) * np.array([velocity, acceleration])
        self._time = t
        return self._state
