"""Many tensors as one vector a dtype: a loop that calls the host pays for each tensor that it carries."""

import math
from typing import NamedTuple

import numpy as np
import tensorflow as tf


class Packing(NamedTuple):
    """The shapes and dtypes of tensors that travel together.

    Attributes
    ----------
    specs : tuple of (tuple of int, numpy.dtype)
    """

    specs: tuple

    def dtypes(self):
        """The dtype of each vector."""
        return tuple(dict.fromkeys(dtype for _, dtype in self.specs))

    def sizes(self):
        """The length of each vector."""
        return tuple(sum(math.prod(s) for s, d in self.specs if d == dtype) for dtype in self.dtypes())

    def _parts(self, vectors):
        starts = dict.fromkeys(self.dtypes(), 0)
        by_dtype = dict(zip(self.dtypes(), vectors))
        for shape, dtype in self.specs:
            start = starts[dtype]
            starts[dtype] += math.prod(shape)
            yield by_dtype[dtype][..., start : starts[dtype]], shape

    def pack(self, tensors):
        """Tensors of these shapes -> tuple of vectors."""
        groups = {dtype: [] for dtype in self.dtypes()}
        for tensor, (_, dtype) in zip(tensors, self.specs):
            groups[dtype].append(tf.reshape(tensor, [-1]))
        return tuple(g[0] if len(g) == 1 else tf.concat(g, 0) for g in groups.values())

    def unpack(self, vectors):
        """Vectors -> list of tensors."""
        return [tf.reshape(part, shape) for part, shape in self._parts(vectors)]

    def array_packer(self):
        """As `pack`, of ndarrays, which are copied; made once, to be called in every step."""
        groups = [[k for k, (_, d) in enumerate(self.specs) if d == dtype] for dtype in self.dtypes()]
        dtypes = self.dtypes()
        if len(self.specs) == 1:
            return lambda arrays: [np.array(arrays[0], dtypes[0]).reshape(-1)]

        def pack_arrays(arrays):
            flat = [array.reshape(-1) for array in arrays]
            return [np.concatenate([flat[k] for k in g], dtype=d, casting="unsafe") for g, d in zip(groups, dtypes)]

        return pack_arrays

    def unpack_arrays(self, vectors):
        """As `unpack`, of ndarrays; leading axes of the vectors stay."""
        return [part.reshape((*part.shape[:-1], *shape)) for part, shape in self._parts(vectors)]
