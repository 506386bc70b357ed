"""Which elements of its base a signal shows."""

import numpy as np


def elements(signal):
    """Indices into the flat base signal of the elements that ``signal`` shows, in order; None for all of them."""
    if not signal.is_view:
        return None
    index = np.full(signal.shape, signal.elemoffset)
    for axis, (length, stride) in enumerate(zip(signal.shape, signal.elemstrides)):
        shape = [1] * signal.ndim
        shape[axis] = length
        index = index + stride * np.arange(length).reshape(shape)
    index = index.reshape(-1)
    size = signal.base.size
    if len(index) == size and np.array_equal(index, np.arange(size)):
        return None
    return index
