"""Stages: what is recurrent, what runs in sweeps, and in which order."""

import nengo
import numpy as np
import pytest
from nengo.builder import Model
from nengo.exceptions import BuildError
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from nengo_backend_tf.benchmarks.models import MODELS
from nengo_backend_tf.graph.from_model import from_model
from nengo_backend_tf.graph.stages import Components, check_stages, split_stages, strongly_connected
from nengo_backend_tf.ops import nodes_of
from nengo_backend_tf.program.compile import simplified

FEW = ["integrator_100", "chain_5x200", "basal_ganglia_10", "pes_500"]


def flat_of(net):
    model = Model(dt=0.001)
    model.build(net)
    return simplified(from_model(model, nodes_of))


def dense(neuron_type, sizes=(300, 256, 8), synapse=None):
    """A dense network of the given sizes, driven by a Node."""
    with nengo.Network(seed=0) as net:
        previous = nengo.Node(lambda t: np.full(sizes[0], np.sin(t)))
        for n in sizes[1:-1]:
            neurons = nengo.Ensemble(n, 1, neuron_type=neuron_type).neurons
            nengo.Connection(previous, neurons, transform=np.random.RandomState(n).randn(n, previous.size_out), synapse=synapse)
            previous = neurons
        out = nengo.Node(size_in=sizes[-1])
        nengo.Connection(previous, out, transform=np.random.RandomState(1).randn(sizes[-1], previous.size_out), synapse=synapse)
        nengo.Probe(out)
    return net


@pytest.mark.parametrize("seed", range(20))
def test_strongly_connected_as_scipy_has_it(seed):
    rng = np.random.RandomState(seed)
    n, m = rng.randint(1, 40), rng.randint(0, 80)
    edges = rng.randint(n, size=(m, 2))
    successors = [{int(b) for a, b in edges if a == i} for i in range(n)]
    found = strongly_connected(successors)
    _, labels = connected_components(coo_matrix((np.ones(m), edges.T), shape=(n, n)), connection="strong")
    assert {frozenset(c) for c in found} == {frozenset(np.flatnonzero(labels == k).tolist()) for k in set(labels)}
    place = {i: k for k, component in enumerate(found) for i in component}
    assert all(place[j] <= place[i] for i in range(n) for j in successors[i])


@pytest.mark.parametrize("mode", ["auto", "all", "one"])
@pytest.mark.parametrize("name", FEW)
def test_stages_are_the_graph_in_order(name, mode):
    flat = flat_of(MODELS[name]())
    stages = check_stages(flat, split_stages(flat, mode=mode))
    recurrent = {i for c in Components(flat).recurrent for i in Components(flat).members[c]}
    for stage in stages:
        if stage.kind == "sweep":
            assert not any(flat.kernels.index(k) in recurrent for k in stage.kernels)
    if mode == "one":
        assert [s.kind for s in stages] == ["loop"]


def test_all_leaves_only_what_is_recurrent_in_loops():
    flat = flat_of(MODELS["chain_5x200"]())
    components = Components(flat)
    recurrent = {flat.kernels[i] for c in components.recurrent for i in components.members[c] if i < len(flat.kernels)}
    looped = {k for s in split_stages(flat, mode="all") if s.kind == "loop" for k in s.kernels}
    assert looped == recurrent and len(recurrent) >= 10


@pytest.mark.parametrize("neuron_type, kinds", [
    (nengo.RectifiedLinear(), ["sweep"]),
    (nengo.LIFRate(), ["sweep"]),
    (nengo.LIF(), ["sweep", "loop"]),
])
def test_large_products_are_swept(neuron_type, kinds):
    assert [s.kind for s in split_stages(flat_of(dense(neuron_type)))] == kinds


def test_a_minibatch_makes_large_products_by_itself():
    assert [s.kind for s in split_stages(flat_of(dense(nengo.LIF())), batch=64)] == ["loop"]


def test_small_networks_stay_one_loop():
    for name in FEW:
        assert [s.kind for s in split_stages(flat_of(MODELS[name]()))] == ["loop"]


def test_a_delay_in_a_sweep_is_read_after_it():
    flat = flat_of(dense(nengo.RectifiedLinear(), synapse=0))
    stages = check_stages(flat, split_stages(flat))
    assert [s.kind for s in stages] == ["sweep"] * len(stages) and len(stages) > 1


BROKEN = {
    "a kernel is lost": (lambda s: (s[0]._replace(kernels=s[0].kernels[1:]), *s[1:]), "every kernel of the graph once"),
    "a carried value is lost": (lambda s: (*s[:-1], s[-1]._replace(carried=s[-1].carried[1:])), "every carried value"),
    "stages in another order": (lambda s: s[::-1], "reads values .* of later ones"),
    "kernels in another order": (lambda s: tuple(x._replace(kernels=x.kernels[::-1]) for x in s), "reads values .* of later ones"),
    "a loop called a sweep": (lambda s: tuple(x._replace(kind="sweep") for x in s), "a sweep, reads values"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_stages_are_refused(name):
    breaks, message = BROKEN[name]
    flat = flat_of(MODELS["chain_5x200"]())
    stages = split_stages(flat, mode="one" if name == "kernels in another order" else "all")
    with pytest.raises(BuildError, match=message):
        check_stages(flat, breaks(stages))
