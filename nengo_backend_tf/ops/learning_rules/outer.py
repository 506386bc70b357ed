"""The product that all learning rules share."""


def outer(x, y):
    """Outer products over the last axes, ``x_j y_i``: (..., M) and (..., N) -> (..., M, N)."""
    return x[..., :, None] * y[..., None, :]
