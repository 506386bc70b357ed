"""``sim.data``: what nengo.Simulator's has too."""

import nengo
import numpy as np
import pytest

from nengo_backend_tf import Simulator


@pytest.fixture
def net():
    with nengo.Network(seed=1) as net:
        node = nengo.Node(lambda t: [t, -t])
        net.ensemble = nengo.Ensemble(5, 1)
        nengo.Connection(node[0], net.ensemble)
        net.p = nengo.Probe(node)
    return net


DELETIONS = {
    "all": slice(None), "first": 0, "last": -1, "begin": slice(3), "but_last": slice(-2), "every_second": slice(None, None, 2),
    "nothing": slice(0, 0),
}


@pytest.mark.parametrize("index", DELETIONS.values(), ids=DELETIONS)
def test_samples_may_be_deleted(net, index):
    """As a GUI does that simulates without end: between the steps, and whatever was not yet read as one array."""
    results = []
    for simulator in (Simulator, nengo.Simulator):
        with simulator(net, progress_bar=False) as sim:
            raw, seen = sim.data.raw, []
            for _ in range(3):
                for _ in range(4):
                    sim.step()
                seen += [len(raw[net.p]), *raw[net.p][1:3], raw[net.p][-1]]
                del sim.data.raw[net.p][index]
                seen.append(np.array(raw[net.p][:]))
            # nengo shows an array of an earlier time where its length is right.
            assert simulator is nengo.Simulator or np.array_equal(sim.data[net.p], seen[-1].reshape(-1, 2))
            assert sim.n_steps == 12
            assert set(raw) == set(sim.data)
            assert raw[net.ensemble] is sim.data[net.ensemble]
            results.append(seen)
    for actual, expected in zip(*results):
        np.testing.assert_allclose(actual, np.reshape(expected, np.shape(actual)), rtol=1e-12)


def test_raw_samples_of_a_minibatch(net):
    """A sample has an axis of items; times lie along the list."""
    with Simulator(net, minibatch_size=3, progress_bar=False) as sim:
        sim.run_steps(4)
        samples = sim.data.raw[net.p]
        assert len(samples) == 4 and samples[0].shape == (3, 2)
        np.testing.assert_array_equal(np.stack(samples[:], axis=1), sim.data[net.p])
        del samples[:3]
        assert sim.data[net.p].shape == (3, 1, 2)
        sim.run_steps(2)
        np.testing.assert_allclose(sim.data[net.p][0, :, 0], [0.004, 0.005, 0.006], rtol=1e-6)


def test_raw_samples_after_reset(net):
    with Simulator(net, progress_bar=False) as sim:
        samples = sim.data.raw[net.p]
        sim.run_steps(4)
        del samples[:2]
        sim.reset()
        assert list(samples) == [] and sim.data[net.p].shape == (0, 2)
        sim.run_steps(1)
        np.testing.assert_array_equal(samples[0], [0.001, -0.001])
