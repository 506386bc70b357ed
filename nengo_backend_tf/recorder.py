"""Probe data: recorded chunk by chunk, read as one array."""

import numpy as np


class Recorder:
    """Samples of each probe.

    Parameters
    ----------
    shapes : dict
        Probe -> (shape of a sample, dtype).
    batch : int or None
        Size of the minibatch; None for no minibatch axis.
    """

    def __init__(self, shapes, batch=None):
        self.shapes, self.batch = shapes, batch
        self.chunks = {probe: [] for probe in shapes}

    def clear(self):
        self.chunks = {probe: [] for probe in self.shapes}

    def add(self, probe, samples):
        """Append samples (S, ..., *shape)."""
        if len(samples):
            self.chunks[probe].append(samples)

    def array(self, probe):
        """All samples of a probe, (S, *shape), or (B, S, *shape) with a minibatch, read-only."""
        chunks = self.chunks[probe]
        shape, dtype = self.shapes[probe]
        if not chunks:
            lead = (0,) if self.batch is None else (self.batch, 0)
            empty = np.zeros((*lead, *shape), dtype)
            empty.setflags(write=False)
            return empty
        if len(chunks) > 1:
            chunks[:] = [np.concatenate(chunks)]
        joined = chunks[0].reshape((len(chunks[0]), *(() if self.batch is None else (self.batch,)), *shape))
        joined = joined if self.batch is None else np.swapaxes(joined, 0, 1)
        joined = joined.view()
        joined.setflags(write=False)
        return joined
