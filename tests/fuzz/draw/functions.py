"""Python functions of Nodes and Connections. All can be pickled, and all state is in objects that can."""

import numpy as np


def square(x):
    return x * x


def sine(x):
    return np.sin(3.0 * x)


def product(x):
    return np.prod(x)


def first_and_constant(x):
    return [x[0], 0.5]


def step_function(x):
    return (np.asarray(x) > 0.25).astype(float)


#: Function -> its number of outputs for so many inputs.
OF_VALUES = {
    square: lambda n: n, sine: lambda n: n, product: lambda n: 1, first_and_constant: lambda n: 2,
    step_function: lambda n: n,
}


class Wave:
    """A sine in each dimension."""

    def __init__(self, frequencies, amplitude):
        self.frequencies, self.amplitude = np.asarray(frequencies), amplitude

    def __call__(self, t):
        return self.amplitude * np.sin(2 * np.pi * self.frequencies * t)


class Ramp:
    """The time itself, which must be a float; a new value only every ``hold`` seconds."""

    def __init__(self, size, hold):
        self.size, self.hold = size, hold

    def __call__(self, t):
        assert type(t) is float
        return [np.floor(t / self.hold) * self.hold * (d + 1) for d in range(self.size)]


class Counter:
    """Says how often it was called."""

    def __init__(self, size, step):
        self.size, self.step, self.calls = size, step, 0

    def __call__(self, t):
        self.calls += 1
        return np.full(self.size, self.calls % 17 * self.step)


class Dice:
    """Draws from a random stream of its own."""

    def __init__(self, size, seed):
        self.size, self.rng = size, np.random.RandomState(seed)

    def __call__(self, t):
        return self.rng.uniform(-1, 1, self.size)


class Plant:
    """A system that its input moves: what comes out depends on all that went in."""

    def __init__(self, matrix, leak):
        self.matrix, self.leak, self.state = matrix, leak, np.zeros(len(matrix))

    def __call__(self, t, x):
        self.state = self.leak * self.state + 0.1 * np.tanh(self.matrix.dot(x))
        return self.state


class Scaled:
    """A function of the input and the time, without state."""

    def __init__(self, gain):
        self.gain = gain

    def __call__(self, t, x):
        x *= self.gain + t
        return x


class World:
    """Shared by two Nodes: one reads what the other has written."""

    def __init__(self, size):
        self.x = np.zeros(size)

    def read(self, t):
        return self.x

    def write(self, t, x):
        self.x = 0.5 * x + t
