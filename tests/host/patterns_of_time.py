"""Functions of time alone, which are called ahead of the steps of a chunk."""

import functools
import itertools
import time

import nengo
import numpy as np
from patterns import milliseconds, pattern, source

GAIN = 0.5
total = 0.0


@pattern(ahead="u")
def pure_function_of_time(simulator_class):
    nengo.Probe(nengo.Node(lambda t: np.sin(6 * t), label="u"))


@pattern(ahead="u v")
def two_pure_functions_of_time(simulator_class):
    u, v = (nengo.Node(fn, label=label) for label, fn in (("u", lambda t: [np.cos(t), t]), ("v", milliseconds)))
    nengo.Connection(v, nengo.Node(size_in=1, label="w"), synapse=None)
    for node in (u, v):
        nengo.Probe(node, synapse=0)


@pattern(ahead="u")
def lambda_of_constants(simulator_class):
    table, offset = (1.0, 0.25, -2.0), 3
    source("u", lambda t: table[int(milliseconds(t)) % 3] * GAIN + offset)


@pattern(ahead="u v")
def partial(simulator_class):
    for label, x in (("u", 2.0), ("v", 3.0)):
        source(label, functools.partial(np.hypot, x))


@pattern(ahead="u")
def counter_in_a_closure(simulator_class):
    count = 0

    def up(t):
        nonlocal count
        count += 1
        return count

    source("u", up)


@pattern(ahead="u")
def generator_in_a_closure(simulator_class):
    def squares():
        for i in itertools.count():
            yield i * i

    values = squares()
    source("u", lambda t: next(values))


@pattern(ahead="u v")
def one_iterator_for_two(simulator_class):
    values = itertools.count()
    source("u", lambda t: next(values))
    source("v", lambda t: -next(values))


@pattern(ahead="u")
def mutable_default(simulator_class):
    def remember(t, seen=[]):  # noqa: B006
        seen.append(t)
        return len(seen)

    source("u", remember)


@pattern(ahead="u")
def instance_with_call(simulator_class):
    class Ramp:
        def __init__(self):
            self.x = 0.0

        def __call__(self, t):
            self.x += 0.25
            return self.x

    node = nengo.Node(Ramp(), size_out=1, label="u")
    nengo.Probe(node)


@pattern(ahead="u v")
def functions_of_time_that_share_a_global(simulator_class):
    global total
    total = 0.0

    def add(t):
        global total
        total += milliseconds(t)
        return total

    source("u", add)
    source("v", lambda t: total)


@pattern(ahead="u v")
def numpys_global_generator(simulator_class):
    source("u", lambda t: np.random.rand())
    source("v", lambda t: np.random.normal(size=3), size_out=3)


@pattern(ahead="u")
def array_that_is_returned_again(simulator_class):
    state = np.zeros(2)

    def rotate(t):
        state[:] = state[1] + 1, state[0] - 1
        return state

    source("u", rotate, size_out=2)


@pattern(ahead="u v")
def clocks(simulator_class):
    last = {}

    def passed(t, clock):
        before, last[clock] = last.get(clock, 0), clock()
        return float(last[clock] >= before)

    source("u", lambda t: passed(t, time.perf_counter))
    source("v", lambda t: passed(t, time.time))


@pattern(ahead="u")
def inner_simulator_of_time(simulator_class):
    with nengo.Network(seed=0, add_to_container=False) as inner:
        probe = nengo.Probe(nengo.Node(lambda t: milliseconds(t)))
    sim = simulator_class(inner, progress_bar=False)

    def advance(t):
        sim.step()
        return sim.data[probe][-1]

    source("u", advance).output.simulator = sim
