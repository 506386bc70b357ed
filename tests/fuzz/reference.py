"""The two simulators of one network, and what of their signals is compared."""

import warnings
from contextlib import contextmanager

import nengo
import numpy as np

import nengo_backend_tf

#: Arguments of every simulator. Unseeded streams have one order only where nengo does not optimise.
ARGUMENTS = dict(optimize=False, progress_bar=False)


def reference(drawn):
    """nengo.Simulator of a fresh copy of the network."""
    if drawn.merged:
        return nengo.Simulator(None, model=drawn.model(), seed=drawn.seed, **ARGUMENTS)
    return nengo.Simulator(drawn.network(), dt=drawn.dt, seed=drawn.seed, **ARGUMENTS)


def compiled(drawn, settings=None, **arguments):
    """This package's Simulator of a fresh copy of the network.

    Parameters
    ----------
    drawn : Drawn
    settings : dict, optional
        As for `nengo_backend_tf.configure_settings`.
    arguments
        Of the Simulator.
    """
    model = drawn.model() if drawn.merged else None
    net = model.toplevel if drawn.merged else drawn.network()
    with net:
        nengo_backend_tf.configure_settings(dtype="float64", **settings or {})
    arguments = dict(ARGUMENTS, seed=drawn.seed, **arguments)
    if drawn.merged:
        return nengo_backend_tf.Simulator(None, model=model, **arguments)
    return nengo_backend_tf.Simulator(net, dt=drawn.dt, **arguments)


def base_signals(model):
    """All base signals of a model that are no sparse matrices, in an order that depends on the network alone."""
    signals = dict.fromkeys(s.base for op in model.operators for s in op.all_signals)
    return [s for s in signals if not s.sparse]


def written_signals(model):
    """The base signals that some operator writes."""
    written = {s.base for op in model.operators for s in (*op.sets, *op.incs, *op.updates)}
    return [s for s in base_signals(model) if s in written]


@contextmanager
def quiet():
    """Without warnings of networks that are odd on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def probe_data(sim):
    """The data of all probes, in order."""
    return [np.array(sim.data[probe]) for probe in sim.model.probes]
