"""What a process or an operator of the user's keeps in its step function goes over into a pickled simulator's copy."""

import collections
import functools
import pickle
import threading

import nengo
import numpy as np
import pytest
from nengo.builder import Builder, Operator, Signal

from nengo_backend_tf import Simulator
from nengo_backend_tf.closures import KeptOutsideWarning
from nengo_backend_tf.ops.python import HostFallbackWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{HostFallbackWarning.__module__}.HostFallbackWarning")
SIZE = 2


class Own(nengo.Process):
    """Base of the processes here: without state that is declared."""

    def __init__(self, size_in=SIZE):
        super().__init__(default_size_in=size_in, default_size_out=SIZE)

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {}


class Draws(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        return lambda t, x=0: x + rng.normal(size=shape_out)


class OwnGenerator(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        mine = np.random.default_rng(rng.randint(100))
        return lambda t, x=0: x + mine.normal(size=shape_out)


class CountsInACell(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        count = 0

        def step(t, x=0):
            nonlocal count
            count += 1
            return x + count

        return step


class KeepsADeque(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        line, seen = collections.deque([np.zeros(shape_out)] * 3), {"n": 0}

        def step(t, x=1):
            line.append(x + rng.rand())
            seen["n"] += 1
            return line.popleft() + seen["n"]

        return step


class KeepsViews(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        buffer = np.zeros(SIZE + 1)
        head, tail = buffer[:-1], buffer[1:]

        def step(t, x=1):
            head[...] = tail + x
            buffer[-1] += 1
            return head

        return step


class KeepsInItself(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        self.__dict__["count"] = 0
        self.__dict__.pop("sum", None)
        return self.advance

    def advance(self, t, x=0):
        self.__dict__["count"] += 1
        self.__dict__.setdefault("sum", np.zeros(SIZE))
        self.__dict__["sum"] = self.__dict__["sum"] + x
        return self.__dict__["sum"] + self.__dict__["count"]


class Stepper:
    """A step function that is an object."""

    def __init__(self, last, rng):
        self.last, self.rng, self.count = last, rng, 0

    def __call__(self, t, x=0):
        self.count += 1
        self.last[...] = self.last / 2 + x + self.count + self.rng.rand()
        return self.last


class GivesAnObject(Own):
    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"last": np.zeros(shape_out)}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        return Stepper(state["last"], rng)


def step_partial(kept, stepper, t, x=0):
    kept += 1
    return stepper(t, x) + kept


class GivesAPartial(GivesAnObject):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        return functools.partial(step_partial, np.zeros(SIZE), Stepper(state["last"], rng))


class JoinsSteps(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        parts = [part().make_step(shape_in, shape_out, dt, rng, {}) for part in (Draws, CountsInACell, KeepsADeque)]
        return lambda t, x=0: sum(part(t, x) for part in parts)


class CountingLowpass(nengo.Lowpass):
    """A synapse that wraps nengo's step, whose state is declared."""

    def make_step(self, shape_in, shape_out, dt, rng, state):
        step, count = super().make_step(shape_in, shape_out, dt, rng, state), [0]

        def counting(t, x):
            count[0] += 1
            return step(t, x) + count[0]

        return counting


class SimDraws(Operator):
    """An operator that draws from the simulator's own stream while it runs."""

    def __init__(self, output):
        super().__init__(tag="draws")
        self.sets, self.incs, self.reads, self.updates = [output], [], [], []

    def make_step(self, signals, dt, rng):
        output, seen = signals[self.sets[0]], []

        def step():
            seen.append(rng.rand())
            output[...] = np.sum(seen)

        return step


class Drawn(nengo.Process):
    """Builds a `SimDraws`."""


@Builder.register(Drawn)
def build_drawn(model, process, sig_in=None, sig_out=None, mode="set"):
    model.add_op(SimDraws(sig_out))


OWN = (
    Draws, OwnGenerator, CountsInACell, KeepsADeque, KeepsViews, KeepsInItself, GivesAnObject, GivesAPartial, JoinsSteps,
)


def source(t):
    return np.full(SIZE, 100 * t)


def with_input(process_type):
    node = nengo.Node(process_type())
    nengo.Connection(nengo.Node(source), node, synapse=None)
    return node


def without_input(process_type):
    return nengo.Node(process_type(size_in=0))


def synapse():
    node = nengo.Node(size_in=SIZE)
    nengo.Connection(nengo.Node(source), node, synapse=CountingLowpass(0.01))
    return node


def synapse_of_noise():
    return nengo.Node(nengo.processes.FilteredNoise(CountingLowpass(0.01)), size_out=SIZE)


def operator():
    return nengo.Node(Drawn(default_size_in=0), size_out=SIZE)


CASES = {
    f"{build.__name__} {own.__name__}": functools.partial(build, own) for build in (with_input, without_input) for own in OWN
}
CASES.update({build.__name__: build for build in (synapse, synapse_of_noise, operator)})


@pytest.mark.parametrize("minibatch_size", [None, 2])
@pytest.mark.parametrize("case", CASES)
def test_copy_goes_on(case, minibatch_size):
    if minibatch_size and "Itself" in case:
        minibatch_size = 1  # items that share what is kept in the process itself
    with nengo.Network(seed=0) as net:
        nengo.Probe(CASES[case]())
    with Simulator(net, progress_bar=False, minibatch_size=minibatch_size) as sim:
        sim.run_steps(7)
        with pickle.loads(pickle.dumps(sim)) as copy:
            (probe,), (same,) = net.probes, copy.model.probes
            for _ in range(2):
                copy.run_steps(4)
            np.testing.assert_array_equal(copy.data[same][..., :7, :], sim.data[probe])
            # What the process itself keeps is the copy's own.
            sim.run_steps(8)
            np.testing.assert_array_equal(copy.data[same], sim.data[probe])
            copy.reset()
            copy.run_steps(15)
            np.testing.assert_array_equal(copy.data[same], sim.data[probe])


class KeepsALock(Own):
    def make_step(self, shape_in, shape_out, dt, rng, state):
        lock, count = threading.Lock(), [0]

        def step(t, x):
            with lock:
                count[0] += 1
                return x + count[0]

        return step


def test_what_cannot_be_pickled_is_named():
    with nengo.Network(seed=0) as net:
        probe = nengo.Probe(with_input(KeepsALock))
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(3)
        with pytest.warns(KeptOutsideWarning, match="SimProcess.*KeepsALock.*lock holds a lock, which cannot be pickled"):
            stored = pickle.dumps(sim)
        sim.run_steps(3)
        with pickle.loads(stored) as copy:
            copy.run_steps(3)
            np.testing.assert_array_equal(copy.data[copy.model.probes[0]], sim.data[probe])


def test_signals_are_not_saved_twice():
    """Arrays of signals, and views of them, stay those of the copy."""
    from nengo_backend_tf.closures import saved_closure

    signal = Signal(np.zeros(3), name="x")
    array, other = signal.initial_value.copy(), np.ones(2)
    view = array[1:]

    def step():
        return array, view, other

    saved = saved_closure(step, [array], "step")
    assert list(saved) == [("other",)] and saved["other",] is other
