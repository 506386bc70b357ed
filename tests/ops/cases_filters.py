"""Rows for linear synapses: Lowpass, Alpha, and LinearFilter of low and high orders, with and without passthrough."""

from functools import partial

import nengo
import numpy as np
from harness import Case
from nengo.builder import Signal
from nengo.builder.operator import Copy, Reset
from nengo.synapses import LinearFilter


def make_filter(model, rng, make_synapse, shape=(4,), mode="update"):
    """A synapse with random parameters."""
    output = model.build(make_synapse(rng), Signal(rng.uniform(-1, 1, shape)), mode=mode)
    if mode == "inc":
        model.add_op(Reset(output, value=0.5))


def make_chain(model, rng):
    """Filters of filters: each sees what the last put out a step before."""
    x = Signal(rng.uniform(-1, 1, 3))
    for tau in rng.uniform(0.002, 0.02, 3):
        x = model.build(nengo.Lowpass(tau), x, mode="update")
    model.add_op(Copy(x, Signal(np.zeros(3))))


def make_views(model, rng):
    """From a view into a view."""
    x, y = (Signal(rng.uniform(-1, 1, (5, 4))) for _ in range(2))
    model.build(nengo.Lowpass(rng.uniform(0.002, 0.02)), x[::-2, 1:3], y[1:4, ::2], mode="update")
    model.build(nengo.Alpha(0.005), x[0], y[0], mode="update")


def tau(rng):
    return rng.uniform(0.002, 0.02)


#: Filters in continuous time by transfer function, discrete ones where ``analog=False``.
SYNAPSES = {
    "lowpass": lambda rng: nengo.Lowpass(tau(rng)),
    "lowpass_zero": lambda rng: nengo.Lowpass(0),
    "lowpass_short": lambda rng: nengo.Lowpass(1e-5),
    "alpha": lambda rng: nengo.Alpha(0.005),
    "gain": lambda rng: LinearFilter([rng.uniform(1, 2)], [1]),
    "first_order_passthrough": lambda rng: LinearFilter([0.02, 1], [0.01, 1]),
    "first_order_discrete": lambda rng: LinearFilter([0.1], [1, -0.9], analog=False),
    "first_order_discrete_passthrough": lambda rng: LinearFilter([0.3, 0.1], [1, -0.9], analog=False),
    "second_order": lambda rng: LinearFilter([1], [0.0001, 0.01, 1]),
    "second_order_passthrough": lambda rng: LinearFilter([0.00005, 0.01, 1], [0.0001, 0.01, 1]),
    "second_order_euler": lambda rng: LinearFilter([1], [0.0001, 0.01, 1], method="euler"),
    "third_order": lambda rng: LinearFilter([0.004, 1], [1e-6, 0.0002, 0.03, 1]),
    "third_order_passthrough": lambda rng: LinearFilter([1e-6, 0, 0.004, 1], [1e-6, 0.0002, 0.03, 1]),
    "third_order_discrete": lambda rng: LinearFilter([0.2, 0.1, 0.3], [1, -0.5, 0.2, -0.1], analog=False),
    "fifth_order": lambda rng: LinearFilter([1], np.poly([-tau(rng), -0.1, -0.2, -0.3, -0.4]), analog=False),
    "high_order": lambda rng: LinearFilter(rng.uniform(-1, 1, 60), [1] + [0] * 60, analog=False),
    "high_order_passthrough": lambda rng: LinearFilter(rng.uniform(-1, 1, 101), [1] + [0] * 99 + [0.5], analog=False),
}

FORMS = {"_matrix": dict(shape=(2, 3)), "_scalar": dict(shape=(1,)), "_set": dict(mode="set"), "_inc": dict(mode="inc")}

CASES = (
    *(Case(name, partial(make_filter, make_synapse=synapse)) for name, synapse in SYNAPSES.items()),
    *(
        Case(f"{name}{form}", partial(make_filter, make_synapse=SYNAPSES[name], **options))
        for name in ("lowpass", "gain", "first_order_passthrough", "third_order", "third_order_passthrough")
        for form, options in FORMS.items()
        # nengo's own step functions fail there
        if not (form == "_inc" and name.endswith("passthrough"))
    ),
    Case("different_filters", partial(
        make_filter, make_synapse=lambda rng: list(SYNAPSES.values())[rng.randint(len(SYNAPSES))](rng)
    ), members=8),
    Case("high_order_matrix", partial(make_filter, make_synapse=SYNAPSES["high_order"], shape=(2, 3))),
    Case("filter_chain", make_chain),
    Case("filter_views", make_views),
)
