"""What learning rules do beside computing."""

import numpy as np
import pytest
from nengo.builder import Signal
from nengo.builder.learning_rules import SimRLS
from nengo.exceptions import BuildError

from nengo_backend_tf.ops.learning_rules.rls import make_rls_step
from nengo_backend_tf.ops.registry import Context


def test_rls_needs_symmetric_matrix():
    r, error, delta = (Signal(np.zeros(shape)) for shape in ((2,), (1,), (1, 2)))
    inv_gamma = Signal(np.array([[1.0, 0.5], [0.25, 1.0]]), name="gamma")
    context = Context(0.001, np.dtype(float), "stacked", ((1, 2), (1, 1), (1, 2, 2)), (2,))
    with pytest.raises(BuildError, match=r"P must be symmetric.*'gamma'.*up to 0\.25"):
        make_rls_step([SimRLS(r, error, delta, inv_gamma)], context)
