"""Rows for synapses that are not linear filters of a fixed order: Triangle."""

from functools import partial

import nengo
from harness import Case
from nengo.builder import Signal
from nengo.builder.operator import Reset


def make_triangle(model, rng, t=0.004, shape=(3,), mode="update"):
    """With ``t`` None, of random length."""
    synapse = nengo.synapses.Triangle(0.001 * rng.randint(1, 9) if t is None else t)
    output = model.build(synapse, Signal(rng.uniform(-1, 1, shape)), mode=mode)
    if mode == "inc":
        model.add_op(Reset(output, value=0.5))


CASES = (
    Case("triangle", make_triangle, groups=1),
    Case("triangle_one_tap", partial(make_triangle, t=0), groups=1),
    Case("triangle_two_taps", partial(make_triangle, t=0.001), groups=1),
    Case("triangle_longer_than_run", partial(make_triangle, t=0.05), groups=1),
    Case("triangle_lengths", partial(make_triangle, t=None)),
    Case("triangle_matrix", partial(make_triangle, shape=(2, 3)), groups=1),
    Case("triangle_set", partial(make_triangle, mode="set"), groups=1),
    Case("triangle_inc", partial(make_triangle, mode="inc"), groups=1),
    Case("triangle_many", partial(make_triangle, shape=(1,)), members=10, groups=1),
)
