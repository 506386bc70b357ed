"""The Simulator's API: what nengo.Simulator does, and the arguments that only this backend has."""

import gc
import logging

import nengo
import numpy as np
import pytest
from nengo.builder import Model
from nengo.exceptions import BuildError, ReadonlyError, SimulatorClosed, ValidationError

from nengo_backend_tf import Simulator, configure_settings


def simulator(net, **kwargs):
    return Simulator(net, progress_bar=False, **kwargs)


def reference(net, **kwargs):
    return nengo.Simulator(net, progress_bar=False, optimize=False, **kwargs)


def clock_network():
    """A network without neurons, whose probe shows the time."""
    with nengo.Network(seed=0) as net:
        node = nengo.Node(lambda t: [t, 2 * t])
        net.probe = nengo.Probe(node)
    return net


def small_network(seed=0):
    """A bit of everything: time, neurons, a filter, a Python function of a value."""
    with nengo.Network(seed=seed) as net:
        net.stimulus = nengo.Node(lambda t: np.sin(20 * t))
        net.ensemble = nengo.Ensemble(20, 1)
        net.double = nengo.Node(lambda t, x: 2 * x, size_in=1)
        nengo.Connection(net.stimulus, net.ensemble)
        nengo.Connection(net.ensemble, net.double, synapse=0.01)
        net.probe = nengo.Probe(net.double)
        net.spikes = nengo.Probe(net.ensemble.neurons)
        net.filtered = nengo.Probe(net.ensemble, synapse=0.01, sample_every=0.003)
    return net


def assert_like_reference(net, sim, steps, **kwargs):
    with reference(net, **kwargs) as ref:
        ref.run_steps(steps)
    for probe in net.all_probes:
        assert len(sim.data[probe]) == len(ref.data[probe])
        if len(ref.data[probe]):
            np.testing.assert_allclose(sim.data[probe], ref.data[probe], rtol=0, atol=1e-10, err_msg=str(probe))
    assert sim.n_steps == ref.n_steps
    assert sim.time == ref.time


# ---------------------------------------------------------------------------------------------------------------- runs


def test_equals_the_reference():
    net = small_network()
    with simulator(net) as sim:
        sim.run(0.03)
        sim.step()
        sim.run_steps(2)
        assert_like_reference(net, sim, 33)


def test_clock():
    net = clock_network()
    with simulator(net, dt=0.002) as sim:
        assert (sim.dt, sim.n_steps, sim.time) == (0.002, 0, 0.0)
        sim.run(0.01)
        assert (sim.n_steps, type(sim.n_steps)) == (5, int)
        assert (sim.time, type(sim.time)) == (0.01, float)
        sim.step()
        assert sim.n_steps == 6
        np.testing.assert_array_equal(sim.data[net.probe][:, 0], 0.002 * np.arange(1, 7))


@pytest.mark.parametrize("dt", [0.001, 0.003, 0.1, 1 / 3])
def test_times_are_exactly_those_of_the_reference(dt):
    net = clock_network()
    with simulator(net, dt=dt) as sim, reference(net, dt=dt) as ref:
        sim.run_steps(50)
        ref.run_steps(50)
        np.testing.assert_array_equal(sim.data[net.probe], ref.data[net.probe])
        np.testing.assert_array_equal(sim.trange(), ref.trange())
        assert sim.time == ref.time


def test_a_length_of_time_is_rounded_to_steps():
    with simulator(clock_network()) as sim:
        sim.run(0.0016)
        assert sim.n_steps == 2


def test_no_steps_are_a_warning():
    net = clock_network()
    with simulator(net) as sim:
        with pytest.warns(UserWarning, match="0 timesteps. Simulator still at time 0.0"):
            sim.run(0)
        assert sim.n_steps == 0
        assert sim.data[net.probe].shape == (0, 2)
        with pytest.raises(ValidationError, match="must be at least 1"):
            sim.run_steps(0)


def test_negative_time():
    with simulator(clock_network()) as sim:
        with pytest.raises(ValidationError, match="Must be positive"):
            sim.run(-0.1)


def test_runs_more_steps_than_a_chunk_has():
    from nengo_backend_tf.program.compile import CHUNK_STEPS

    net = clock_network()
    n = 2 * CHUNK_STEPS + 7
    with simulator(net) as sim:
        sim.run_steps(n)
        np.testing.assert_array_equal(sim.data[net.probe][:, 0], sim.trange())
        assert sim.n_steps == n == len(sim.trange())


def test_without_probes_every_step_is_run():
    calls = {"time": [], "value": []}
    with nengo.Network() as net:
        source = nengo.Node(lambda t: calls["time"].append(t) or 1.0)
        sink = nengo.Node(lambda t, x: calls["value"].append((t, x.copy())), size_in=1)
        nengo.Connection(source, sink, synapse=None)
    with simulator(net) as sim:
        sim.run_steps(7)
        assert sim.n_steps == 7
        steps = list(0.001 * np.arange(1, 8))
        assert calls["time"][-7:] == steps
        assert [t for t, _ in calls["value"][-7:]] == steps
        assert all(x == [1.0] for _, x in calls["value"][-7:])


def test_empty_network():
    with simulator(nengo.Network()) as sim:
        sim.run_steps(3)
        assert sim.n_steps == 3


def test_sample_every():
    with nengo.Network() as net:
        node = nengo.Node(lambda t: t)
        for period in (0.001, 0.002, 0.0025, 0.01, 0.03):
            nengo.Probe(node, sample_every=period)
    with simulator(net) as sim:
        for steps in (1, 4, 13, 6):
            sim.run_steps(steps)
        assert_like_reference(net, sim, 24)
        for probe in net.probes:
            np.testing.assert_array_equal(sim.data[probe][:, 0], sim.trange(sample_every=probe.sample_every))


def test_sample_every_with_host_calls():
    with nengo.Network() as net:
        node = nengo.Node(lambda t, x: x + t, size_in=1)
        nengo.Connection(node, node, synapse=0.01)
        nengo.Probe(node, sample_every=0.0025)
    with simulator(net) as sim:
        sim.run_steps(4)
        sim.run_steps(9)
        assert_like_reference(net, sim, 13)


def test_trange():
    with simulator(clock_network(), dt=0.002) as sim:
        sim.run_steps(6)
        np.testing.assert_allclose(sim.trange(), 0.002 * np.arange(1, 7))
        np.testing.assert_allclose(sim.trange(sample_every=0.006), [0.006, 0.012])
        with pytest.warns(DeprecationWarning, match="`dt` is deprecated"):
            np.testing.assert_allclose(sim.trange(dt=0.006), [0.006, 0.012])
        with pytest.raises(ValidationError, match="Cannot specify both"):
            sim.trange(dt=0.1, sample_every=0.1)


def test_clear_probes():
    net = clock_network()
    with simulator(net) as sim:
        sim.run_steps(3)
        sim.clear_probes()
        assert len(sim.data[net.probe]) == 0
        sim.run_steps(2)
        np.testing.assert_allclose(sim.data[net.probe][:, 0], [0.004, 0.005])


def test_arguments_in_the_order_of_nengo():
    net = clock_network()
    with Simulator(net, 0.002, 5, None, False, False) as sim:
        sim.run(0.004, False)
        sim.run_steps(2, False)
        assert (sim.n_steps, sim.seed, sim.dt) == (4, 5, 0.002)


def test_looking_into_a_closed_simulator():
    sim = simulator(clock_network())
    sim.close()
    for attribute in ("plan", "step_order"):
        with pytest.raises(SimulatorClosed, match="looked into"):
            getattr(sim, attribute)


def test_probe_data_is_read_only():
    net = clock_network()
    with simulator(net) as sim:
        sim.run_steps(3)
        with pytest.raises(ValueError, match="read-only"):
            sim.data[net.probe][0] = 1


def test_reset():
    net = small_network()
    with net:
        noise = nengo.Node(nengo.processes.WhiteNoise())
        nengo.Probe(noise)
    with simulator(net, seed=5) as sim:
        sim.run_steps(11)
        first = {p: sim.data[p].copy() for p in net.probes}
        sim.reset()
        assert (sim.n_steps, sim.time) == (0, 0.0)
        assert all(len(sim.data[p]) == 0 for p in net.probes)
        sim.run_steps(11)
        for p in net.probes:
            np.testing.assert_array_equal(sim.data[p], first[p])
        sim.reset(seed=6)
        assert sim.seed == 6
        sim.run_steps(11)
        assert not np.allclose(sim.data[net.probes[-1]], first[net.probes[-1]])
        assert_like_reference(net, sim, 11, seed=6)


def test_seed():
    net = nengo.Network(seed=3)
    with simulator(net) as sim:
        assert sim.seed == 4
    with simulator(net, seed=9) as sim:
        assert sim.seed == 9


def test_step_of_a_subclass_is_called_in_every_step():
    class Counting(Simulator):
        steps = 0

        def step(self):
            self.steps += 1
            super().step()

    with Counting(clock_network(), progress_bar=False) as sim:
        sim.run_steps(5)
        assert sim.steps == sim.n_steps == 5


def test_progress_bar():
    class Bar(nengo.utils.progress.ProgressBar):
        seen = []

        def update(self, progress):
            self.seen.append((progress.name_during, progress.n_steps))

        def close(self):
            pass

    with Simulator(clock_network(), progress_bar=Bar()) as sim:
        sim.run_steps(5)
        sim.run(0.003, progress_bar=False)
    simulating = [n for name, n in Bar.seen if name == "Simulating"]
    assert simulating[-1] == 5


def test_run_is_logged(caplog):
    with simulator(clock_network()) as sim, caplog.at_level(logging.INFO):
        sim.run(0.005)
    assert "for 0.005000 seconds, or 5 steps" in caplog.text


# ------------------------------------------------------------------------------------------------------ model, lifetime


def test_built_model():
    net = clock_network()
    model = Model(dt=0.001)
    model.build(net)
    with pytest.warns(UserWarning, match="No network"):
        sim = simulator(None, model=model)
    with sim:
        sim.run_steps(3)
        np.testing.assert_allclose(sim.data[net.probe][:, 0], [0.001, 0.002, 0.003])


def test_dt_of_a_model_wins():
    with simulator(clock_network(), model=Model(dt=0.002), dt=0.001) as sim:
        assert sim.dt == 0.002


def test_dt_is_read_only():
    with simulator(nengo.Network()) as sim:
        with pytest.raises(ReadonlyError, match="dt"):
            sim.dt = 0.002


def test_closed():
    net = clock_network()
    sim = simulator(net)
    sim.run_steps(2)
    assert not sim.closed
    sim.close()
    assert sim.closed and sim.signals is None
    for method in (sim.step, lambda: sim.run(0.1), lambda: sim.run_steps(1), sim.reset, sim.__enter__):
        with pytest.raises(SimulatorClosed):
            method()
    assert sim.data[net.probe].shape == (2, 2)
    assert len(sim.trange()) == sim.n_steps == 2
    sim.close()


def test_left_open():
    sim = simulator(clock_network())
    with pytest.warns(ResourceWarning, match="deallocated while open"):
        del sim
        gc.collect()


def test_failed_construction_warns_of_nothing(recwarn):
    with pytest.raises(ValidationError):
        simulator(nengo.Network(), minibatch_size=0)
    gc.collect()
    assert not [w for w in recwarn if issubclass(w.category, ResourceWarning)]


def test_data_of_built_objects():
    net = small_network()
    with simulator(net) as sim, reference(net) as ref:
        np.testing.assert_array_equal(sim.data[net.ensemble].encoders, ref.data[net.ensemble].encoders)
        assert set(net.all_objects) <= set(sim.data)
        assert sorted(map(str, sim.data)) == sorted(map(str, ref.data))
        with pytest.raises(KeyError):
            sim.data[nengo.Ensemble(1, 1, add_to_container=False)]


def test_probes_of_other_attributes():
    with nengo.Network(seed=1) as net:
        ens = nengo.Ensemble(10, 2)
        node, node_out = nengo.Node([0.5, 0.1]), nengo.Node(size_in=2)
        conn = nengo.Connection(node, ens, synapse=0.01)
        nengo.Probe(conn)
        nengo.Probe(nengo.Connection(ens, node_out, function=np.square), "weights", sample_every=0.002)
        nengo.Probe(ens.neurons, "voltage")
        nengo.Probe(ens.neurons, "refractory_time")
        nengo.Probe(ens.neurons, "input")
        nengo.Probe(ens, "input")
        nengo.Probe(ens, "scaled_encoders")
    with simulator(net) as sim:
        sim.run_steps(10)
        assert_like_reference(net, sim, 10)


def test_two_simulators_of_one_network():
    net = small_network()
    with simulator(net) as one, simulator(net) as two:
        one.run_steps(5)
        two.run_steps(3)
        one.run_steps(4)
        two.run_steps(6)
        for probe in net.probes:
            np.testing.assert_array_equal(one.data[probe], two.data[probe])
        assert_like_reference(net, one, 9)


def test_later_changes_of_a_node_have_no_effect():
    with nengo.Network() as net:
        node = nengo.Node(lambda t: 1.0)
        constant = nengo.Node([1.0])
        probes = nengo.Probe(node), nengo.Probe(constant)
    with simulator(net) as sim:
        node.output = lambda t: 2.0
        constant.output = np.array([3.0])
        sim.run_steps(2)
        for probe in probes:
            np.testing.assert_array_equal(sim.data[probe], [[1.0], [1.0]])


def test_direct_mode():
    with nengo.Network(seed=0) as net:
        u = nengo.Node(lambda t: [np.sin(9 * t), t])
        ens = nengo.Ensemble(10, 2, neuron_type=nengo.Direct())
        out = nengo.Node(size_in=1)
        nengo.Connection(u, ens)
        nengo.Connection(ens, out, function=lambda x: x[0] * x[1] + 1)
        nengo.Probe(ens)
        nengo.Probe(out, synapse=0.01)
    with simulator(net) as sim:
        sim.run_steps(12)
        assert_like_reference(net, sim, 12)


def test_plan_is_text():
    net = small_network()
    with simulator(net) as sim:
        for word in ("a compiled loop", "SimNeurons", "blocks"):
            assert word in sim.plan
    with net:
        nengo.Connection(net.double, net.ensemble)
    with simulator(net) as sim:
        assert "a loop with 1 host calls a step" in sim.plan


def test_step_order():
    net = small_network()
    with simulator(net) as sim:
        names = sorted(type(op).__name__ for op in sim.step_order)
    with reference(net) as ref:
        expected = sorted(type(op).__name__ for op in ref.step_order)
    assert [n for n in names if n != "SimProbe"] == [n for n in expected if n != "SimProbe"]


# ----------------------------------------------------------------------------------------- precision, unrolling, device


@pytest.mark.parametrize("minibatch_size, expected", [(None, np.float64), (2, np.float32)])
def test_default_precision(minibatch_size, expected):
    net = clock_network()
    with simulator(net, minibatch_size=minibatch_size) as sim:
        sim.run_steps(1)
        assert sim.data[net.probe].dtype == expected


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("minibatch_size", [None, 2])
def test_configured_precision(dtype, minibatch_size):
    net = small_network()
    with net:
        configure_settings(dtype=dtype)
    with simulator(net, minibatch_size=minibatch_size) as sim, reference(net) as ref:
        sim.run_steps(10)
        ref.run_steps(10)
        assert sim.data[net.probe].dtype == dtype
        for got in [sim.data[net.probe]] if minibatch_size is None else sim.data[net.probe]:
            atol = 1e-4 if dtype == "float32" else 1e-12
            np.testing.assert_allclose(got, ref.data[net.probe], rtol=0, atol=atol)


def test_precision_of_nengo_rc(monkeypatch):
    net = clock_network()
    monkeypatch.setitem(nengo.rc["precision"], "bits", "32")
    with simulator(net) as sim:
        sim.run_steps(1)
        assert sim.data[net.probe].dtype == np.float32


@pytest.mark.parametrize("unroll", [2, 5])
def test_unrolling_changes_nothing(unroll):
    net = small_network()
    net.nodes.remove(net.double)
    net.connections.pop()
    net.probes.remove(net.probe)
    with simulator(net) as one, simulator(net, unroll_simulation=unroll) as many:
        for steps in (1, 7, 10):
            one.run_steps(steps)
            many.run_steps(steps)
        assert many.n_steps == 18
        for probe in net.probes:
            np.testing.assert_allclose(many.data[probe], one.data[probe], rtol=0, atol=1e-12)


def test_without_xla():
    net = small_network()
    with net:
        configure_settings(xla=False)
    with simulator(net) as sim:
        sim.run_steps(10)
        assert_like_reference(net, sim, 10)


def test_device():
    net = clock_network()
    with simulator(net, device="/cpu:0") as sim:
        sim.run_steps(3)
        assert_like_reference(net, sim, 3)


# ------------------------------------------------------------------------------------------------------------ minibatch


@pytest.mark.parametrize("size", [1, 3])
def test_minibatch_axis(size):
    net = small_network()
    with net:
        configure_settings(dtype="float64")
    with simulator(net, minibatch_size=size) as sim, reference(net) as ref:
        assert sim.data[net.probe].shape == (size, 0, 1)
        sim.run_steps(4)
        sim.run_steps(5)
        ref.run_steps(9)
        for probe in net.probes:
            expected = np.broadcast_to(ref.data[probe], (size, *ref.data[probe].shape))
            np.testing.assert_allclose(sim.data[probe], expected, rtol=0, atol=1e-10)


def network_to_feed():
    with nengo.Network(seed=0) as net:
        configure_settings(dtype="float64")
        net.constant = nengo.Node([1.0, 2.0])
        net.function = nengo.Node(lambda t: t)
        net.noise = nengo.Node(nengo.processes.WhiteNoise(seed=1), size_out=1)
        net.ensemble = nengo.Ensemble(10, 2)
        nengo.Connection(net.constant, net.ensemble)
        nengo.Connection(net.function, net.ensemble[0])
        nengo.Connection(net.noise, net.ensemble[1])
        net.probes_of = {n: nengo.Probe(n) for n in (net.constant, net.function, net.noise)}
        net.spikes = nengo.Probe(net.ensemble.neurons)
    return net


def test_data_is_fed_item_by_item():
    net = network_to_feed()
    rng = np.random.RandomState(0)
    data = {node: rng.uniform(-1, 1, (2, 6, node.size_out)) for node in net.probes_of}
    with simulator(net, minibatch_size=2) as sim:
        sim.run_steps(6, data=data)
        for node, probe in net.probes_of.items():
            np.testing.assert_array_equal(sim.data[probe], data[node])
        batched = sim.data[net.spikes]
    for item in range(2):
        with simulator(net) as sim:
            sim.run_steps(6, data={node: x[item] for node, x in data.items()})
            np.testing.assert_array_equal(sim.data[net.spikes], batched[item])


def test_data_is_for_one_run_only():
    net = network_to_feed()
    with simulator(net) as sim, reference(net) as ref:
        sim.run_steps(2)
        sim.run_steps(2, data={net.constant: np.full((1, 2, 2), 7.0), net.function: np.full((2, 1), 8.0)})
        sim.run_steps(2)
        ref.run_steps(6)
        got, expected = (s.data[net.probes_of[net.constant]] for s in (sim, ref))
        np.testing.assert_array_equal(got[[0, 1, 4, 5]], expected[[0, 1, 4, 5]])
        np.testing.assert_array_equal(got[2:4], np.full((2, 2), 7.0))
        got, expected = (s.data[net.probes_of[net.function]] for s in (sim, ref))
        np.testing.assert_array_equal(got[[0, 1, 4, 5]], expected[[0, 1, 4, 5]])
        np.testing.assert_array_equal(got[2:4], np.full((2, 1), 8.0))


def test_fed_functions_are_not_called():
    calls = []
    with nengo.Network() as net:
        node = nengo.Node(lambda t: calls.append(t) or 0.0)
        nengo.Probe(node)
    with simulator(net) as sim:
        del calls[:]
        sim.run_steps(3, data={node: np.ones((3, 1))})
        assert not calls


def test_functions_are_called_item_by_item():
    calls = []

    def function(t, x):
        calls.append((round(t, 6), x[0]))
        return x

    with nengo.Network() as net:
        source = nengo.Node([0.0])
        node = nengo.Node(function, size_in=1)
        nengo.Connection(source, node, synapse=None)
    with simulator(net, minibatch_size=2) as sim:
        del calls[:]
        sim.run_steps(2, data={source: np.array([[[1.0], [2.0]], [[3.0], [4.0]]])})
    assert calls == [(0.001, 1), (0.001, 3), (0.002, 2), (0.002, 4)]


def test_random_streams_of_a_minibatch():
    with nengo.Network(seed=0) as net:
        configure_settings(dtype="float64")
        unseeded = nengo.Probe(nengo.Node(nengo.processes.WhiteNoise()))
        seeded = nengo.Probe(nengo.Node(nengo.processes.WhiteNoise(seed=4)))
    with simulator(net, minibatch_size=3) as sim, reference(net) as ref:
        sim.run_steps(5)
        ref.run_steps(5)
        np.testing.assert_array_equal(sim.data[seeded], [ref.data[seeded]] * 3)
        items = sim.data[unseeded]
        np.testing.assert_array_equal(items[0], ref.data[unseeded])
        assert not np.allclose(items[0], items[1]) and not np.allclose(items[1], items[2])


# ------------------------------------------------------------------------------------------------------------ arguments


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "a"])
@pytest.mark.parametrize("argument", ["minibatch_size", "unroll_simulation"])
def test_bad_integer(argument, value):
    with pytest.raises(ValidationError, match=f"{argument}.*positive integer"):
        simulator(nengo.Network(), **{argument: value})


def test_unrolls_as_configured():
    with nengo.Network() as net:
        configure_settings(unroll_simulation=3)
    with simulator(net) as configured, simulator(net, unroll_simulation=2) as given:
        assert (configured.unroll, given.unroll) == (3, 2)


@pytest.mark.parametrize("dt", [0, -0.001, float("nan"), float("inf"), "a", None, 1j, [0.1, 0.2]])
def test_bad_dt(dt):
    with pytest.raises(ValidationError, match="dt.*positive number of seconds"):
        simulator(nengo.Network(), dt=dt)


@pytest.mark.parametrize("dt", [np.float32(0.5), np.array(0.5), 1])
def test_good_dt(dt):
    with simulator(clock_network(), dt=dt) as sim:
        sim.run_steps(2)
        assert sim.time == 2 * float(dt)


@pytest.mark.parametrize("device", ["/gpu:99", "nonsense", "/cpu:99", 3])
def test_bad_device(device):
    with pytest.raises(ValidationError, match="device.*one of this machine's devices"):
        simulator(nengo.Network(), device=device)


@pytest.mark.parametrize(
    "make, match",
    [
        (lambda net: {nengo.Node([0.0], add_to_container=False): np.ones((1, 5, 1))}, "Node of the simulated network"),
        (lambda net: {net.ensemble: np.ones((1, 5, 2))}, "Node of the simulated network"),
        (lambda net: {"constant": np.ones((1, 5, 2))}, "Node of the simulated network"),
        (lambda net: {net.passthrough: np.ones((1, 5, 1))}, "cannot be fed"),
        (lambda net: {net.inlet: np.ones((1, 5, 1))}, "cannot be fed"),
        (lambda net: {net.constant: np.ones(2)}, r"shape \(2,\), expected the three axes"),
        (lambda net: {net.constant: np.ones((1, 1, 5, 2))}, "expected the three axes"),
        (lambda net: {net.constant: np.ones((1, 5, 3))}, r"shape \(1, 5, 3\), expected .* \(1, 5, 2\)"),
        (lambda net: {net.constant: np.ones((1, 4, 2))}, r"shape \(1, 4, 2\), expected .* \(1, 5, 2\)"),
        (lambda net: {net.constant: np.ones((2, 5, 2))}, r"shape \(2, 5, 2\), expected .* \(1, 5, 2\)"),
        (lambda net: {net.constant: np.full((1, 5, 2), "a")}, "numbers"),
        (lambda net: {net.constant: [[[1.0, 2.0]], [[1.0]]]}, "numbers"),
        (lambda net: np.ones((1, 5, 2)), "got ndarray, expected a dict"),
    ],
)
def test_bad_data(make, match):
    net = network_to_feed()
    with net:
        net.passthrough = nengo.Node(size_in=1)
        net.inlet = nengo.Node(lambda t, x: x, size_in=1)
    with simulator(net) as sim:
        with pytest.raises(ValidationError, match=match):
            sim.run_steps(5, data=make(net))
        assert sim.n_steps == 0


def test_data_of_a_minibatch_needs_its_axis():
    net = network_to_feed()
    with simulator(net, minibatch_size=2) as sim:
        with pytest.raises(ValidationError, match="expected the three axes"):
            sim.run_steps(5, data={net.constant: np.ones((5, 2))})


def test_operator_without_rule_or_step():
    class Unknown(nengo.builder.Operator):
        def __init__(self, tag):
            super().__init__(tag=tag)
            self.sets, self.incs, self.reads, self.updates = [], [], [], []

    model = Model(dt=0.001)
    model.add_op(Unknown(tag="mine"))
    with pytest.raises(BuildError, match="Unknown.*no native rule.*mine"):
        simulator(nengo.Network(), model=model)
