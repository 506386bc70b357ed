"""Where all random choices come from, so that one integer says everything about a network.

The source is a ``random.Random``: seeded with an integer for the command, or hypothesis's own, which shrinks what it found.
"""

import numpy as np


class Draw:
    """Random choices of all kinds.

    Parameters
    ----------
    rng : random.Random
    exact : bool
        Whether numbers are few-digit binary fractions, so that sums and products of a few are exact, and the same in any
        order: a voltage then comes to lie exactly on a threshold, and any simulator must agree on which side that is.
    """

    def __init__(self, rng, exact=False):
        self.rng, self.exact = rng, exact

    def chance(self, probability):
        """True with a probability."""
        return self.rng.random() < probability

    def pick(self, *options):
        """One of the arguments."""
        return options[self.rng.randrange(len(options))]

    def integer(self, low, high):
        """An integer from ``low`` to ``high``, both included."""
        return self.rng.randrange(low, high + 1)

    def number(self, low, high):
        """A float, in an eighth of the cases one of the ends, and in an eighth the middle."""
        kind = self.rng.randrange(8)
        if kind < 2:
            return float((low, 0.5 * (low + high))[kind])
        value = low + (high - low) * self.rng.random()
        if self.exact and high - low >= 0.5:
            value = min(max(round(value * 8) / 8, low), high)
        return float(value)

    def seed(self):
        """A seed for NumPy."""
        return self.rng.randrange(2**31 - 1)

    def array(self, shape, low=-1.0, high=1.0):
        """An ndarray of floats; in eighths where numbers have to be exact."""
        values = np.random.RandomState(self.seed()).uniform(low, high, shape)
        return np.round(values * 8) / 8 if self.exact else values

    def size(self, high, low=1):
        """An integer that is more often small."""
        return min(self.integer(low, high), self.integer(low, high))
