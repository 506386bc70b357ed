"""Errors and interruptions within a run leave a state from which one can go on."""

import traceback

import nengo
import numpy as np
import pytest

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.program import compile as compile_module


class Fails(Exception):
    """The user's own exception."""


class Trap:
    """A function of values that raises at one time, once."""

    def __init__(self, at, error=Fails):
        self.at, self.error, self.calls = at, error, []

    def spring(self, t):
        self.calls.append(round(t, 6))
        if self.at is not None and abs(t - self.at) < 1e-6:
            self.at = None
            raise self.error("from the user's function")

    def of_time(self, t):
        self.spring(t)
        return np.sin(100 * t)

    def of_value(self, t, x):
        self.spring(t)
        return x + 10 * t


def network(time_trap=None, value_trap=None, sink_trap=None, second_trap=None):
    """A closed loop through Python, with a function of time and a function that only consumes."""
    with nengo.Network(seed=0) as net:
        source = nengo.Node((time_trap or Trap(None)).of_time)
        ens = nengo.Ensemble(12, 1)
        loop = nengo.Node((value_trap or Trap(None)).of_value, size_in=1)
        nengo.Connection(source, ens)
        nengo.Connection(ens, loop, synapse=0.01)
        if second_trap is None:
            nengo.Connection(loop, ens, synapse=0.02)
        else:
            second = nengo.Node(second_trap.of_value, size_in=1)
            nengo.Connection(loop, second, synapse=None)
            nengo.Connection(second, ens, synapse=0.02)
        sink = nengo.Node((sink_trap or Trap(None)).of_value, size_in=1)
        nengo.Connection(ens, sink, synapse=0.005)
        for target in (source, loop, sink, ens.neurons):
            nengo.Probe(target)
        nengo.Probe(loop, sample_every=0.002)
    return net


def data_of(sim):
    return [sim.data[probe] for probe in sim.model.probes]


def expected_data(net, steps):
    with nengo.Simulator(net, progress_bar=False, optimize=False) as ref:
        ref.run_steps(steps)
        return [np.array(x) for x in data_of(ref)]


@pytest.fixture(autouse=True, params=["numpy", "tensorflow"])
def loop(request, monkeypatch):
    """Where steps with calls of Python functions run."""
    if request.param == "tensorflow":
        monkeypatch.setattr(compile_module, "runs_on_host", lambda groups, batch: False)
    return request.param


ROLES = ["time_trap", "value_trap", "sink_trap", "second_trap"]


@pytest.mark.parametrize("error", [Fails, KeyboardInterrupt])
@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize("role", ROLES)
def test_error_in_a_function(role, step, error):
    trap = Trap(None)
    net = network(**{role: trap})
    expected = expected_data(net, 9)
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(2)
        trap.at, trap.error = 0.001 * (2 + step), error
        with pytest.raises(error, match="from the user's function") as info:
            sim.run_steps(7)
        frames = [frame.name for frame in traceback.extract_tb(info.value.__traceback__)]
        assert frames[-1] == "spring"
        complete = 2 + step - 1
        assert sim.n_steps == complete
        assert sim.time == pytest.approx(0.001 * complete)
        assert len(sim.trange()) == complete
        for got, wanted in zip(data_of(sim)[:-1], expected):
            np.testing.assert_allclose(got, wanted[:complete], rtol=0, atol=1e-10)
        assert len(data_of(sim)[-1]) == complete // 2
        sim.run_steps(9 - complete)
        for got, wanted in zip(data_of(sim), expected):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("first, second", [("time_trap", "value_trap"), ("value_trap", "sink_trap")])
def test_errors_in_two_functions(first, second):
    """A function that was called ahead raises when its own step comes, not when another fails before."""
    traps = {first: Trap(None), second: Trap(None)}
    net = network(**traps)
    expected = expected_data(net, 8)
    with Simulator(net, progress_bar=False) as sim:
        traps[first].at, traps[second].at = 0.006, 0.003
        with pytest.raises(Fails):
            sim.run_steps(8)
        assert sim.n_steps == 2
        traps[first].at = 0.006
        with pytest.raises(Fails):
            sim.run_steps(6)
        assert sim.n_steps == 5
        sim.run_steps(3)
        for got, wanted in zip(data_of(sim), expected):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)


@pytest.mark.parametrize("failing", ["value_trap", "sink_trap"])
def test_what_was_called_ahead_of_an_error_is_not_lost(failing):
    """Random streams and functions with a state of their own go on from the step that failed."""
    trap, count = Trap(None), iter(range(100))
    net = network(**{failing: trap})
    with net:
        nengo.Probe(nengo.Node(nengo.processes.WhiteNoise(seed=0)))
        counter = nengo.Probe(nengo.Node(lambda t: next(count)))
    expected = expected_data(net, 8)
    with Simulator(net, progress_bar=False) as sim:
        trap.at = 0.004
        with pytest.raises(Fails):
            sim.run_steps(8)
        sim.run_steps(5)
        np.testing.assert_array_equal(np.diff(sim.data[counter], axis=0), 1)
        np.testing.assert_allclose(data_of(sim)[-2], expected[-2], rtol=0, atol=1e-10)


@pytest.mark.parametrize("change", ["data", "clock"])
def test_what_was_called_ahead_is_for_its_own_steps_only(change):
    trap = Trap(None)
    with nengo.Network() as net:
        source = nengo.Node(lambda t: 100 * t)
        loop = nengo.Node(trap.of_value, size_in=1)
        nengo.Connection(source, loop, synapse=None)
        nengo.Connection(loop, loop, synapse=0.01)
        probe = nengo.Probe(source)
    with Simulator(net, progress_bar=False) as sim:
        trap.at = 0.004
        with pytest.raises(Fails):
            sim.run_steps(6, data={source: np.full((6, 1), 7.0)} if change == "data" else None)
        if change == "clock":
            sim.signals[sim.model.step] = 20
        sim.run_steps(3)
        wanted = [7, 7, 7, 0.4, 0.5, 0.6] if change == "data" else [0.1, 0.2, 0.3, 2.1, 2.2, 2.3]
        np.testing.assert_allclose(sim.data[probe][:, 0], wanted)


def test_no_function_is_called_for_steps_after_an_error():
    """A function that only consumes values is not deferred where that would let others run on without it."""
    trap, calls = Trap(0.003), []
    with nengo.Network() as net:
        loop = nengo.Node(lambda t, x: (calls.append(t), x + 1)[1], size_in=1)
        nengo.Connection(loop, loop, synapse=0.01)
        sink = nengo.Node(trap.of_value, size_in=1)
        nengo.Connection(loop, sink, synapse=0.01)
    with Simulator(net, progress_bar=False) as sim:
        with pytest.raises(Fails):
            sim.run_steps(8)
        assert sim.n_steps == 2
        # Nengo itself calls a function with t = 0 when a Node is made.
        np.testing.assert_allclose(calls, [0.0, 0.001, 0.002, 0.003])


def test_the_network_runs_in_the_loop_that_is_tested(loop):
    with Simulator(network(), progress_bar=False) as sim:
        assert ("on the host as a whole" in sim.plan) == (loop == "numpy")
        assert "2 host calls a step" in sim.plan


def test_error_in_a_later_chunk(monkeypatch):
    monkeypatch.setattr(compile_module, "CHUNK_STEPS", 4)
    trap = Trap(None)
    net = network(value_trap=trap)
    expected = expected_data(net, 12)
    with Simulator(net, progress_bar=False) as sim:
        trap.at = 0.007
        with pytest.raises(Fails):
            sim.run_steps(12)
        assert sim.n_steps == 6
        sim.run_steps(6)
        for got, wanted in zip(data_of(sim), expected):
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-10)


def test_error_with_a_minibatch():
    trap = Trap(None)
    net = network(value_trap=trap)
    with net:
        configure_settings(dtype="float64")
    expected = expected_data(net, 6)
    with Simulator(net, progress_bar=False, minibatch_size=2) as sim:
        trap.at = 0.004
        with pytest.raises(Fails):
            sim.run_steps(6)
        assert sim.n_steps == 3
        sim.run_steps(3)
        for got, wanted in zip(data_of(sim), expected):
            np.testing.assert_allclose(got, [wanted] * 2, rtol=0, atol=1e-10)


def test_signals_after_an_error():
    trap = Trap(None)
    net = network(value_trap=trap)
    with Simulator(net, progress_bar=False) as sim:
        with nengo.Simulator(None, model=sim.model, progress_bar=False, optimize=False) as ref:
            ref.run_steps(3)
            trap.at = 0.004
            with pytest.raises(Fails):
                sim.run_steps(6)
            for signal in ref.signals:
                np.testing.assert_allclose(sim.signals[signal], ref.signals[signal], rtol=0, atol=1e-10, err_msg=str(signal))


def test_stop_iteration_is_the_users_too():
    trap = Trap(None, StopIteration)
    net = network(value_trap=trap)
    with Simulator(net, progress_bar=False) as sim:
        trap.at = 0.002
        with pytest.raises(StopIteration, match="from the user's function"):
            sim.run_steps(3)
        assert sim.n_steps == 1


# What nengo says of an output, it says here: (output, whether the Node has an input).
BAD = {"None": None, "nan": np.nan, "inf": np.inf, "wrong size": [1.0, 2.0], "text": "a"}


@pytest.mark.parametrize("has_input", [False, True])
@pytest.mark.parametrize("bad", BAD)
def test_bad_output_is_judged_as_by_nengo(bad, has_input):
    def output(t, x=0.0):
        return BAD[bad] if abs(t - 0.003) < 1e-6 else float(np.asarray(x).item()) + t

    with nengo.Network(seed=0) as net:
        if has_input:
            node = nengo.Node(output, size_in=1, size_out=1)
            nengo.Connection(node, node, synapse=0.01)
        else:
            node = nengo.Node(output, size_out=1)
        probe = nengo.Probe(node)
    outcomes = []
    for make in (nengo.Simulator, Simulator):
        with make(net, progress_bar=False) as sim:
            try:
                sim.run_steps(5)
                outcomes.append(("no error", ""))
            except Exception as error:
                outcomes.append((type(error), str(error)))
            steps, data = sim.n_steps, np.array(sim.data[probe])
            assert len(data) == steps
            outcomes[-1] += (data.tolist() if len(data) else [],)
    assert outcomes[1] == outcomes[0]


def test_nodes_get_arrays_of_their_own():
    seen = []

    def keep(t, x):
        seen.append(x)
        x[...] = 7

    with nengo.Network() as net:
        source = nengo.Node(lambda t: t)
        sink, other = nengo.Node(keep, size_in=1), nengo.Node(size_in=1)
        nengo.Connection(source, sink, synapse=None)
        nengo.Connection(source, other, synapse=None)
        probe = nengo.Probe(other)
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(3)
        np.testing.assert_allclose(sim.data[probe][:, 0], [0.001, 0.002, 0.003])
        assert all(x == 7 for x in seen)
        assert len({id(x) for x in seen}) == len(seen)


def test_time_is_a_float():
    types = set()
    with nengo.Network() as net:
        source = nengo.Node(lambda t: types.add(type(t)) or t)
        node = nengo.Node(lambda t, x: types.add(type(t)) or x, size_in=1)
        nengo.Connection(source, node, synapse=None)
        nengo.Connection(node, node, synapse=0.01)
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(2)
    assert types == {float}
