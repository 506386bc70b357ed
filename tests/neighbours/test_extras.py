"""Networks with objects of nengo-extras compute what they compute on nengo.Simulator, where nengo-extras is installed."""

import os
import subprocess
import sys
from importlib import import_module

import nengo
import numpy as np
import pytest

from nengo_backend_tf import Simulator

for module in ("convnet", "learning_rules", "neurons", "probe", "simulators"):
    pytest.importorskip(f"nengo_extras.{module}")


def extras(name):
    """A class or function of nengo-extras by its name."""
    module, _, name = name.rpartition(".")
    return getattr(import_module(f"nengo_extras.{module}"), name)


def neurons(kind, **parameters):
    """Two populations of one type with different time constants."""
    stimulus = nengo.Node(nengo.processes.WhiteSignal(0.3, high=20, seed=1))
    for tau_rc in (0.02, 0.03):
        ensemble = nengo.Ensemble(30, 1, neuron_type=extras(kind)(tau_rc=tau_rc, **parameters))
        nengo.Connection(stimulus, ensemble)
        nengo.Probe(ensemble)
        for name in ensemble.neurons.probeable:
            nengo.Probe(ensemble.neurons, name)


def delta_rule(function, target="in"):
    """Weights between neurons, learned from an error, scaled by a function of what the neurons get or put out."""
    stimulus = nengo.Node(lambda t: np.sin(20 * t))
    pre, post = nengo.Ensemble(20, 1, seed=1), nengo.Ensemble(10, 1, seed=2)
    error = nengo.Node(size_in=10)
    rule = extras("learning_rules.DeltaRule")(learning_rate=2e-2, post_fn=function, post_target=target, post_tau=0.005)
    weights = np.random.RandomState(0).uniform(0, 1e-3, (10, 20))
    learned = nengo.Connection(pre.neurons, post.neurons, transform=weights, learning_rule_type=rule)
    nengo.Connection(stimulus, pre)
    nengo.Connection(stimulus, error, transform=np.ones((10, 1)))
    nengo.Connection(error, learned.learning_rule, synapse=None)
    nengo.Probe(learned, "weights")
    nengo.Probe(post.neurons)


def aml():
    """A cue is bound to a target, while the error's second dimension lets the decoders decay."""
    cue, target = nengo.Node([0.6, -0.8]), nengo.Node([0.3, 0.5])
    pre, post = nengo.Ensemble(40, 2), nengo.Ensemble(30, 2)
    learned = nengo.Connection(
        pre, post, function=lambda x: np.zeros(2), learning_rule_type=extras("learning_rules.AML")(2, learning_rate=5.0)
    )
    nengo.Connection(cue, pre)
    nengo.Connection(nengo.Node(lambda t: [t < 0.1, 0.999]), learned.learning_rule[:2], synapse=None)
    nengo.Connection(target, learned.learning_rule[2:], synapse=None)
    nengo.Probe(learned, "weights")
    nengo.Probe(post, synapse=0.01)


def images():
    """A picture that changes, convolved, and then pooled."""
    pictures = np.random.RandomState(0).uniform(-1, 1, (3, 2 * 7 * 8))
    source = nengo.Node(nengo.processes.PresentInput(pictures, 0.05))
    filters = np.random.RandomState(1).uniform(-1, 1, (4, 2, 3, 3))
    convolution = extras("convnet.Conv2d")((2, 7, 8), filters, biases=np.arange(4.0), strides=2, padding=1)
    pooling = extras("convnet.Pool2d")(convolution.shape_out, 2, kind="max")
    convolved = nengo.Node(convolution, size_in=2 * 7 * 8)
    pooled = nengo.Node(pooling, size_in=convolved.size_out)
    nengo.Connection(source, convolved, synapse=None)
    nengo.Connection(convolved, pooled, synapse=0.005)
    for node in (convolved, pooled):
        nengo.Probe(node)


NETWORKS = {
    "soft_lif_rate": lambda: neurons("neurons.SoftLIFRate", sigma=0.1),
    "fast_lif": lambda: neurons("neurons.FastLIF"),
    "delta_rule": lambda: delta_rule(None),
    "delta_rule_of_input": lambda: delta_rule(lambda j: (j > 1).astype(j.dtype)),
    "delta_rule_of_output": lambda: delta_rule(lambda s: (s > 18).astype(s.dtype), "out"),
    "aml": aml,
    "images": images,
}


def compare(net, steps=200):
    """All probes, and that something happened."""
    results = []
    for simulator in (Simulator, nengo.Simulator):
        with simulator(net, progress_bar=False) as sim:
            sim.run_steps(steps)
            results.append([sim.data[p] for p in net.all_probes])
    for actual, expected in zip(*results):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-9 * scale)
    return results[0]


@pytest.mark.parametrize("make", NETWORKS.values(), ids=NETWORKS)
@pytest.mark.filterwarnings("error::nengo_backend_tf.ops.HostFallbackWarning")
def test_same_as_reference(make):
    with nengo.Network(seed=3) as net:
        make()
    assert all(np.ptp(values) > 0 for values in compare(net) if values.size and values.any())


@pytest.mark.filterwarnings("error::nengo_backend_tf.ops.HostFallbackWarning")
def test_probe_all():
    """Every probeable attribute of every object; connections without a transform have no weights to probe."""
    with nengo.Network(seed=3) as net:
        delta_rule(lambda j: 1.0 * (j > 1))
        with nengo.Network():
            aml()
        nengo.Connection(net.all_ensembles[0], net.all_ensembles[1], learning_rule_type=[nengo.PES(), nengo.PES(1e-3)])
    for connection in net.all_connections:
        if isinstance(connection.transform, nengo.transforms.NoTransform):
            connection.transform = 1.0
    probes = extras("probe.probe_all")(net, recursive=True)
    rules = {probed for probed in probes if isinstance(probed, nengo.connection.LearningRule)}
    neurons = {ensemble.neurons for ensemble in net.all_ensembles}
    assert len(rules) == 4 and set(probes) - rules == {*net.all_ensembles, *neurons, *net.all_nodes, *net.all_connections}
    compare(net, steps=50)


SCRIPT = """
import timeit
import warnings

import nengo
from nengo_extras.simulators import RealTimeSimulator

warnings.simplefilter("ignore")  # where the machine is busy: "running slower than real time"
with nengo.Network(seed=1) as net:
    probe = nengo.Probe(nengo.Ensemble(10, 1))
with RealTimeSimulator(net, progress_bar=False) as sim:
    for _ in range(2):
        start = timeit.default_timer()
        sim.run(0.05)
        print(timeit.default_timer() - start >= 0.049, sim.n_steps, sim.data[probe].shape)
        sim.reset()
print(RealTimeSimulator.__mro__[1].__module__)
"""


def test_real_time_simulator_in_the_script_runner(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "nengo_backend_tf", "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    expected = "True 50 (50, 1)\n" * 2 + "nengo_backend_tf.simulator\n"
    assert (done.stdout, done.returncode) == (expected, 0), done.stderr
