"""Ensemble arrays whose members were changed, neurons that are silenced by hand, and audio's timesteps."""

import nengo
import numpy as np
import pytest
from comparing import compare


def each_another_type(array):
    types = [nengo.LIFRate(), nengo.RectifiedLinear(), nengo.Direct(), nengo.LIF(tau_rc=0.05)]
    for member, neuron_type in zip(array.all_ensembles, types):
        member.neuron_type = neuron_type


def all_another_type(array):
    for member in array.ea_ensembles:
        member.neuron_type = nengo.SpikingRectifiedLinear()


def all_direct(array):
    for member in array.all_ensembles:
        member.neuron_type = nengo.Direct()


def other_parameters(array):
    for i, member in enumerate(array.ea_ensembles):
        member.radius, member.max_rates = 1.0 + i, nengo.dists.Choice([80 + i])
        member.intercepts, member.encoders = nengo.dists.Uniform(0, 0.5), nengo.dists.Choice([[1]])


CHANGES = [each_another_type, all_another_type, all_direct, other_parameters]


def changed_array(change):
    with nengo.Network(seed=2) as net:
        array = nengo.networks.EnsembleArray(15, 4)
        squares = array.add_output("squares", np.square)
        change(array)
        nengo.Connection(nengo.Node(lambda t: np.sin(60 * t + np.arange(4))), array.input)
        nengo.Connection(array.output, array.input, transform=0.3, synapse=0.05)
        for probed in (array.output, squares, array.ea_ensembles[0]):
            nengo.Probe(probed, synapse=0.01)
    return net


@pytest.mark.parametrize("change", CHANGES)
def test_members_of_an_array_changed_after_it_was_made(change):
    unchanged = compare(lambda: changed_array(lambda array: None), 40, backends=())
    assert not np.array_equal(compare(lambda: changed_array(change), 40)[0], unchanged[0])


SILENCERS = {
    "lists": lambda n: [[-999]] * n,
    "floats": lambda n: [[-999.0]] * n,
    "array": lambda n: np.full((n, 1), -999.0),
    "sparse": lambda n: nengo.Sparse((n, 1), indices=[[i, 0] for i in range(n)], init=-999.0),
}


def silenced(make_transform, neuron_type, synapse):
    """A gate that opens after ten steps, and one that is always open."""
    with nengo.Network(seed=1) as net:
        gate = nengo.Node(lambda t: t < 0.0105)
        for shut in (True, False):
            ensemble = nengo.Ensemble(20, 1, neuron_type=neuron_type)
            nengo.Connection(nengo.Node(0.9), ensemble, synapse=None)
            if shut:
                nengo.Connection(gate, ensemble.neurons, transform=make_transform(20), synapse=synapse)
            nengo.Probe(ensemble.neurons)
            nengo.Probe(ensemble.neurons, "input")
    return net


@pytest.mark.parametrize("neuron_type, synapse", [
    (nengo.LIF(), None), (nengo.LIF(min_voltage=-1), 0.002), (nengo.AdaptiveLIF(), 0.002), (nengo.RectifiedLinear(), None),
])
def test_silenced_neurons(neuron_type, synapse):
    shut, currents, open_, _ = compare(lambda: silenced(SILENCERS["lists"], neuron_type, synapse), 60)
    assert open_[:10].any() and not shut[2:10].any() and shut[-20:].any() and currents.min() < -900


@pytest.mark.parametrize("form", SILENCERS)
def test_forms_of_one_transform(form):
    first = compare(lambda: silenced(SILENCERS["array"], nengo.LIF(), None), 30, backends=())
    for x, y in zip(compare(lambda: silenced(SILENCERS[form], nengo.LIF(), None), 30), first):
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-9)


@pytest.mark.parametrize("rate", [11025, 44100, 3000])
def test_audio(rate):
    """Timesteps that are no round numbers, and sampling periods that are no multiples of them."""
    sound = np.random.RandomState(0).uniform(-1, 1, (300, 1))
    dt = 1 / rate

    def network():
        with nengo.Network(seed=0) as net:
            source = nengo.Node(nengo.processes.PresentInput(sound, dt))
            ensemble = nengo.Ensemble(20, 1, max_rates=nengo.dists.Uniform(300, 400))
            nengo.Connection(source, ensemble, synapse=5 * dt)
            for period in (None, dt, 1 / 8000, 0.0005, 2.5 * dt, 0.001):
                nengo.Probe(source, sample_every=period)
                nengo.Probe(ensemble, synapse=nengo.Alpha(0.001), sample_every=period)
        return net

    compare(network, 130, 227, dt=dt)
