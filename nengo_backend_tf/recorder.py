"""Probe data: recorded chunk by chunk, read as one array."""

from collections.abc import Sequence

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

    def samples(self, probe):
        """All samples of a probe in the order of the steps: (S, *shape), or (S, B, *shape) with a minibatch."""
        chunks = self.chunks[probe]
        shape, dtype = self.shapes[probe]
        lead = () if self.batch is None else (self.batch,)
        count = len(chunks)
        if count == 0:
            return np.zeros((0, *lead, *shape), dtype)
        if count > 1:
            # Another thread may be running the simulator, and append.
            chunks[:count] = [np.concatenate(chunks[:count])]
        return chunks[0].reshape((len(chunks[0]), *lead, *shape))

    def delete(self, probe, index):
        """Forget some samples of a probe: ``index`` as of a list."""
        chunks, samples = self.chunks[probe], self.samples(probe)
        kept = np.delete(samples, index, axis=0)
        chunks[: min(len(samples), 1)] = [kept] if len(kept) else []

    def array(self, probe):
        """All samples of a probe, (S, *shape), or (B, S, *shape) with a minibatch, read-only."""
        samples = self.samples(probe)
        array = (samples if self.batch is None else np.swapaxes(samples, 0, 1)).view()
        array.setflags(write=False)
        return array


class Samples(Sequence):
    """Samples of one probe like a list: one may look at them and delete them while the simulation goes on.

    Parameters
    ----------
    recorder : Recorder
    probe : nengo.Probe
    """

    def __init__(self, recorder, probe):
        self._recorder, self._probe = recorder, probe

    def __len__(self):
        return len(self._recorder.samples(self._probe))

    def __getitem__(self, index):
        samples = self._recorder.samples(self._probe)[index]
        return list(samples) if isinstance(index, slice) else samples

    def __delitem__(self, index):
        self._recorder.delete(self._probe, index)

    def __repr__(self):
        return repr(self[:])
