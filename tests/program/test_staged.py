"""Programs in stages give what one loop gives."""

import nengo
import numpy as np
import pytest
import tensorflow as tf

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.benchmarks.models import MODELS
from tests.graph.test_stages import dense


def learning():
    """Learned connections, filters of several orders, and probes of many kinds, behind a large product."""
    with nengo.Network(seed=2) as net:
        u = nengo.Node(lambda t: np.sin(9 * t + np.arange(300)))
        wide = nengo.Ensemble(200, 1, neuron_type=nengo.AdaptiveLIF())
        nengo.Connection(u, wide.neurons, transform=np.random.RandomState(0).randn(200, 300) / 5, synapse=nengo.Alpha(0.01))
        a = nengo.Ensemble(20, 2, neuron_type=nengo.LIFRate())
        b = nengo.Ensemble(20, 2)
        nengo.Connection(wide.neurons, a.neurons, transform=np.random.RandomState(1).randn(20, 200) / 500, synapse=0)
        learned = nengo.Connection(a, b, learning_rule_type=nengo.PES(1e-3))
        nengo.Connection(b, learned.learning_rule, synapse=None)
        nengo.Probe(wide.neurons, sample_every=0.003)
        nengo.Probe(wide.neurons, "adaptation", sample_every=0.0025)
        nengo.Probe(a.neurons, "input", sample_every=0.002)
        for probed, attr in [(b, None), (b.neurons, "voltage"), (learned, "weights"), (a.neurons, None)]:
            nengo.Probe(probed, attr, synapse=0.01 if attr is None else None)
    return net


NETWORKS = {
    "dense rates": lambda: dense(nengo.RectifiedLinear()),
    "dense rates, delayed": lambda: dense(nengo.LIFRate(), synapse=0),
    "dense rates, filtered": lambda: dense(nengo.LIFRate(), synapse=0.005),
    "dense spikes": lambda: dense(nengo.LIF(), synapse=nengo.Triangle(0.004)),
    "learning": learning,
    "chain": MODELS["chain_5x200"],
    "basal ganglia": MODELS["basal_ganglia_10"],
}


def make(name, **settings):
    net = NETWORKS[name]()
    with net:
        configure_settings(**settings)
    return net


def check(name, n_runs=(37, 1, 40, 12), simulator={}, **settings):
    net = make(name, **settings)
    with nengo.Simulator(net, progress_bar=False) as ref, Simulator(net, progress_bar=False, **simulator) as sim:
        ref.run_steps(sum(n_runs))
        for n in n_runs:
            sim.run_steps(n)
        for probe in net.probes:
            expected = ref.data[probe]
            np.testing.assert_allclose(
                sim.data[probe], expected if "minibatch_size" not in simulator else np.stack([expected] * 2),
                atol=1e-9 * max(1, np.abs(expected).max()), err_msg=str(probe),
            )
        return sim._engine.program


@pytest.mark.parametrize("name", NETWORKS)
def test_as_the_reference(name):
    program = check(name, stages="all", host_loop="tensorflow")
    assert any(plan.kind == "sweep" for plan in program.stages)


@pytest.mark.parametrize("way", [{"xla": False}, {"unroll_simulation": 3}], ids=str)
def test_other_ways(way):
    check("learning", stages="all", **way)


def test_minibatch():
    check("learning", simulator={"minibatch_size": 2}, stages="all", dtype="float64")


def test_chunks(monkeypatch):
    monkeypatch.setattr("nengo_backend_tf.program.compile.CHUNK_STEPS", 20)
    assert check("learning", stages="all").capacity == 20


def test_values_after_the_last_step():
    net = make("learning", stages="all")
    with nengo.Simulator(net, progress_bar=False, optimize=False) as ref, Simulator(net, progress_bar=False) as sim:
        ref.run_steps(50)
        sim.run_steps(50)
        named = {s.name: s for s in ref.signals}
        names = [s.name for s in (*ref.signals, *sim.signals)]
        compared = [s for s in sim.signals if names.count(s.name) == 2 and s.name in named and not s.sparse]
        assert len(compared) > 15
        for signal in compared:
            np.testing.assert_allclose(sim.signals[signal], ref.signals[named[signal.name]], atol=1e-7, err_msg=str(signal))


def functions_of(sim):
    """The TensorFlow functions of a program that has run, with all that they call: dict of name -> types of operations."""
    (compiled,) = sim._engine.program.run.compiled.values()
    graph = compiled.function.get_concrete_function(*compiled.specs).graph
    found = {"": [op.type for op in graph.get_operations()]}
    for name, function in graph._functions.items():
        definition = getattr(function, "cached_definition", None) or function.function_def
        found[name] = [node.op for node in definition.node_def]
    return found


LOOPS = {"While", "StatelessWhile"}
PRODUCTS = {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum", "Sum"}


@pytest.mark.parametrize("neuron_type", [nengo.RectifiedLinear(), nengo.LIFRate(), nengo.Sigmoid(), nengo.Tanh()], ids=str)
def test_rates_of_a_dense_network_need_no_loop(neuron_type):
    with Simulator(dense(neuron_type), progress_bar=False) as sim:
        sim.run_steps(40)
        assert not any(LOOPS & set(ops) for ops in functions_of(sim).values())


def test_circular_convolution_has_no_product_in_a_loop():
    with nengo.Network(seed=0) as net:
        cconv = nengo.networks.CircularConvolution(10, dimensions=8)
        nengo.Connection(nengo.Node(np.ones(8)), cconv.input_a)
        nengo.Connection(nengo.Node(np.ones(8)), cconv.input_b)
        nengo.Probe(cconv.output, synapse=0.01)
        configure_settings(stages="all")
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(40)
        functions = functions_of(sim)
        main = functions.pop("")
        assert LOOPS & set(main) and PRODUCTS & set(main)
        bodies = {name: ops for name, ops in functions.items() if "body" in name}
        assert bodies and not any(PRODUCTS & set(ops) for ops in bodies.values())


def test_the_plan_names_stages():
    with Simulator(make("dense spikes", stages="all"), progress_bar=False) as sim:
        assert "stage 0, a sweep" in sim.plan and "stage 1, a loop" in sim.plan
