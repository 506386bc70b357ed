"""Arrays that should be equal, and what is said where they are not."""

from typing import NamedTuple

import numpy as np

#: Beyond this, a network has run away: a spike more or less is a rounding error of its currents.
RUNAWAY = 1e7


class Difference(NamedTuple):
    """Something that came out otherwise than it should.

    Attributes
    ----------
    check : str
        What was compared with what.
    what : str
        The signal or probe, how much it is off, and in which step.
    """

    check: str
    what: str

    def __str__(self):
        return f"{self.check}: {self.what}"


def compare_array(check, name, actual, expected, tolerance):
    """The Difference of two arrays, in a list, or an empty one.

    Parameters
    ----------
    check, name : str
        For the message.
    actual, expected : ndarray
    tolerance : float or ndarray
        Largest difference of elements; 0 for equal.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return [Difference(check, f"{name} has shape {actual.shape} instead of {expected.shape}")]
    if actual.dtype != expected.dtype:
        return [Difference(check, f"{name} has dtype {actual.dtype} instead of {expected.dtype}")]
    if actual.dtype.kind != "f":
        wrong = actual != expected
    else:
        with np.errstate(invalid="ignore", over="ignore"):
            wrong = ~((np.abs(actual - expected) <= tolerance) | (actual == expected) | (np.isnan(actual) & np.isnan(expected)))
    if not wrong.any():
        return []
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    limit = np.broadcast_to(tolerance, wrong.shape)[first]
    return [Difference(check, f"{name}: {actual[first]!r} instead of {expected[first]!r} (tolerance {limit:.3g}) at {first}, and "
                              f"{int(wrong.sum()) - 1} more")]


def ran_away(values):
    """Whether any of the arrays has a number that says nothing any more."""
    return any(x.dtype.kind == "f" and not (np.abs(x) < RUNAWAY).all() for x in values)
