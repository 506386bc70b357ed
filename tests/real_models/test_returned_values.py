"""What functions and processes return, and keep: one array changed in place, scalars of any type, Python numbers."""

import nengo
import numpy as np
import pytest
from comparing import compare

pytestmark = pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")


def in_place():
    """The same array is returned each time, changed; with and without an input, a part of it, and a view of it."""
    def step(size):
        array = np.zeros(size)

        def changed(t, x=1.0):
            array[...] = 0.5 * array + x
            return array

        return changed

    first, part, view = step(2), step(3), step(4)
    return [first, lambda t, x=1.0: part(t, x[0] if np.ndim(x) else x)[:2], lambda t, x=1.0: view(t, np.sum(x))[::-2]]


def through_its_input():
    """The input is what is returned, and kept."""
    kept = []

    def summed(t, x=(1.0, 2.0)):
        kept.append(x)
        return np.sum(kept, axis=0)

    def passed(t, x=(1.0, 2.0)):
        return x

    return [summed, passed]


def scalars():
    """Of every type that Nengo takes for a number."""
    return [
        lambda t, x=2.0: 3, lambda t, x=2.0: np.max(x) > 0.5, lambda t, x=2.0: float(np.max(x)),
        lambda t, x=2.0: np.float32(2.5), lambda t, x=2.0: np.int8(-3), lambda t, x=2.0: np.sum(x), lambda t, x=2.0: True,
        lambda t, x=2.0: np.array(1.5), lambda t, x=2.0: np.array([4]), lambda t, x=2.0: [5], lambda t, x=2.0: (6.0,),
    ]


def vectors():
    return [
        lambda t, x=2.0: [1, True], lambda t, x=2.0: (np.max(x), 2), lambda t, x=2.0: np.array([1, 2], dtype=np.int32),
        lambda t, x=2.0: np.array([True, False]), lambda t, x=2.0: range(2), lambda t, x=2.0: np.float32([0.1, 0.2]),
        lambda t, x=2.0: np.arange(6.0).reshape(3, 2).T[:, 2], lambda t, x=2.0: 7,
    ]


class Wrapped(nengo.Process):
    """A function as a process."""

    def __init__(self, function, size_in, size_out):
        self.function = function
        super().__init__(default_size_in=size_in, default_size_out=size_out)

    def make_step(self, shape_in, shape_out, dt, rng, state):
        return lambda t, *x: self.function(t, *x)


def as_node(function, size_in, size_out):
    return nengo.Node(function, size_in=size_in, size_out=size_out)


def as_process(function, size_in, size_out):
    return nengo.Node(Wrapped(function, size_in, size_out))


SIZES_OUT = {in_place: 2, through_its_input: 2, scalars: 1, vectors: 2}


def network(functions, wrap, size_in):
    with nengo.Network(seed=0) as net:
        source = nengo.Node(lambda t: [np.cos(700 * t), 2.0])
        for function in functions():
            node = wrap(function, size_in, SIZES_OUT[functions])
            if size_in:
                nengo.Connection(source, node, synapse=None)
            nengo.Probe(node)
            nengo.Probe(node, synapse=0)  # shows what came a step ago
    return net


@pytest.mark.parametrize("size_in", [0, 2])
@pytest.mark.parametrize("wrap", [as_node, as_process])
@pytest.mark.parametrize("functions", SIZES_OUT)
def test_like_reference(functions, wrap, size_in):
    data = compare(lambda: network(functions, wrap, size_in), 5, 3, tolerance=0)
    for now, before in zip(data[::2], data[1::2]):
        np.testing.assert_array_equal(before[1:], now[:-1])
    if functions is in_place:
        assert all(len(np.unique(x, axis=0)) > 5 for x in data), "each step has a value of its own"


class PythonState(nengo.Process):
    """State of Python ints, bools and floats beside arrays, of which some are assigned anew."""

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"value": 0, "on": False, "level": 0.25, "last": np.zeros(2), "table": np.zeros((2, 3))}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        def step(t, x=np.array([0.5, 2.0]), state=state):
            out = [np.sum(state["value"]) + 100.0 * np.sum(state["on"]), np.sum(state["last"]) + float(state["level"])]
            state["table"][0] += np.sum(x)
            state["value"] = int(state["value"]) + 1
            state["on"] = not state["on"]
            state["level"] += state["table"].sum()
            state["last"][:] = x
            return out

        return step


class StateOfClosures(nengo.Process):
    """No state that Nengo knows of."""

    def make_step(self, shape_in, shape_out, dt, rng, state):
        count, on, seen = 0, False, {}

        def step(t, x=np.zeros(2)):
            nonlocal count, on
            count, on = count + 1, not on
            seen[count % 3] = np.sum(x)
            return [count, on + sum(seen.values())]

        return step


@pytest.mark.parametrize("size_in", [0, 2])
@pytest.mark.parametrize("process", [PythonState, StateOfClosures])
def test_state_of_python_objects(process, size_in):
    def make():
        with nengo.Network(seed=0) as net:
            node = nengo.Node(process(default_size_in=size_in, default_size_out=2))
            if size_in:
                nengo.Connection(nengo.Node(lambda t: [round(1000 * t), 1.0]), node, synapse=None)
            nengo.Probe(node)
        return net

    (data,) = compare(make, 3, 4, tolerance=1e-15)
    assert len(np.unique(data[:, 0])) > 5
