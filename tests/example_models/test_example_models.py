"""Nengo's example models have, on this backend, the values that they have on nengo.Simulator."""

import numpy as np
import pytest
from comparing import automatic, compare

from . import MODELS, TIMESTEPS

STEPS = 150
#: Part of each probe's largest value by which it may differ; a spike more or in another step differs by much more.
TOLERANCE = 1e-9


@pytest.mark.filterwarnings(
    "ignore::nengo_backend_tf.ops.HostFallbackWarning", "ignore:The nengo.spa module is deprecated",
    "ignore:.*has already been built", "ignore:Non-finite values", "ignore:invalid value",
)
@pytest.mark.parametrize("name", MODELS)
def test_like_reference(name):
    data = compare(MODELS[name], STEPS, tolerance=TOLERANCE, backends=[automatic], dt=TIMESTEPS.get(name, 0.001))
    assert all(np.isfinite(x).all() for x in data)
    assert sum(np.ptp(x, axis=0).any() for x in data) >= len(data) / 2, "most of what is probed changes"
