"""``sim.data``: probe data, and what the builder made of ensembles, connections and other objects."""

from collections import ChainMap
from collections.abc import Mapping

from .recorder import Samples


class SimulationData(Mapping):
    """Maps probes to what they recorded, and other objects of the network to the parameters that were built for them.

    Probe data is a read-only ndarray (T, *shape), or (B, T, *shape) for a minibatch of B items.

    Parameters
    ----------
    params : dict
        The model's parameters, by object.
    recorder : Recorder

    Attributes
    ----------
    raw : ChainMap
        The same, but probes map to lists of samples, of which some may be deleted: whoever simulates for hours without end
        does that, as nengo-gui.
    """

    def __init__(self, params, recorder):
        self._params, self._recorder = params, recorder
        self.raw = ChainMap({probe: Samples(recorder, probe) for probe in recorder.shapes}, params)

    def __getitem__(self, key):
        if key in self._recorder.chunks:
            return self._recorder.array(key)
        return self._params[key]

    def __iter__(self):
        return iter(self._params)

    def __len__(self):
        return len(self._params)

    def __repr__(self):
        return repr(dict(self))

    def __str__(self):
        return str(dict(self))
