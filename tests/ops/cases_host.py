"""Rows for what runs on the host: SimPyFunc, processes, and operators that have no rule."""

from functools import partial

import nengo
import numpy as np
from harness import Case
from nengo.builder import Signal
from nengo.builder.operator import Copy, Operator, SimPyFunc


class Negate(Operator):
    """y[...] = -x, with a count of the steps that is updated."""

    def __init__(self, x, y, count):
        super().__init__()
        self.sets, self.incs, self.reads, self.updates = [y], [], [x], [count]

    def make_step(self, signals, dt, rng):
        x, y, count = (signals[s] for s in (self.reads[0], self.sets[0], self.updates[0]))

        def step():
            y[...] = -x
            count[...] += 1

        return step


class Follow(nengo.Process):
    """A process with input and state."""

    def make_state(self, shape_in, shape_out, dt, dtype=None):
        return {"last": np.zeros(shape_in)}

    def make_step(self, shape_in, shape_out, dt, rng, state):
        last = state["last"]

        def step(t, x):
            last[...] += 0.3 * (x - last)
            return last + t

        return step


def make_function(model, rng, takes_t=True, takes_x=True, output=True, negative_view=False):
    """A function, and a product of what it puts out: a step that has parts before and after it."""
    x, y = Signal(rng.uniform(-1, 1, 4)), Signal(rng.uniform(-1, 1, 3))
    before = Signal(np.zeros(4))
    model.add_op(Copy(x[::-1], before))
    scale = rng.uniform(0, 1)

    def function(*args):
        return sum(scale * np.sum(a) for a in args) * np.arange(3)

    if not output:
        function = np.sum if takes_x else lambda *args: None
    model.add_op(SimPyFunc(
        y[::-1] if output and negative_view else y if output else None, function, model.time if takes_t else None,
        before if takes_x else None,
    ))
    if output:
        model.add_op(Copy(y, Signal(np.zeros(3))))


def make_process(model, rng, process, shape=(3,), mode="set", takes_x=False):
    x = Signal(rng.uniform(-1, 1, shape)) if takes_x else None
    model.build(process, x, Signal(rng.uniform(-1, 1, shape)), mode=mode)


def make_negate(model, rng):
    model.add_op(Negate(Signal(rng.uniform(-1, 1, (2, 3))), Signal(np.zeros((2, 3))), Signal(np.array(0))))


def make_clock(model, rng):
    """Who reads the clock reads this step's time."""
    model.add_op(Copy(model.time, Signal(rng.uniform(-1, 1, ()), name="time copy")))
    model.add_op(Copy(model.step, Signal(np.array(0), name="step copy")))


CASES = (
    Case("function", make_function, on_host=True),
    Case("function_of_value", partial(make_function, takes_t=False), on_host=True),
    Case("function_of_time", partial(make_function, takes_x=False)),
    Case("function_of_nothing", partial(make_function, takes_t=False, takes_x=False)),
    Case("function_into_view", partial(make_function, negative_view=True), on_host=True),
    *(
        Case(f"process_{mode}", partial(
            make_process, process=nengo.processes.WhiteSignal(0.1, high=100, seed=3), mode=mode
        )) for mode in ("set", "inc", "update")
    ),
    Case("process_noise", partial(make_process, process=nengo.processes.FilteredNoise(seed=1), shape=(2,))),
    Case("process_input", partial(make_process, process=Follow(), takes_x=True, mode="update"), on_host=True, warns=True),
    Case("operator_without_rule", make_negate, on_host=True, warns=True),
    Case("clock", make_clock),
)
