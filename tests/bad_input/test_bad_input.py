"""What nengo raises for bad networks and calls is raised here too, and says which object it is about."""

import warnings

import nengo
import numpy as np
import pytest
from bad_calls import CALLS
from bad_networks import NETWORKS
from bad_steps import FAILS_IN, FUNCTIONS, KINDS, NOT_FINITE, RAISING, learning_rule, network

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.ops.python import HostFallbackWarning, NonFiniteWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{HostFallbackWarning.__module__}.HostFallbackWarning")


def tensorflow(net, **kwargs):
    with net:
        configure_settings(host_loop="tensorflow")
    return Simulator(net, **kwargs)


def reference(net, **kwargs):
    return nengo.Simulator(net, optimize=False, **kwargs)


def error_of(function, *args):
    with pytest.raises(Exception) as info, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function(*args)
    return info.value


@pytest.mark.parametrize("fails, match", CALLS + NETWORKS, ids=lambda x: getattr(x, "__name__", ""))
def test_type_and_message(fails, match):
    expected = type(error_of(fails, reference))
    with pytest.raises(expected, match=match):
        fails(Simulator)


def run_until_it_fails(simulator_class, kind, bad):
    """A simulator's error, number of steps and data after it, and data after two more steps."""
    net, culprit = network(kind, bad)
    with simulator_class(net, progress_bar=False) as sim:
        culprit.start()
        error = error_of(sim.run_steps, FAILS_IN + 3)
        steps, data = sim.n_steps, [sim.data[p].copy() for p in net.probes]
        sim.run_steps(2)
        return error, steps, data, [sim.data[p].copy() for p in net.probes]


CASES = [(Simulator, kind, bad) for kind in KINDS for bad in RAISING]
CASES += [(tensorflow, kind, bad) for kind in KINDS for bad in ("raises", "another size")]


@pytest.mark.parametrize("simulator_class, kind, bad", CASES, ids=lambda x: getattr(x, "__name__", x))
def test_errors_within_steps(kind, bad, simulator_class):
    """The error is the reference's and names the object; what was recorded before it is kept; the simulator goes on."""
    check_error(simulator_class, kind, RAISING[bad])


@pytest.mark.parametrize("bad", NOT_FINITE)
@pytest.mark.parametrize("kind", FUNCTIONS, ids=lambda kind: kind.__name__)
def test_functions_that_return_what_is_not_finite(kind, bad):
    check_error(Simulator, kind, NOT_FINITE[bad])


def check_error(simulator_class, kind, bad):
    error, steps, data, after = run_until_it_fails(simulator_class, kind, bad)
    expected_error, _, expected_data, _ = run_until_it_fails(reference, kind, bad)
    assert type(error) is type(expected_error) and str(error) == str(expected_error)
    assert any(f"in step {FAILS_IN} " in note and "culprit" in note for note in error.__notes__)
    assert steps == FAILS_IN - 1
    for got, expected, longer in zip(data, expected_data, after, strict=True):
        np.testing.assert_allclose(got, expected[:steps], rtol=0, atol=1e-12)
        np.testing.assert_array_equal(longer[:steps], got)
        assert len(longer) == steps + 2


LET_PASS = [(kind, bad) for kind in KINDS if kind not in FUNCTIONS for bad in NOT_FINITE]
LET_PASS.remove((learning_rule, "infinity"))  # NumPy has 0 * infinity for an error, and nengo passes it on


@pytest.mark.parametrize("kind, bad", LET_PASS, ids=lambda x: getattr(x, "__name__", x))
def test_what_nengo_lets_pass_is_warned_of(kind, bad):
    """NaN and infinity of anything but functions are no error in nengo. They stay what they are, and the object is named."""
    results = []
    for simulator_class in (Simulator, reference):
        net, culprit = network(kind, NOT_FINITE[bad])
        with simulator_class(net, progress_bar=False) as sim, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            culprit.start()
            sim.run_steps(FAILS_IN + 3)
            results.append([sim.data[p] for p in net.probes])
        said = [str(w.message) for w in caught if w.category is NonFiniteWarning]
        if simulator_class is Simulator:
            assert len(said) == 1 and f"in step {FAILS_IN}, which is not finite" in said[0] and "culprit" in said[0]
    for got, expected in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
