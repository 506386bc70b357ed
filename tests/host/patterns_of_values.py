"""Functions of values, and functions of time beside them."""

import collections
import functools
import sys
import time

import nengo
import numpy as np
from patterns import milliseconds, pattern, plant, sink, source

THIS = sys.modules[__name__]
total = 0.0


@pattern(within="back")
def fed_back(simulator_class):
    plant("back", lambda t, x: 1 - x / 2)


@pattern(ahead="u", within="back")
def fed_back_beside_a_pure_function(simulator_class):
    plant("back", lambda t, x: np.clip(x, -1, 1) + np.abs(x), nengo.Node(milliseconds, label="u"))


@pattern(within="act observe")
def environment(simulator_class):
    class Environment:
        x = 0.0

        def act(self, t, x):
            self.x = self.x / 2 + x.item() + 1
            return x

        def observe(self, t):
            return self.x

    world = Environment()
    nengo.Connection(source("observe", world.observe), plant("act", world.act), synapse=None)


@pattern(within="write read", forcing="read")
def methods_of_one_object(simulator_class):
    holder = Holder()
    sink("write", holder.write, source("read", holder.read))


@pattern(ahead="read", after="write")
def methods_of_two_objects(simulator_class):
    sink("write", Holder().write, source("read", Holder().read))


class Holder:
    """An object that one Node may write and another read."""

    def __init__(self):
        self.x = 1.0

    def write(self, t, x):
        self.x = x.item()

    def read(self, t):
        return milliseconds(t) + self.x / 64


@pattern(within="append length")
def list_that_another_reads(simulator_class):
    seen = []
    length = source("length", lambda t: len(seen))
    plant("append", lambda t, x: seen.append(x.item()) or sum(seen[-3:]) / 4 + 1, length)


@pattern(ahead="u", after="append")
def list_that_no_other_reads(simulator_class):
    seen = []
    sink("append", lambda t, x: seen.append(x), nengo.Node(milliseconds, label="u"))


@pattern(ahead="u", after="log")
def log_with_the_clock(simulator_class):
    print_nothing = functools.partial(print, end="", file=sys.stderr)
    sink("log", lambda t, x: print_nothing() or time.time() > 0, nengo.Node(milliseconds, label="u"))


@pattern(within="back log", forcing="back")
def log_beside_what_is_fed_back(simulator_class):
    seen = []
    sink("log", lambda t, x: seen.append((t, x)), plant("back", lambda t, x: 1 - x / 2))


@pattern(within="u back")
def numpys_global_generator_twice(simulator_class):
    plant("back", lambda t, x: x + np.random.randint(4), source("u", lambda t: np.random.randint(16)))


@pattern(within="u back")
def generator_held_by_two(simulator_class):
    rng = np.random.RandomState(3)
    plant("back", lambda t, x: x + rng.randint(4), source("u", lambda t: rng.randint(16)))


@pattern(ahead="u", within="back")
def generators_of_their_own(simulator_class):
    a, b = np.random.RandomState(3), np.random.default_rng(3)
    plant("back", lambda t, x: x + a.randint(4), source("u", lambda t: b.integers(16)))


@pattern(within="u back")
def global_of_time_and_values(simulator_class):
    global total
    total = 0.0

    def add(t, x):
        global total
        total = total / 2 + x.item()
        return x + 1

    plant("back", add, source("u", lambda t: THIS.total))


@pattern(within="back")
def delay_line(simulator_class):
    line = collections.deque([0.0] * 3)

    def delay(t, x):
        line.append(x.item() + 1)
        return line.popleft()

    plant("back", delay)


@pattern(within="back")
def input_that_is_kept_and_changed(simulator_class):
    kept = []

    def change(t, x):
        x += 1
        kept.append(x)
        return sum(kept[-2:]) / 4

    plant("back", change)


@pattern(within="back")
def scalar_and_boolean_values(simulator_class):
    plant("back", lambda t, x: bool(x[0] < 1) if t < 0.005 else int(milliseconds(t)))


@pattern(within="u back")
def inner_simulator_of_values(simulator_class):
    """What a simulator may change is past finding out, so that no function is called ahead of one that is run within."""
    given = np.zeros(1)
    with nengo.Network(seed=0, add_to_container=False) as inner:
        twice = nengo.Node(lambda t, x: 2 * x + given, size_in=1)
        nengo.Connection(twice, twice, synapse=0, transform=0.25)
        probe = nengo.Probe(twice)
    sim = simulator_class(inner, progress_bar=False)

    def advance(t, x):
        given[:] = x
        sim.run_steps(2)
        return sim.data[probe][-1]

    plant("back", advance, nengo.Node(lambda t: 0.5, label="u")).output.simulator = sim


@pattern(within="first second third", forcing="first second")
def chain(simulator_class):
    first = plant("first", lambda t, x: x / 2 + milliseconds(t))
    sink("third", lambda t, x: None, plant("second", lambda t, x: x / 4, first))
