"""Arrays of ``sim.signals`` that are kept, read between steps, and written, as one does with nengo.Simulator."""

import nengo
import numpy as np
import pytest
from comparing import BACKENDS, reference


def network():
    with nengo.Network(seed=0) as net:
        net.source = nengo.Node([0.7, 0.2])
        net.ens = nengo.Ensemble(10, 2)
        net.rate = nengo.Ensemble(8, 1, neuron_type=nengo.AdaptiveLIFRate())
        net.adding = nengo.Ensemble(8, 1, neuron_type=nengo.SpikingRectifiedLinear())
        net.out = nengo.Node(size_in=1)
        net.function = nengo.Node(lambda t, x: x + t, size_in=1)
        nengo.Connection(net.source, net.ens)
        nengo.Connection(net.ens[0], net.rate, synapse=nengo.Alpha(0.01))
        nengo.Connection(net.ens[1], net.adding)
        net.learned = nengo.Connection(net.ens, net.out, function=lambda x: 0, learning_rule_type=nengo.PES(1e-3))
        nengo.Connection(net.out, net.function, synapse=0.005)
        nengo.Connection(net.function, net.learned.learning_rule, synapse=None)
        for target in (net.out, net.ens.neurons, net.rate.neurons, net.adding.neurons, net.function):
            nengo.Probe(target)
    return net


#: What may be kept, by name: its signal in a built model.
KEPT = {
    "voltage": lambda net, model: model.sig[net.ens.neurons]["voltage"],
    "refractory time": lambda net, model: model.sig[net.ens.neurons]["refractory_time"],
    "adaptation": lambda net, model: model.sig[net.rate.neurons]["adaptation"],
    "voltage of adding neurons": lambda net, model: model.sig[net.adding.neurons]["voltage"],
    "decoders": lambda net, model: model.sig[net.learned]["weights"],
    "constant": lambda net, model: model.sig[net.source]["out"],
    "spikes": lambda net, model: model.sig[net.ens.neurons]["out"],
    "currents": lambda net, model: model.sig[net.ens.neurons]["in"],
    "error": lambda net, model: model.sig[net.learned.learning_rule]["in"],
    "output of a function": lambda net, model: model.sig[net.function]["out"],
    "encoders": lambda net, model: model.sig[net.ens]["encoders"],
}


def part(array):
    array[1:2] = 0.3


def scaled(array):
    array *= 0.5


def watched(simulator, parts):
    """Copies of the kept arrays after each run, and after a reset."""
    net = network()
    with simulator(net) as sim:
        views = [sim.signals[signal(net, sim.model)] for signal in KEPT.values()]
        states = []
        for steps in parts:
            sim.run_steps(steps)
            states.append([view.copy() for view in views])
        sim.reset()
        states.append([view.copy() for view in views])
    return states


def assert_equal(got, expected, label=""):
    for x, y in zip(got, expected, strict=True):
        for a, b in zip(x, y, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * max(1, np.abs(b).max()), err_msg=label)


def test_kept_arrays_follow():
    parts = (1, 1, 3, 1, 2)
    expected = watched(reference, parts)
    for backend in BACKENDS:
        assert_equal(watched(backend, parts), expected)
    voltages = [state[0] for state in expected]
    assert all(not np.array_equal(x, y) for x, y in zip(voltages, voltages[1:]))


def written(simulator, names, change):
    """For each of the arrays, or several of them, that is changed: the array, and probe data, of the steps after it."""
    net, results = network(), {}
    with simulator(net) as sim:
        for name in names:
            sim.reset()
            views = [sim.signals[KEPT[n](net, sim.model)] for n in np.atleast_1d(name)]
            sim.run_steps(5)
            for view in views:
                change(view)
            states = []
            for steps in (1, 3):
                sim.run_steps(steps)
                states.append([view.copy() for view in views])
            results[str(name)] = [*states, [sim.data[p].copy() for p in net.probes]]
    return results


WRITTEN = [name for name in KEPT if name != "encoders"] + [["voltage", "refractory time"], ["decoders", "error", "adaptation"]]


@pytest.mark.parametrize("backend, change", [(BACKENDS[0], scaled), (BACKENDS[1], part)])
def test_what_is_written_takes_effect_in_the_next_step(backend, change):
    got, expected = written(backend, WRITTEN, change), written(reference, WRITTEN, change)
    for name, states in expected.items():
        assert_equal(got[name], states, name)


@pytest.mark.parametrize("simulator", [reference, *BACKENDS])
def test_what_is_not_to_be_written_says_so(simulator):
    """Encoders that no rule learns are constants of the program, in nengo as here."""
    net = network()
    with simulator(net) as sim:
        encoders = sim.signals[sim.model.sig[net.ens]["encoders"]]
        with pytest.raises(ValueError, match="read-only"):
            encoders[...] = 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_clamped_neuron(backend):
    """A voltage that is written before every step: the neuron never fires."""
    def spikes(simulator):
        net = network()
        with simulator(net) as sim:
            voltage = sim.signals[sim.model.sig[net.ens.neurons]["voltage"]]
            for _ in range(12):
                voltage[3] = 0.1
                sim.step()
            return sim.data[net.probes[1]].copy()

    expected = spikes(reference)
    np.testing.assert_array_equal(spikes(backend), expected)
    assert expected.any() and not expected[:, 3].any()
