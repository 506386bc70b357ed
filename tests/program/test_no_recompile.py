"""Nothing is traced or compiled again for another number of steps, a second call, or after a reset."""

import os
import subprocess
import sys
import textwrap

import nengo
import numpy as np
import pytest
import tensorflow as tf

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.program import compile as compile_module

#: Numbers of steps of later calls: one, some, more than a chunk, and the first call's.
LATER = (1, 7, 100, 230, 5)


def network(kind):
    """A network for each way in which steps are run."""
    with nengo.Network(seed=0) as net:
        configure_settings(host_loop="tensorflow", dtype="float64")
        u = nengo.Node(lambda t: [np.sin(10 * t), t])
        ens = nengo.Ensemble(10, 2)
        nengo.Connection(u, ens)
        nengo.Probe(ens, synapse=0.01)
        nengo.Probe(ens, sample_every=0.003)
        if kind == "host":
            first, second = nengo.Node(lambda t, x: x, size_in=2), nengo.Node(lambda t, x: x, size_in=2)
            nengo.Connection(ens, first, synapse=None)
            nengo.Connection(first, second, synapse=None)
            nengo.Connection(second, ens, synapse=0.02)
        if kind == "after":
            nengo.Connection(ens, nengo.Node(lambda t, x: x, size_in=2), synapse=0.01)
    return net


KINDS = ["device", "host", "after"]


def arguments_of(calls):
    """Shapes and dtypes of what a program was called with: a call of other shapes would compile anew."""
    return {str([(x.shape, x.dtype) for x in tf.nest.flatten(args)]) for args in calls}


@pytest.mark.parametrize("minibatch_size", [None, 2])
@pytest.mark.parametrize("unroll", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_arguments_have_the_same_shapes_in_every_call(monkeypatch, kind, unroll, minibatch_size):
    monkeypatch.setattr(compile_module, "CHUNK_STEPS", 100)
    calls = []
    with Simulator(network(kind), progress_bar=False, unroll_simulation=unroll, minibatch_size=minibatch_size) as sim:
        program, run = sim._engine.program, sim._engine.program.run

        def recorded(*args):
            calls.append(args)
            return run(*args)

        changed = program._replace(run=recorded)
        sim._engine._programs = {key: changed for key in sim._engine._programs}
        sim._engine.program = changed
        for n in (5, *LATER):
            sim.run_steps(n)
        sim.step()
        sim.reset()
        sim.run_steps(3)
        assert sim._engine.program is changed, "another program was made"
        # The function behind it: of a loop with host calls, that of the whole loop, sections included.
        assert run.function.experimental_get_tracing_count() == 1
    assert len(calls) == 1 + 4 + 3 + 2
    assert len(arguments_of(calls)) == 1


def test_the_first_argument_is_a_tensor():
    """A Python number would be traced anew for each value."""
    assert arguments_of([(tf.constant(1),)]) == arguments_of([(tf.constant(2),)])
    assert arguments_of([(tf.zeros(1),)]) != arguments_of([(tf.zeros(2),)])


SCRIPT = """
import os, sys
sys.path.insert(0, {folder!r})
from test_no_recompile import network
from nengo_backend_tf import Simulator
from nengo_backend_tf.program import compile as compile_module
compile_module.CHUNK_STEPS = 100

def mark(what):
    print("MARK", what, file=sys.stderr, flush=True)

for kind in {kinds!r}:
    net = network(kind)
    with Simulator(net, progress_bar=False) as sim:
        mark(kind + " first")
        sim.run_steps(5)
        mark(kind + " later")
        for n in {later!r}:
            sim.run_steps(n)
        sim.step()
        sim.reset()
        sim.run_steps(3)
        mark("end")
"""


def test_nothing_is_compiled_after_the_first_call():
    """XLA compiles for new shapes without a new trace, so that its own log is counted."""
    script = textwrap.dedent(SCRIPT).format(folder=os.path.dirname(__file__), kinds=KINDS, later=LATER)
    env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": "device_compiler=2"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    counts, present = {}, None
    for line in done.stderr.splitlines():
        if line.startswith("MARK "):
            present = line.removeprefix("MARK ")
            counts[present] = 0
        elif "ompiling for signature" in line:
            counts[present] = counts.get(present, 0) + 1
    for kind in KINDS:
        assert counts[f"{kind} first"] > 0, "the log does not show compilations: the test shows nothing"
        assert counts[f"{kind} later"] == 0
