"""A network on nengo.Simulator and on this backend: all probe data of the two, compared."""

import nengo
import numpy as np

from nengo_backend_tf import Simulator, configure_settings


def reference(net, **kwargs):
    """nengo's own simulator. Unseeded random streams of its optimizer cannot be reproduced, so that it is switched off."""
    return nengo.Simulator(net, progress_bar=False, optimize=False, **kwargs)


def automatic(net, **kwargs):
    """This backend as it is by default."""
    return Simulator(net, progress_bar=False, **kwargs)


class _Stepwise(Simulator):
    def step(self):
        super().step()


def stepwise(net, **kwargs):
    """This backend, of which every step is run by itself: with NumPy, where the network is small."""
    return _Stepwise(net, progress_bar=False, **kwargs)


def compiled(net, **kwargs):
    """This backend, which runs all but Python functions in TensorFlow."""
    with net:
        configure_settings(host_loop="tensorflow")
    return Simulator(net, progress_bar=False, **kwargs)


BACKENDS = (stepwise, compiled)


def simulate(simulator, make, *parts, **kwargs):
    """Probe data of a network that is made and run.

    Parameters
    ----------
    simulator : callable
        `reference`, `automatic`, `stepwise` or `compiled`.
    make : callable
        Makes the network, anew each time: what its functions keep is not shared between simulators.
    parts : int
        Numbers of steps: one run each.
    kwargs
        For the simulator.

    Returns
    -------
    list of ndarray
        In the order of ``net.all_probes``.
    """
    net = make()
    with simulator(net, **kwargs) as sim:
        for steps in parts:
            sim.run_steps(steps)
        return [np.array(sim.data[p]) for p in net.all_probes]


def assert_close(actual, expected, tolerance=1e-9):
    """Data of all probes are equal, to a part of each one's largest value: no spike more, and none in another step."""
    assert len(actual) == len(expected)
    for i, (x, y) in enumerate(zip(actual, expected)):
        if not len(y):
            assert not len(x), f"probe {i}"  # nengo gives no samples the shape (0,), whatever their size
            continue
        assert x.shape == y.shape, f"probe {i}"
        assert np.array_equal(np.isnan(x), np.isnan(y)), f"probe {i}"
        scale = np.nanmax(np.abs(y), initial=0)
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * scale, err_msg=f"probe {i}")


def compare(make, *parts, tolerance=1e-9, backends=BACKENDS, **kwargs):
    """Simulate with the reference and with this backend in its ways, and compare.

    Parameters
    ----------
    make, parts, kwargs
        As for `simulate`.
    tolerance : float
        As for `assert_close`.
    backends : tuple of callable
        Of `automatic`, `stepwise` and `compiled`.

    Returns
    -------
    list of ndarray
        The reference's data, for further assertions.
    """
    expected = simulate(reference, make, *parts, **kwargs)
    assert any(np.any(data) for data in expected), "nothing happened that could be compared"
    for backend in backends:
        assert_close(simulate(backend, make, *parts, **kwargs), expected, tolerance)
    return expected
