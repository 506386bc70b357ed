"""A pickled simulator's copy goes on exactly as the original does."""

import pickle

import nengo
import numpy as np
import pytest
from nengo.exceptions import SimulatorClosed

from nengo_backend_tf import Simulator


def source_of_time(t):
    return [np.sin(30 * t), t]


def add_time(t, x):
    return x + t


def network(*parts):
    with nengo.Network(seed=0) as net:
        u = nengo.Node(source_of_time)
        ens = nengo.Ensemble(12, 2, noise=nengo.processes.WhiteNoise() if "ensemble noise" in parts else None)
        nengo.Connection(u, ens)
        node = nengo.Node(add_time, size_in=2)
        nengo.Connection(ens, node, synapse=0.01)
        if "closed loop" in parts:
            nengo.Connection(node, ens, synapse=0.02)
        if "noise" in parts:
            for process in (
                nengo.processes.WhiteNoise(),
                nengo.processes.FilteredNoise(synapse=nengo.Lowpass(0.1)),
                nengo.processes.WhiteSignal(1.0, 10, seed=3),
                nengo.processes.BrownNoise(),
            ):
                noise = nengo.Node(process, size_out=1)
                nengo.Connection(noise, ens[0], synapse=nengo.Alpha(0.01))
                nengo.Probe(noise)
        if "learning" in parts:
            out = nengo.Node(size_in=2)
            learned = nengo.Connection(ens, out, learning_rule_type=nengo.PES())
            nengo.Connection(out, learned.learning_rule)
            nengo.Probe(learned, "weights")
        nengo.Probe(ens, synapse=0.01)
        nengo.Probe(ens.neurons, sample_every=0.002)
        nengo.Probe(node)
    return net


def data_of(sim):
    return [sim.data[probe] for probe in sim.model.probes]


CASES = [(), ("noise",), ("ensemble noise",), ("closed loop",), ("learning",), ("noise", "closed loop", "learning")]


@pytest.mark.parametrize("parts", CASES, ids=lambda parts: " + ".join(parts) or "plain")
@pytest.mark.parametrize("minibatch_size", [None, 2])
def test_copy_goes_on(parts, minibatch_size):
    with Simulator(network(*parts), progress_bar=False, minibatch_size=minibatch_size) as sim:
        sim.run_steps(5)
        stored = pickle.dumps(sim)
        sim.run_steps(6)
        with pickle.loads(stored) as copy:
            assert (copy.n_steps, copy.time, copy.minibatch_size, copy.closed) == (5, 0.005, minibatch_size, False)
            copy.run_steps(6)
            for got, expected in zip(data_of(copy), data_of(sim), strict=True):
                np.testing.assert_array_equal(got, expected)
            again = pickle.loads(pickle.dumps(copy))
            sim.run_steps(2)
            with again:
                again.run_steps(2)
                for got, expected in zip(data_of(again), data_of(sim), strict=True):
                    np.testing.assert_array_equal(got, expected)


def test_copy_resets_to_the_same_start():
    with Simulator(network("noise"), progress_bar=False) as sim:
        sim.run_steps(5)
        with pickle.loads(pickle.dumps(sim)) as copy:
            copy.reset()
            copy.run_steps(5)
            for got, expected in zip(data_of(copy), data_of(sim), strict=True):
                np.testing.assert_array_equal(got, expected)


def test_copy_has_the_same_signals():
    with Simulator(network("closed loop"), progress_bar=False) as sim:
        sim.run_steps(5)
        with pickle.loads(pickle.dumps(sim)) as copy:
            for signal, other in zip(sim.signals, copy.signals, strict=True):
                np.testing.assert_array_equal(copy.signals[other], sim.signals[signal], err_msg=str(signal))


def test_what_was_written_is_kept():
    with nengo.Network() as net:
        u = nengo.Node([1.0])
        nengo.Probe(u, synapse=0.01)
        nengo.Probe(u)
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(2)
        sim.signals[sim.model.sig[u]["out"]][...] = 4.0
        with pickle.loads(pickle.dumps(sim)) as copy:
            sim.run_steps(2)
            copy.run_steps(2)
            assert sim.data[net.probes[1]][-1] == 4.0
            for got, expected in zip(data_of(copy), data_of(sim), strict=True):
                np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("change", ["data", "clock"])
def test_random_streams_go_on_where_they_are(change):
    """How often a process was called is not always the number of steps."""
    with nengo.Network(seed=0) as net:
        noise = nengo.Node(nengo.processes.WhiteNoise(), size_out=1)
        nengo.Probe(noise)
    with Simulator(net, progress_bar=False) as sim:
        if change == "data":
            sim.run_steps(3, data={noise: np.ones((3, 1))})
        sim.run_steps(2)
        if change == "clock":
            sim.signals[sim.model.step] = 10
        with pickle.loads(pickle.dumps(sim)) as copy:
            sim.run_steps(3)
            copy.run_steps(3)
            for got, expected in zip(data_of(copy), data_of(sim), strict=True):
                np.testing.assert_array_equal(got, expected)


class FailsOnce:
    """A function of values that raises in a step, in the original only."""

    fails = False

    def __call__(self, t, x):
        if FailsOnce.fails and t > 0.0035:
            raise ZeroDivisionError
        return x


def test_after_an_error():
    """What was drawn for steps that an error kept from running is not lost, nor drawn again."""
    with nengo.Network(seed=0) as net:
        noise = nengo.Node(nengo.processes.FilteredNoise(), size_out=1)
        node = nengo.Node(FailsOnce(), size_in=1)
        nengo.Connection(noise, node, synapse=None)
        nengo.Connection(node, node, synapse=0.01)
        nengo.Probe(noise)
    with Simulator(net, progress_bar=False) as sim:
        FailsOnce.fails = True
        with pytest.raises(ZeroDivisionError):
            sim.run_steps(6)
        FailsOnce.fails = False
        with pickle.loads(pickle.dumps(sim)) as copy:
            for s in (sim, copy):
                s.run_steps(6)
            np.testing.assert_array_equal(data_of(copy)[0], data_of(sim)[0])
    with nengo.Simulator(net, progress_bar=False, optimize=False) as ref:
        ref.run_steps(9)
        np.testing.assert_allclose(data_of(sim)[0], data_of(ref)[0], rtol=0, atol=1e-12)


def test_closed():
    sim = Simulator(network(), progress_bar=False)
    sim.run_steps(4)
    sim.close()
    copy = pickle.loads(pickle.dumps(sim))
    assert copy.closed and (copy.n_steps, copy.time) == (4, 0.004)
    for got, expected in zip(data_of(copy), data_of(sim), strict=True):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(SimulatorClosed):
        copy.run_steps(1)
