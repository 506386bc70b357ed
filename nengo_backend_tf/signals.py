"""``sim.signals``: live arrays of all signals, as nengo.Simulator has them."""

import weakref
from collections.abc import Mapping

import numpy as np
from nengo.exceptions import SignalError

from .inspection import signal_value


class LiveSignals(Mapping):
    """Maps each signal of a model to an array of its present value.

    An array that was given out follows the simulation, and what is written into it (or assigned, ``signals[sig] = x``)
    is what the simulation goes on with. With a minibatch, values that differ from item to item have a leading axis.

    Parameters
    ----------
    engine : Engine
    """

    def __init__(self, engine):
        self._engine = engine
        self._signals = tuple(dict.fromkeys(
            s for op in engine.model.operators for sig in op.all_signals for s in (sig.base, sig)
        ))
        self._known = frozenset(self._signals)
        self._given = {}
        # What was given out is kept until the next run, so that `signals[sig][...] = x` is not lost with the array.
        self._held = []

    def __iter__(self):
        return iter(self._signals)

    def __len__(self):
        return len(self._signals)

    def __getitem__(self, signal):
        if signal.base not in self._known:
            raise KeyError(signal)
        given = self._given.get(signal)
        array = given[0]() if given is not None else None
        if array is None:
            array = signal_value(self._engine, signal)
            if not isinstance(array, np.ndarray):
                return array
            if signal.readonly:
                array.setflags(write=False)
            self._given[signal] = (weakref.ref(array), array.copy())
            self._held.append(array)
        return array

    def __setitem__(self, signal, value):
        array = self[signal]
        if not array.flags.writeable:
            raise SignalError(f"{signal}: the signal is read-only. Got a value to assign. Change the network instead.")
        array[...] = value
        self.take_back()

    def __str__(self):
        return "".join(f"{signal!r} {self[signal]!r}\n" for signal in self)

    def take_back(self):
        """Give the engine what was written into the arrays."""
        for signal, (reference, before) in list(self._given.items()):
            array = reference()
            if array is not None and not np.array_equal(array, before):
                self._engine.set_signal(signal, array)
                self._given[signal] = (reference, array.copy())

    def refresh(self):
        """Bring the arrays that were given out, and are still there, up to date."""
        self._held.clear()
        for signal, (reference, _) in list(self._given.items()):
            array = reference()
            if array is None:
                del self._given[signal]
                continue
            writeable = array.flags.writeable
            array.setflags(write=True)
            array[...] = signal_value(self._engine, signal)
            array.setflags(write=writeable)
            self._given[signal] = (reference, array.copy())
