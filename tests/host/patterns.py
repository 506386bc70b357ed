"""Python functions as users write them: one network a pattern, and where each of its functions should be called.

The patterns themselves are in ``patterns_of_time.py`` and ``patterns_of_values.py``.

All networks compute with small integers and binary fractions, so that results can be equal to the last bit. What is
traced keeps its calls to itself (`Traced`), so that tracing ties no function to another.
"""

import functools
from typing import Callable, NamedTuple

import nengo
import numpy as np

class Pattern(NamedTuple):
    """A network of functions.

    Attributes
    ----------
    make : callable
        ``make(simulator_class)`` builds the network, with fresh state for all functions. Nodes are told by their labels.
    ahead, within, after : tuple of str
        Labels of the Nodes whose functions are called before the steps of a chunk, within them, and after them.
    forcing : tuple of str
        Those of ``within`` for which the steps have to run one by one on the host.
    """

    make: Callable
    ahead: tuple = ()
    within: tuple = ()
    after: tuple = ()
    forcing: tuple = ()

    @property
    def name(self):
        return self.make.__name__


PATTERNS = []


def pattern(ahead="", within="", after="", forcing=None):
    """Add a function that builds into a network to `PATTERNS`. Arguments are labels, with blanks between them."""

    def decorate(build):
        @functools.wraps(build)
        def make(simulator_class):
            with nengo.Network(seed=1) as net:
                np.random.seed(5)
                build(simulator_class)
            return net

        forced = within if forcing is None else forcing
        PATTERNS.append(Pattern(make, *(tuple(labels.split()) for labels in (ahead, within, after, forced))))
        return build

    return decorate


class Traced:
    """A function, with a list of what it was called with and what it returned."""

    def __init__(self, fn):
        self.fn, self.calls = fn, []

    def __call__(self, *args):
        given = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
        returned = self.fn(*args)
        self.calls.append((given, np.copy(returned) if isinstance(returned, np.ndarray) else returned))
        return returned


def calls_of(net):
    """Label of each Node of a network whose function is traced -> its calls."""
    return {node.label: node.output.calls for node in net.all_nodes if isinstance(node.output, Traced)}


def source(label, fn, size_out=1):
    """A Node with a traced function of the time alone, and a probe of it."""
    node = nengo.Node(Traced(fn), size_out=size_out, label=label)
    nengo.Probe(node)
    return node


def plant(label, fn, *inputs):
    """A Node with a traced function of a value, from which the steps read, and a probe of it."""
    node = nengo.Node(Traced(fn), size_in=1, size_out=1, label=label)
    nengo.Connection(node, node, synapse=0, transform=0.5)
    for other in inputs:
        nengo.Connection(other, node, synapse=None, transform=2)
    nengo.Probe(node, synapse=0)
    nengo.Probe(node)
    return node


def sink(label, fn, given):
    """A Node that only consumes values."""
    node = nengo.Node(Traced(fn), size_in=1, size_out=0, label=label)
    nengo.Connection(given, node, synapse=None, transform=2)
    return node


def milliseconds(t):
    return float(round(1000 * t))


def inner_simulators(net):
    """Simulators that Nodes of a network run, to be closed."""
    return [node.output.simulator for node in net.all_nodes if hasattr(node.output, "simulator")]

