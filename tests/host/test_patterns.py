"""Python functions as users write them give what nengo.Simulator gives, step by step, and slow no more than they must.

The networks are in ``patterns_*.py``, with the Nodes whose functions should be called ahead of the steps of a chunk, within
them, or after them.
"""

import re

import nengo
import numpy as np
import patterns_of_time  # noqa: F401
import patterns_of_values  # noqa: F401
import pytest
from patterns import PATTERNS, calls_of, inner_simulators

import nengo_backend_tf
from nengo_backend_tf.program import compile as compiling

CHUNK = 4


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(compiling, "CHUNK_STEPS", CHUNK)


def reference(net, **kwargs):
    return nengo.Simulator(net, optimize=False, **kwargs)


def tensorflow(net, **kwargs):
    """A simulator whose host calls are called out of a TensorFlow loop."""
    with net:
        nengo_backend_tf.configure_settings(host_loop="tensorflow")
    return nengo_backend_tf.Simulator(net, **kwargs)


def simulate(simulator_class, pattern):
    """Probe data and calls after several runs, and those after a reset that follows them."""
    net = pattern.make(simulator_class)
    results = []
    try:
        with simulator_class(net, progress_bar=False) as sim:
            for run in range(2):
                for calls in calls_of(net).values():
                    del calls[:]  # nengo calls functions once while it builds
                sim.run_steps(CHUNK + 2)
                sim.step()
                sim.run(0.002)
                sim.run_steps(2 * CHUNK + 1)
                results.append(([sim.data[p].copy() for p in net.probes], {k: list(v) for k, v in calls_of(net).items()}))
                if run == 0:
                    sim.reset()
            return results, sim
    finally:
        for inner in inner_simulators(net):
            inner.close()


@pytest.mark.parametrize("simulator_class", [nengo_backend_tf.Simulator, tensorflow])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_like_reference(pattern, simulator_class):
    got, _ = simulate(simulator_class, pattern)
    expected, _ = simulate(reference, pattern)
    for (data, calls), (expected_data, expected_calls) in zip(got, expected, strict=True):
        np.testing.assert_equal(data, expected_data)
        np.testing.assert_equal(calls, expected_calls)
        assert data or calls


LOOPS = {nengo_backend_tf.Simulator: "which runs on the host as a whole, with NumPy", tensorflow: "host calls a step, up to"}


@pytest.mark.parametrize("simulator_class", LOOPS)
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: p.name)
def test_where_functions_are_called(pattern, simulator_class):
    net = pattern.make(reference)
    for inner in inner_simulators(net):
        inner.close()
    with simulator_class(net, progress_bar=False) as sim:
        first, *lines = sim.plan.splitlines()
    said = {
        "evaluated ahead, a chunk at a time: ": pattern.ahead, "called on the host: ": pattern.within,
        "called after the steps of a chunk: ": pattern.after, "steps run one by one because of ": pattern.forcing,
    }
    for what, labels in said.items():
        found = [line.partition(what)[2] for line in lines if what in line]
        names = [re.search(r"<Node '(\w+)'>", text).group(1) for text in found]
        assert sorted(names) == sorted(labels), what
    assert (LOOPS[simulator_class] if pattern.within else "a compiled loop") in first
