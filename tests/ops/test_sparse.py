"""What sparse products do beside computing."""

import nengo
import numpy as np
import pytest
from nengo.builder import Model, Signal
from nengo.builder.operator import SparseDotInc
from nengo.transforms import SparseMatrix

from nengo_backend_tf.ops import nodes_of


@pytest.fixture
def product():
    """``product(shape, nonzeros)`` makes a SparseDotInc with nonzeros in random places."""

    def make(shape, nonzeros):
        rng = np.random.RandomState(0)
        places = rng.choice(shape[0] * shape[1], nonzeros, replace=False)
        matrix = SparseMatrix(np.stack(np.unravel_index(places, shape), 1), rng.uniform(-1, 1, nonzeros), shape)
        A = Signal(matrix, name="A", readonly=True)
        return SparseDotInc(A, Signal(np.zeros(shape[1]), name="X"), Signal(np.zeros(shape[0]), name="Y"))

    return make


@pytest.mark.parametrize("shape, nonzeros, kind", [
    ((5, 4), 8, "dot"),
    ((200, 100), 2000, "dot"),
    ((200, 100), 500, "SparseDotInc"),
    ((3000, 3000), 500_000, "SparseDotInc"),
])
def test_dense_where_that_is_faster(product, shape, nonzeros, kind):
    (node,) = nodes_of(product(shape, nonzeros), Model())
    assert kind in node.key


def test_warns_without_scipy(product, monkeypatch):
    monkeypatch.setattr(nengo.transforms, "scipy_sparse", None)
    with pytest.warns(UserWarning, match="require Scipy"):
        nodes_of(product((200, 100), 500), Model())
