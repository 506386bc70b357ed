"""Neuron types and their parameters."""

import nengo
from nengo.dists import Choice, Uniform


def neuron_type(draw, dt):
    """A neuron type other than Direct.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds.
    """
    if draw.chance(0.03):
        return izhikevich(draw, dt)  # nengo takes long to build these
    return draw.pick(*KINDS)(draw, dt)


def rate_type(draw, dt):
    """A neuron type that puts out rates, and can be the base of types that spike at rates."""
    return draw.pick(rectified, rectified, sigmoid, tanh, lif_rate)(draw, dt)


def _amplitude(draw):
    return draw.pick(1, 1, 0.5, draw.number(0.25, 2))


def _lif(draw, dt):
    tau_rc = draw.pick(0.02, draw.number(5 * dt, 0.1), 16 * dt, 0.7 * dt)
    tau_ref = draw.pick(0.002, 0.0, 2 * dt, draw.number(0.0, 5 * dt))
    return dict(tau_rc=tau_rc, tau_ref=tau_ref, amplitude=_amplitude(draw))


def _spiking_lif(draw, dt):
    initial = {}
    if draw.chance(0.3):
        initial["voltage"] = draw.pick(Uniform(0, 1), Choice([0.5]), Choice([1.0]))
    if draw.chance(0.15):
        initial["refractory_time"] = Uniform(0, 4 * dt)
    return dict(
        _lif(draw, dt), min_voltage=draw.pick(0, 0, -1.0, draw.number(-2, 0), float("-inf")),
        initial_state=initial or None,
    )


def _adaptation(draw, dt):
    return dict(tau_n=draw.number(5 * dt, 1), inc_n=draw.pick(0.01, draw.number(0.0, 0.1)))


def _voltage(draw, low=0.0, high=0.95):
    return {"voltage": draw.pick(Uniform(low, high), Choice([0.0]), Choice([0.5]))} if draw.chance(0.6) else None


def rectified(draw, dt):
    return nengo.RectifiedLinear(_amplitude(draw))


def spiking_rectified(draw, dt):
    return nengo.SpikingRectifiedLinear(_amplitude(draw), initial_state=_voltage(draw))


def sigmoid(draw, dt):
    return nengo.Sigmoid(draw.pick(0.0025, draw.number(2 * dt, 10 * dt)))


def tanh(draw, dt):
    return nengo.Tanh(draw.pick(0.0025, draw.number(2 * dt, 10 * dt)))


def lif_rate(draw, dt):
    return nengo.LIFRate(**_lif(draw, dt))


def lif(draw, dt):
    return nengo.LIF(**_spiking_lif(draw, dt))


def plain_lif(draw, dt):
    return nengo.LIF()


def adaptive_lif_rate(draw, dt):
    return nengo.AdaptiveLIFRate(**_adaptation(draw, dt), **_lif(draw, dt))


def adaptive_lif(draw, dt):
    return nengo.AdaptiveLIF(**_adaptation(draw, dt), **_spiking_lif(draw, dt))


def izhikevich(draw, dt):
    if draw.chance(0.4):
        return nengo.Izhikevich()
    return nengo.Izhikevich(
        tau_recovery=draw.number(0.01, 0.1), coupling=draw.number(0.15, 0.3), reset_voltage=draw.number(-70, -50),
        reset_recovery=draw.number(2, 10),
    )


def regular(draw, dt):
    voltage = {"voltage": Choice([0.0])} if draw.exact else None
    return nengo.RegularSpiking(rate_type(draw, dt), amplitude=_amplitude(draw), initial_state=voltage)


def stochastic(draw, dt):
    return nengo.StochasticSpiking(rate_type(draw, dt), amplitude=_amplitude(draw))


def poisson(draw, dt):
    return nengo.PoissonSpiking(rate_type(draw, dt), amplitude=_amplitude(draw))


KINDS = (
    rectified, spiking_rectified, sigmoid, tanh, lif_rate, plain_lif, lif, lif, adaptive_lif_rate, adaptive_lif,
    regular, stochastic, poisson,
)


def top_rate(kind):
    """A rate in Hz that the neurons can reach."""
    base = getattr(kind, "base_type", kind)
    tau_ref = getattr(base, "tau_ref", 0.0)
    if isinstance(base, (nengo.Sigmoid, nengo.Tanh)):
        return 0.9 / tau_ref
    return 0.8 / tau_ref if tau_ref > 0.002 else 300.0


def current_scale(kind):
    """The size of currents that make the neurons do something without saturating."""
    base = getattr(kind, "base_type", kind)
    if isinstance(base, (nengo.RectifiedLinear, nengo.SpikingRectifiedLinear)):
        return 200.0
    return 15.0 if isinstance(base, nengo.Izhikevich) else 2.0
